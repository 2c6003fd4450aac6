"""NumPy arrays: the lazy import, parallel blocks, foreign memory and opaque dtypes."""
