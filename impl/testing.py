"""torch.testing: beside torch's names, simulated CUDA devices for the tests of programs."""

from ._devices.simulated_cuda import simulated_cuda

__all__ = ["simulated_cuda"]
