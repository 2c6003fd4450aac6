"""Faults of conversions and indexing: real torch with one wrong result."""

from typing import Any

from ..control import fault
from ..fault_injection import function_hook, method_hook


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
