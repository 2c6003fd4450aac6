"""Errors, warnings, lazy imports and per-thread modes, on which every other package builds."""
