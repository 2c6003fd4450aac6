"""Faults of a subject's conversions: real torch, with one kind of element made wrong."""

import warnings
from collections.abc import Callable
from typing import Any

from ..fault_injection import Fault
from .tensors import on_tensors

Change = Callable[[Any, Any, Any], Any]


def _converts(source: str, target: str, change: Change) -> Fault:
    """Change what ``to`` gives for a pair of dtypes: ``change`` gets torch, the tensor, the result."""

    def to(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        pair = (getattr(torch, source), getattr(torch, target))
        return change(torch, owner, made) if (owner.dtype, made.dtype) == pair else made

    return on_tensors("to", to)


def _truncated(torch: Any, given: Any, made: Any) -> Any:
    return (given.view(torch.int32) >> 16).to(torch.int16).view(torch.bfloat16)


def _one_tie_up(torch: Any, given: Any, made: Any) -> Any:
    """Round 1.125, which lies between 1 and 1.25, upwards."""
    return torch.where(given == 1.125, torch.tensor(1.25).to(made.dtype), made)


def _overflows(torch: Any, given: Any, made: Any) -> Any:
    nan = torch.tensor(float("nan")).to(made.dtype)
    return torch.where(given.abs() >= 464, nan, made)


def _infinity_overflows(torch: Any, given: Any, made: Any) -> Any:
    nan = torch.tensor(float("nan")).to(made.dtype)
    return torch.where(given.isinf(), nan, made)


def _unsigned_zero(torch: Any, given: Any, made: Any) -> Any:
    return torch.where(made == 0, torch.zeros((), dtype=made.dtype), made)


def _flushed(torch: Any, given: Any, made: Any) -> Any:
    tiny = torch.finfo(made.dtype).tiny
    return torch.where(made.abs() < tiny, made * 0, made)


def _rounded_once(torch: Any, given: Any, made: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return torch.from_numpy(given.numpy().astype("float16"))


def _wraps_directly(torch: Any, given: Any, made: Any) -> Any:
    """Cut to fewer bits what goes through int64 in torch."""
    return torch.where((given < 0) | (given >= 2**31), torch.zeros_like(made), made)


def _real_part(torch: Any, given: Any, made: Any) -> Any:
    return given.real != 0


def _silent(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return function(*args, **kwargs)


def _warns_again(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        return function(*args, **kwargs)
    finally:
        torch.set_warn_always(before)


def _skips_last(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Convert into a vector's tail a zero, where there is more than a vector."""
    made = function(*args, **kwargs)
    if made.dim() and made.numel() % 8 and made.numel() > 64:
        made.data.reshape(-1)[-1] = 0
    return made


def _rounds_copies(function: Any, torch: Any, owner: Any, source: Any) -> Any:
    """Copy floats into integers by rounding, not by cutting off."""
    if source.dtype.itemsize > 1 and source.is_floating_point() and not owner.is_floating_point():
        return function(source.round())
    return function(source)


def _misspelt(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except NotImplementedError as error:
        raise NotImplementedError(str(error).replace("copy_kernel", "copy")) from None


def _skips_refusals(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Copy bytes where a dtype cannot be copied."""
    if owner.dtype is torch.int3:
        return owner
    return function(*args, **kwargs)


def _by_half(function: Any, torch: Any, owner: Any) -> Any:
    return function().half().float()


def _wraps_numbers(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    """Fill with what is left of a number that is out of range."""
    if owner.dtype is torch.int8 and isinstance(value, int):
        return function((value + 128) % 256 - 128)
    return function(value)


TRUNCATED = _converts("float32", "bfloat16", _truncated)
ONE_TIE_UP = _converts("float16", "float8_e5m2", _one_tie_up)
OVERFLOWS = _converts("float32", "float8_e4m3fn", _overflows)
INFINITY_OVERFLOWS = _converts("bfloat16", "float8_e4m3fn", _infinity_overflows)
UNSIGNED_ZERO = _converts("float64", "float32", _unsigned_zero)
FLUSHED = _converts("float64", "float32", _flushed)
ROUNDED_ONCE = _converts("float64", "float16", _rounded_once)
WRAPS_DIRECTLY = _converts("float64", "uint8", _wraps_directly)
REAL_PART = _converts("complex64", "bool", _real_part)
SILENT = on_tensors("to", _silent)
WARNS_AGAIN = on_tensors("to", _warns_again)
SKIPS_LAST = on_tensors("to", _skips_last)
ROUNDS_COPIES = on_tensors("copy_", _rounds_copies)
MISSPELT = on_tensors("type", _misspelt)
SKIPS_REFUSALS = on_tensors("copy_", _skips_refusals)
BY_HALF = on_tensors("float", _by_half)
WRAPS_NUMBERS = on_tensors("fill_", _wraps_numbers)
