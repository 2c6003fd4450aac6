"""torch.cuda, as far as tensors' attributes need it: which devices there are, which one is current, their memory.

It answers as a build of torch without CUDA where there are no devices (torch/cuda/__init__.py, torch/cuda/memory.py).
"""

from typing import Any, Literal, NamedTuple, NoReturn

from .._devices import cuda_backend
from .._devices import device as devices
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
    """Tell whether there are CUDA devices."""
    return cuda_backend.cuda() is not None


def is_initialized() -> bool:
    """Tell whether CUDA was made ready for use: it is, where there are devices."""
    return is_available()


def init() -> None:
    """Make CUDA ready for use, or say that it is not there."""
    cuda_backend.require_cuda()


def device_count() -> int:
    """Return the number of CUDA devices."""
    found = cuda_backend.cuda()
    return 0 if found is None else len(found.meters)


def current_device() -> int:
    """Return the ordinal of this thread's current device."""
    cuda_backend.require_cuda()
    return cuda_backend.current()


def set_device(device: Any) -> None:
    """Make a device this thread's current one; nothing for a negative ordinal."""
    ordinal = ordinal_of(device)
    if ordinal >= 0:
        if cuda_backend.cuda() is None:
            _not_in_c("_cuda_setDevice")
        cuda_backend.set_current(ordinal)


def _not_in_c(name: str) -> NoReturn:
    """Say what a build without CUDA says where Python calls what it has not."""
    raise AttributeError(f"module 'torch._C' has no attribute '{name}'")


def ordinal_of(device: Any, *, optional: bool = False) -> Any:
    """Return the ordinal of what stands for a CUDA device (torch/_utils.py).

    Where it is ``optional``, what names none stands for the current one; None if there is none.
    """
    if isinstance(device, int):
        return device
    if isinstance(device, str):
        device = as_device(device)
    found = None
    if isinstance(device, devices.device):
        check(
            device.type == "cuda", lambda: f"Expected a cuda device, but got: {device}", ValueError
        )
        found = device.index
    elif isinstance(device, _Context):
        return device.idx
    if found is not None:
        return found
    check(
        optional,
        lambda: f"Expected a torch.device with a specified index or an integer, but got:{device}",
        ValueError,
    )
    return None if cuda_backend.cuda() is None else cuda_backend.current()


class device:
    """device(device): let a CUDA device be the current one, until the context is left; None changes nothing.

    >>> import impl as torch
    >>> torch.cuda.device("cuda:1").idx
    1
    """

    def __init__(self, device: Any) -> None:
        self.idx = ordinal_of(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange(self.idx)

    def __exit__(self, type: Any, value: Any, traceback: Any) -> Literal[False]:
        self.idx = _exchange(self.prev_idx)
        return False


_Context = device


class device_of(device):
    """device_of(tensor): let a tensor's device be the current one; what lies elsewhere changes nothing."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def _exchange(ordinal: int) -> int:
    """Make a device the current one, and return the ordinal of that before; none for a negative ordinal."""
    if ordinal < 0:
        return -1
    check(cuda_backend.cuda() is not None, lambda: "PyTorch was compiled without CUDA support")
    before = cuda_backend.current()
    cuda_backend.set_current(ordinal)
    return before


def synchronize(device: Any = None) -> None:
    """Wait until a device has done all that it was told."""
    found = cuda_backend.require_cuda()
    found.synchronise(_there(device))


def _there(device: Any) -> int:
    """Return the ordinal of a device that is there, of the current one for None."""
    ordinal: int = ordinal_of(device, optional=True)
    check(0 <= ordinal < device_count(), lambda: "Invalid device id", AssertionError)
    return ordinal


class _Properties(NamedTuple):
    """What is known of a device."""

    name: str
    major: int
    minor: int
    total_memory: int


def get_device_properties(device: Any = None) -> _Properties:
    """Return the name, the compute capability and the memory of a device."""
    found = cuda_backend.require_cuda()
    ordinal = _there(device)
    total = found.memory_info(ordinal)[1]
    return _Properties(found.name(ordinal), *found.capability(ordinal), total)


def get_device_name(device: Any = None) -> str:
    """Return the name of a device."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability of a device, major and minor."""
    found = get_device_properties(device)
    return found.major, found.minor


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Tell whether devices compute with bfloat16: where there are any they do."""
    return is_available()


def memory_allocated(device: Any = None) -> int:
    """Return how many bytes of a device tensors take; 0 where there is none."""
    meter = _meter(device)
    return 0 if meter is None else meter.allocated


def max_memory_allocated(device: Any = None) -> int:
    """Return how many bytes tensors took at most, since the peak was reset."""
    meter = _meter(device)
    return 0 if meter is None else meter.peak


def _meter(device: Any) -> cuda_backend.MemoryStats | None:
    found = cuda_backend.cuda()
    return None if found is None else found.meters[_there(device)]


def memory_reserved(device: Any = None) -> int:
    """Return how many bytes of a device are held, used or not; 0 where there is none."""
    found = cuda_backend.cuda()
    return 0 if found is None else found.reserved(_there(device))


def reset_peak_memory_stats(device: Any = None) -> None:
    """Let what tensors take now be the most that they took."""
    meter = _meter(device)
    if meter is None:
        ordinal_of(device, optional=True)
        _not_in_c("_cuda_resetPeakMemoryStats")
    meter.reset_peak()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Return how many bytes of a device are free, and how many there are."""
    if device is None:
        cuda_backend.require_cuda()
    ordinal_of(device, optional=True)
    return cuda_backend.require_cuda().memory_info(_there(device))


def empty_cache() -> None:
    """Give memory back to the device that nothing lies in."""
    found = cuda_backend.cuda()
    if found is not None:
        found.empty_cache()


def manual_seed(seed: int) -> None:
    """Let what is drawn on the current device begin from a seed; nothing where there is none."""
    seed = int(seed)
    if is_available():
        seed_cuda(cuda_backend.current(), seed)


def manual_seed_all(seed: int) -> None:
    """Let what is drawn on each device begin from a seed; nothing where there is none."""
    seed = int(seed)
    for ordinal in range(device_count()):
        seed_cuda(ordinal, seed)


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
