"""Operators that write or combine elements at indices along a dimension: scatter and its kin."""
