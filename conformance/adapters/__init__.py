"""Adapters of libraries that ship with the suite, each a subject by its name."""
