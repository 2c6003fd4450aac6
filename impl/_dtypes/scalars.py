"""Python and NumPy numbers, as torch reads them where it wants a scalar."""

import sys
from operator import attrgetter, index
from typing import Any

from .._runtime.warnings import warn
from .constants import UINT64
from .default_dtype import SCALAR_DTYPES
from .table import dtype

_INT64_END = 2**63
_UINT64_END = 2**64


def plain_dtype(value: Any) -> dtype | None:
    """Return what `scalar_dtype` does for the usual numbers, and None for all else."""
    cls = type(value)
    if cls is int and not -_INT64_END <= value < _INT64_END:
        return None
    return SCALAR_DTYPES.get(cls)


def is_number(value: object) -> bool:
    """Tell whether torch takes ``value`` as a Number: Python's four types and NumPy's scalars."""
    return _is_a(value, (int, float, complex, *_numpy_types("bool_", "number")))


def scalar_dtype(value: Any) -> dtype:
    """Return the dtype that a number brings into promotion.

    The order of the questions is torch's (PythonArgs::scalar_slow), odd
    answers included: a NumPy bool counts as a float, and a NumPy integer that
    is too large for int64 is refused.
    """
    if _is_a(value, (int,)):
        return SCALAR_DTYPES[bool] if type(value) is bool else _integer_dtype(int.__index__(value))
    if _is_a(value, (complex,)):
        return SCALAR_DTYPES[complex]
    if _is_a(value, _numpy_types("integer")):
        return _numpy_integer_dtype(value)
    if _is_a(value, _numpy_types("complexfloating")):
        # NumPy warns where torch reads its complex numbers as floats; the caller is to see it.
        warn(
            "Casting complex values to real discards the imaginary part",
            _numpy_types("exceptions.ComplexWarning")[0],
        )
    return SCALAR_DTYPES[float]


def python_number(value: Any) -> Any:
    """Return a NumPy integer or float as one of Python's, and anything else as it is.

    >>> python_number(2), python_number(True)
    (2, True)
    """
    if _is_a(value, _numpy_types("integer")):
        return index(value)
    return float(value) if _is_a(value, _numpy_types("floating")) else value


def _is_a(value: object, kinds: tuple[type, ...]) -> bool:
    """Look at the type of a value, and not at ``__class__``, which an object can make up."""
    return issubclass(type(value), kinds)


def _numpy_types(*names: str) -> tuple[type, ...]:
    """Return some of NumPy's types, or none of them if NumPy is not loaded whole."""
    numpy = sys.modules.get("numpy")
    try:
        return tuple(attrgetter(name)(numpy) for name in names)
    except AttributeError:
        return ()


def _integer_dtype(value: int) -> dtype:
    if -_INT64_END <= value < _INT64_END:
        return SCALAR_DTYPES[int]
    # The words are CPython's own, which torch lets through.
    if value < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if value >= _UINT64_END:
        raise OverflowError("int too big to convert")
    return UINT64


def _numpy_integer_dtype(value: Any) -> dtype:
    # A timedelta64 is one of NumPy's integers, but has no index.
    if -_INT64_END <= index(value) < _INT64_END:
        return SCALAR_DTYPES[int]
    raise TypeError("an integer is required")
