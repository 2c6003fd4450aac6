"""Type promotion, casting, float formats, and conversion between elements and Python scalars."""
