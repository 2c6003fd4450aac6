"""Comparing two observations: normalisations, tolerances, undefined elements."""
