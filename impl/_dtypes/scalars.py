"""Python and NumPy numbers as torch's Scalar arguments."""

import sys
from operator import attrgetter, index
from typing import Any

from .._runtime.warnings import warn
from .constants import COMPLEX128, FLOAT64, UINT64
from .default_dtype import SCALAR_DTYPES
from .table import dtype

INT64_END = 2**63

PYTHON_NUMBERS = frozenset({bool, int, float, complex})
"""The types of plain numbers."""


def scalar_dtype_fast(value: Any) -> dtype | None:
    """Return the `scalar_dtype` of an int64, bool, float or complex, and None for other values."""
    cls = type(value)
    if cls is int and not -INT64_END <= value < INT64_END:
        return None
    return SCALAR_DTYPES.get(cls)


def is_number(value: object) -> bool:
    """Return whether torch takes ``value`` as a Number: Python's four types and NumPy's scalars."""
    return is_subclass_instance(value, (int, float, complex, *numpy_types("bool_", "number")))


def scalar_dtype(value: Any) -> dtype:
    """Return the dtype of a wrapped number in type promotion.

    The checks and their order are torch's (PythonArgs::scalar_slow): a NumPy
    bool counts as a float.  A NumPy integer beyond int64 raises TypeError.
    """
    if type(value) is bool:
        return SCALAR_DTYPES[bool]
    is_int = is_subclass_instance(value, (int,))
    if is_int or is_subclass_instance(value, numpy_types("integer")):
        # A timedelta64 is a NumPy integer without ``__index__``.
        number = index(value)
        if -INT64_END <= number < INT64_END:
            return SCALAR_DTYPES[int]
        if not is_int:
            raise TypeError("an integer is required")
        # CPython's own messages, which torch passes on.
        if number < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if number >= 2 * INT64_END:
            raise OverflowError("int too big to convert")
        return UINT64
    if is_subclass_instance(value, (complex,)):
        return SCALAR_DTYPES[complex]
    if is_subclass_instance(value, numpy_types("complexfloating")):
        # Torch reads NumPy's complex numbers as floats, and NumPy warns of it.
        warn(
            "Casting complex values to real discards the imaginary part",
            numpy_types("exceptions.ComplexWarning")[0],
        )
    return SCALAR_DTYPES[float]


def python_number(value: Any) -> Any:
    """Return the plain number of a subclass or of NumPy, and any other value unchanged.

    >>> python_number(2), python_number(True)
    (2, True)
    """
    if type(value) in PYTHON_NUMBERS:
        return value
    for cls in (int, float, complex):
        if is_subclass_instance(value, (cls,)):
            return cls.__pos__(value)
    if is_subclass_instance(value, numpy_types("integer")):
        return index(value)
    return float(value) if is_subclass_instance(value, numpy_types("floating")) else value


def real_if_numpy_complex(value: Any) -> Any:
    """Return the real part of a complex number of NumPy, with its warning, or the value."""
    if type(value) in PYTHON_NUMBERS or is_subclass_instance(value, (complex,)):
        return value
    if not is_subclass_instance(value, numpy_types("complexfloating")):
        return value
    scalar_dtype(value)  # warns
    return float(value.real)


def is_subclass_instance(value: object, classes: tuple[type, ...]) -> bool:
    """Return whether the type of a value is a subclass of one of them; ``__class__`` is ignored."""
    return issubclass(type(value), classes)


def numpy_types(*names: str) -> tuple[type, ...]:
    """Return the NumPy types of these names, or none of them if NumPy is not fully loaded."""
    numpy = sys.modules.get("numpy")
    try:
        return tuple(attrgetter(name)(numpy) for name in names)
    except AttributeError:
        return ()


def tensor_dtype_of(number: Any) -> dtype:
    """Return the dtype of the 0-dim tensor that torch makes of a number (c10::scalar_to_tensor).

    It does not depend on the default dtype.

    >>> tensor_dtype_of(2), tensor_dtype_of(2.5), tensor_dtype_of(2j)
    (torch.int64, torch.float64, torch.complex128)
    """
    result = scalar_dtype(number)
    if result.is_complex:
        return COMPLEX128
    return FLOAT64 if result.is_floating_point else result
