"""Random factories and in-place random sampling."""
