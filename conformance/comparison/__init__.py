"""Comparing two observations: normalizations, tolerances, undefined elements."""
