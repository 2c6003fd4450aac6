"""Autograd metadata of tensors: grad modes, version counters and view tracking."""
