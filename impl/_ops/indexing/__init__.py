"""Basic and advanced indexing, masks and membership."""
