"""Faults of dtypes, promotion and limits: real torch with one wrong result."""

import copy
import math
import warnings
from collections.abc import Callable
from typing import Any

from ..control import fault
from ..fault_injection import (
    Fault,
    attribute_hook,
    call_hook,
    comparison_hook,
    function_hook,
    plain_comparison,
    repr_hook,
)


def _attribute(name: str, owner: Callable[[Any], Any], change: Callable[[Any, Any], Any]) -> Fault:
    """Return a fault in an attribute of one object; ``change`` gets its value and torch."""

    def attribute(value: Any, attribute_name: str, torch: Any) -> Any:
        result = getattr(value, attribute_name)
        if attribute_name != name:
            return result
        expected = owner(torch)
        is_owner = type(value) is type(expected) and value == expected
        return change(result, torch) if is_owner else result

    return Fault(attribute=attribute)


@fault("dtypes.inventory", "value", call_hook)
def one_dtype_more(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """There is a dtype int9."""
    if function is vars and args == (torch,):
        return {**vars(torch), "int9": torch.int8}
    return function(*args, **kwargs)


@fault("dtypes.names", "raises", attribute_hook)
def missing_alias(owner: Any, name: str, torch: Any) -> Any:
    """torch.half does not exist."""
    if owner is torch and name == "half":
        raise AttributeError("module 'torch' has no attribute 'half'")
    return getattr(owner, name)


@fault("promotion.promote_types", "value", function_hook, "promote_types")
def wrong_promotion(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """uint8 and int8 promote to int32."""
    if args == (torch.uint8, torch.int8):
        return torch.int32
    return function(*args, **kwargs)


@fault("promotion.can_cast", "value", function_hook, "can_cast")
def swapped_can_cast(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """can_cast() swaps its arguments."""
    return function(*reversed(args), **kwargs)


@fault("dtypes.shells", "raises", call_hook)
def isinf_of_all_dtypes(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """isinf() accepts every float8 dtype."""
    if function is torch.isinf and args[0].dtype in (torch.float8_e4m3fn, torch.float8_e4m3fnuz):
        return function(args[0].float())
    return function(*args, **kwargs)


@fault("promotion.numbers", "dtype", function_hook, "add")
def sums_in_default_dtype(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """add() of two Python ints gives a float."""
    result = function(*args, **kwargs)
    are_ints = all(type(value) is int for value in args)
    return result.float() if are_ints else result


@fault("dtypes.identity", "value", call_hook)
def copy_is_another(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A deep copy of float64 is float32."""
    if function is copy.deepcopy and args == (torch.float64,):
        return torch.float32
    return function(*args, **kwargs)


@fault("promotion.promote_types", "raises", function_hook, "promote_types")
def class_of_error(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Invalid promotions raise ValueError."""
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise ValueError(str(error)) from None


@fault("promotion.call_forms", "message", function_hook, "can_cast")
def message_of_error(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """can_cast() misspells an error message."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        raise TypeError(str(error).replace("positional", "positionnal")) from None


@fault("promotion.scalar_kinds", "warnings", function_hook, "result_type")
def silent(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """result_type() does not warn about a NumPy complex scalar."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@fault("promotion.default_dtype", "value", function_hook, "set_default_dtype")
def set_although_refused(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A rejected default dtype sets float64."""
    try:
        return function(*args, **kwargs)
    except TypeError:
        function(torch.float64)
        raise


@fault("promotion.scalar_values", "raises", function_hook, "result_type")
def large_integer(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Integers from 2**63 count as int64."""
    arguments = [1 if type(arg) is int and 2**63 <= arg < 2**64 else arg for arg in args]
    return function(*arguments, **kwargs)


@fault("promotion.scalar_kinds", "value", function_hook, "result_type")
def forgets_default(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A complex scalar is complex64 although the default dtype is float64."""
    result = function(*args, **kwargs)
    return torch.complex64 if result is torch.complex128 else result


@fault("promotion.chains", "value", function_hook, "promote_types")
def depends_on_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """Promotions to float32 return the left dtype."""
    result = function(*args, **kwargs)
    return args[0] if result is torch.float32 else result


@fault("dtypes.misuse", "raises", call_hook)
def settable_dtype(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Attributes of a dtype can be set."""
    try:
        return function(*args, **kwargs)
    except AttributeError:
        if function is setattr and isinstance(args[0], torch.dtype):
            return None
        raise


@fault("dtypes.class_misuse", "raises", function_hook, "dtype")
def callable_class(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """dtype() creates a dtype."""
    return torch.float32


@fault("dtypes.comparisons", "value", comparison_hook)
def equal_dtypes(name: str, left: Any, right: Any, torch: Any) -> Any:
    """float32 equals float64."""
    pair = torch.float32, torch.float64
    if name == "Eq" and left in pair and right in pair:
        return True
    return plain_comparison(name, left, right, torch)


@fault("limits.comparisons", "value", comparison_hook)
def unequal_limits(name: str, left: Any, right: Any, torch: Any) -> Any:
    """No two finfo are equal."""
    if name == "Eq" and isinstance(left, torch.finfo) and isinstance(right, torch.finfo):
        return False
    return plain_comparison(name, left, right, torch)


@fault("limits.finfo", "repr", repr_hook)
def digit_of_repr(value: Any, torch: Any) -> str:
    """The repr of finfo loses a digit."""
    return repr(value).replace("1.19209e-07", "1.1921e-07")


@fault("limits.misuse", "raises", call_hook)
def hashable_limits(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A finfo has a hash."""
    if function is hash and isinstance(args[0], torch.finfo):
        return 0
    return function(*args, **kwargs)


@fault("limits.default", "value", function_hook, "finfo")
def finfo_ignores_default(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """finfo() is always that of float32."""
    return function(*args, **kwargs) if args or kwargs else function(torch.float32)


@fault("dtypes.names", "value", _attribute, "double", lambda torch: torch)
def alias_of_another(value: Any, torch: Any) -> Any:
    """torch.double is float32."""
    return torch.float32


@fault("dtypes.attributes", "value", _attribute, "is_signed", lambda torch: torch.uint8)
def sign_flipped(value: Any, torch: Any) -> Any:
    """uint8.is_signed is True."""
    return not value


@fault("dtypes.attributes", "value", _attribute, "is_complex", lambda torch: torch.complex64)
def one_for_true(value: Any, torch: Any) -> Any:
    """complex64.is_complex is 1."""
    return int(value)


@fault("limits.finfo", "value", _attribute, "eps", lambda torch: torch.finfo(torch.float16))
def wrong_eps(value: Any, torch: Any) -> Any:
    """finfo(float16).eps is doubled."""
    return value * 2


@fault("limits.finfo", "value", _attribute, "max", lambda torch: torch.finfo(torch.bfloat16))
def next_float(value: Any, torch: Any) -> Any:
    """finfo(bfloat16).max is the next float64."""
    return math.nextafter(value, math.inf)


@fault("limits.iinfo", "value", _attribute, "min", lambda torch: torch.iinfo(torch.uint8))
def nan_for_zero(value: Any, torch: Any) -> Any:
    """iinfo(uint8).min is NaN."""
    return math.nan
