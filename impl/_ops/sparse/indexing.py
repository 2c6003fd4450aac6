"""``x[item]`` of sparse tensors.

Torch takes the entries of an index one by one, as for dense tensors (ATen/TensorIndexing.h). It has
sparse kernels for integers and None only. A selected tensor may be dense.
"""

from typing import Any

from ..._geometry.basic_indexing import (
    AdvancedIndex,
    DeferredIndex,
    integer_index,
    slice_bounds,
    specified_dims,
)
from ..._geometry.view_shapes import wrap_dim
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolve_conj_neg
from ..indexing.advanced import read
from ..indexing.indexing import convert_index


def getitem(tensor: Tensor, item: Any) -> Tensor:
    """x[item]: the kernels of the entries in turn, or the error of the first without one."""
    rank = tensor._geometry.rank
    index = convert_index(item, tensor._geometry.device)
    if type(index) is not tuple:
        return _take_single(tensor, index)
    count = sum(map(specified_dims, index))
    if count > rank:
        raise IndexError(f"too many indices for tensor of dimension {rank}")
    result, dim, indices = tensor, 0, list[Any]()
    for position, entry in enumerate(index):
        if type(entry) is DeferredIndex:
            entry = entry.resolve()
        skipped = 1
        if entry is ...:
            # Torch accepts a second ellipsis, which skips as many dimensions again.
            skipped = rank - count
        elif entry is None or type(entry) is bool:
            result = result.unsqueeze(dim)  # type: ignore[attr-defined]
            if type(entry) is bool:
                _make_bool_index(result, entry)
        elif type(entry) is AdvancedIndex:
            skipped = entry.dims
        elif type(entry) is slice:
            result = _sliced(result, dim, entry, skips_whole=True)
        else:
            result = _selected(result, dim, integer_index(entry), position)
            continue
        if type(entry) in (bool, AdvancedIndex):
            indices += [None] * (0 if indices else dim)
            indices.append(entry if type(entry) is bool else entry.what)
        elif indices:
            indices += [None] * skipped
        dim += skipped
    if indices:
        return _index(result, indices)
    if result is tensor:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")
    return result


def _take_single(tensor: Tensor, index: Any) -> Tensor:
    """Return ``x[index]`` for an index that is not a tuple."""
    if index is None:
        return tensor.unsqueeze(0)  # type: ignore[attr-defined, no-any-return]
    if type(index) is bool:
        result = tensor.unsqueeze(0)  # type: ignore[attr-defined]
        _make_bool_index(result, index)
        return _index(result, [index])
    if type(index) is slice:
        return _sliced(tensor, 0, index, skips_whole=False)
    if index is ...:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")
    return _selected(tensor, 0, integer_index(index), 0)


def _selected(tensor: Tensor, dim: int, index: int, position: int) -> Tensor:
    shape = tensor._geometry.shape
    if not (shape or index or dim):
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or"
            " `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    size = shape[dim] if dim < len(shape) else 0  # torch reads 0 past the end
    if not -size <= index < size:
        raise IndexError(
            f"index {index} is out of bounds for dimension {position} with size {size}"
        )
    return tensor.select(dim, index)  # type: ignore[attr-defined, no-any-return]


def _sliced(tensor: Tensor, dim: int, bounds: slice, *, skips_whole: bool) -> Tensor:
    start, stop, step = slice_bounds(bounds)
    shape = tensor._geometry.shape
    size = shape[dim] if dim < len(shape) else 0
    if skips_whole and shape and start == 0 and stop >= size and step == 1:
        return tensor
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    wrap_dim(dim, len(shape))
    if is_sparse(tensor):
        raise no_kernel("as_strided", tensor)
    return tensor[(slice(None),) * dim + (bounds,)]  # type: ignore[index, no-any-return]


def _make_bool_index(tensor: Tensor, value: bool) -> None:
    """Raise if torch cannot make the index of a bool, which has the layout of the tensor."""
    if value and is_sparse(tensor):
        raise no_kernel("fill_.Scalar", tensor)


def _index(tensor: Tensor, indices: list[Any]) -> Tensor:
    if is_sparse(tensor):
        raise no_kernel("index.Tensor", tensor)
    return record_grad_fn(read(resolve_conj_neg(tensor), indices), (tensor,), "IndexBackward0")
