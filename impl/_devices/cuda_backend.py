"""Memory of CUDA devices: who has it, behind one protocol, and how much of it is in use.

There is CuPy's, loaded when a CUDA device is first asked for, or a simulated one.  Either hands out memory
that the host can read and write, too, so that whatever has no kernel of its own there is computed by
NumPy in place.
"""

import os
import threading
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from .._arrays.foreign_memory import borrow, owner_of
from .._arrays.numpy_bridge import np
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.lazy_import import LazyModule

_simulated: Any = LazyModule(f"{PACKAGE}._devices.simulated_cuda")
_on_cupy: Any = LazyModule(f"{PACKAGE}._devices.cupy_backend")


class AcceleratorError(RuntimeError):
    """What an accelerator refuses."""


class OutOfMemoryError(RuntimeError):
    """What is raised where a device has not enough memory left."""


for _error in (AcceleratorError, OutOfMemoryError):
    _error.__module__ = "torch"


class MemoryStats:
    """How many bytes of a device are in use, and how many there were at most."""

    def __init__(self) -> None:
        self.allocated = self.peak = 0
        # What is given back may be found by the garbage collector, in the midst of this.
        self._lock = threading.RLock()

    def count(self, size: int) -> None:
        """Count bytes that are taken, or given back if the number is negative."""
        with self._lock:
            self.allocated += size
            self.peak = max(self.peak, self.allocated)

    def reset_peak(self) -> None:
        """Let what is in use now be the most that there was."""
        with self._lock:
            self.peak = self.allocated


class Backend(Protocol):
    """CUDA devices, real or simulated, which have ordinals from 0 on, and a meter each."""

    meters: list[MemoryStats]

    def allocate(self, size: int, ordinal: int) -> tuple[int, Any]:
        """Return the address of new memory, and what keeps it; raise MemoryError if there is not enough."""

    def host_reads(self, address: int) -> bool:
        """Tell whether the host can read and write memory of a device, which may be another library's."""

    def copy(self, target: Any, source: Any, ordinal: int) -> None:
        """Write the bytes of an array over those of another, wherever either is; both are contiguous."""

    def run(self, kernel: Any, out: Any, inputs: tuple[Any, ...], ordinal: int) -> bool:
        """Let a device run a compiled kernel over arrays, and wait for it; False if it cannot."""

    def pin(self, size: int) -> tuple[int, Any]:
        """Return the address of new memory of the host that devices read fast, and what keeps it."""

    def synchronise(self, ordinal: int) -> None:
        """Wait until a device has done all that it was told."""

    def empty_cache(self) -> None:
        """Give memory back that nothing lies in."""

    def reserved(self, ordinal: int) -> int:
        """Return how many bytes are held of a device, used or not."""

    def memory_info(self, ordinal: int) -> tuple[int, int]:
        """Return how many bytes of a device are free, and how many there are."""

    def name(self, ordinal: int) -> str:
        """Return what a device is called."""

    def capability(self, ordinal: int) -> tuple[int, int]:
        """Return the compute capability of a device."""


class _Current(threading.local):
    """A thread's current device of each backend; the first one, if it never chose one."""

    def __init__(self) -> None:
        self.ordinals: WeakKeyDictionary[Backend, int] = WeakKeyDictionary()


_CURRENT = _Current()
_FOUND: list[Backend | None] = []
"""Whose devices there are; the last one counts.  Empty before any were looked for."""

_LOCK = threading.Lock()


def cuda() -> Backend | None:
    """Return the CUDA devices that there are; None if there are none."""
    if not _FOUND:
        with _LOCK:
            if not _FOUND:
                _FOUND.append(_found())
    return _FOUND[-1]


def _found() -> Backend | None:
    count = os.environ.get("IMPL_SIMULATED_CUDA")
    if count is not None:
        check(
            count.isdecimal() and int(count) < 2**7,
            lambda: f"IMPL_SIMULATED_CUDA is {count!r}, and has to be a number of devices",
        )
        return _simulated.SimulatedCuda(int(count)) if int(count) else None
    return _on_cupy.found() if find_spec("cupy") else None


