"""Sparse tensors in coordinate form: what they have in the place of a geometry and of a storage.

A sparse tensor is a `Tensor` like any other.  Its geometry has a shape and no strides, and its storage is a pair of
strided tensors: the coordinates of some elements, a column for each, and their values.  Whoever asks for strides or
bytes meets `NotDense`, so that nothing takes a sparse tensor for a dense one.
"""

from typing import Any

from .._arrays.numpy_bridge import np
from .._devices.device import device
from .._dtypes.constants import COMPLEX32, INT64
from .._dtypes.table import dtype, spec_of
from .._geometry.extents import numel
from .._geometry.geometry import Geometry, Ints
from .._geometry.size import as_size
from .._runtime.errors import NotDense, check
from .._runtime.warnings import warn_once
from .data_access import raw_array, tensor_from_raw
from .tensor import Tensor, new_tensor, shallow_copy


class SparseGeometry(Geometry):
    """A shape of which the first ``sparse_dim`` dimensions are sparse, and no strides."""

    __slots__ = ("cleared", "sparse_dim")

    is_sparse = True
    cleared: bool
    sparse_dim: int

    @property
    def stride(self) -> Any:  # type: ignore[override]
        """Refuse: nothing lies anywhere."""
        raise NotDense

    @property
    def is_contiguous(self) -> Any:  # type: ignore[override]
        """Refuse: nothing lies anywhere."""
        raise NotDense


class SparseStorage:
    """The indices and the values of a sparse tensor, which stand in the place of a storage."""

    __slots__ = ("_device", "coalesced", "indices", "values")

    _device: device
    indices: Tensor
    values: Tensor
    coalesced: bool

    def __getattr__(self, name: str) -> Any:
        raise NotDense


def warn_of_complex32() -> None:
    """Warn that a tensor of complex32 is made (c10's ComplexHalf)."""
    warn_once(
        "ComplexHalf support is experimental and many operators don't support it yet. (Triggered"
        " internally at /__w/pytorch/pytorch/aten/src/ATen/EmptyTensor.cpp:54.)"
    )


def geometry_of(shape: Ints, sparse_dim: int, device: device) -> SparseGeometry:
    """Return a new geometry."""
    new = object.__new__(SparseGeometry)
    new.shape = as_size(tuple(shape))
    new.rank = len(shape)
    new.numel = numel(tuple(shape))
    new.cache = {}
    new.device = device
    new.sparse_dim = sparse_dim
    new.cleared = False
    return new


def sparse_tensor(
    indices: Tensor,
    values: Tensor,
    shape: Ints,
    coalesced: bool | None = None,
    cleared: bool = True,
    warns: bool = True,
) -> Tensor:
    """Make a sparse tensor of its parts; with fewer than two values it is coalesced.

    That of complex32 is made is warned of, if it ``warns``.  ``cleared`` tells one that was given its shape without parts; it shows where that is (0,).
    """
    if warns and values._dtype is COMPLEX32:
        warn_of_complex32()
    count = values._geometry.shape[0]
    parts = object.__new__(SparseStorage)
    parts.indices, parts.values = indices, values
    parts.coalesced = count < 2 if coalesced is None else coalesced
    parts._device = values._geometry.device
    geometry = geometry_of(shape, indices._geometry.shape[0], parts._device)
    geometry.cleared = cleared
    return new_tensor(parts, geometry, 0, values._dtype)  # type: ignore[arg-type]


def is_sparse(value: Any) -> bool:
    """Tell whether a value is a sparse tensor."""
    return isinstance(value, Tensor) and value._geometry.is_sparse


def parts_of(tensor: Tensor) -> SparseStorage:
    """Return the indices and values of a sparse tensor."""
    parts: Any = tensor._storage
    return parts  # type: ignore[no-any-return]


def sparse_dim_of(tensor: Tensor) -> int:
    """Return how many dimensions of a sparse tensor are sparse."""
    geometry: Any = tensor._geometry
    return geometry.sparse_dim  # type: ignore[no-any-return]


def nnz(tensor: Tensor) -> int:
    """Return how many values a sparse tensor has."""
    count: int = parts_of(tensor).values._geometry.shape[0]
    return count


def indices_of(tensor: Tensor) -> Any:
    """Return the indices of a sparse tensor as an array of int64."""
    return raw_array(parts_of(tensor).indices)


def tensor_of_indices(array: Any) -> Tensor:
    """Make a contiguous tensor of indices."""
    return tensor_from_raw(np.ascontiguousarray(array, np.int64), INT64)


def linear_indices(indices: Any, shape: Ints) -> Any:
    """Return a number for each index, by which they are ordered as elements of a dense tensor are."""
    found = np.zeros(indices.shape[1], np.int64)
    for row, size in zip(indices, shape, strict=False):
        found *= size
        found += row
    return found


def plain(tensor: Tensor) -> Tensor:
    """Return a part without its history, as a sparse tensor keeps it."""
    return shallow_copy(tensor)


def check_sparse(name: str, tensor: Tensor) -> None:
    """Refuse a dense tensor where only a sparse one will do."""
    check(
        is_sparse(tensor),
        lambda: f"{name} expected sparse tensor layout but got Strided",
    )


def kind_name(dtype: dtype) -> str:
    """Return what torch's C++ calls a dtype."""
    return spec_of(dtype).cpp_name
