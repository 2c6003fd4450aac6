"""Python and NumPy numbers, as torch reads them where it wants a scalar."""

import sys
from typing import Any

from .defaults import SCALAR_DTYPES
from .dtypes import DTYPES, dtype

_INT64_END = 2**63
_UINT64_END = 2**64


def plain_dtype(value: Any) -> dtype | None:
    """Return what `scalar_dtype` does for the usual numbers, and None for all else."""
    kind = value.__class__
    if kind is int and not -_INT64_END <= value < _INT64_END:
        return None
    return SCALAR_DTYPES.get(kind)


def is_number(value: object) -> bool:
    """Tell whether torch takes ``value`` as a Number: Python's four types and NumPy's scalars."""
    return isinstance(value, int | float | complex) or _numpy_kind(value) != ""


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
        if _numpy_kind(value) in "iu":
            return _numpy_integer_dtype(value)
        # NumPy warns here when the value is complex, under torch as well.
        float(value)
    return SCALAR_DTYPES[float]


def _numpy_kind(value: object) -> str:
    """Return NumPy's kind letter if ``value`` is a NumPy scalar, without loading NumPy."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.bool_ | numpy.number):
        return str(value.dtype.kind)
    return ""


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
    if -_INT64_END <= value.__index__() < _INT64_END:
        return SCALAR_DTYPES[int]
    raise TypeError("an integer is required")
