"""Sweeps: every bit pattern of a dtype through a conversion or an operator, in chunks."""
