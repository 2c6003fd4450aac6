"""The operators: one declarative row each, and one executor for all."""
