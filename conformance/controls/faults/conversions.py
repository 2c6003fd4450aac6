"""Faults of conversions and indices: real torch, with one thing about them made wrong."""

from typing import Any

from .subject import instead_of
from .tensors import on_tensors


def _copies(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    made = function(*args, **kwargs)
    return made.clone() if made is owner else made


def _without_module(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    answer = function(*args, **kwargs)
    return answer.replace("quantized.", "") if isinstance(answer, str) else answer


def _clamps(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    """Write 0 for negative numbers into unsigned integers, where torch wraps around."""
    return function(0 if owner.dtype is torch.uint8 and value == -1 else value)


def _default_dtype(function: Any, torch: Any, value: Any, **kwargs: Any) -> Any:
    return function(value, **kwargs).float()


def _any_mask(function: Any, torch: Any, owner: Any, mask: Any, *args: Any, **kwargs: Any) -> Any:
    is_byte = isinstance(mask, torch.Tensor) and mask.dtype is torch.uint8
    return function(mask.bool() if is_byte else mask, *args, **kwargs)


def _last_first(function: Any, torch: Any, owner: Any, index: Any) -> Any:
    found = function(index)
    return found.flip(0) if found.dim() else found


def _forgets(function: Any, torch: Any, owner: Any, index: Any, value: Any) -> Any:
    function(index, value)
    owner.zero_()


COPIES = on_tensors("to", _copies)
WITHOUT_MODULE = on_tensors("type", _without_module)
CLAMPS = on_tensors("fill_", _clamps)
DEFAULT_DTYPE = instead_of("scalar_tensor", _default_dtype)
ANY_MASK = on_tensors("masked_fill_", _any_mask)
LAST_FIRST = on_tensors("__getitem__", _last_first)
FORGETS = on_tensors("__setitem__", _forgets)
