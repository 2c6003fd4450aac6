"""Calls of the overloads in the oracle's operator schemas."""
