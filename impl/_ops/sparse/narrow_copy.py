"""narrow_copy of sparse tensors (narrow_copy_sparse in ATen/native/TensorShape.cpp)."""

from ..._arrays.numpy_bridge import np
from ..._runtime.errors import check
from ..._tensor.sparse_coo import (
    detached_part,
    indices_of,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from .common import is_coalesced


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
