"""Reductions, minima and maxima, and cumulative operators."""
