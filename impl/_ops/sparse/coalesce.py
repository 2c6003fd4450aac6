"""coalesce, to_dense and sum of sparse tensors.

They follow SparseTensor.cpp and SparseTensorMath.cpp in aten/src/ATen/native/sparse, ReduceOps.cpp.
"""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.tracking import check_differentiable
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, COMPLEX64, INT64
from ..._dtypes.table import dtype
from ..._geometry.geometry import strided
from ..._geometry.view_shapes import wrap_dim, wrap_dims
from ..._numerics.cast import convert, to_numbers
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.sparse_coo import (
    detached_part,
    indices_of,
    is_sparse,
    linear_indices,
    nnz,
    sparse_dim_of,
    sparse_tensor,
    tensor_of_indices,
)
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import Tensor, new_tensor
from ..._tensor.views import record_grad_fn
from ..indexing.advanced import add_rows
from .common import KERNEL_DTYPES, is_coalesced, values_of
from .sort_order import sort_order


def coalesce(tensor: Tensor) -> Tensor:
    """Tensor.coalesce(): sort the indices and sum the values of equal indices in that order."""
    check(
        is_sparse(tensor),
        lambda: "coalesce expected sparse coordinate tensor layout but got Strided",
    )
    if is_coalesced(tensor):
        return tensor
    return record_grad_fn(coalesce_plain(tensor), (tensor,), "CoalesceBackward0")


def coalesce_plain(tensor: Tensor) -> Tensor:
    """Return a tensor itself if it is coalesced, else a coalesced tensor without a grad_fn."""
    if is_coalesced(tensor):
        return tensor
    if tensor._geometry.device is META:
        raise no_kernel("_coalesce", tensor)
    dtype, shape, count = tensor._dtype, tensor._geometry.shape, nnz(tensor)
    indices = indices_of(tensor)
    if count < 2:
        _warn_of_clone(dtype)
        parts = tensor_of_indices(indices), _contiguous(values_of(tensor))
        return sparse_tensor(*parts, shape, coalesced=True, cleared=False, warns=False)
    if dtype not in KERNEL_DTYPES:
        raise_not_implemented("coalesce", dtype)
    warn_if_complex32(dtype, 2)  # torch allocates the result, then its values
    order, first = _sort_groups(linear_indices(indices, shape), dtype)
    values = raw_array(values_of(tensor))
    sums = _sum_groups(values.reshape(count, -1)[order], first, dtype)
    result_indices = np.empty((len(indices), count), np.int64)
    total = int(first.sum())
    result_indices[:, :total] = indices[:, order[first]]
    result_values = np.zeros((count, sums.shape[1]), sums.dtype)
    result_values[:total] = sums
    parts = first_parts(result_indices, result_values.reshape(values.shape), total, dtype)
    return sparse_tensor(*parts, shape, coalesced=True, cleared=False, warns=False)


def _sort_groups(keys: Any, dtype: dtype) -> tuple[Any, Any]:
    """Return a sort order of keys, and a mask of the first of equal keys in it.

    If values of equal keys will be rounded when they are added, the order is torch's.
    """
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    first = np.empty(len(ordered), bool)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    is_rounded = dtype.is_floating_point or dtype.is_complex
    return (sort_order(keys, order) if is_rounded and not first.all() else order), first


def first_parts(indices: Any, values: Any, count: int, dtype: dtype) -> tuple[Tensor, Tensor]:
    """Return indices and values, narrowed to the first ``count``: torch allocates all of them."""
    return (
        _narrowed(indices, INT64, (len(indices), count)),
        _narrowed(np.ascontiguousarray(values), dtype, (count, *values.shape[1:])),
    )


def _narrowed(array: Any, dtype: dtype, shape: tuple[int, ...]) -> Tensor:
    tensor = tensor_from_raw(array, dtype)
    return new_tensor(tensor._storage, strided(shape, tensor._geometry.stride), 0, dtype)


def _warn_of_clone(dtype: dtype) -> None:
    """Warn of the clone that torch returns for a tensor of less than two values."""
    warn_if_complex32(dtype, 3)


def _contiguous(values: Tensor) -> Tensor:
    return tensor_from_raw(np.array(raw_array(values), order="C"), values._dtype)


def _sum_groups(rows: Any, first: Any, dtype: dtype) -> Any:
    """Return the sums of groups of raw rows, added in order; ``first`` masks the group starts."""
    result = rows[first]
    if first.all():
        return result
    if dtype is COMPLEX32:
        raise_not_implemented("cpublas_axpy_impl", dtype)
    group, rest = first.cumsum() - 1, ~first
    add_rows(result, group[rest], multiplied_by_one(rows[rest], dtype), dtype)
    return result


