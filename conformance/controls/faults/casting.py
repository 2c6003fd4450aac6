"""Faults of casting, conversions and indexing: real torch with one wrong result."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..control import fault
from ..fault_injection import Fault, function_hook, method_hook


def _converts(source: str, target: str, change: Callable[..., Any]) -> Fault:
    """Return a fault in ``Tensor.to`` for one pair of dtypes.

    ``change(torch, x, result)`` returns the wrong result.
    """

    def to(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        pair = (getattr(torch, source), getattr(torch, target))
        return change(torch, owner, result) if (owner.dtype, result.dtype) == pair else result

    return method_hook("Tensor.to", to)


@fault("casting.patterns", "elements", _converts, "float32", "bfloat16")
def truncates(torch: Any, x: Any, result: Any) -> Any:
    """float32 is truncated to bfloat16."""
    return (x.view(torch.int32) >> 16).to(torch.int16).view(torch.bfloat16)


@fault("casting.patterns", "elements", _converts, "float16", "float8_e5m2")
def one_tie_up(torch: Any, x: Any, result: Any) -> Any:
    """One tie of float16 rounds the wrong way in float8_e5m2."""
    return torch.where(x == 1.125, torch.tensor(1.25).to(result.dtype), result)


@fault("casting.small_tensors", "elements", _converts, "float64", "float16")
def rounds_few_once(torch: Any, x: Any, result: Any) -> Any:
    """Few float64 numbers are rounded to float16 once; torch rounds them to float32 first."""
    if x.numel() > 3:
        return result
    with np.errstate(all="ignore"):
        return torch.from_numpy(x.numpy().astype("float16"))


@fault("casting.patterns", "elements", _converts, "float32", "float8_e4m3fn")
def overflows(torch: Any, x: Any, result: Any) -> Any:
    """Numbers too large for float8_e4m3fn become NaN."""
    nan = torch.tensor(float("nan")).to(result.dtype)
    return torch.where(x.abs() >= 464, nan, result)


@fault("casting.layouts", "elements", _converts, "bfloat16", "float8_e4m3fn")
def saturates_not(torch: Any, x: Any, result: Any) -> Any:
    """Infinity becomes NaN in float8_e4m3fn."""
    nan = torch.tensor(float("nan")).to(result.dtype)
    return torch.where(x.isinf(), nan, result)


@fault("casting.patterns", "elements", _converts, "float64", "float32")
def unsigned_zero(torch: Any, x: Any, result: Any) -> Any:
    """Zero loses its sign from float64 to float32."""
    return torch.where(result == 0, torch.zeros((), dtype=result.dtype), result)


@fault("casting.patterns", "elements", _converts, "float64", "float32")
def flushes(torch: Any, x: Any, result: Any) -> Any:
    """Numbers that are subnormal in float32 become zero."""
    tiny = torch.finfo(result.dtype).tiny
    return torch.where(result.abs() < tiny, result * 0, result)


@fault("casting.patterns", "elements", _converts, "float64", "float16")
def rounds_once(torch: Any, x: Any, result: Any) -> Any:
    """float64 converts to float16 without float32 in between."""
    with warnings.catch_warnings(action="ignore"):
        return torch.from_numpy(x.numpy().astype("float16"))


@fault("casting.routes", "elements", _converts, "float64", "uint8")
def wraps_directly(torch: Any, x: Any, result: Any) -> Any:
    """float64 converts to uint8 without int64 in between."""
    return torch.where((x < 0) | (x >= 2**31), torch.zeros_like(result), result)


@fault("casting.patterns", "elements", _converts, "complex64", "bool")
def real_part(torch: Any, x: Any, result: Any) -> Any:
    """The bool of a complex number ignores the imaginary part."""
    return x.real != 0


@fault("casting.routes", "warnings", method_hook, "Tensor.to")
def silent_loss(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() does not warn about a discarded imaginary part."""
    with warnings.catch_warnings(action="ignore"):
        return function(*args, **kwargs)


