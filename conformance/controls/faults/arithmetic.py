"""Faults of arithmetic: real torch with one wrong operator.

Errors stay as they are; only results change.
"""

from typing import Any

from ..control import fault
from ..fault_injection import function_hook, method_hook


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


@fault("numbers.calls", "value", function_hook, "result_type")
def no_complex_result(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """result_type() of a real tensor and a complex number is real."""
    result = function(left, right)
    return result.to_real() if type(right) is complex else result


@fault("sequences.extremes", "message", function_hook, "range")
def counts_what_is_too_long(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """range() tells the number of elements that int64 does not hold."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        if "numel" not in str(error):
            raise
        raise RuntimeError("Trying to create tensor with negative dimension -1: [-1]") from None


@fault("sequences.eyes", "shape", function_hook, "eye")
def square(function: Any, torch: Any, rows: Any, columns: Any = None, **kwargs: Any) -> Any:
    """eye() takes no number of columns."""
    return function(rows, **kwargs)


@fault("random.parameters", "elements", method_hook, "Tensor.normal_")
def wrong_way_round(function: Any, torch: Any, owner: Any, mean: Any, std: Any) -> Any:
    """normal_() subtracts the mean."""
    return function(-mean, std)


@fault("constructors.classes", "message", method_hook, "Tensor.type")
def name_without_module(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """type() tells the name of a class without its module."""
    try:
        return function(*args)
    except ValueError as error:
        raise ValueError(f"invalid type: '{args[0].__name__}'") from error
