"""The geometry and the storage of sparse COO tensors.

A sparse tensor is a `Tensor`.  Its geometry has a shape and no strides.  Its storage is a pair of
strided tensors: indices, with one column per element, and values.  Access to strides or bytes
raises `NotDense`, so no code handles a sparse tensor as a dense one by mistake.
"""

from typing import Any

from .._arrays.numpy_bridge import np
from .._devices.device import device
from .._dtypes.constants import COMPLEX32, INT64
from .._dtypes.table import dtype, spec_of
from .._geometry.extents import Ints, numel
from .._geometry.geometry import Geometry
from .._geometry.size import as_size
from .._runtime.errors import NotDense
from .allocation import warn_complex32
from .data_access import raw_array, tensor_from_raw
from .tensor import Tensor, new_tensor, shallow_copy


class SparseGeometry(Geometry):
    """A shape whose first ``sparse_dim`` dimensions are sparse, without strides."""

    __slots__ = ("cleared", "sparse_dim")

    is_sparse = True
    cleared: bool
    sparse_dim: int

    @property
    def stride(self) -> Any:  # type: ignore[override]
        """Raise NotDense: a sparse tensor has no strides."""
        raise NotDense

    is_contiguous = stride


class SparseStorage:
    """The indices and the values of a sparse tensor, in place of an untyped storage."""

    __slots__ = ("_device", "coalesced", "indices", "values")

    _device: device
    indices: Tensor
    values: Tensor
    coalesced: bool

    def __getattr__(self, name: str) -> Any:
        raise NotDense


warn_of_complex32 = warn_complex32
detached_part = shallow_copy
"""Indices or values without autograd metadata."""


def sparse_tensor(
    indices: Tensor,
    values: Tensor,
    shape: Ints,
    coalesced: bool | None = None,
    cleared: bool = True,
    warns: bool = True,
) -> Tensor:
    """Return a sparse tensor of indices and values.

    coalesced: whether the indices are sorted and unique; None means fewer than two values.
    cleared: whether the tensor was created by its shape alone, which matters for shape (0,).
    warns: whether to warn about a complex32 tensor.
    """
    if warns and values._dtype is COMPLEX32:
        warn_of_complex32()
    parts = object.__new__(SparseStorage)
    parts.indices, parts.values = indices, values
    parts.coalesced = values._geometry.shape[0] < 2 if coalesced is None else coalesced
    geometry = object.__new__(SparseGeometry)
    geometry.shape = as_size(shape)
    geometry.rank = len(shape)
    geometry.numel = numel(shape)
    geometry.cache = {}
    geometry.device = parts._device = values._geometry.device
    geometry.sparse_dim = indices._geometry.shape[0]
    geometry.cleared = cleared
    return new_tensor(parts, geometry, 0, values._dtype)  # type: ignore[arg-type]


def is_sparse(value: Any) -> bool:
    """Return whether a value is a sparse tensor."""
    return isinstance(value, Tensor) and value._geometry.is_sparse


def sparse_storage(tensor: Tensor) -> SparseStorage:
    """Return the indices and values of a sparse tensor."""
    return tensor._storage  # type: ignore[return-value]


def sparse_dim_of(tensor: Tensor) -> int:
    """Return the number of sparse dimensions of a sparse tensor."""
    return tensor._geometry.sparse_dim  # type: ignore[attr-defined, no-any-return]


def nnz(tensor: Tensor) -> int:
    """Return the number of values of a sparse tensor."""
    return sparse_storage(tensor).values._geometry.shape[0]  # type: ignore[no-any-return]


def indices_of(tensor: Tensor) -> Any:
    """Return the indices of a sparse tensor as an int64 array."""
    return raw_array(sparse_storage(tensor).indices)


def tensor_of_indices(array: Any) -> Tensor:
    """Return a contiguous int64 tensor of indices."""
    return tensor_from_raw(np.ascontiguousarray(array, np.int64), INT64)


def linear_indices(indices: Any, shape: Ints) -> Any:
    """Return the linear index of each column, in the row-major order of a dense tensor."""
    result = np.zeros(indices.shape[1], np.int64)
    for row, size in zip(indices, shape, strict=False):
        result *= size
        result += row
    return result


def cpp_name(dtype: dtype) -> str:
    """Return the C++ name of a dtype."""
    return spec_of(dtype).cpp_name
