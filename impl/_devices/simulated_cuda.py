"""Simulated CUDA devices: their memory is the host's, and every rule is CUDA's."""

from typing import Any

from .._arrays.numpy_bridge import np
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .cuda_backend import MemoryStats, begin, end

MEMORY = 2**34
"""How many bytes a simulated device has, if nothing else is said."""


_ALIGNED = 512
"""Memory begins where CUDA lets it begin: at a multiple of this."""


class SimulatedCuda:
    """Some devices that have memory, and compute nothing by themselves: see `backends.Backend`."""

    def __init__(self, count: int, memory: int = MEMORY) -> None:
        check(0 < count < 2**7, lambda: f"there can be 1 to 127 simulated devices, not {count}")
        self.meters = [MemoryStats() for _ in range(count)]
        self._memory = memory

    def allocate(self, size: int, ordinal: int) -> tuple[int, Any]:
        """Return the address of new memory, and what keeps it."""
        if size > self.memory_info(ordinal)[0]:
            raise MemoryError
        return self.pin(size)

    def pin(self, size: int) -> tuple[int, Any]:
        """Return the address of new memory of the host, and what keeps it."""
        array = np.empty(size + _ALIGNED, np.uint8)
        start = array.__array_interface__["data"][0]
        return start + -start % _ALIGNED, array

    def host_reads(self, address: int) -> bool:
        """Tell that the host can read and write the memory."""
        return True

    def copy(self, target: Any, source: Any, ordinal: int) -> None:
        """Write the bytes of an array over those of another."""
        target[:] = source

    def run(self, kernel: Any, out: Any, inputs: tuple[Any, ...], ordinal: int) -> bool:
        """Leave it to the host."""
        return False

    def synchronise(self, ordinal: int) -> None:
        """Do nothing: all is done at once."""

    def empty_cache(self) -> None:
        """Do nothing: no memory is kept."""

    def reserved(self, ordinal: int) -> int:
        """Return how many bytes are held of a device: those that are in use."""
        return self.meters[ordinal].allocated

    def memory_info(self, ordinal: int) -> tuple[int, int]:
        """Return how many bytes of a device are free, and how many there are."""
        return self._memory - self.meters[ordinal].allocated, self._memory

    def name(self, ordinal: int) -> str:
        """Return what a device is called."""
        return "Simulated CUDA device"

    def capability(self, ordinal: int) -> tuple[int, int]:
        """Return the compute capability of a device: one that has kernels for all dtypes."""
        return 9, 0


class simulated_cuda:
    """simulated_cuda(device_count=2, memory=2**34): let there be CUDA devices, until the context is left.

    Their memory is the host's, of which each has so many bytes, and every rule is CUDA's, so that
    programs for GPUs run where there is none.  They are there for all threads.

    >>> import impl as torch
    >>> with simulated_cuda(device_count=2):
    ...     (torch.ones(2, device="cuda:1") + 1).device
    device(type='cuda', index=1)
    """

    def __init__(self, device_count: int = 2, memory: int = MEMORY) -> None:
        self._backend = SimulatedCuda(device_count, memory)

    def __enter__(self) -> "simulated_cuda":
        begin(self._backend)
        return self

    def __exit__(self, *error: Any) -> None:
        end(self._backend)


simulated_cuda.__module__ = f"{PACKAGE}.testing"
