"""Faults of arithmetic: real torch, with one rule of its operators broken."""

from typing import Any

from .subject import instead_of
from .tensors import on_tensors


def _dimensioned_number(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """Take a number for a tensor with a dimension, so that it promotes as one."""
    numbers = isinstance(right, bool | int | float | complex) and isinstance(left, torch.Tensor)
    return function(left, torch.tensor([right]) if numbers and left.dim() else right, **kwargs)


def _without_alpha(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("alpha") == 3:
        del kwargs["alpha"]
    return function(*args, **kwargs)


def _promoted(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """Give an in-place result the dtype that the operands promote to."""
    result = owner.clone().add(other)
    return function(other) if result.dtype is owner.dtype else owner.set_(owner).add(other)


def _unchecked(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    try:
        return function(other)
    except RuntimeError:
        return owner.copy_(owner.mul(other).real)


def _swapped(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """Let the second operand decide how the result lies."""
    tensors = isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
    if tensors and left.shape == right.shape and not kwargs:
        return function(right, left)
    return function(left, right, **kwargs)


def _rounded_steps(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """Round a number to bfloat16 before it is multiplied, and the product once more."""
    if getattr(left, "dtype", None) is torch.bfloat16 and type(right) is float:
        right = torch.tensor(right).to(torch.bfloat16).item()
    return function(left, right, **kwargs)


def _floored(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    result = function(*args, **kwargs)
    if kwargs.get("rounding_mode") == "trunc":
        return function(*args, **{**kwargs, "rounding_mode": "floor"})
    return result


DIMENSIONED_NUMBER = instead_of("add", _dimensioned_number)
WITHOUT_ALPHA = instead_of("add", _without_alpha)
IN_PLACE_PROMOTED = on_tensors("add_", _promoted)
UNCHECKED = on_tensors("mul_", _unchecked)
SWAPPED = instead_of("mul", _swapped)
ROUNDED_STEPS = instead_of("mul", _rounded_steps)
FLOORED = instead_of("div", _floored)
