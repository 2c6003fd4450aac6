"""Pointwise operators: plans, iteration, fast paths and the operator tables."""
