"""Faults of unary operators: real torch with one wrong operator."""

from typing import Any

from ...comparison.tolerances import load_tolerances
from ..control import fault
from ..fault_injection import call_hook, function_hook


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