def begin(backend: Backend) -> None:
    """Let a backend's devices be those that there are, until `end` is called; of several those that began last."""
    cuda()
    _FOUND.append(backend)


def end(backend: Backend) -> None:
    """Take a backend's devices away."""
    _FOUND.remove(backend)


def require_cuda() -> Backend:
    """Return the CUDA devices, or say that there are none."""
    found = cuda()
    if found is None:
        raise AssertionError("Torch not compiled with CUDA enabled")
    return found


def current() -> int:
    """Return the ordinal of this thread's current device."""
    return _CURRENT.ordinals.get(require_cuda(), 0)


def set_current(ordinal: int) -> None:
    """Make a device this thread's current one."""
    check_ordinal(ordinal)
    _CURRENT.ordinals[require_cuda()] = ordinal


def check_ordinal(ordinal: int) -> None:
    """Refuse a device that is not there, in the words of CUDA (c10/cuda/CUDAException.cpp)."""
    check(
        0 <= ordinal < len(require_cuda().meters),
        lambda: (
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough"
            " GPUs?\nSearch for `cudaErrorInvalidDevice' in"
            " https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more"
            " information.\nCUDA kernel errors might be asynchronously reported at some other API call,"
            " so the stacktrace below might be incorrect.\nFor debugging consider passing"
            " CUDA_LAUNCH_BLOCKING=1\nDevice-side assertion tracking was not enabled by user."
        ),
        AcceleratorError,
    )


_ROUND = 512
"""Torch counts memory in blocks of so many bytes (c10/cuda/CUDACachingAllocator.cpp)."""


class _Block:
    """Owns memory of a device, which is in use until no array lies over it any more."""

    __slots__ = ("_keeper", "_meter", "_size")

    def __init__(self, size: int, keeper: Any, meter: MemoryStats) -> None:
        self._keeper, self._meter = keeper, meter
        self._size = -(-size // _ROUND) * _ROUND
        meter.count(self._size)

    def __del__(self) -> None:
        self._meter.count(-self._size)


def new_bytes(size: int, ordinal: int) -> Any:
    """Return new memory of a device as an array of bytes."""
    check(
        0 <= size < 2**60,
        lambda: "CUDA out of memory. Tried to allocate more than 1EB memory.",
        OutOfMemoryError,
    )
    check_ordinal(ordinal)
    if not size:
        return np.empty(0, np.uint8)
    found = require_cuda()
    try:
        address, keeper = found.allocate(size, ordinal)
    except MemoryError:
        raise OutOfMemoryError(_no_memory(found, size, ordinal)) from None
    return borrow(address, size, _Block(size, keeper, found.meters[ordinal]))


def _no_memory(found: Backend, size: int, ordinal: int) -> str:
    free, total = found.memory_info(ordinal)
    used = found.meters[ordinal].allocated
    return (
        f"CUDA out of memory. Tried to allocate {_written(size)}. GPU {ordinal} has a total capacity of"
        f" {_written(total)} of which {_written(free)} is free. Of the allocated memory"
        f" {_written(used)} is allocated by PyTorch, and"
        f" {_written(max(0, found.reserved(ordinal) - used))} is reserved by PyTorch but"
        " unallocated."
    )


def _written(size: int) -> str:
    for power, name in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 2**power:
            return f"{size / 2**power:.2f} {name}"
    return f"{size} bytes"


class _Pinned(NamedTuple):
    """Owns memory of the host that devices read fast."""

    keeper: Any


def pinned_bytes(size: int) -> Any:
    """Return new memory of the host that devices read fast, as an array of bytes."""
    address, keeper = require_cuda().pin(max(1, size))
    return borrow(address, size, _Pinned(keeper))


def is_pinned(array: Any) -> bool:
    """Tell whether an array of bytes is one of `pinned_bytes`."""
    return isinstance(owner_of(array), _Pinned)


def moved(array: Any, ordinal: int) -> Any:
    """Return the bytes of a contiguous array in new memory of a device."""
    memory = new_bytes(array.nbytes, ordinal)
    if array.nbytes:
        require_cuda().copy(memory, array.reshape(-1).view(np.uint8), ordinal)
    return memory
