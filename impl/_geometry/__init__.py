"""Shapes, strides, memory formats and view rules, as plain integers."""
