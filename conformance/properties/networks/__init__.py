"""Modules, their containers, layers and functions."""
