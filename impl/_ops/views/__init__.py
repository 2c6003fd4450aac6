"""Views, in-place geometry, concatenation and conjugation."""
