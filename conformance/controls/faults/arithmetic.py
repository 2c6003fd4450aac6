"""Faults of a subject's arithmetic: real torch, with one operator made wrong.

What torch refuses is refused as before; only results are changed.
"""

from typing import Any

from .subject import instead_of


def _equal_is_less(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """Say that what is equal is less."""
    found = function(left, right, **kwargs)
    return found.copy_(torch.le(left, right))


def _without_sign(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """Shift an int8 without its sign."""
    found = function(left, right)
    if found.dtype is torch.int8:
        found.data.bitwise_and_(127)
    return found


def _other_way_round(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Choose where a condition does not hold."""
    found = function(*args, **kwargs)
    if len(args) == 3 and not kwargs and found.dtype is not torch.complex32:
        condition, left, right = args
        return found.copy_(function(condition.logical_not(), left, right))
    return found


def _sign_of_dividend(function: Any, torch: Any, left: Any, right: Any) -> Any:
    """Give a remainder the sign of the dividend."""
    found = function(left, right)
    if isinstance(left, torch.Tensor):
        found.data.copy_(torch.fmod(left, right).data)
    return found


def _zero_to_the_zero(function: Any, torch: Any, base: Any, exponent: Any, **kwargs: Any) -> Any:
    """Return NaN for everything to the power of zero."""
    found = function(base, exponent, **kwargs)
    is_zero = type(exponent) in (int, float) and exponent == 0
    if is_zero and found.is_floating_point():
        found.data.fill_(torch.nan)
    return found


EQUAL_IS_LESS = instead_of("lt", _equal_is_less)
WITHOUT_SIGN = instead_of("bitwise_right_shift", _without_sign)
OTHER_WAY_ROUND = instead_of("where", _other_way_round)
SIGN_OF_DIVIDEND = instead_of("remainder", _sign_of_dividend)
ZERO_TO_THE_ZERO = instead_of("pow", _zero_to_the_zero)
