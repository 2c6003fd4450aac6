"""NumPy, loaded when an element is first touched, and how it carries the elements of each dtype."""

from functools import cache
from typing import Any

from .._dtypes.table import Kind, dtype, row_of
from .._runtime.lazy_import import Late

np: Any = Late("numpy")

_OWN_IN_NUMPY = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def is_native(value: dtype) -> bool:
    """Tell whether NumPy has a dtype of its own for the elements."""
    return row_of(value).name in _OWN_IN_NUMPY


@cache
def carrier(value: dtype) -> Any:
    """Return the NumPy dtype that holds the elements: their own, or unsigned integers of their size."""
    row = row_of(value)
    if is_native(value):
        return np.dtype(row.name)
    signed = row.kind is Kind.QUANTIZED and row.signed
    return np.dtype(f"{'' if signed else 'u'}int{8 * value.itemsize}")
