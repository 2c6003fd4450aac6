"""Functions of torch.cuda for devices and memory (torch/cuda/__init__.py, torch/cuda/memory.py).

Without devices they behave like a build of torch without CUDA.
"""

from typing import Any, Literal, NamedTuple, NoReturn

from .._devices import cuda_backend, device as devices
from .._devices.device import as_device
from .._legacy.storage_types import CUDA_STORAGES
from .._legacy.tensor_types import CUDA_TENSORS
from .._random.generator import seed_cuda
from .._runtime.errors import check
from .._runtime.lazy_exports import set_module

OutOfMemoryError = cuda_backend.OutOfMemoryError
AcceleratorError = cuda_backend.AcceleratorError
has_half = True


def is_available() -> bool:
    """Return whether there are CUDA devices."""
    return cuda_backend.active_backend() is not None


def is_initialized() -> bool:
    """Return whether CUDA is initialized, which holds if there are devices."""
    return is_available()


def init() -> None:
    """Initialize CUDA; raise AssertionError if there are no devices."""
    cuda_backend.require_cuda()


def device_count() -> int:
    """Return the number of CUDA devices."""
    backend = cuda_backend.active_backend()
    return 0 if backend is None else len(backend.memory_stats)


def current_device() -> int:
    """Return the index of this thread's current device."""
    return cuda_backend.current_ordinal()


def set_device(device: Any) -> None:
    """Set this thread's current device; a negative index changes nothing."""
    index = get_device_index(device)
    if index >= 0:
        if cuda_backend.active_backend() is None:
            _missing_in_c("_cuda_setDevice")
        cuda_backend.set_current(index)


def _missing_in_c(name: str) -> NoReturn:
    """Raise the AttributeError of a build without CUDA for a missing C function."""
    raise AttributeError(f"module 'torch._C' has no attribute '{name}'")


def get_device_index(device: Any, *, optional: bool = False) -> Any:
    """Return the index of a CUDA device, string, int or context (torch/_utils.py).

    If the index is ``optional``, it is the current one by default, or None without devices.
    """
    if isinstance(device, int):
        return device
    if isinstance(device, _DeviceContext):
        return device.idx
    if isinstance(device, str):
        device = as_device(device)
    if isinstance(device, devices.device):
        check(
            device.type == "cuda", lambda: f"Expected a cuda device, but got: {device}", ValueError
        )
        if device.index is not None:
            return device.index
    check(
        optional,
        lambda: f"Expected a torch.device with a specified index or an integer, but got:{device}",
        ValueError,
    )
    return None if cuda_backend.active_backend() is None else cuda_backend.current_ordinal()


class device:
    """device(device): a context manager that sets the current CUDA device; None changes nothing.

    >>> import impl as torch
    >>> torch.cuda.device("cuda:1").idx
    1
    """

    def __init__(self, device: Any) -> None:
        self.idx = get_device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, type: Any, value: Any, traceback: Any) -> Literal[False]:
        self.idx = _exchange_device(self.prev_idx)
        return False


_DeviceContext = device


class device_of(device):
    """device_of(tensor): a context manager that sets a CUDA tensor's device as the current one."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def _exchange_device(index: int) -> int:
    """Set the current device and return the previous index; do nothing for a negative index."""
    if index < 0:
        return -1
    check(
        cuda_backend.active_backend() is not None,
        lambda: "PyTorch was compiled without CUDA support",
    )
    previous = cuda_backend.current_ordinal()
    cuda_backend.set_current(index)
    return previous


def synchronize(device: Any = None) -> None:
    """Wait for all work on a device."""
    cuda_backend.require_cuda().synchronize(_valid_index(device))


def _valid_index(device: Any) -> int:
    """Return the index of an existing device, by default the current one; raise AssertionError."""
    index: int = get_device_index(device, optional=True)
    check(0 <= index < device_count(), lambda: "Invalid device id", AssertionError)
    return index


class _Properties(NamedTuple):
    name: str
    major: int
    minor: int
    total_memory: int


def get_device_properties(device: Any = None) -> _Properties:
    """Return the name, the compute capability and the memory of a device."""
    backend = cuda_backend.require_cuda()
    index = _valid_index(device)
    total = backend.memory_info(index)[1]
    return _Properties(backend.name(index), *backend.capability(index), total)


def get_device_name(device: Any = None) -> str:
    """Return the name of a device."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability of a device, major and minor."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether devices support bfloat16, which holds if there are any."""
    return is_available()


def memory_allocated(device: Any = None) -> int:
    """Return the number of bytes in tensors on a device; 0 without devices."""
    return _memory_stats(device).allocated


def max_memory_allocated(device: Any = None) -> int:
    """Return the peak number of bytes in tensors since the last reset."""
    return _memory_stats(device).peak


def _memory_stats(device: Any) -> cuda_backend.MemoryStats:
    backend = cuda_backend.active_backend()
    return (
        cuda_backend.MemoryStats()
        if backend is None
        else backend.memory_stats[_valid_index(device)]
    )


def memory_reserved(device: Any = None) -> int:
    """Return the reserved bytes of a device, in use or cached; 0 without devices."""
    backend = cuda_backend.active_backend()
    return 0 if backend is None else backend.reserved(_valid_index(device))


def reset_peak_memory_stats(device: Any = None) -> None:
    """Set the peak to the present number of bytes in tensors."""
    if not is_available():
        get_device_index(device, optional=True)
        _missing_in_c("_cuda_resetPeakMemoryStats")
    _memory_stats(device).reset_peak()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Return the free and the total number of bytes of a device."""
    get_device_index(device, optional=True)
    return cuda_backend.require_cuda().memory_info(_valid_index(device))


def empty_cache() -> None:
    """Free unused cached memory."""
    backend = cuda_backend.active_backend()
    if backend is not None:
        backend.empty_cache()


def manual_seed(seed: int) -> None:
    """Seed the generator of the current device; do nothing without devices."""
    seed = int(seed)
    if is_available():
        seed_cuda(cuda_backend.current_ordinal(), seed)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices."""
    seed = int(seed)
    for index in range(device_count()):
        seed_cuda(index, seed)


__all__ = [
    *CUDA_STORAGES,
    *CUDA_TENSORS,
    "current_device",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "has_half",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
    "synchronize",
]

globals().update(CUDA_STORAGES, **CUDA_TENSORS)
set_module("cuda", globals(), __all__)
