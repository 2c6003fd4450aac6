"""Lists of plain numbers become elements all at once.

`read_plain` does for nearly all data what `reading.read` does for any, and
gives up, having changed nothing, where torch would refuse something or where
its order of doing things counts.
"""

from array import array as typed_list
from functools import cache
from itertools import chain
from typing import Any

from .._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from .._arrays.opaque_dtypes import is_opaque
from .._dtypes.constants import BFLOAT16, BOOL, COMPLEX128, FLOAT32, FLOAT64, INT64, UINT64
from .._dtypes.default_dtype import SCALAR_DTYPES
from .._dtypes.scalars import _numpy_types
from .._dtypes.table import ALL, DTYPES, dtype, spec_of
from .._runtime.warnings import warn_once
from .float_formats import encode
from .promotion import promote_types

NUMBERS = frozenset({float, int, bool, complex})
LISTS = frozenset({list, tuple, range})


_OPAQUE = frozenset(dtype for dtype in ALL if is_opaque(dtype))

_UNFRIENDLY = frozenset(DTYPES[name] for name in ("uint16", "uint32", "uint64"))
"""Dtypes that do not promote with all others, so that it counts which meet first."""

_TYPE_CODES = {
    "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
}  # fmt: skip
"""What the module ``array`` calls the integers; it refuses those that are out of range."""


def read_plain(
    data: Any, shape: tuple[int, ...], dtype: dtype | None
) -> tuple[tuple[int, ...], dtype, Any] | None:
    """Return shape, dtype and elements of lists of plain numbers or of NumPy's arrays of them.

    ``shape`` is what the first elements promise.  Returns None where it cannot tell.
    """
    items, arrays = data, 0
    for size in shape[1:]:
        if not LISTS.issuperset(map(type, items)):
            if not _are_rows(items):
                return None
            arrays += sum(type(each) not in LISTS for each in items)
        if {*map(len, items)} != {size}:
            return None
        items = [*chain.from_iterable(items)]
    types = [*dict.fromkeys(map(type, items))]
    if dtype is None:
        dtype = _infer(types)
    elif not _are_plain(types):
        return None
    if dtype is None or dtype in _OPAQUE:
        return None
    try:
        elements = _codes(items, types, dtype)
    except (OverflowError, TypeError):
        return None
    if elements is None:
        return None
    if arrays:
        warn_of_arrays(arrays)
    return shape, dtype, elements


def warn_of_arrays(count: int) -> None:
    """Warn that a list holds NumPy's arrays: for each, where warnings are not given just once."""
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
    """Return the types of NumPy's scalars that torch knows, and their dtypes."""
    known = {numpy_storage_dtype(dtype).type: dtype for dtype in ALL if is_native(dtype)}
    return {**known, np.longlong: INT64}


def _dtype_of_type(cls: type) -> dtype | None:
    """Return what numbers of a plain type count as, and None for other types."""
    found = SCALAR_DTYPES.get(cls)
    if found is None and _numpy_types("generic") and issubclass(cls, np.generic):
        return _scalar_types().get(cls)
    return found


def _are_plain(types: list[type]) -> bool:
    return bool(types) and (
        NUMBERS.issuperset(types) or all(_dtype_of_type(each) is not None for each in types)
    )


def _infer(types: list[type]) -> dtype | None:
    """Return the dtype for numbers of some plain types, or None where it takes more to tell."""
    found = None
    for each in types:
        kind = _dtype_of_type(each)
        if kind is None or (kind in _UNFRIENDLY and len(types) > 1):
            return None
        if each is complex and SCALAR_DTYPES[float] is BFLOAT16:
            return None  # which has no complex partner, but that need not come up
        found = kind if found is None else promote_types(found, kind)
    return found


def _are_rows(items: Any) -> bool:
    """Tell whether items are lists, or NumPy's arrays of numbers and of at least one dimension."""
    arrays = _numpy_types("ndarray")
    return all(
        type(each) in LISTS
        or (type(each) in arrays and each.ndim and each.dtype.type in _scalar_types())
        for each in items
    )


# Elements.


def _codes(items: Any, types: list[type], dtype: dtype) -> Any:
    """Return the codes of numbers, or None where one of them needs a second look."""
    if dtype.is_floating_point:
        if any(issubclass(each, _complex_types()) for each in types):
            return None  # each of them warns
        return _float_codes(items, types, dtype)
    if dtype.is_complex:
        return _complex_codes(items, dtype)
    if dtype is BOOL:
        if not NUMBERS.issuperset(types):
            return None
        return np.frombuffer(bytearray(map(bool, items)), np.bool_)
    return _int_codes(items, types, dtype)


def _float_codes(items: Any, types: list[type], dtype: dtype) -> Any:
    for each in types:
        if each is not float and each is not int and issubclass(each, _complex_types()):
            return None
    # These lists make floats as torch does: what is too large for float32 is infinite, unsaid.
    if dtype is FLOAT64:
        return np.frombuffer(typed_list("d", items), np.float64)
    singles = np.frombuffer(typed_list("f", items), np.float32)
    if dtype is FLOAT32:
        return singles
    if not is_native(dtype):
        return encode(singles, dtype)
    with np.errstate(all="ignore"):
        return singles.astype(np.float16)


def _complex_types() -> tuple[type, ...]:
    return (complex, *_numpy_types("complexfloating"))


def _complex_codes(items: Any, dtype: dtype) -> Any:
    doubles = np.array(items, np.complex128)
    if dtype is COMPLEX128:
        return doubles
    with np.errstate(all="ignore"):
        singles = doubles.astype(np.complex64)
        if is_native(dtype):
            return singles
        return singles.view(np.float32).astype(np.float16).view(np.uint32)


def _int_codes(items: Any, types: list[type], dtype: dtype) -> Any:
    if types == [float] and dtype is not UINT64:
        return _truncated(items, dtype)
    for each in types:
        is_plain = each is int or each is bool
        # No integer of NumPy's is one of Python's, as uint64 wants it.
        if not is_plain and (dtype is UINT64 or not issubclass(each, np.integer)):
            return None
    return np.frombuffer(
        typed_list(_TYPE_CODES[spec_of(dtype).name], items), numpy_storage_dtype(dtype)
    )


def _truncated(items: Any, dtype: dtype) -> Any:
    """Return floats without their fractions, or None if one may be out of range."""
    doubles = np.frombuffer(typed_list("d", items), np.float64)
    limits = np.iinfo(numpy_storage_dtype(dtype))
    # The ends of int64 are no doubles; and a NaN is not in any range.
    if limits.min <= doubles.min() and doubles.max() <= min(limits.max, 2**62):
        return doubles.astype(numpy_storage_dtype(dtype))
    return None
