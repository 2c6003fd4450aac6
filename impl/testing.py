"""torch.testing: simulated CUDA devices, which torch does not have."""

from ._devices.simulated_cuda import simulated_cuda

__all__ = ["simulated_cuda"]
