"""torch.testing: comparisons with a tolerance, and random tensors."""
