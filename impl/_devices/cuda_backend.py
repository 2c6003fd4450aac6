"""Memory of CUDA devices: the backend protocol, allocation and statistics.

CuPy's backend is loaded when a CUDA device is first used, unless there is a simulated one.
Both allocate memory that the host can read and write.  NumPy therefore computes in place
if an operator has no CUDA kernel.
"""

import os
import threading
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from .._arrays.foreign_memory import array_from_address, owner_of
from .._arrays.numpy_bridge import np
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.lazy_import import LazyModule

_simulated_cuda: Any = LazyModule(f"{PACKAGE}._devices.simulated_cuda")
_cupy_backend: Any = LazyModule(f"{PACKAGE}._devices.cupy_backend")


class AcceleratorError(RuntimeError):
    """An error of an accelerator."""


class OutOfMemoryError(RuntimeError):
    """The error for a device with too little free memory."""


for _error in (AcceleratorError, OutOfMemoryError):
    _error.__module__ = PACKAGE


class MemoryStats:
    """The current and the peak number of allocated bytes of a device."""

    def __init__(self) -> None:
        self.allocated = self.peak = 0
        # Reentrant: the garbage collector may free a block while the lock is held.
        self._lock = threading.RLock()

    def count(self, size: int) -> None:
        """Count allocated bytes, or freed bytes if the number is negative."""
        with self._lock:
            self.allocated += size
            self.peak = max(self.peak, self.allocated)

    def reset_peak(self) -> None:
        with self._lock:
            self.peak = self.allocated


class Backend(Protocol):
    """CUDA devices, real or simulated; ``memory_stats`` has one entry for each ordinal.

    The defaults are for devices with host memory, without kernels and without a cache.
    """

    memory_stats: list[MemoryStats]

    def allocate(self, size: int, ordinal: int) -> tuple[int, Any]:
        """Return the address of new memory and its owner; raise MemoryError if there is none."""

    def is_host_accessible(self, address: int) -> bool:
        """Return whether the host can access memory, which may be another library's."""
        return True

    def copy(self, target: Any, source: Any, ordinal: int) -> None:
        """Copy the bytes of a contiguous array to another, on any device or the host."""
        target[:] = source

    def run(self, kernel: Any, out: Any, inputs: tuple[Any, ...], ordinal: int) -> bool:
        """Run a compiled kernel on a device and wait for it; return whether it can run."""
        return False

    def pin(self, size: int) -> tuple[int, Any]:
        """Return the address of new pinned host memory and its owner."""

    def synchronize(self, ordinal: int) -> None:
        """Wait for all work on a device."""
        return

    def empty_cache(self) -> None:
        """Free unused cached memory."""
        return

    def reserved(self, ordinal: int) -> int:
        """Return the reserved bytes of a device, in use or cached."""
        return self.memory_stats[ordinal].allocated

    def memory_info(self, ordinal: int) -> tuple[int, int]:
        """Return the free and the total number of bytes of a device."""

    def name(self, ordinal: int) -> str:
        """Return the name of a device."""

    def capability(self, ordinal: int) -> tuple[int, int]:
        """Return the compute capability of a device."""


class _Current(threading.local):
    """A thread's current device of each backend, by default ordinal 0."""

    def __init__(self) -> None:
        self.ordinals: WeakKeyDictionary[Backend, int] = WeakKeyDictionary()


_CURRENT = _Current()
_BACKENDS: list[Backend | None] = []
"""The backends, of which the last one is active.  Empty before the first search."""

_LOCK = threading.Lock()


def active_backend() -> Backend | None:
    """Return the active backend, or None if there are no CUDA devices."""
    if not _BACKENDS:
        with _LOCK:
            if not _BACKENDS:
                _BACKENDS.append(_find_backend())
    return _BACKENDS[-1]


def _find_backend() -> Backend | None:
    count = os.environ.get("IMPL_SIMULATED_CUDA")
    if count is not None:
        check(
            count.isdecimal() and int(count) < 2**7,
            lambda: f"IMPL_SIMULATED_CUDA is {count!r}, and has to be a number of devices",
        )
        return _simulated_cuda.SimulatedCuda(int(count)) if int(count) else None
    return _cupy_backend.find_backend() if find_spec("cupy") else None


