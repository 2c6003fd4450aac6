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


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """Return arrays of a common shape, as NumPy's function, which takes up to 32 dimensions."""
    shapes = {array.shape for array in arrays}
    if len(shapes) == 1:
        return arrays
    rank = max(map(len, shapes))
    columns = zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes], strict=True)
    shape = tuple([min(sizes) if 0 in sizes else max(sizes) for sizes in columns])
    return tuple([np.broadcast_to(array, shape) for array in arrays])


def take_along_axis(array: Any, indices: Any, axis: int) -> Any:
    """Return the elements at indices along an axis; NumPy's function takes up to 63 dimensions."""
    moved, index = array.swapaxes(axis, -1), indices.swapaxes(axis, -1)
    rows, columns = moved.reshape(-1, moved.shape[-1]), index.reshape(-1, index.shape[-1])
    taken = rows[np.arange(len(rows))[:, None], columns].reshape(index.shape)
    return taken.swapaxes(-1, axis)
