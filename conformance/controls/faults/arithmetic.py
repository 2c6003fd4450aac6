"""Faults of arithmetic and of unary operators: real torch with one wrong operator.

Errors stay as they are; only results change.
"""

from typing import Any

from ...comparison.tolerances import load_tolerances
from ..control import fault
from ..fault_injection import call_hook, function_hook


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


@fault("unary.patterns", "elements", function_hook, "exp")
def exp_off_by_bound(function: Any, torch: Any, x: Any, **kwargs: Any) -> Any:
    """exp() exceeds its tolerance by one ULP."""
    result = function(x, **kwargs)
    if result.dtype is not torch.float32 or kwargs:
        return result
    bound = next(row.bound("float32") for row in load_tolerances() if row.name == "exp")
    is_usual = result.isfinite() & (result > 1e-30) & (result < 1e30)
    return torch.where(is_usual, (result.view(torch.int32) + bound + 1).view(torch.float32), result)


@fault("unary.patterns", "elements", function_hook, "sqrt")
def flushed_root(function: Any, torch: Any, x: Any, **kwargs: Any) -> Any:
    """sqrt() of subnormal numbers is zero."""
    result = function(x, **kwargs)
    if x.dtype is not torch.float32 or kwargs:
        return result
    return torch.where(x.abs() < torch.finfo(torch.float32).tiny, x * 0, result)


@fault("unary.forms", "elements", function_hook, "floor")
def ceil_of_negatives(function: Any, torch: Any, x: Any, **kwargs: Any) -> Any:
    """floor() rounds negative numbers up."""
    result = function(x, **kwargs)
    if not result.is_floating_point() or kwargs:
        return result
    return torch.where(x < 0, torch.ceil(x), result)


@fault("unary.patterns", "raises", function_hook, "ceil")
def takes_complex(function: Any, torch: Any, x: Any, **kwargs: Any) -> Any:
    """ceil() accepts complex numbers."""
    return function(x.real if x.dtype is torch.complex64 else x, **kwargs)


@fault("arithmetic.inexact", "elements", function_hook, "pow")
def power_far_off(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """pow() is off by many ULP."""
    result = function(left, right, **kwargs)
    if result.dtype is not torch.float32 or not isinstance(right, torch.Tensor) or kwargs:
        return result
    return result * (1 + 2**-20)


@fault("operands.outs", "raises", function_hook, "signbit")
def takes_bytes(function: Any, torch: Any, x: Any, out: Any = None) -> Any:
    """signbit() writes to ``out`` of uint8."""
    if out is None or out.dtype is not torch.uint8:
        return function(x, out=out)
    return out.resize_(x.shape).copy_(function(x))


@fault("unary.moderate", "elements", call_hook)
def coefficients_exchanged(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """lgamma() is a little too large between 1.75 and 2."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") != "lgamma" or not args:
        return result
    is_near = (args[0] > 1.75) & (args[0] < 2)
    return torch.where(is_near, result * (1 + 1e-5), result)
