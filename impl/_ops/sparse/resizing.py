"""Sparse tensors of other sizes (SparseTensorImpl.h, native/sparse/SparseTensor.cpp)."""

from typing import Any

from ..._autograd.tracking import check_inplace
from ..._geometry.extents import Ints
from ..._geometry.layout import preserve_format
from ..._runtime.errors import check
from ..._tensor.out_autograd import check_resizable
from ..._tensor.sparse_coo import (
    detached_part,
    is_sparse,
    nnz,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
)
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, set_geometry
from ..common.copy import record_write
from . import views
from .common import is_coalesced
from .construct import empty_sparse

_OPTIONS = (
    " on a non-empty sparse tensor is not supported.\nYou could try the following options:\n1. If"
    " you need an empty sparse tensor of this size, call `x = torch.sparse_coo_tensor(size)`.\n2."
    " If you need to resize this tensor, you have the following options:\n    1. For both sparse"
    " and dense dimensions, keep the number of them constant and the size of them non-shrinking,"
    " and then try the same call again.\n    2. Or, create a new sparse tensor with the correct"
    " indices and values from this sparse tensor."
)


def check_resize(out: Tensor, source: Tensor) -> None:
    """Raise if a sparse tensor with values cannot be resized (SparseTensorImpl::_resize_)."""
    if not nnz(out):
        return
    counts, shapes = [], []
    for tensor in (out, source):
        shape, sparse_dim = tensor._geometry.shape, sparse_dim_of(tensor)
        counts.append((sparse_dim, len(shape) - sparse_dim))
        shapes.append(([*shape[:sparse_dim]], [*shape[sparse_dim:]]))
    for kind, old, new in zip(("sparse", "dense"), *counts, strict=True):
        if old != new:
            raise RuntimeError(
                f"changing the number of {kind} dimensions (from {old} to {new}){_OPTIONS}"
            )
    for kind, sizes, new_sizes in zip(("sparse", "dense"), *shapes, strict=True):
        if any(new < old for old, new in zip(sizes, new_sizes, strict=True)):
            raise RuntimeError(
                f"shrinking the size of {kind} dimensions (from {sizes} to {new_sizes}){_OPTIONS}"
            )


def resize_and_clear_(tensor: Tensor, shape: Ints) -> Tensor:
    """Resize an out= tensor and drop all values (sparse_resize_and_clear_)."""
    check_inplace(tensor)
    check(min(shape, default=0) >= 0, lambda: "numel: integer multiplication overflow")
    empty = empty_sparse(shape, tensor._dtype, device=tensor._geometry.device, warns=False)
    tensor._storage = empty._storage
    set_geometry(tensor, empty._geometry)
    return record_write(tensor, (), "NotImplemented")


def resize_as_(tensor: Tensor, template: Tensor, memory_format: Any = None) -> Tensor:
    """Tensor.resize_as_(the_template): resize to the shape of a sparse tensor."""
    check_resizable(tensor)
    if not is_sparse(template):
        raise no_kernel("resize_", template)
    if not is_sparse(tensor):
        is_kept = memory_format in (None, preserve_format)
        kept = {} if is_kept else {"memory_format": memory_format}
        return METHODS["resize_"](tensor, template._geometry.shape, **kept)  # type: ignore[no-any-return]
    form = views.FORMS.get(str(memory_format))
    check(
        form in (None, "Preserve"),
        lambda: f"Unsupported memory format for sparse tensor resize_as_ :{form}",
    )
    left, right = ((x._geometry.shape, sparse_dim_of(x)) for x in (tensor, template))
    if left == right:
        return tensor
    check_resize(tensor, template)
    shape, sparse_dim = right
    if not nnz(tensor):
        device = tensor._geometry.device
        resized = empty_sparse(shape, tensor._dtype, sparse_dim, device, warns=False)
    else:
        parts, is_sorted = sparse_storage(tensor), is_coalesced(tensor)
        rows: Ints = nnz(tensor), *shape[sparse_dim:]
        values = METHODS["resize_"](detached_part(parts.values), rows)
        resized = sparse_tensor(parts.indices, values, shape, is_sorted, warns=False)
    tensor._storage, tensor._geometry = resized._storage, resized._geometry
    return tensor
