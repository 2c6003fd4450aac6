"""Python and NumPy numbers, as torch reads them where it wants a scalar."""

import sys
from typing import Any, SupportsFloat, SupportsIndex

from .dtypes import DTYPES, dtype

_INT64_END = 2**63
_UINT64_END = 2**64

_BOOL, _INT64, _UINT64 = DTYPES["bool"], DTYPES["int64"], DTYPES["uint64"]


def plain_dtype(value: Any, default: dtype) -> dtype | None:
    """Return what `scalar_dtype` does for the usual numbers, and None for all else."""
    kind = value.__class__
    if kind is float:
        return default
    if kind is int:
        return _INT64 if -_INT64_END <= value < _INT64_END else None
    if kind is bool:
        return _BOOL
    return default.to_complex() if kind is complex else None


def _numpy_kind(value: object) -> str:
    """Return NumPy's kind letter if ``value`` is a NumPy scalar, without loading NumPy."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.bool_ | numpy.number):
        return str(value.dtype.kind)
    return ""


def is_number(value: object) -> bool:
    """Tell whether torch takes ``value`` as a Number: Python's four types and NumPy's scalars."""
    return isinstance(value, int | float | complex) or _numpy_kind(value) != ""


def scalar_dtype(value: Any, default: dtype) -> dtype:
    """Return the dtype that a scalar brings into promotion; ``default`` is that of floats.

    The order of the questions is torch's (PythonArgs::scalar_slow), odd
    answers included: a NumPy bool counts as a float, and a NumPy integer that
    is too large for int64 is refused.
    """
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, int):
        return _integer_dtype(value)
    if isinstance(value, complex):
        return default.to_complex()
    if not isinstance(value, float):
        kind = _numpy_kind(value)
        if kind in "iu":
            return _numpy_integer_dtype(value)
        _read_as_float(value)
    return default


def _integer_dtype(value: int) -> dtype:
    if -_INT64_END <= value < _INT64_END:
        return _INT64
    # The words are CPython's own, which torch lets through.
    if value < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if value >= _UINT64_END:
        raise OverflowError("int too big to convert")
    return _UINT64


def _numpy_integer_dtype(value: SupportsIndex) -> dtype:
    if -_INT64_END <= value.__index__() < _INT64_END:
        return _INT64
    raise TypeError("an integer is required")


def _read_as_float(value: SupportsFloat) -> None:
    """Convert as torch does, for the sake of the warning that NumPy gives for a complex value."""
    float(value)
