"""The fast path for tensors from lists of plain numbers.

`read_plain` converts a whole list at once, with the results of `from_python.read`.  It returns
None, without side effects, if torch would raise or if the order of torch's steps matters.
"""

from array import array as typed_list
from functools import cache
from itertools import chain
from typing import Any

from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._dtypes.constants import BFLOAT16, BOOL, COMPLEX128, FLOAT32, FLOAT64, INT64, UINT64
from .._dtypes.default_dtype import SCALAR_DTYPES
from .._dtypes.scalars import numpy_types
from .._dtypes.table import ALL_DTYPES, DTYPES, dtype
from .._runtime.warnings import warn_once
from .encode_scalar import WRITABLE
from .float_formats import encode
from .promotion import promote_types
from .type_info import limits_of

NUMBERS = frozenset({float, int, bool, complex})
LISTS = frozenset({list, tuple, range})

_WIDE_UNSIGNED = frozenset(DTYPES[name] for name in ("uint16", "uint32", "uint64"))
"""Dtypes that do not promote with all others, so the order of promotion matters."""


def read_plain(
    data: Any, shape: tuple[int, ...], dtype: dtype | None
) -> tuple[tuple[int, ...], dtype, Any] | None:
    """Return the shape, dtype and elements of nested lists of plain numbers or NumPy arrays.

    ``shape`` is the shape by the first elements.  Return None if the fast path does not apply.
    """
    items, arrays = data, 0
    for size in shape[1:]:
        if not LISTS.issuperset(map(type, items)):
            if not _are_rows(items):
                return None
            arrays += sum(type(item) not in LISTS for item in items)
        if {*map(len, items)} != {size}:
            return None
        items = [*chain.from_iterable(items)]
    types = [*dict.fromkeys(map(type, items))]
    if dtype is None:
        dtype = _infer(types)
    elif not types or not all(map(_dtype_of_type, types)):
        return None
    if dtype is None or dtype not in WRITABLE:
        return None
    try:
        elements = _raw_array(items, types, dtype)
    except (OverflowError, TypeError):
        return None
    if elements is None:
        return None
    if arrays:
        warn_of_arrays(arrays)
    return shape, dtype, elements


def warn_of_arrays(count: int) -> None:
    """Warn that a list has ``count`` NumPy arrays: once per array if warnings are repeated."""
    for _ in range(count):
        warn_once(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider"
            " converting the list to a single numpy.ndarray with numpy.array() before converting to"
            " a tensor. (Triggered internally at"
            " /__w/pytorch/pytorch/torch/csrc/utils/tensor_new.cpp:252.)"
        )


# Types and dtypes.


@cache
def _scalar_types() -> dict[type, dtype]:
    """Return the NumPy scalar types that torch supports, and their dtypes."""
    types = {numpy_storage_dtype(dtype).type: dtype for dtype in ALL_DTYPES if is_native(dtype)}
    return {**types, np.longlong: INT64}


def _dtype_of_type(cls: type) -> dtype | None:
    """Return the dtype of a plain number type; None for other types."""
    dtype = SCALAR_DTYPES.get(cls)
    if dtype is None and numpy_types("generic") and issubclass(cls, np.generic):
        return _scalar_types().get(cls)
    return dtype


def _infer(types: list[type]) -> dtype | None:
    """Return the dtype for numbers of plain types; None if the slow path must infer it."""
    result = None
    for cls in types:
        dtype = _dtype_of_type(cls)
        if dtype is None or (dtype in _WIDE_UNSIGNED and len(types) > 1):
            return None
        if cls is complex and SCALAR_DTYPES[float] is BFLOAT16:
            return None  # bfloat16 has no complex dtype, but the slow path may not need one
        result = dtype if result is None else promote_types(result, dtype)
    return result


def _are_rows(items: Any) -> bool:
    """Return whether items are lists, or NumPy arrays of numbers that are not 0-d."""
    arrays = numpy_types("ndarray")
    return all(
        type(item) in LISTS
        or (type(item) in arrays and item.ndim and item.dtype.type in _scalar_types())
        for item in items
    )


# Elements.


def _raw_array(items: Any, types: list[type], dtype: dtype) -> Any:
    """Return the raw array of numbers; None if the slow path must convert them."""
    if dtype.is_floating_point:
        complex_types = (complex, *numpy_types("complexfloating"))
        if any(issubclass(cls, complex_types) for cls in types):
            return None  # the slow path warns for each number
        return _raw_floats(items, dtype)
    if dtype.is_complex:
        return _raw_complex(items, dtype)
    if dtype is BOOL:
        if not NUMBERS.issuperset(types):
            return None
        return np.frombuffer(bytearray(map(bool, items)), np.bool_)
    return _raw_integers(items, types, dtype)


def _raw_floats(items: Any, dtype: dtype) -> Any:
    # Typed lists convert floats as torch does: too large numbers for float32 become infinite.
    if dtype is FLOAT64:
        return np.frombuffer(typed_list("d", items), np.float64)
    singles = np.frombuffer(typed_list("f", items), np.float32)
    if dtype is FLOAT32:
        return singles
    if not is_native(dtype):
        return encode(singles, dtype)
    with np.errstate(all="ignore"):
        return singles.astype(np.float16)


def _raw_complex(items: Any, dtype: dtype) -> Any:
    doubles = np.array(items, np.complex128)
    if dtype is COMPLEX128:
        return doubles
    with np.errstate(all="ignore"):
        singles = doubles.astype(np.complex64)
        if is_native(dtype):
            return singles
        return singles.view(np.float32).astype(np.float16).view(np.uint32)


def _raw_integers(items: Any, types: list[type], dtype: dtype) -> Any:
    if types == [float] and dtype is not UINT64:
        return _truncate(items, dtype)
    for cls in types:
        is_plain = cls is int or cls is bool
        # uint64 requires a Python int, and no NumPy integer is one.
        if not is_plain and (dtype is UINT64 or not issubclass(cls, np.integer)):
            return None
    # The module ``array`` has NumPy's type codes, and raises for integers out of range.
    numpy_dtype = numpy_storage_dtype(dtype)
    return np.frombuffer(typed_list(numpy_dtype.char, items), numpy_dtype)


def _truncate(items: Any, dtype: dtype) -> Any:
    """Return truncated floats; None if one may be out of range."""
    doubles = np.frombuffer(typed_list("d", items), np.float64)
    limits = limits_of(dtype)
    # The limits of int64 are no doubles, and a NaN is in no range.
    if limits.min <= doubles.min() and doubles.max() <= min(limits.max, 2**62):
        return doubles.astype(numpy_storage_dtype(dtype))
    return None
