"""NumPy, loaded on first use, and the NumPy dtypes for the elements of each dtype."""

from functools import cache
from typing import Any

from .._dtypes.table import Kind, dtype, spec_of
from .._runtime.lazy_import import LazyModule

np: Any = LazyModule("numpy")

_NUMPY_DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def is_native(dtype: dtype) -> bool:
    """Return whether NumPy has the same dtype."""
    return spec_of(dtype).name in _NUMPY_DTYPES


@cache
def numpy_storage_dtype(dtype: dtype) -> Any:
    """Return the NumPy dtype of the raw elements: the same dtype, or integers of the same size."""
    spec = spec_of(dtype)
    if is_native(dtype):
        return np.dtype(spec.name)
    signed = spec.kind is Kind.QUANTIZED and spec.signed
    return np.dtype(f"{'' if signed else 'u'}int{8 * dtype.itemsize}")