def multiplied_by_one(rows: Any, dtype: dtype) -> Any:
    """Return rows times 1, as axpy multiplies: 1 * inf of complex numbers has a NaN part."""
    with np.errstate(all="ignore"):
        if dtype is COMPLEX32:
            numbers = to_numbers(np.ascontiguousarray(rows), dtype)
            return convert(numbers * numbers.dtype.type(1), COMPLEX64, dtype)
        return rows * rows.dtype.type(1) if dtype.is_complex else rows


def to_dense(tensor: Tensor, dtype: Any = None, masked_grad: Any = None) -> Tensor:
    """Tensor.to_dense(): a strided tensor of the same elements; a dense one is returned as is."""
    if not is_sparse(tensor):
        return tensor if dtype is None else tensor.to(dtype)  # type: ignore[attr-defined]
    if tensor._geometry.device is META:
        raise no_kernel("_to_dense", tensor)
    check(dtype is None, lambda: "dtype argument is not supported by sparse_to_dense")
    dtype = tensor._dtype
    warn_if_complex32(dtype)
    source = tensor if sparse_dim_of(tensor) else coalesce_plain(tensor)
    result = np.zeros(tensor._geometry.shape, numpy_storage_dtype(dtype))
    values = multiplied_by_one(raw_array(values_of(source)), dtype)
    add_into(result, source, values, dtype)
    return record_grad_fn(tensor_from_raw(result, dtype), (tensor,), "ToDenseBackward0")


def add_into(target: Any, tensor: Tensor, values: Any, dtype: dtype) -> None:
    """Add raw values to a dense array at the indices of a sparse tensor; raise without a kernel."""
    if not values.size:
        return
    coalesced = is_coalesced(tensor) or len(values) == 1
    is_hybrid = sparse_dim_of(tensor) < tensor._geometry.rank
    if dtype is COMPLEX32 and (is_hybrid or not coalesced):
        raise_not_implemented("cpublas_axpy_impl", dtype)
    if dtype not in KERNEL_DTYPES:
        name = "hybrid" if is_hybrid else "non_hybrid"
        name = name if coalesced else "worker_non_coalesced"
        raise_not_implemented(f"add_dense_sparse_{name}", dtype)
    shape = tensor._geometry.shape
    rows = target.reshape(prod(shape[: sparse_dim_of(tensor)]), -1)
    positions = linear_indices(indices_of(tensor), shape)
    add_rows(rows, positions, values.reshape(len(values), -1), dtype)


def sparse_sum(tensor: Tensor, *args: Any, out: Any = None) -> Tensor:
    """sum(input, dim=None, keepdim=False, *, dtype=None): the total sum, or along dimensions."""
    if out is not None:
        raise no_kernel("sum.IntList_out", tensor, out)
    if len(args) > 1:
        result, node = _sum_along(tensor, *args[:3]), "SumBackward1"
    else:
        values, node = detached_part(values_of(tensor)), "SumBackward0"
        result = PUBLIC["sum"](values, dtype=args[0] if args else None)
    check_differentiable(result, tensor)
    return record_grad_fn(result, (tensor,), node)


def _sum_along(tensor: Tensor, dims: Any, keepdim: bool, dtype: Any) -> Tensor:
    rank, sparse_dim = tensor._geometry.rank, sparse_dim_of(tensor)
    wrapped = _wrap_dims(() if dims is None else dims, rank)
    check(
        rank or not wrapped,
        lambda: f"Trying to create tensor with negative dimension -1: [-1, {nnz(tensor)}]",
    )
    is_inexact = tensor._dtype.is_floating_point or tensor._dtype.is_complex
    dtype = dtype or (tensor._dtype if is_inexact else INT64)
    reduced = list(range(rank)) if dims is None else sorted(wrapped)
    values = values_of(tensor)
    if dtype is not tensor._dtype:
        values = values.to(dtype)  # type: ignore[attr-defined]
    inner = [dim + 1 - sparse_dim for dim in reduced if dim >= sparse_dim]
    if inner:
        values = values.sum(inner)  # type: ignore[attr-defined]
    else:
        warn_if_complex32(dtype)  # torch clones the values
        values = _contiguous(values)
    kept = [dim for dim in range(sparse_dim) if dim not in reduced]
    shape = [size for dim, size in enumerate(tensor._geometry.shape) if dim not in reduced]
    if kept:
        indices = tensor_of_indices(indices_of(tensor)[kept])
        if nnz(tensor) < 2:  # torch does not take the sums for coalesced then
            _warn_of_clone(dtype)
        result = coalesce_plain(sparse_tensor(indices, values, tuple(shape)))
    else:
        result = PUBLIC["sum"](values, 0)
    if keepdim:
        for dim in reduced or range(rank):
            result = detached_part(result.unsqueeze(dim))  # type: ignore[attr-defined]
    return result


def _wrap_dims(dims: Any, rank: int) -> Any:
    if isinstance(dims, int):
        return [wrap_dim(dims, rank)]
    wrapped = wrap_dims(tuple(dims), rank)
    for dim in wrapped:
        if list(wrapped).count(dim) != 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped
