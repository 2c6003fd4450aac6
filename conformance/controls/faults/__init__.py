"""Planted faults, one module per area."""
