"""Copying and pickling of tensors."""
