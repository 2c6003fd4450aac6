"""The functions of torch.accelerator, which call those of torch.cuda (torch/accelerator)."""

from collections.abc import Callable
from typing import Any

from .._devices import cuda_backend, device as devices
from .._devices.device import as_device, check_accelerator
from .._runtime.errors import check
from .._runtime.lazy_exports import set_module
from . import cuda


def is_available() -> bool:
    """Return whether there is an accelerator."""
    return cuda.is_available()


def device_count() -> int:
    """Return the number of accelerator devices."""
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> devices.device | None:
    """Return the accelerator as a device without an index; None if there is none."""
    return as_device("cuda") if is_available() else None


def _get_device_index(device: Any, *, optional: bool = False) -> int:
    """Return the index of an accelerator device (torch/accelerator/_utils.py)."""
    if isinstance(device, str):
        device = as_device(device)
    if isinstance(device, devices.device):
        check(is_available(), lambda: "Accelerator expected")
        check(
            device.type == "cuda",
            lambda: f"{device.type} doesn't match the current accelerator cuda.",
            ValueError,
        )
    index: int | None = cuda.get_device_index(device, optional=optional)
    return current_device_index() if index is None else index


def _check_index(index: int, function: str, returns: str = "None") -> None:
    """Raise the error of torch's binding, in pybind11, for an index that does not fit in int8."""
    check(
        -128 <= index < 128,
        lambda: (
            f"{function}(): incompatible function arguments. The following argument types are"
            " supported:\n    1. (arg0: typing.SupportsInt | typing.SupportsIndex)"
            f" -> {returns}\n\nInvoked with: {index}"
        ),
        TypeError,
    )


def current_device_index() -> int:
    """Return the index of this thread's current device."""
    check_accelerator()
    return cuda_backend.current_ordinal()


def set_device_index(device: Any, /) -> None:
    """Set this thread's current device; a negative index changes nothing."""
    index = _get_device_index(device)
    _check_index(index, "_accelerator_setDeviceIndex")
    if index >= 0:
        check_accelerator()
        cuda_backend.set_current(index)


class device_index:
    """device_index(device): a context manager for the current device; None changes nothing."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            _check_index(self.idx, "_accelerator_exchangeDevice", "int")
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *exc_info: object) -> None:
        if self.idx is not None:
            set_device_index(self.prev_idx)


def _on_accelerator(
    function: Callable[..., Any], name: str, binding: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """Return a function of torch.cuda for a device of the accelerator, by default the current one.

    ``binding`` is torch's binding and what it returns, if torch reads the index with it before it
    checks for an accelerator.
    """

    def wrapper(device_index: Any = None, /) -> Any:
        if not binding:
            check_accelerator()
        index = _get_device_index(device_index, optional=True)
        if binding:
            _check_index(index, *binding)
        check_accelerator()
        return function(index)

    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__ = function.__doc__
    return wrapper


_synchronize = _on_accelerator(cuda.synchronize, "synchronize", ("_accelerator_synchronizeDevice",))


def synchronize(device: Any = None, /) -> None:
    """Wait for the kernels of an accelerator device, by default the current one."""
    _synchronize(device)


memory_allocated = _on_accelerator(cuda.memory_allocated, "memory_allocated")
max_memory_allocated = _on_accelerator(cuda.max_memory_allocated, "max_memory_allocated")
memory_reserved = _on_accelerator(cuda.memory_reserved, "memory_reserved")
reset_peak_memory_stats = _on_accelerator(cuda.reset_peak_memory_stats, "reset_peak_memory_stats")
get_memory_info = _on_accelerator(
    cuda.mem_get_info, "get_memory_info", ("_accelerator_getMemoryInfo", "tuple[int, int]")
)


def empty_cache() -> None:
    """Free unused cached memory."""
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
