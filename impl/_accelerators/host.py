"""Settings of the process: threads, the precision of products, and flushed denormals.

They are torch/csrc/Module.cpp's.  `get_device_module` is torch/__init__.py's.
"""

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from .._argparser.types import is_long
from .._arrays.parallel import POOL, usable_cores
from .._devices import device as devices
from .._devices.device import as_device
from .._geometry.extents import unpack_int64
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check, takes_no_arguments, type_name
from .._runtime.warnings import is_python_frame, triggered_at, warn
from . import cuda


def _function_of_one(fn: Callable[[Any], Any]) -> Callable[..., Any]:
    """Raise CPython's TypeError for a C function unless it is called with one argument."""

    @wraps(fn)
    def function(*args: Any, **kwargs: Any) -> Any:
        name = f"torch.{fn.__name__}()"
        check(not kwargs, lambda: f"{name} takes no keyword arguments", TypeError)
        check(
            len(args) == 1,
            lambda: f"{name} takes exactly one argument ({len(args)} given)",
            TypeError,
        )
        return fn(args[0])

    return function


def _function_of_none(fn: Callable[[], Any]) -> Callable[..., Any]:
    """Raise CPython's TypeError for a C function if it is called with arguments."""

    @wraps(fn)
    def function(*args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            takes_no_arguments(f"torch.{fn.__name__}", args, kwargs)
        return fn()

    return function


def _thread_count(value: Any, function: str) -> int:
    """Return a number of threads; raise for what is no positive int32 (THPUtils_unpackInt)."""
    check(is_long(value), lambda: f"{function} expects an int, but got {type_name(value)}")
    number = unpack_int64(value)
    check(-(2**31) <= number < 2**31, lambda: "Overflow when unpacking long", ValueError)
    check(number > 0, lambda: f"{function} expects a positive integer")
    return number


class _Host:
    """The settings that nothing else keeps.

    interop_threads: the set number, or None
    allows_tf32: whether products of float32 matrices on CUDA may use TensorFloat-32
    precision, mkldnn: the precision that was set last, and the one of oneDNN's products
    """

    interop_threads: int | None = None
    allows_tf32 = False
    precision = mkldnn = "highest"


@_function_of_none
def get_num_threads() -> int:
    """Return the number of threads that a call may use.

    It is the number of usable cores, or less if MKL_NUM_THREADS or OMP_NUM_THREADS is.
    """
    return POOL.limit or usable_cores()


@_function_of_one
def set_num_threads(number: Any) -> None:
    """Set the number of threads that a call may use; more than the cores are not started.

    >>> import impl as torch
    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    >>> torch.set_num_threads(0)
    Traceback (most recent call last):
    RuntimeError: set_num_threads expects a positive integer
    """
    POOL.limit = _thread_count(number, "set_num_threads")


@_function_of_none
def get_num_interop_threads() -> int:
    """Return the number of threads between operators, of which impl has none of its own."""
    return _Host.interop_threads or os.cpu_count() or 1


@_function_of_one
def set_num_interop_threads(number: Any) -> None:
    """Set the number of threads between operators, once per process."""
    count = _thread_count(number, "set_num_interop_threads")
    check(
        _Host.interop_threads is None,
        lambda: (
            "Error: cannot set number of interop threads after parallel work has started or"
            " set_num_interop_threads called"
        ),
    )
    _Host.interop_threads = count


@_function_of_one
def set_flush_denormal(mode: Any) -> bool:
    """Return whether the mode is set: impl never flushes denormal numbers.

    Torch cannot on some processors.
    """
    check(type(mode) is bool, lambda: f"flush_denormal expects a bool, but got {type_name(mode)}")
    return not mode


def get_float32_matmul_precision() -> str:
    """Return the set precision of products of float32 matrices: highest, high or medium.

    It concerns CUDA and oneDNN; impl computes in the highest one.
    """
    is_mixed = (_Host.allows_tf32 and _Host.precision == "highest") or (
        _Host.mkldnn not in ("highest", _Host.precision)
    )
    check(
        not is_mixed,
        lambda: (
            "PyTorch is checking the matmul precision without a specific backend name,Current"
            " status indicate that you have used mix of the legacy and new APIs to set the matmul"
            " precision. We suggest only using the new API for matmul precision. See also:"
            " https://pytorch.org/docs/main/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"
        ),
    )
    return _Host.precision


@is_python_frame
def set_float32_matmul_precision(precision: str | bytes) -> None:
    """Set the precision of products of float32 matrices."""
    check(
        isinstance(precision, str | bytes),
        lambda: f"set_float32_matmul_precision expects a str, but got {type_name(precision)}",
    )
    if isinstance(precision, bytes):
        precision = precision.decode()
    if precision not in ("highest", "high", "medium"):
        message = (
            f"{precision} is not one of 'highest', 'high', or 'medium'; the"
            " currentsetFloat32MatmulPrecision call has no effect."
        )
        # A C string ends at its first zero.
        warn(triggered_at(message, "aten/src/ATen/Context.cpp:458").partition("\0")[0])
        return
    _Host.precision = _Host.mkldnn = precision
    _Host.allows_tf32 = precision != "highest"


def allows_tf32() -> bool:
    """Return torch.backends.cuda.matmul.allow_tf32."""
    return _Host.allows_tf32


def set_allows_tf32(value: Any) -> None:
    """Set torch.backends.cuda.matmul.allow_tf32, and the precision that goes with it."""
    check(
        type(value) is bool,
        lambda: f"set_allow_tf32_cublas expects a bool, but got {type_name(value)}",
    )
    _Host.allows_tf32 = value
    _Host.precision = "high" if value else "highest"


def get_device_module(device: Any = None) -> Any:
    """Return the module of a device type, by default the accelerator's or else torch.cpu."""
    hash(device)  # torch caches the results
    if isinstance(device, str):
        device = as_device(device)
    if device is None:
        device = as_device("cuda" if cuda.is_available() else "cpu")
    check(
        isinstance(device, devices.device),
        lambda: f"Invalid value of device '{device}', expect torch.device, str, or None",
    )
    module = getattr(sys.modules[PACKAGE], device.type, None)
    check(
        module is not None,
        lambda: (
            f"Device '{device.type}' does not have a corresponding module registered as"
            f" 'torch.{device.type}'."
        ),
    )
    return module