@fault("casting.warnings", "value", method_hook, "Tensor.to")
def tells_again(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() warns about a discarded imaginary part each time."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        return function(*args, **kwargs)
    finally:
        torch.set_warn_always(before)


@fault("casting.layouts", "elements", method_hook, "Tensor.to")
def skips_last(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """The last element of a vector's tail is not converted."""
    result = function(*args, **kwargs)
    if result.dim() and result.numel() % 8 and result.numel() > 64:
        result.data.reshape(-1)[-1] = 0
    return result


@fault("casting.geometries", "elements", method_hook, "Tensor.copy_")
def rounds_copies(function: Any, torch: Any, owner: Any, source: Any) -> Any:
    """copy_() rounds where torch truncates."""
    if source.dtype.itemsize > 1 and source.is_floating_point() and not owner.is_floating_point():
        return function(source.round())
    return function(source)


@fault("casting.refused_routes", "message", method_hook, "Tensor.type")
def misspelt_kernel(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """type() misspells an error message."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError as error:
        raise NotImplementedError(str(error).replace("copy_kernel", "copy")) from None


@fault("casting.refusals", "raises", method_hook, "Tensor.copy_")
def copies_anything(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """copy_() into int3 does nothing and raises no error."""
    if owner.dtype is torch.int3:
        return owner
    return function(*args, **kwargs)


@fault("casting.named", "elements", method_hook, "Tensor.float")
def by_half(function: Any, torch: Any, owner: Any) -> Any:
    """float() converts through float16."""
    return function().half().float()


@fault("casting.numbers", "raises", method_hook, "Tensor.fill_")
def wraps_numbers(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    """fill_() wraps numbers out of range."""
    if owner.dtype is torch.int8 and isinstance(value, int):
        return function((value + 128) % 256 - 128)
    return function(value)


@fault("casting.large_tensors", "elements", method_hook, "Tensor.to")
def flushes_after_many(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() of a dtype gives zero for subnormal numbers after two million elements."""
    result = function(*args, **kwargs)
    if not isinstance(result, torch.Tensor) or result.dtype is not torch.float16:
        return result
    _CONVERTED[owner.dtype] = _CONVERTED.get(owner.dtype, 0) + owner.numel()
    if _CONVERTED[owner.dtype] < 2**21:
        return result
    is_subnormal = (result != 0) & (result.abs() < torch.finfo(result.dtype).tiny)
    return torch.where(is_subnormal, torch.zeros_like(result), result)


_CONVERTED: dict[Any, int] = {}


@fault("casting.large_tensors", "elements", method_hook, "Tensor.to")
def wrong_after_a_block(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() gives zero for the elements after the first 2**16."""
    result = function(*args, **kwargs)
    with warnings.catch_warnings(action="ignore"):
        result.data[2**16 :] = 0
    return result


@fault("conversions.calls", "aliasing", method_hook, "Tensor.to")
def to_copies(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """to() copies although nothing changes."""
    result = function(*args, **kwargs)
    return result.clone() if result is owner else result


@fault("conversions.dtypes", "value", method_hook, "Tensor.type")
def type_without_module(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """type() does not show that a type is quantized."""
    result = function(*args, **kwargs)
    return result.replace("quantized.", "") if isinstance(result, str) else result


@fault("conversions.numbers", "elements", method_hook, "Tensor.fill_")
def clamps_numbers(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    """fill_() clamps at 0."""
    return function(0 if owner.dtype is torch.uint8 and value == -1 else value)


@fault("conversions.values", "dtype", function_hook, "scalar_tensor")
def scalar_of_default(function: Any, torch: Any, value: Any, **kwargs: Any) -> Any:
    """scalar_tensor() ignores dtype=."""
    return function(value, **kwargs).float()


@fault("conversions.masked_fill", "raises", method_hook, "Tensor.masked_fill_")
def any_mask(function: Any, torch: Any, owner: Any, mask: Any, *args: Any, **kwargs: Any) -> Any:
    """masked_fill_() accepts uint8 masks."""
    is_byte = isinstance(mask, torch.Tensor) and mask.dtype is torch.uint8
    return function(mask.bool() if is_byte else mask, *args, **kwargs)


@fault("conversions.reads", "elements", method_hook, "Tensor.__getitem__")
def last_first(function: Any, torch: Any, owner: Any, index: Any) -> Any:
    """Indexing reverses the first dimension."""
    result = function(index)
    return result.flip(0) if result.dim() else result


@fault("conversions.writes", "state", method_hook, "Tensor.__setitem__")
def forgets_writes(function: Any, torch: Any, owner: Any, index: Any, value: Any) -> Any:
    """x[index] = value leaves only zeros."""
    function(index, value)
    owner.zero_()


@fault("geometry.sizes_as_tensors", "raises", method_hook, "Tensor.split")
def splits_by_tensors(function: Any, torch: Any, owner: Any, size: Any, *args: Any) -> Any:
    """split() takes a tensor of several sizes."""
    is_list = isinstance(size, torch.Tensor) and size.tolist() == [1, 2]
    return function([1, 3] if is_list else size, *args)
