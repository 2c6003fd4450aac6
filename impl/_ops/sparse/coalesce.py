"""Putting values of one place together: coalesce, to_dense, and sums along dimensions.

The rules are in aten/src/ATen/native/sparse/SparseTensor.cpp, SparseTensorMath.cpp and ReduceOps.cpp.
"""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from ..._autograd.autograd_meta import requires_grad
from ..._dtypes.constants import BOOL, COMPLEX32, INT64
from ..._dtypes.table import DTYPES, dtype
from ..._geometry.geometry import strided
from ..._geometry.view_shapes import wrap_dim, wrap_dims
from ..._numerics.cast import convert, numbers
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.sparse_coo import (
    indices_of,
    is_sparse,
    kind_name,
    linear_indices,
    nnz,
    parts_of,
    plain,
    sparse_dim_of,
    sparse_tensor,
    tensor_of_indices,
    warn_of_complex32,
)
from ..._tensor.tensor import Tensor, new_tensor, record_grad_fn

_SUMMED = frozenset(
    DTYPES[name]
    for name in (
        "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128", "float16",
        "bfloat16", "bool", "complex32",
    )
)  # fmt: skip
"""The dtypes whose values torch puts together."""


def coalesce(tensor: Tensor) -> Tensor:
    """Tensor.coalesce(): each place once, in order; values of one place are added one after the other."""
    check(
        is_sparse(tensor),
        lambda: "coalesce expected sparse coordinate tensor layout but got Strided",
    )
    if parts_of(tensor).coalesced:
        return tensor
    made = coalesced_parts(tensor)
    return record_grad_fn(made, (tensor,), "CoalesceBackward0")


def coalesced_parts(tensor: Tensor) -> Tensor:
    """Return a coalesced sparse tensor, of which autograd knows nothing."""
    parts, dtype, shape = parts_of(tensor), tensor._dtype, tensor._geometry.shape
    count = nnz(tensor)
    if count < 2:
        return sparse_tensor(
            tensor_of_indices(indices_of(tensor)),
            _contiguous(parts.values),
            shape,
            coalesced=True,
            cleared=False,
        )
    check(
        dtype in _SUMMED,
        lambda: f"\"coalesce\" not implemented for '{kind_name(dtype)}'",
        NotImplementedError,
    )
    places = indices_of(tensor)
    order, first = _groups(linear_indices(places, shape))
    held = raw_array(parts.values)
    summed = _summed(held.reshape(count, -1)[order], first, dtype, "cpublas_axpy_impl")
    found = np.empty((len(places), count), np.int64)
    total = int(first.sum())
    found[:, :total] = places[:, order[first]]
    whole = np.zeros((count, summed.shape[1]), summed.dtype)
    whole[:total] = summed
    return sparse_tensor(
        _first_columns(found, total),
        _first_rows(whole.reshape(held.shape), total, dtype),
        shape,
        coalesced=True,
        cleared=False,
    )


def _groups(numbers_: Any) -> tuple[Any, Any]:
    """Return the order that sorts numbers, equal ones as they come, and where in it a new number begins."""
    order = numbers_.argsort(kind="stable")
    ordered = numbers_[order]
    first = np.empty(len(ordered), bool)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return order, first


def _first_columns(array: Any, count: int) -> Tensor:
    """Return a view of the first columns of new indices: torch makes them for all values, and narrows."""
    whole = tensor_from_raw(array, INT64)
    geometry = strided((len(array), count), whole._geometry.stride)
    return new_tensor(whole._storage, geometry, 0, whole._dtype)


def _first_rows(array: Any, count: int, dtype: dtype) -> Tensor:
    whole = tensor_from_raw(np.ascontiguousarray(array), dtype)
    geometry = strided((count, *array.shape[1:]), whole._geometry.stride)
    return new_tensor(whole._storage, geometry, 0, dtype)


def first_parts(indices: Any, held: Any, count: int, dtype: dtype) -> tuple[Tensor, Tensor]:
    """Return the first indices and values of arrays that were made for more."""
    return _first_columns(indices, count), _first_rows(held, count, dtype)


def _contiguous(values: Tensor) -> Tensor:
    found = np.array(raw_array(values), numpy_storage_dtype(values._dtype), order="C")
    return tensor_from_raw(found, values._dtype)


def _summed(rows: Any, first: Any, dtype: dtype, kernel: str) -> Any:
    """Add up rows of codes in groups, one after the other; ``first`` tells where each group begins."""
    result = rows[first]
    if first.all():
        return result
    check(
        dtype is not COMPLEX32,
        lambda: f"\"{kernel}\" not implemented for 'ComplexHalf'",
        NotImplementedError,
    )
    group = first.cumsum() - 1
    rest = ~first
    add_rows(result, group[rest], rows[rest], dtype)
    return result


def add_rows(target: Any, at: Any, rows: Any, dtype: dtype) -> None:
    """Add rows of codes to those of a target, in order: rows for one place are rounded one after the other."""
    if dtype is BOOL:
        np.logical_or.at(target, at, rows)
    elif is_native(dtype):
        with np.errstate(all="ignore"):
            np.add.at(target, at, rows)
    else:
        for some in _rounds(at):
            target[at[some]] = _added(target[at[some]], rows[some], dtype)


