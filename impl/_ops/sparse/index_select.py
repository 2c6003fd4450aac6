"""index_select and narrow_copy of sparse tensors (ATen/native/TensorShape.cpp)."""

from math import log2
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._dtypes.constants import INT64
from ..._geometry import view_shapes
from ..._geometry.extents import Ints
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array
from ..._tensor.sparse_coo import (
    detached_part,
    indices_of,
    is_sparse,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from .common import is_coalesced


def index_select(tensor: Tensor, dim: int, index: Tensor) -> Tensor:
    """index_select(input, dim, index): the slices of a sparse tensor at indices."""
    return record_grad_fn(_selected(tensor, dim, index), (tensor,), "IndexSelectBackward0")


def _selected(tensor: Tensor, dim: int, index: Tensor) -> Tensor:
    shape, rank = tensor._geometry.shape, tensor._geometry.rank
    if not rank:
        raise IndexError("index_select() cannot be applied to a 0-dim tensor.")
    check(
        index._geometry.rank == 1 and index._dtype is INT64 and not is_sparse(index),
        lambda: "index_select() argument index must be 1-D strided (non-sparse) long-tensor.",
        IndexError,
    )
    dim = view_shapes.wrap_dim(dim, rank)
    new_shape = (*shape[:dim], index._geometry.numel, *shape[dim + 1 :])
    parts, sparse_dim = sparse_storage(tensor), sparse_dim_of(tensor)
    values = detached_part(parts.values)
    if dim >= sparse_dim:
        values = _gathered(values, dim - sparse_dim + 1, index)
        return sparse_tensor(parts.indices, values, new_shape)
    indices = indices_of(tensor)
    selected, places = _matches(tensor, dim, _counted_from_start(index, shape, dim), indices[dim])
    values = _gathered(values, 0, tensor_of_indices(selected))
    new_indices = indices[:, selected]
    new_indices[dim] = places
    return sparse_tensor(tensor_of_indices(new_indices), values, new_shape, cleared=False)


def _gathered(values: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices of dense values at indices."""
    sizes = [*values._geometry.shape]
    sizes[dim] = index._geometry.numel
    ones = [1] * len(sizes)
    ones[dim] = -1 if sizes[dim] else 0
    index = METHODS["expand"](METHODS["view"](index, ones), sizes)
    return METHODS["gather"](values, dim, index)  # type: ignore[no-any-return]


def _counted_from_start(index: Tensor, shape: Ints, dim: int) -> Any:
    """Return indices of which none is negative; raise for the first one out of bounds."""
    numbers, size = raw_array(index), shape[dim]
    is_beyond = (numbers < -size) | (numbers >= size)
    if is_beyond.any():
        raise IndexError(
            f"index_select(): index contains {numbers[is_beyond][0]} that is out of range for"
            f" tensor of size {[*shape]} at dimension {dim}"
        )
    return np.where(numbers < 0, numbers + size, numbers)


def _matches(tensor: Tensor, dim: int, index: Any, dim_indices: Any) -> tuple[Any, Any]:
    """Return the positions of equal numbers among the indices of a dimension and the index.

    The loop over one of them is inside that over the other one.
    """
    if _index_is_outer(tensor, dim, len(index), len(dim_indices)):
        return _pairs(dim_indices, index)
    places, selected = _pairs(index, dim_indices)
    return selected, places


def _pairs(inner: Any, outer: Any) -> tuple[Any, Any]:
    """Return the positions of equal numbers, in the order of the outer ones, then of the inner."""
    order = inner.argsort(kind="stable")
    first, end = (np.searchsorted(inner[order], outer, side) for side in ("left", "right"))
    counts = end - first
    starts = np.repeat(first - (counts.cumsum() - counts), counts)
    return order[starts + np.arange(len(starts))], np.repeat(np.arange(len(outer)), counts)


def _index_is_outer(tensor: Tensor, dim: int, count: int, nnz: int) -> bool:
    """Return whether torch's outer loop is the one over the index, as it is with one thread."""
    if nnz * count <= _BRUTE_FORCE_LIMIT or nnz > tensor._geometry.shape[dim]:
        return nnz >= count
    if nnz <= count:
        return True
    is_sorted = is_coalesced(tensor) and not dim
    return is_sorted and count * log2(nnz) <= (nnz + count) * log2(count)


_BRUTE_FORCE_LIMIT = 2**15


def narrow_copy(tensor: Tensor, dim: int, start: int, length: int) -> Tensor:
    """narrow_copy(input, dim, start, length): a copy of some indices of a dimension."""
    return record_grad_fn(_narrowed(tensor, dim, start, length), (tensor,), "NarrowCopyBackward0")


def _narrowed(tensor: Tensor, dim: int, start: int, length: int) -> Tensor:
    shape, rank = tensor._geometry.shape, tensor._geometry.rank
    check(rank, lambda: "narrow() cannot be applied to a 0-dim tensor.")
    check(length >= 0, lambda: "narrow(): length must be non-negative.")
    check(
        0 <= dim < rank,
        lambda: f"Dimension {dim} out of range. Expecting 0 <= dim < {rank}.",
    )
    check(
        start >= 0 and start + length <= shape[dim],
        lambda: (
            "Invalid range to narrow. range(start, start+length) must be a subset of range(0,"
            f" {shape[dim]})."
        ),
    )
    new_shape = (*shape[:dim], length, *shape[dim + 1 :])
    parts, sparse_dim = sparse_storage(tensor), sparse_dim_of(tensor)
    values, new_indices = detached_part(parts.values), parts.indices
    if dim < sparse_dim:
        indices = indices_of(tensor)
        places = np.flatnonzero((indices[dim] >= start) & (indices[dim] < start + length))
        kept = indices[:, places]
        kept[dim] -= start
        new_indices = tensor_of_indices(kept)
        values = METHODS["index_select"](values, 0, tensor_of_indices(places))
    else:
        values = METHODS["narrow_copy"](values, dim - sparse_dim + 1, start, length)
    return sparse_tensor(new_indices, values, new_shape, is_coalesced(tensor))
