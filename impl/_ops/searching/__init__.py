"""Searching: the largest elements, the k-th smallest, medians, modes, and sorted rows."""
