"""The functions of `torch.nn.functional`, composed of operators as in ATen."""
