"""index_add and index_add_ (ATen/native/TensorAdvancedIndexing.cpp)."""

from typing import Any

from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_differentiable, check_inplace
from ..._dtypes.constants import INT32, INT64
from ..._dtypes.table import spec_of
from ..._geometry import view_shapes
from ..._numerics.python_types import PYTHON_TYPES, python_type_of
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.memory_overlap import check_written_alone
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..elementwise.binding import Overload, install_operator
from .added_rows import add_along
from .along_dim import copy_to_result, new_or_out, same_slices
from .index_copy import WITH_GRADIENTS, check_devices, put_on_meta

_NODE = "IndexAddBackward0"


def _index_add(
    tensor: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any, out: Tensor | None = None
) -> Tensor:
    operands = (tensor, index, source) if out is None else (tensor, index, source, out)
    if any(x._geometry.is_sparse for x in operands):
        raise NotDense
    alpha = python_scalar(alpha)
    if is_on_meta(*operands):
        result = in_reference(_added_on_meta, tensor, dim, index, source, alpha)
        if out is None:
            check_differentiable(result, source)
            return record_grad_fn(result, (tensor, source), _NODE)
        bump_version(into_meta("index_add", out, result._geometry, result._dtype))
        return out
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    check_rows("index_add", tensor, dim, index, source)
    result = new_or_out(tensor, out, index, source)
    copy_to_result(result, tensor)
    add_along(result, dim, index, source, alpha)
    if out is None:
        return record_grad_fn(result, (tensor, source), _NODE)
    bump_version(out)
    return out


def _index_add_(tensor: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> Tensor:
    check_inplace(tensor, source)
    if any(x._geometry.is_sparse for x in (tensor, index, source)):
        raise NotDense
    alpha = python_scalar(alpha)
    if is_on_meta(tensor, index, source):
        in_reference(_check_on_meta, tensor, dim, index, source, alpha)
    else:
        dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
        check_rows("index_add", tensor, dim, index, source)
        check_written_alone(tensor, index, source)
        add_along(tensor, dim, index, source, alpha)
    return record_write(tensor, (source,), _NODE)


def check_rows(name: str, tensor: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Raise for operands of index_add or index_reduce that do not fit (index_func_meta_impl)."""
    shape, source_shape = tensor._geometry.shape, source._geometry.shape
    count, rank = index._geometry.numel, index._geometry.rank
    if rank > 1:
        raise IndexError(
            f"{name}_(): Index is supposed to be a vector, but got dim: {rank} with type:"
            f" {_name(index)} and size: {[*index._geometry.shape]}"
        )
    check(
        index._dtype in (INT64, INT32),
        lambda: f"{name}_(): Expected dtype int32/int64 for index but got: {_name(index)}",
    )
    check(
        tensor._dtype is source._dtype,
        lambda: (
            f"{name}_(): self ({_name(tensor)}) and source ({_name(source)}) must have the same"
            " scalar type"
        ),
    )
    check(
        not dim or dim < len(source_shape),
        lambda: (
            f"{name}_(): Indexing dim {dim} is out of bounds of the source tensor with dim"
            f" {len(source_shape)}"
        ),
    )
    if count != (source_shape[dim] if source_shape else 1):
        size = source_shape[view_shapes.wrap_dim_nonscalar(dim, len(source_shape))]
        raise RuntimeError(
            f"{name}_(): Number of indices ({count}) should be equal to source.size(dim):"
            f" ({size}), for dim: {dim}"
        )
    check(
        same_slices(shape, source_shape, dim if shape else -1),
        lambda: (
            "source tensor shape must match self tensor shape, excluding the specified dimension."
            f" Got self.shape = {[*shape]} source.shape = {[*source_shape]}"
        ),
    )
    check_devices(f"{name}_", tensor, index, source)


def _name(tensor: Tensor) -> str:
    return spec_of(tensor._dtype).cpp_name


# Tensors on meta: _index_add in torch/_decomp/decompositions.py.


def _added_on_meta(tensor: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> Tensor:
    _check_on_meta(tensor, dim, index, source, alpha)
    return put_on_meta(tensor)


def _check_on_meta(tensor: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> None:
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    check_devices("index_add", tensor, index, source)
    count, rank = index._geometry.numel, index._geometry.rank
    check(rank <= 1, lambda: f"Index should have dimension 1 or 0 (got {rank})")
    shape = source._geometry.shape
    size = shape[view_shapes.wrap_dim(dim, len(shape))] if shape else 1
    check(
        size == count,
        lambda: (
            f"Number of indices ({count}) should be equal to tensor.size(dim) ({size}), for"
            f" dim={dim}"
        ),
    )
    if alpha == 1:
        return
    python_type = python_type_of(tensor._dtype)
    if python_type is None:
        raise ValueError("Invalid dtype!")
    order = PYTHON_TYPES.index
    check(
        python_type is bool or order(type(alpha)) <= order(python_type),
        lambda: (
            f"alpha argument of type {type(alpha)} cannot be safely cast to type {python_type}!"
        ),
    )
    PUBLIC["mul"](shallow_copy(source), alpha)


install_operator(
    "index_add",
    Overload(
        "int64_t dim, Tensor index, Tensor source, *, Scalar alpha=1",
        resolves_conj_neg(_index_add, "index_add", of=WITH_GRADIENTS),
        resolves_conj_neg_in_place(_index_add_),
    ),
    doc="Return a tensor after rows of another one were added at indices along a dimension.",
)
