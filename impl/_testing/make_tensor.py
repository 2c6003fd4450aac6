"""torch.testing.make_tensor: tensors of random elements (torch/testing/_creation.py)."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

from .._devices.device import device as device_class
from .._dtypes.constants import BOOL, INT64
from .._dtypes.table import DTYPES, dtype as dtype_class
from .._geometry.layout import memory_format as memory_format_class
from .._runtime.errors import check
from .._runtime.lazy_exports import set_module
from .._runtime.warnings import is_python_frame
from .mismatch import torch


def _named(names: str) -> tuple[dtype_class, ...]:
    return tuple(DTYPES[name] for name in names.split())


_INTEGERS = _named("uint8 int8 int16 int32 int64 uint16 uint32 uint64")
_FLOATS = _named("float16 bfloat16 float32 float64")
_SMALL_FLOATS = _named("float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz")
_COMPLEX = _named("complex32 complex64 complex128")
_EXACT = (BOOL, *_INTEGERS)
_DIFFERENTIABLE = (*_FLOATS, *_COMPLEX)


def _limits(dtype: Any) -> tuple[Any, Any, Any, Any]:
    """Return the least element, the end of the range, and the default bounds of a dtype."""
    if dtype is BOOL:
        return 0, 2, 0, 2
    if dtype in _INTEGERS:
        info = torch.iinfo(dtype)
        # The end of int64's range would exceed int64, in which randint takes it.
        return info.min, info.max + (dtype is not INT64), -9, 10
    if dtype in (*_DIFFERENTIABLE, *_SMALL_FLOATS):
        info = torch.finfo(dtype)
        return info.min, info.max, -9, 9
    raise TypeError(
        f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor()."
        " To request support, file an issue at: https://github.com/pytorch/pytorch/issues"
    )


def _bounds(dtype: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Return the bounds of the elements, which the range of the dtype limits."""
    least, end, default_low, default_high = _limits(dtype)
    low = default_low if low is None else low
    high = default_high if high is None else high
    check(
        not any(isinstance(value, float) and math.isnan(value) for value in (low, high)),
        lambda: f"`low` and `high` cannot be NaN, but got {low=} and {high=}",
        ValueError,
    )
    if low == high and dtype in _DIFFERENTIABLE:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is"
            " deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    else:
        check(
            not low >= high,
            lambda: f"`low` must be less than `high`, but got {low} >= {high}",
            ValueError,
        )
        check(
            not (high < least or low >= end),
            lambda: (
                f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype}"
                f" only supports [{least}, {end})"
            ),
            ValueError,
        )
    low, high = (min(max(value, least), end) for value in (low, high))
    return (math.ceil(low), math.ceil(high)) if dtype in _EXACT else (low, high)


@is_python_frame
def _random(dtype: Any, device: Any, shape: Any, low: Any, high: Any) -> Any:
    """Return a contiguous tensor of random elements between the bounds."""
    if dtype in _EXACT:
        return torch.randint(low, high, shape, device=device, dtype=dtype)
    is_small = dtype in _SMALL_FLOATS
    result = torch.empty(shape, device=device, dtype=torch.float32 if is_small else dtype)
    numbers = torch.view_as_real(result) if dtype in _COMPLEX else result
    if high - low >= torch.finfo(numbers.dtype).max:
        # uniform_ refuses a range that is wider than the largest number.
        numbers.uniform_(low / 2, high / 2).mul_(2)
    else:
        numbers.uniform_(low, high)
    return result.to(dtype) if is_small else result


@is_python_frame
def make_tensor(
    *shape: Any,
    dtype: dtype_class,
    device: str | device_class,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: memory_format_class | None = None,
) -> Any:
    """Return a tensor of random elements from ``low`` to ``high``, which is excluded.

    >>> import impl as torch
    >>> torch.testing.make_tensor(2, 3, dtype=torch.int8, device="cpu", noncontiguous=True).stride()
    (6, 2)
    """
    if len(shape) == 1 and isinstance(shape[0], Sequence):
        shape = tuple(shape[0])
    check(
        not (noncontiguous and memory_format is not None),
        lambda: (
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got"
            f" {noncontiguous=} and {memory_format=}"
        ),
        ValueError,
    )
    check(
        not (requires_grad and dtype in _EXACT),
        lambda: (
            "`requires_grad=True` is not supported for boolean and integral dtypes, but got"
            f" {dtype=}"
        ),
        ValueError,
    )
    is_spread = noncontiguous and math.prod(shape) > 1
    sizes = (*shape[:-1], 2 * shape[-1]) if is_spread else shape
    result = _random(dtype, device, sizes, *_bounds(dtype, low, high))
    if is_spread:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if dtype in _EXACT else torch.finfo(dtype).tiny
    if dtype in _DIFFERENTIABLE:
        result.requires_grad = requires_grad
    return result


set_module("testing", globals(), ["make_tensor"])
