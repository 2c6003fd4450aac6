"""NumPy, loaded when an element is first touched, and how it carries the elements of each dtype."""

from functools import cache
from typing import Any

from .._dtypes.table import Kind, dtype, spec_of
from .._runtime.lazy_import import LazyModule

np: Any = LazyModule("numpy")

_OWN_IN_NUMPY = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def is_native(dtype: dtype) -> bool:
    """Tell whether NumPy has a dtype of its own for the elements."""
    return spec_of(dtype).name in _OWN_IN_NUMPY


@cache
def numpy_storage_dtype(dtype: dtype) -> Any:
    """Return the NumPy dtype that holds the elements: their own, or unsigned integers of their size."""
    row = spec_of(dtype)
    if is_native(dtype):
        return np.dtype(row.name)
    signed = row.kind is Kind.QUANTIZED and row.signed
    return np.dtype(f"{'' if signed else 'u'}int{8 * dtype.itemsize}")
