"""The functions of torch.linalg, and the norms of torch."""
