"""CUDA devices and the accelerator: torch.cuda and torch.accelerator."""
