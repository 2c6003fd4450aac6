"""Factories from data, from tensors and from ranges; conversions."""
