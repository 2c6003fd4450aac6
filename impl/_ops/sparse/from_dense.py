"""The parts of a sparse tensor that are the nonzero elements, or rows, of a dense one."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._dtypes.table import dtype
from ..._geometry.geometry import strided as strided_geometry
from ..._geometry.strides import contiguous
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.data_access import resolved_array
from ..._tensor.sparse_coo import sparse_storage, tensor_of_indices
from ..._tensor.tensor import Tensor, set_geometry
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
    if 0 < sparse_dim < rank and selected.size and tensor._geometry.stride != contiguous(shape):
        places = [tensor_of_indices(each) for each in index_array]
        sparse_storage(result).values = read(tensor, places)
    elif rank and nnz:
        warn_if_complex32(tensor._dtype)  # torch allocates the selected elements
    if sparse_dim < rank and 1 in (sparse_dim, nnz):
        # Torch transposes the (nnz, sparse_dim) result of nonzero, which is contiguous here.
        geometry = strided_geometry((sparse_dim, nnz), (1, sparse_dim))
        set_geometry(sparse_storage(result).indices, geometry)
    return result


def _nonzero(elements: Any, dtype: dtype) -> Any:
    """Return a mask of nonzero elements; dtypes that NumPy lacks are compared by their bits."""
    if elements.dtype.kind in "ui" and (dtype.is_floating_point or dtype.is_complex):
        magnitude = 0x7FFF7FFF if dtype.is_complex else (1 << (8 * elements.dtype.itemsize - 1)) - 1
        elements = elements & elements.dtype.type(magnitude)
    return elements != 0
