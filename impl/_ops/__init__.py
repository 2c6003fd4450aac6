"""Operators, by kind."""
