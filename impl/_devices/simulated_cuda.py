"""Simulated CUDA devices, with host memory and the rules of CUDA."""

from typing import Any

from .._arrays.foreign_memory import address_of
from .._arrays.numpy_bridge import np
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .cuda_backend import Backend, MemoryStats, activate_backend, deactivate_backend

MEMORY = 2**34
"""The default number of bytes of a simulated device."""

_ALIGNMENT = 512
"""The alignment of CUDA's memory in bytes."""


class SimulatedCuda(Backend):
    """Devices with host memory and without kernels."""

    def __init__(self, count: int, memory: int = MEMORY) -> None:
        check(0 < count < 2**7, lambda: f"there can be 1 to 127 simulated devices, not {count}")
        self.memory_stats = [MemoryStats() for _ in range(count)]
        self._memory = memory

    def allocate(self, size: int, ordinal: int) -> tuple[int, Any]:
        if size > self.memory_info(ordinal)[0]:
            raise MemoryError
        return self.pin(size)

    def pin(self, size: int) -> tuple[int, Any]:
        array = np.empty(size + _ALIGNMENT, np.uint8)
        start = address_of(array)
        return start + -start % _ALIGNMENT, array

    def memory_info(self, ordinal: int) -> tuple[int, int]:
        return self._memory - self.memory_stats[ordinal].allocated, self._memory

    def name(self, ordinal: int) -> str:
        return "Simulated CUDA device"

    def capability(self, ordinal: int) -> tuple[int, int]:
        return 9, 0  # there are kernels for all dtypes


class simulated_cuda:
    """simulated_cuda(device_count=2, memory=2**34): a context manager with simulated CUDA devices.

    Each has ``memory`` bytes of the host's memory and follows CUDA's rules, so programs for
    GPUs run without one.  All threads see the devices.

    >>> import impl as torch
    >>> with simulated_cuda(device_count=2):
    ...     (torch.ones(2, device="cuda:1") + 1).device
    device(type='cuda', index=1)
    """

    def __init__(self, device_count: int = 2, memory: int = MEMORY) -> None:
        self._backend = SimulatedCuda(device_count, memory)

    def __enter__(self) -> "simulated_cuda":
        activate_backend(self._backend)
        return self

    def __exit__(self, *error: Any) -> None:
        deactivate_backend(self._backend)


simulated_cuda.__module__ = f"{PACKAGE}.testing"
