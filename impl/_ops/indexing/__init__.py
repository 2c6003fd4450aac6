"""Basic and advanced indexing, masks, membership, sorting, and the parts of numbers."""
