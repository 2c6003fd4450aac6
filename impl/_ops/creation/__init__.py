"""Factories that take data, tensors or ranges, and conversions."""
