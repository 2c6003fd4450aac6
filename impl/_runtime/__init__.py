"""Errors, warnings, lazy imports and per-thread modes: what every other package builds on."""
