"""Python and NumPy numbers, as torch reads them where it wants a scalar."""

import sys
from operator import index
from typing import Any

from .defaults import SCALAR_DTYPES
from .dtypes import DTYPES, dtype

_INT64_END = 2**63
_UINT64_END = 2**64


def plain_dtype(value: Any) -> dtype | None:
    """Return what `scalar_dtype` does for the usual numbers, and None for all else."""
    kind = type(value)
    if kind is int and not -_INT64_END <= value < _INT64_END:
        return None
    return SCALAR_DTYPES.get(kind)


def is_number(value: object) -> bool:
    """Tell whether torch takes ``value`` as a Number: Python's four types and NumPy's scalars."""
    return isinstance(value, (int, float, complex, *_numpy_types("bool_", "number")))


def scalar_dtype(value: Any) -> dtype:
    """Return the dtype that a number brings into promotion.

    The order of the questions is torch's (PythonArgs::scalar_slow), odd
    answers included: a NumPy bool counts as a float, and a NumPy integer that
    is too large for int64 is refused.
    """
    if isinstance(value, int):
        return SCALAR_DTYPES[bool] if isinstance(value, bool) else _integer_dtype(value)
    if isinstance(value, complex):
        return SCALAR_DTYPES[complex]
    if not isinstance(value, float):
        if isinstance(value, _numpy_types("integer")):
            return _numpy_integer_dtype(value)
        # NumPy warns here when the value is complex, under torch as well.
        float(value)
    return SCALAR_DTYPES[float]


def _numpy_types(*names: str) -> tuple[type, ...]:
    """Return some of NumPy's scalar types, or none of them if NumPy is not loaded."""
    numpy = sys.modules.get("numpy")
    return tuple(getattr(numpy, name) for name in names) if numpy is not None else ()


def _integer_dtype(value: int) -> dtype:
    if -_INT64_END <= value < _INT64_END:
        return SCALAR_DTYPES[int]
    # The words are CPython's own, which torch lets through.
    if value < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if value >= _UINT64_END:
        raise OverflowError("int too big to convert")
    return DTYPES["uint64"]


def _numpy_integer_dtype(value: Any) -> dtype:
    # A timedelta64 is one of NumPy's integers, but has no index.
    if -_INT64_END <= index(value) < _INT64_END:
        return SCALAR_DTYPES[int]
    raise TypeError("an integer is required")
