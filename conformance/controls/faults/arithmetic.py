"""Faults of arithmetic: real torch with one wrong operator.

Errors stay as they are; only results change.
"""

from typing import Any

from ..control import fault
from ..fault_injection import function_hook


@fault("arithmetic.comparisons", "elements", function_hook, "lt")
def equal_is_less(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """lt() of equal elements is True."""
    result = function(left, right, **kwargs)
    return result.copy_(torch.le(left, right))


@fault("arithmetic.rounded_products", "elements", function_hook, "add")
def rounded_once(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """add() of float16 and bfloat16 with alpha rounds only the sum."""
    result = function(*args, **kwargs)
    if len(args) == 2 and isinstance(args[1], torch.Tensor) and "out" not in kwargs:
        left, right = (operand.double() for operand in args)
        if result.dtype in (torch.float16, torch.bfloat16):
            scale = torch.tensor(kwargs["alpha"], dtype=result.dtype).double()
            return result.copy_(left + scale * right)
    return result


@fault("arithmetic.bitwise", "elements", function_hook, "bitwise_right_shift")
def logical_shift(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """The right shift of int8 drops the sign."""
    result = function(left, right)
    if result.dtype is torch.int8:
        result.data.bitwise_and_(127)
    return result


@fault("arithmetic.choices", "elements", function_hook, "where")
def other_way_round(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """where() selects by the negated condition."""
    result = function(*args, **kwargs)
    if len(args) == 3 and not kwargs and result.dtype is not torch.complex32:
        condition, left, right = args
        return result.copy_(function(condition.logical_not(), left, right))
    return result


@fault("arithmetic.remainders", "elements", function_hook, "remainder")
def sign_of_dividend(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """remainder() has the sign of the dividend."""
    result = function(left, right)
    if isinstance(left, torch.Tensor):
        result.data.copy_(torch.fmod(left, right).data)
    return result


@fault("arithmetic.powers", "elements", function_hook, "pow")
def zero_to_the_zero(function: Any, torch: Any, base: Any, exponent: Any, **kwargs: Any) -> Any:
    """0.0 to the power of 0 is NaN."""
    result = function(base, exponent, **kwargs)
    is_zero = type(exponent) in (int, float) and exponent == 0
    if is_zero and result.is_floating_point():
        result.data.fill_(torch.nan)
    return result
