"""The arithmetic of operators on NumPy arrays."""
