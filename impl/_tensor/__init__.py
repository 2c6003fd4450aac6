"""Tensor, access to its elements, factories, printing and sparse storages."""
