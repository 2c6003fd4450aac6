"""Faults of a subject: real torch, with one answer made wrong."""

import copy
import math
import warnings
from collections.abc import Callable
from typing import Any

from ..fault_injection import Fault

Call = Callable[[Any, Any, Any, Any], Any]


def instead_of(name: str, answer: Callable[..., Any]) -> Fault:
    """Answer calls of one public function of torch otherwise.

    ``answer`` is given the true function and the arguments.
    """

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is getattr(torch, name):
            return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


def _attribute(
    applies: Callable[[Any, str, Any], bool], change: Callable[[Any, Any], Any]
) -> Fault:
    """Change the value of an attribute of some objects."""

    def attribute(owner: Any, name: str, torch: Any) -> Any:
        value = getattr(owner, name)
        return change(value, torch) if applies(owner, name, torch) else value

    return Fault(attribute=attribute)


def _one_more_dtype() -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is vars and args == (torch,):
            return {**vars(torch), "int9": torch.int8}
        return function(*args, **kwargs)

    return Fault(call=call)


def _missing_alias() -> Fault:
    def attribute(owner: Any, name: str, torch: Any) -> Any:
        if owner is torch and name == "half":
            raise AttributeError("module 'torch' has no attribute 'half'")
        return getattr(owner, name)

    return Fault(attribute=attribute)


def _wrong_promotion(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    if args == (torch.uint8, torch.int8):
        return torch.int32
    return function(*args, **kwargs)


def _swapped(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*reversed(args), **kwargs)


def _copy_is_another() -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is copy.deepcopy and args == (torch.float64,):
            return torch.float32
        return function(*args, **kwargs)

    return Fault(call=call)


def _class_of_error(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def _message_of_error(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        raise TypeError(str(error).replace("positional", "positionnal")) from None


def _silent(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def _writable(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except AttributeError:
        return None


def _set_although_refused(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except TypeError:
        function(torch.float64)
        raise


def _large_integer_is_int64(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    tame = [1 if type(arg) is int and 2**63 <= arg < 2**64 else arg for arg in args]
    return function(*tame, **kwargs)


def _forgets_default(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    answer = function(*args, **kwargs)
    return torch.complex64 if answer is torch.complex128 else answer


def _depends_on_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    answer = function(*args, **kwargs)
    return args[0] if answer is torch.float32 else answer


def _settable_dtype() -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is setattr and isinstance(args[0], torch.dtype):
            return _writable(function, torch, *args)
        return function(*args, **kwargs)

    return Fault(call=call)


def _callable_class(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    return torch.float32


def _equal_dtypes() -> Fault:
    def comparison(name: str, left: Any, right: Any, torch: Any) -> Any:
        pair = torch.float32, torch.float64
        if name == "Eq" and left in pair and right in pair:
            return True
        return _plain.comparison(name, left, right, torch)

    return Fault(comparison=comparison)


def _unequal_limits() -> Fault:
    def comparison(name: str, left: Any, right: Any, torch: Any) -> Any:
        if name == "Eq" and isinstance(left, torch.finfo) and isinstance(right, torch.finfo):
            return False
        return _plain.comparison(name, left, right, torch)

    return Fault(comparison=comparison)


def _one_digit_less(value: Any, torch: Any) -> str:
    return repr(value).replace("1.19209e-07", "1.1921e-07")


def _hashable_limits() -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is hash and isinstance(args[0], torch.finfo):
            return 0
        return function(*args, **kwargs)

    return Fault(call=call)


def _finfo_of_float32(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs) if args or kwargs else function(torch.float32)


_plain = Fault()

MISSING_ALIAS = _missing_alias()
ONE_MORE_DTYPE = _one_more_dtype()
ALIAS_OF_ANOTHER = _attribute(
    lambda owner, name, torch: owner is torch and name == "double",
    lambda value, torch: torch.float32,
)
SIGN_FLIPPED = _attribute(
    lambda owner, name, torch: name == "is_signed" and owner is torch.uint8,
    lambda value, torch: not value,
)
ONE_FOR_TRUE = _attribute(
    lambda owner, name, torch: name == "is_complex" and owner is torch.complex64,
    lambda value, torch: int(value),
)
COPY_IS_ANOTHER = _copy_is_another()
EQUAL_DTYPES = _equal_dtypes()
SETTABLE_DTYPE = _settable_dtype()
CALLABLE_CLASS = instead_of("dtype", _callable_class)
WRONG_EPS = _attribute(
    lambda owner, name, torch: name == "eps" and owner == torch.finfo(torch.float16),
    lambda value, torch: value * 2,
)
NEXT_FLOAT = _attribute(
    lambda owner, name, torch: name == "max" and owner == torch.finfo(torch.bfloat16),
    lambda value, torch: math.nextafter(value, math.inf),
)
DIGIT_OF_REPR = Fault(repr=_one_digit_less)
NAN_FOR_ZERO = _attribute(
    lambda owner, name, torch: name == "min" and owner == torch.iinfo(torch.uint8),
    lambda value, torch: math.nan,
)
UNEQUAL_LIMITS = _unequal_limits()
FINFO_IGNORES_DEFAULT = instead_of("finfo", _finfo_of_float32)
HASHABLE_LIMITS = _hashable_limits()
WRONG_PROMOTION = instead_of("promote_types", _wrong_promotion)
CLASS_OF_ERROR = instead_of("promote_types", _class_of_error)
SWAPPED_CAN_CAST = instead_of("can_cast", _swapped)
SILENT = instead_of("result_type", _silent)
FORGETS_DEFAULT = instead_of("result_type", _forgets_default)
LARGE_INTEGER = instead_of("result_type", _large_integer_is_int64)
SET_ALTHOUGH_REFUSED = instead_of("set_default_dtype", _set_although_refused)
DEPENDS_ON_ORDER = instead_of("promote_types", _depends_on_order)
MESSAGE_OF_ERROR = instead_of("can_cast", _message_of_error)
