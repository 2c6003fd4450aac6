"""What tests of programs need beside torch's names: devices that are not there."""

from typing import Any

from ._devices import cuda_backend
from ._devices import simulated_cuda as simulated


class simulated_cuda:
    """simulated_cuda(device_count=2, memory=2**34): let there be CUDA devices, until the context is left.

    Their memory is the host's, of which each has so many bytes, and every rule is CUDA's, so that
    programs for GPUs run where there is none.  They are there for all threads.

    >>> import impl as torch
    >>> with simulated_cuda(device_count=2):
    ...     (torch.ones(2, device="cuda:1") + 1).device
    device(type='cuda', index=1)
    """

    def __init__(self, device_count: int = 2, memory: int = simulated.MEMORY) -> None:
        self._backend = simulated.SimulatedCuda(device_count, memory)

    def __enter__(self) -> "simulated_cuda":
        cuda_backend.begin(self._backend)
        return self

    def __exit__(self, *error: Any) -> None:
        cuda_backend.end(self._backend)
