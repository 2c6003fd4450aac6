"""torch.accelerator: the accelerator that there is, which is CUDA, in words that fit any (torch/accelerator)."""

from typing import Any

from .._devices import cuda_backend
from .._devices import device as devices
from .._devices.device import as_device, check_accelerator
from .._runtime.errors import check
from .._runtime.lazy_exports import set_module
from . import cuda


def is_available() -> bool:
    """Tell whether there is an accelerator."""
    return cuda.is_available()


def device_count() -> int:
    """Return the number of devices of the accelerator; 0 if there is none."""
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> devices.device | None:
    """Return the device that stands for the accelerator, without an ordinal; None if there is none."""
    return as_device("cuda") if is_available() else None


def _ordinal(device: Any, *, optional: bool = False) -> int:
    """Return the ordinal of what stands for a device of the accelerator (torch/accelerator/_utils.py)."""
    if isinstance(device, str):
        device = as_device(device)
    if isinstance(device, devices.device):
        check(is_available(), lambda: "Accelerator expected")
        check(
            device.type == "cuda",
            lambda: f"{device.type} doesn't match the current accelerator cuda.",
            ValueError,
        )
    found: int | None = cuda.ordinal_of(device, optional=optional)
    return current_device_index() if found is None else found


def current_device_index() -> int:
    """Return the ordinal of this thread's current device."""
    check_accelerator()
    return cuda_backend.current()


def set_device_index(device: Any, /) -> None:
    """Make a device this thread's current one; nothing for a negative ordinal."""
    ordinal = _ordinal(device)
    check_accelerator()
    if ordinal >= 0:
        cuda_backend.set_current(ordinal)


def synchronize(device: Any = None, /) -> None:
    """Wait until a device has done all that it was told."""
    ordinal = _ordinal(device, optional=True)
    check_accelerator()
    cuda.synchronize(ordinal)


class device_index:
    """device_index(device): let a device be the current one until the context is left; None changes nothing."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *exc_info: object) -> None:
        if self.idx is not None:
            set_device_index(self.prev_idx)


def memory_allocated(device_index: Any = None, /) -> int:
    """Return how many bytes of a device tensors take."""
    check_accelerator()
    return cuda.memory_allocated(_ordinal(device_index, optional=True))


def max_memory_allocated(device_index: Any = None, /) -> int:
    """Return how many bytes tensors took at most, since the peak was reset."""
    check_accelerator()
    return cuda.max_memory_allocated(_ordinal(device_index, optional=True))


def memory_reserved(device_index: Any = None, /) -> int:
    """Return how many bytes of a device are held, used or not."""
    check_accelerator()
    return cuda.memory_reserved(_ordinal(device_index, optional=True))


def reset_peak_memory_stats(device_index: Any = None, /) -> None:
    """Let what tensors take now be the most that they took."""
    check_accelerator()
    cuda.reset_peak_memory_stats(_ordinal(device_index, optional=True))


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """Return how many bytes of a device are free, and how many there are."""
    ordinal = _ordinal(device_index, optional=True)
    check_accelerator()
    return cuda.mem_get_info(ordinal)


def empty_cache() -> None:
    """Give memory back to the device that nothing lies in."""
    check_accelerator()
    cuda.empty_cache()


__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "device_index",
    "empty_cache",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "set_device_index",
    "synchronize",
]

set_module("accelerator", globals(), __all__)