def activate_backend(backend: Backend) -> None:
    """Activate a backend until `deactivate_backend` is called; the last activated one wins."""
    active_backend()
    _BACKENDS.append(backend)


def deactivate_backend(backend: Backend) -> None:
    _BACKENDS.remove(backend)


def require_cuda() -> Backend:
    """Return the active backend; raise AssertionError if there is none."""
    backend = active_backend()
    if backend is None:
        raise AssertionError("Torch not compiled with CUDA enabled")
    return backend


def current_ordinal() -> int:
    """Return the ordinal of this thread's current device."""
    return _CURRENT.ordinals.get(require_cuda(), 0)


def set_current(ordinal: int) -> None:
    check_ordinal(ordinal)
    _CURRENT.ordinals[require_cuda()] = ordinal


def check_ordinal(ordinal: int) -> None:
    """Raise CUDA's error if a device does not exist (c10/cuda/CUDAException.cpp)."""
    check(
        0 <= ordinal < len(require_cuda().memory_stats),
        lambda: (
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough"
            " GPUs?\nSearch for `cudaErrorInvalidDevice' in"
            " https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more"
            " information.\nCUDA kernel errors might be asynchronously reported at some other API"
            " call, so the stacktrace below might be incorrect.\nFor debugging consider passing"
            " CUDA_LAUNCH_BLOCKING=1\nDevice-side assertion tracking was not enabled by user."
        ),
        AcceleratorError,
    )


_BLOCK_SIZE = 512
"""The unit of torch's memory statistics in bytes (c10/cuda/CUDACachingAllocator.cpp)."""


class _Block:
    """The owner of device memory, which counts as in use while an array refers to it."""

    __slots__ = ("_owner", "_size", "_stats")

    def __init__(self, size: int, owner: Any, stats: MemoryStats) -> None:
        self._owner, self._stats = owner, stats
        self._size = -(-size // _BLOCK_SIZE) * _BLOCK_SIZE
        stats.count(self._size)

    def __del__(self) -> None:
        self._stats.count(-self._size)


def new_bytes(size: int, ordinal: int) -> Any:
    """Return new device memory as an array of bytes."""
    check(
        0 <= size < 2**60,
        lambda: "CUDA out of memory. Tried to allocate more than 1EB memory.",
        OutOfMemoryError,
    )
    check_ordinal(ordinal)
    if not size:
        return np.empty(0, np.uint8)
    backend = require_cuda()
    try:
        address, owner = backend.allocate(size, ordinal)
    except MemoryError:
        raise OutOfMemoryError(_out_of_memory(backend, size, ordinal)) from None
    return array_from_address(address, size, _Block(size, owner, backend.memory_stats[ordinal]))


def _out_of_memory(backend: Backend, size: int, ordinal: int) -> str:
    free, total = backend.memory_info(ordinal)
    used = backend.memory_stats[ordinal].allocated
    return (
        f"CUDA out of memory. Tried to allocate {_format_size(size)}. GPU {ordinal} has a total"
        f" capacity of {_format_size(total)} of which {_format_size(free)} is free. Of the"
        f" allocated memory {_format_size(used)} is allocated by PyTorch, and"
        f" {_format_size(max(0, backend.reserved(ordinal) - used))} is reserved by PyTorch but"
        " unallocated."
    )


def _format_size(size: int) -> str:
    for power, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 2**power:
            return f"{size / 2**power:.2f} {name}"
    return f"{size} bytes"


class _Pinned(NamedTuple):
    """The owner of pinned host memory."""

    owner: Any


def pinned_bytes(size: int) -> Any:
    """Return new pinned host memory as an array of bytes."""
    address, owner = require_cuda().pin(max(1, size))
    return array_from_address(address, size, _Pinned(owner))


def is_pinned(array: Any) -> bool:
    """Return whether an array of bytes is from `pinned_bytes`."""
    return isinstance(owner_of(array), _Pinned)


def copied_to_device(array: Any, ordinal: int) -> Any:
    """Return a copy of the bytes of a contiguous array in new device memory."""
    memory = new_bytes(array.nbytes, ordinal)
    if array.nbytes:
        require_cuda().copy(memory, array.reshape(-1).view(np.uint8), ordinal)
    return memory
