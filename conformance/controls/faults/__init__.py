"""Planted faults, one module for each area."""