def _rounds(at: Any) -> Any:
    """Give the rows for each place that come first, then those that come second, and so on."""
    order = at.argsort(kind="stable")
    ordered = at[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(at) else ordered
    sizes = np.diff(np.r_[starts, len(at)]) if len(at) else starts
    for turn in range(int(sizes.max(initial=0))):
        yield order[starts[sizes > turn] + turn]


def _added(left: Any, right: Any, dtype: dtype) -> Any:
    """Add codes of a format that NumPy lacks; the sum is rounded."""
    wide = DTYPES["complex64" if dtype.is_complex else "float32"]
    with np.errstate(all="ignore"):
        total = numbers(left, dtype) + numbers(right, dtype)
    return convert(np.ascontiguousarray(total), wide, dtype)


def to_dense(tensor: Tensor, kind: Any = None, masked_grad: Any = None) -> Tensor:
    """Tensor.to_dense(): the strided tensor of the same elements; a dense one is it itself."""
    if not is_sparse(tensor):
        return tensor if kind is None else tensor.to(kind)  # type: ignore[attr-defined]
    check(kind is None, lambda: "dtype argument is not supported by sparse_to_dense")
    return record_grad_fn(dense_of(tensor), (tensor,), "ToDenseBackward0")


def dense_of(tensor: Tensor) -> Tensor:
    """Return the dense tensor of the same elements, of which autograd knows nothing."""
    dtype, shape = tensor._dtype, tensor._geometry.shape
    if dtype is COMPLEX32:
        warn_of_complex32()
    result = np.zeros(shape, numpy_storage_dtype(dtype))
    add_into(result, tensor, raw_array(parts_of(tensor).values), dtype)
    return tensor_from_raw(result, dtype)


def add_into(target: Any, tensor: Tensor, held: Any, dtype: dtype) -> None:
    """Add values of a dtype, which a sparse tensor has the places of, to a dense array."""
    if not held.size:
        return
    coalesced = parts_of(tensor).coalesced or len(held) == 1
    inner = sparse_dim_of(tensor) < tensor._geometry.rank
    if dtype not in _SUMMED or (dtype is COMPLEX32 and (inner or not coalesced)):
        name = "non_hybrid" if coalesced else "worker_non_coalesced"
        if dtype is COMPLEX32:
            raise NotImplementedError("\"cpublas_axpy_impl\" not implemented for 'ComplexHalf'")
        if coalesced and inner:
            name = "worker_hybrid"
        raise NotImplementedError(
            f"\"add_dense_sparse_{name}\" not implemented for '{kind_name(dtype)}'"
        )
    sparse = sparse_dim_of(tensor)
    shape = tensor._geometry.shape
    rows = target.reshape(prod(shape[:sparse]), -1)
    add_rows(rows, linear_indices(indices_of(tensor), shape), held.reshape(len(held), -1), dtype)


def sparse_sum(tensor: Tensor, *given: Any) -> Tensor:
    """sum(input, dim=None, keepdim=False, *, dtype=None): the sum of all values, or along dimensions."""
    if len(given) <= 1:
        kind = given[0] if given else None
        total = PUBLIC["sum"](plain(parts_of(tensor).values), dtype=kind)
        _check_differentiable(tensor, total)
        return record_grad_fn(total, (tensor,), "SumBackward0")
    dims, keepdim, kind, *_ = given
    made = _sum_along(tensor, dims, keepdim, kind)
    _check_differentiable(tensor, made)
    return record_grad_fn(made, (tensor,), "SumBackward1")


def _check_differentiable(tensor: Tensor, made: Tensor) -> None:
    dtype = made._dtype
    differentiable = dtype.is_floating_point or dtype.is_complex
    check(
        differentiable or not (grad_enabled() and requires_grad(tensor)),
        lambda: f"Autograd not support dtype: {kind_name(dtype)}",
    )


def coalesce_plain(tensor: Tensor) -> Tensor:
    """Return the coalesced tensor, of which autograd knows nothing."""
    return tensor if parts_of(tensor).coalesced else coalesced_parts(tensor)


def _sum_along(tensor: Tensor, dims: Any, keepdim: bool, kind: Any) -> Tensor:
    rank, sparse = tensor._geometry.rank, sparse_dim_of(tensor)
    wrapped = _wrapped(() if dims is None else dims, rank)
    check(
        rank or not wrapped,
        lambda: f"Trying to create tensor with negative dimension -1: [-1, {nnz(tensor)}]",
    )
    wanted = _sum_kind(tensor, kind)
    if dims is None:
        dims = tuple(range(rank))
    gone = sorted(_wrapped(dims, rank))
    parts = parts_of(tensor)
    held = parts.values
    if wanted is not tensor._dtype:
        held = held.to(wanted)  # type: ignore[attr-defined]
    inner = [dim + 1 - sparse for dim in gone if dim >= sparse]
    held = held.sum(inner) if inner else _contiguous(held)  # type: ignore[attr-defined]
    outer = [dim for dim in range(sparse) if dim not in gone]
    shape = [size for dim, size in enumerate(tensor._geometry.shape) if dim not in gone]
    result: Tensor
    if not outer:
        result = PUBLIC["sum"](held, 0)
    else:
        places = tensor_of_indices(indices_of(tensor)[outer])
        made = sparse_tensor(places, held, tuple(shape), coalesced=None, cleared=True)
        result = coalesce_plain(made)
    if keepdim:
        for dim in gone or range(rank):
            result = plain(result.unsqueeze(dim))  # type: ignore[attr-defined]
    return result


def _wrapped(dims: Any, rank: int) -> Any:
    if isinstance(dims, int):
        return [wrap_dim(dims, rank)]
    found = wrap_dims(tuple(dims), rank)
    for dim in found:
        check(
            list(found).count(dim) == 1,
            lambda: f"dim {dim} appears multiple times in the list of dims",  # noqa: B023
        )
    return found


def _sum_kind(tensor: Tensor, kind: Any) -> dtype:
    """Return the dtype of a sum: int64 for integers and bools, unless another is wanted."""
    if kind is not None:
        return kind  # type: ignore[no-any-return]
    own = tensor._dtype
    return own if own.is_floating_point or own.is_complex else INT64
