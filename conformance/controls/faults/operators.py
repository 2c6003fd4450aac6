"""Faults of arithmetic: real torch with one broken rule of its operators."""

from typing import Any

from ..control import fault
from ..fault_injection import function_hook, method_hook


@fault("arithmetic.pairs", "dtype", function_hook, "add")
def dimensioned_number(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """A number promotes like a dimensioned tensor."""
    numbers = isinstance(right, bool | int | float | complex) and isinstance(left, torch.Tensor)
    return function(left, torch.tensor([right]) if numbers and left.dim() else right, **kwargs)


@fault("arithmetic.alpha", "elements", function_hook, "add")
def alpha_ignored(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """add() ignores alpha."""
    if kwargs.get("alpha") == 3:
        del kwargs["alpha"]
    return function(*args, **kwargs)


@fault("arithmetic.pairs", "dtype", method_hook, "Tensor.add_")
def in_place_promoted(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """add_() returns the promoted dtype of its operands."""
    result = owner.clone().add(other)
    return function(other) if result.dtype is owner.dtype else owner.set_(owner).add(other)


@fault("arithmetic.pairs", "raises", method_hook, "Tensor.mul_")
def unchecked_result(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """mul_() accepts a result of a higher category."""
    try:
        return function(other)
    except RuntimeError:
        return owner.copy_(owner.mul(other).real)


@fault("arithmetic.strides", "stride", function_hook, "mul")
def operands_swapped(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """The second operand of mul() decides the strides."""
    tensors = isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
    if tensors and left.shape == right.shape and not kwargs:
        return function(right, left)
    return function(left, right, **kwargs)


@fault("arithmetic.alpha", "elements", function_hook, "mul")
def rounded_steps(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """mul() of bfloat16 and a number rounds at each step."""
    if getattr(left, "dtype", None) is torch.bfloat16 and type(right) is float:
        right = torch.tensor(right).to(torch.bfloat16).item()
    return function(left, right, **kwargs)


@fault("arithmetic.binary", "elements", function_hook, "div")
def floor_for_trunc(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """div() rounds down for rounding_mode='trunc'."""
    result = function(*args, **kwargs)
    if kwargs.get("rounding_mode") == "trunc":
        return function(*args, **{**kwargs, "rounding_mode": "floor"})
    return result
