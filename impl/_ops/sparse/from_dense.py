"""The parts of a sparse tensor that are the nonzero elements, or rows, of a dense one."""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._dtypes.table import dtype
from ..._geometry.broadcasting import reshape_stride
from ..._geometry.geometry import strided as strided_geometry
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.data_access import resolved_array, tensor_from_raw
from ..._tensor.sparse_coo import linear_indices, sparse_storage, tensor_of_indices
from ..._tensor.tensor import Tensor, set_geometry
from ..._tensor.views import plain_view
from ..indexing.advanced import read
from .common import from_arrays


def nonzero_parts(tensor: Tensor, sparse_dim: int) -> Tensor:
    """Return a sparse tensor of the rows of a dense one in which an element is not zero."""
    elements = resolved_array(tensor)
    shape, rank = tensor._geometry.shape, tensor._geometry.rank
    nonzero = _nonzero(elements, tensor._dtype)
    if not rank:
        index_array = np.empty((0, int(nonzero)), np.int64)
        selected = elements.reshape(1)[: int(nonzero)].copy()
    else:
        rows = nonzero.any(axis=tuple(range(sparse_dim, rank))) if sparse_dim < rank else nonzero
        positions = rows.nonzero()
        index_array, selected = np.stack(positions), elements[rows]
    result = from_arrays(index_array, selected, tensor._dtype, shape, coalesced=True)
    nnz = index_array.shape[1]
    if 0 < sparse_dim < rank and selected.size and not tensor._geometry.is_contiguous:
        # Torch reads rows of the tensor with its leading dimensions flattened.
        flat = _flattened(tensor, sparse_dim)
        rows = tensor_of_indices(linear_indices(index_array, shape))
        sparse_storage(result).values = read(flat, [rows])
    elif rank and nnz:
        warn_if_complex32(tensor._dtype)  # torch allocates the selected elements
    if sparse_dim < rank and 1 in (sparse_dim, nnz):
        # Torch transposes the (nnz, sparse_dim) result of nonzero, which is contiguous here.
        geometry = strided_geometry((sparse_dim, nnz), (1, sparse_dim))
        set_geometry(sparse_storage(result).indices, geometry)
    return result


def _flattened(tensor: Tensor, count: int) -> Tensor:
    """Return a tensor with its first dimensions as one, without a warning of a copy."""
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    size = prod(shape[:count]), *shape[count:]
    steps = reshape_stride(shape, stride, size)
    if steps is not None:
        return plain_view(tensor, size, steps)
    elements = resolved_array(tensor).reshape(size)
    return tensor_from_raw(elements, tensor._dtype, tensor._geometry.device)


def _nonzero(elements: Any, dtype: dtype) -> Any:
    """Return a mask of nonzero elements; dtypes that NumPy lacks are compared by their bits."""
    if elements.dtype.kind in "ui" and (dtype.is_floating_point or dtype.is_complex):
        magnitude = 0x7FFF7FFF if dtype.is_complex else (1 << (8 * elements.dtype.itemsize - 1)) - 1
        elements = elements & elements.dtype.type(magnitude)
    return elements != 0
