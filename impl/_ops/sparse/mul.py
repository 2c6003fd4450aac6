"""Products of sparse tensors with sparse tensors, dense tensors and numbers.

They follow SparseTensorMath.cpp and SparseBinaryOpIntersectionCommon.h in ATen/native/sparse.
"""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import warn_complex_to_real
from ..._devices.device import META
from ..._dtypes.constants import BOOL, COMPLEX32
from ..._dtypes.table import dtype
from ..._geometry import broadcasting
from ..._geometry.extents import Ints
from ..._numerics.cast import convert
from ..._numerics.promotion import can_cast
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.data_access import raw_array, resolved_array, tensor_from_raw
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.sparse_coo import (
    cpp_name,
    detached_part,
    indices_of,
    is_sparse,
    linear_indices,
    nnz,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
)
from ..._tensor.sparse_dispatch import save_target
from ..._tensor.sparse_missing import could_not_run
from ..._tensor.tensor import METHODS, Tensor, set_geometry
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.copy import record_write
from ..common.result_type import result_type_of
from ..creation.sequence_common import ACC_DTYPE
from ..elementwise.plan import COMPLEX, HALF_COMPLEX, NUMBERS
from ..indexing.advanced import add_rows
from .add import add_to_dense, check_dense_shape, check_result
from .coalesce import coalesce_plain, first_parts
from .common import (
    KERNEL_DTYPES,
    assign,
    assign_out,
    check_sparse_out,
    cloned_indices,
    from_arrays,
    is_coalesced,
    values_of,
    warn_of_empty_result,
    with_dtype,
    with_values,
)
from .construct import empty_sparse
from .sort_order import sort_order


def mul(left: Any, right: Any, out: Any = None) -> Tensor:
    """mul(input, other): the product; indices that one side lacks are dropped, or have zeros."""
    dtype = result_type_of((left, right))
    sources = tuple(x for x in (left, right) if isinstance(x, Tensor))
    if out is not None:
        _check_out(left, right, out, sources)
    else:
        warn_of_empty_result(dtype)
    target = dtype if out is None else out._dtype
    result = _product(left, right, dtype, target)
    if out is left:
        _set_in_place(result, left, right, target)
    elif out is right:
        _set_in_place(result, right, left, target)
    if _is_broadcast(left, right):
        if out is not None:  # torch resizes it before it checks the values
            set_geometry(out, result._geometry)
        _check_values(result, target)
    if result._dtype is not target:
        result = with_dtype(result, target, warns=False)
    if out is not None:
        return assign_out(out, result)
    return record_grad_fn(result, sources, "MulBackward0")


def _check_out(left: Any, right: Any, out: Tensor, sources: tuple[Tensor, ...]) -> None:
    """Raise if torch cannot write a product to ``out``, whatever its dtype."""
    check_no_grad_out("mul", *sources, out)
    are_sparse = [is_sparse(x) for x in (left, right)]
    if not any(are_sparse):
        raise could_not_run("_nnz", "CPU")
    if not all(are_sparse):
        shapes = [x._geometry.shape for x in sorted(sources, key=is_sparse)]
        if len(shapes) == 2 and out._geometry.device is not META:
            broadcasting.broadcast_pair(*shapes)
        has_values = any(is_sparse(x) and nnz(x) for x in (left, right))
        is_real = not is_sparse(out) and not out._dtype.is_complex
        casts = is_real and not _is_broadcast(left, right)
        if has_values and casts and result_type_of((left, right)).is_complex:
            warn_complex_to_real()
        check_sparse_out(out)


def mul_(left: Tensor, right: Any, node: str = "MulBackward0") -> Tensor:
    """Tensor.mul_(other): multiply in place; autograd records ``node``."""
    common, dtype = result_type_of((left, right)), left._dtype
    sources = (right,) if isinstance(right, Tensor) else ()
    save_target("mul_", left, *sources)
    if not is_sparse(left):
        result = mul(left, right)
        check_dense_shape(left, result)
        check_result(common, dtype)
        add_to_dense(left, result, 1, common, clears=True)
        return record_write(left, sources, node)
    result = _product(left, right, common, dtype)
    _set_in_place(result, left, right, dtype)
    assign(left, result if result._dtype is dtype else with_dtype(result, dtype, warns=False))
    return record_write(left, sources, node)


def _set_in_place(result: Tensor, left: Tensor, right: Any, dtype: dtype) -> None:
    """Check and mark a product that torch computes in the sparse operand ``left``."""
    right_rank = right._geometry.rank if is_sparse(right) else 0
    if not is_sparse(left) or (left._geometry.rank and right_rank):
        return
    if nnz(result) and _scales(left, right):
        _check_values(result, dtype)
    if result._geometry.rank == left._geometry.rank:
        sparse_storage(result).coalesced = nnz(result) < 2


def _is_broadcast(left: Any, right: Any) -> bool:
    """Return whether a sparse tensor with values is broadcast to more dimensions of a dense one."""
    dense, sparse = (left, right) if is_sparse(right) else (right, left)
    if is_sparse(dense) or _is_number(dense):
        return False
    return dense._geometry.rank > sparse._geometry.rank and nnz(sparse) > 0


def _scales(left: Tensor, right: Any) -> bool:
    """Return whether a product of a number and a tensor has the indices of ``left``.

    Of two 0-dim sparse tensors, the one with one value is the number.
    """
    if not is_sparse(right) or left._geometry.rank:
        return True
    return not right._geometry.rank and (is_coalesced(right) or not is_coalesced(left))


def _check_cast(common: dtype, dtype: dtype, end: str = "") -> None:
    check(
        can_cast(common, dtype),
        lambda: f"Can't convert result type {cpp_name(common)} to output {cpp_name(dtype)}{end}",
    )


def _check_values(values_tensor: Tensor, dtype: dtype) -> None:
    """Raise if the dtype of the values is not ``dtype`` (set_indices_and_values_unsafe)."""
    check(
        values_tensor._dtype is dtype,
        lambda: (
            f"dtype of values ({cpp_name(values_tensor._dtype)}) must match dtype of sparse tensor"
            f" ({cpp_name(dtype)})"
        ),
    )


def _is_number(value: Any) -> bool:
    return not isinstance(value, Tensor) or (not value._geometry.rank and not is_sparse(value))


def _product(left: Any, right: Any, dtype: dtype, target: dtype) -> Tensor:
    """Return the product; if one side is not sparse, the values decide the dtype.

    Of two sparse tensors it must be possible to cast ``dtype`` to the ``target``.
    """
    for one, other in ((left, right), (right, left)):
        if is_sparse(one) and _is_number(other):
            number = detached_part(other) if isinstance(other, Tensor) else other
            return _number_product(number, one)
    if not is_sparse(right):
        return _dense_product(right, left)
    if not is_sparse(left):
        return _dense_product(left, right)
    if left._geometry.rank and right._geometry.rank:
        return _sparse_product(left, right, dtype, target)
    number, other = (right, left) if _scales(left, right) else (left, right)
    values = raw_array(values_of(coalesce_plain(number)))
    if not values.size:
        return empty_sparse(other._geometry.shape, dtype, sparse_dim_of(other))
    return _number_product(tensor_from_raw(values.reshape(()), number._dtype), other)


def _number_product(number: Any, tensor: Tensor) -> Tensor:
    dtype, is_empty = COMPLEX32, not (tensor._geometry.numel and nnz(tensor))
    if not is_empty or result_type_of((values_of(tensor), number)) is not COMPLEX32:
        values = PUBLIC["mul"](values_of(tensor), number)
        dtype = values._dtype
    if is_empty:
        return empty_sparse(tensor._geometry.shape, dtype, sparse_dim_of(tensor), warns=False)
    return with_values(tensor, values)


def _dense_product(dense: Tensor, tensor: Tensor) -> Tensor:
    """Return the values times the elements of a dense tensor at their indices."""
    shape, dense_shape = tensor._geometry.shape, dense._geometry.shape
    full_shape = broadcasting.broadcast_pair(dense_shape, shape)
    sparse_dim = sparse_dim_of(tensor)
    block_shape = (0, *full_shape[len(full_shape) - len(shape) + sparse_dim :])
    check(
        nnz(tensor) or block_shape == values_of(tensor)._geometry.shape,
        lambda: (
            f"values has incorrect size, expected {[*block_shape]}, got"
            f" {[*values_of(tensor)._geometry.shape]}"
        ),
    )
    new_dims = len(full_shape) - len(shape)
    if new_dims:  # torch does not expand sizes of 1
        tensor = _broadcast(tensor, (*full_shape[:new_dims], *shape))
        sparse_dim = sparse_dim_of(tensor)
    common = result_type_of((dense, tensor))
    is_empty = not (tensor._geometry.numel and nnz(tensor) and 0 not in full_shape)
    if is_empty and (nnz(tensor) or common is COMPLEX32):
        return empty_sparse(full_shape, common, sparse_dim, warns=False)
    factors, values = _factors(dense, tensor, full_shape), values_of(tensor)
    if new_dims and nnz(tensor):
        factors = METHODS["view"](factors, values._geometry.shape)
    product = PUBLIC["mul"](factors, values)
    if is_empty:
        return empty_sparse(full_shape, product._dtype, sparse_dim)
    coalesced = is_coalesced(tensor)
    return sparse_tensor(cloned_indices(tensor), product, full_shape, coalesced, warns=False)


def _factors(dense: Tensor, tensor: Tensor, shape: Ints) -> Tensor:
    """Return a dense tensor if it has only dense dimensions, else its elements at the indices."""
    sparse_dim, dense = sparse_dim_of(tensor), resolve_conj_neg(detached_part(dense))
    if dense._geometry.rank <= len(shape) - sparse_dim:
        return dense
    elements = resolved_array(METHODS["expand"](dense, shape))
    selected = elements[tuple(indices_of(tensor))] if sparse_dim else elements[None]
    warn_if_complex32(dense._dtype)
    return tensor_from_raw(np.ascontiguousarray(selected), dense._dtype)


def _broadcast(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a coalesced sparse tensor, broadcast to a shape (sparse_broadcast_to)."""
    tensor = coalesce_plain(tensor)
    old_shape, sparse_dim = tensor._geometry.shape, sparse_dim_of(tensor)
    new_dims, dense_dims = len(shape) - len(old_shape), len(old_shape) - sparse_dim
    sparse_shape = shape[: len(shape) - dense_dims]
    indices = indices_of(tensor)
    order = np.arange(indices.shape[1])
    rows = [*np.zeros((new_dims, len(order)), np.int64), *indices]
    old_sizes = (1,) * new_dims + old_shape[:sparse_dim]
    for dim, (size, old_size) in enumerate(zip(sparse_shape, old_sizes, strict=True)):
        if size != old_size:
            rows = [np.tile(row, size) for row in rows]
            rows[dim] = np.repeat(np.arange(size), len(order))
            order = np.tile(order, size)
    result_indices = np.stack(rows) if rows else np.empty((0, len(order)), np.int64)
    sort_order = linear_indices(result_indices, sparse_shape).argsort(kind="stable")
    selected = raw_array(values_of(tensor))[order[sort_order]]
    block_shape = shape[len(shape) - dense_dims :]
    values = np.broadcast_to(selected, (len(selected), *block_shape))
    flags = {"coalesced": True, "warns": False}
    return from_arrays(result_indices[:, sort_order], values, tensor._dtype, shape, **flags)


def _sparse_product(left: Tensor, right: Tensor, dtype: dtype, target: dtype) -> Tensor:
    shape, other = left._geometry.shape, right._geometry.shape
    sparse_dim = sparse_dim_of(left)
    if shape == other and not (nnz(left) and nnz(right)):
        return empty_sparse(shape, dtype, sparse_dim, warns=False)
    check(
        len(shape) == len(other)
        and sparse_dim == sparse_dim_of(right)
        and shape[:sparse_dim] == other[:sparse_dim],
        lambda: (
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality,"
            " number of sparse dimensions, and shape of sparse dimensions"
        ),
    )
    if shape == other and is_coalesced(left) and is_coalesced(right):
        _check_cast(dtype, target, " in mul operation")
        return _intersection(left, right, dtype)
    return _search_product(left, right, dtype, target)


def _intersection(left: Tensor, right: Tensor, dtype: dtype) -> Tensor:
    """Return the products at the indices of both coalesced tensors."""
    if dtype not in _INTERSECTION_DTYPES:
        is_hybrid = sparse_dim_of(left) < left._geometry.rank
        raise_not_implemented("addcmul_cpu_out" if is_hybrid else "mul_out_sparse", dtype)
    shape = left._geometry.shape
    keys, other_keys = (linear_indices(indices_of(x), shape) for x in (left, right))
    capacity = min(len(keys), len(other_keys))
    positions, other_positions = _common_keys(keys, other_keys)
    product = _multiplied(
        raw_array(values_of(left))[positions],
        left._dtype,
        raw_array(values_of(right))[other_positions],
        right._dtype,
        dtype,
    )
    indices = indices_of(left)
    result_indices = np.zeros((len(indices), capacity), np.int64)
    result_indices[:, : len(positions)] = indices[:, positions]
    values = np.zeros((capacity, *product.shape[1:]), product.dtype)
    if product.ndim > 1:
        # Torch adds blocks to zeros, which turns -0.0 into 0.0.
        add_rows(values, np.arange(len(positions)), product, dtype)
    else:
        values[: len(positions)] = product
    parts = first_parts(result_indices, values, len(positions), dtype)
    return sparse_tensor(*parts, shape, coalesced=True, warns=False)


_INTERSECTION_DTYPES = NUMBERS | COMPLEX | HALF_COMPLEX
"""The dtypes of torch's kernels for products of coalesced tensors."""


def _common_keys(keys: Any, other_keys: Any) -> tuple[Any, Any]:
    """Return the positions of common keys in two sorted arrays."""
    if np.array_equal(keys, other_keys):
        positions = np.arange(len(keys))
        return positions, positions
    index = np.searchsorted(other_keys, keys)
    index[index == len(other_keys)] = 0
    positions = np.flatnonzero(other_keys[index] == keys)
    return positions, index[positions]


def _multiplied(left: Any, left_dtype: dtype, right: Any, right_dtype: dtype, dtype: dtype) -> Any:
    first, second = (
        tensor_from_raw(np.ascontiguousarray(convert(values, values_dtype, dtype)), dtype)
        for values, values_dtype in ((left, left_dtype), (right, right_dtype))
    )
    return raw_array(PUBLIC["mul"](first, second))


def _search_product(left: Tensor, right: Tensor, dtype: dtype, target: dtype) -> Tensor:
    """Return, at the indices of one side, the sums of its products with matching values."""
    is_mixed = is_coalesced(left) != is_coalesced(right)
    searches_left = is_coalesced(left) if is_mixed else nnz(left) >= nnz(right)
    searched, source = (left, right) if searches_left else (right, left)
    shape = broadcasting.broadcast_pair(left._geometry.shape, right._geometry.shape)
    _check_cast(dtype, target)
    if dtype not in KERNEL_DTYPES:
        raise_not_implemented("binary_op_intersection_cpu", dtype)
    sparse_dim = sparse_dim_of(left)
    cells = prod(searched._geometry.shape[:sparse_dim])
    if not is_mixed and cells and nnz(searched) // cells > _MAX_DUPLICATES:
        searched = coalesce_plain(searched)
    keys, source_keys = (linear_indices(indices_of(x), shape) for x in (searched, source))
    order = sort_order(keys)
    sorted_keys = keys[order]
    first, last = (np.searchsorted(sorted_keys, source_keys, side) for side in ("left", "right"))
    block_shape = shape[sparse_dim:]
    values = _broadcast_values(source, block_shape, dtype)
    searched_values = _broadcast_values(searched, block_shape, dtype)
    total = _accumulate(values, searched_values, order, first, last - first, dtype)
    result_values = tensor_from_raw(np.array(total, order="C"), dtype)
    return sparse_tensor(cloned_indices(source), result_values, shape, is_coalesced(source))


_MAX_DUPLICATES = 50
"""The mean number of values per index above which torch coalesces the searched side."""


def _broadcast_values(tensor: Tensor, block_shape: tuple[int, ...], dtype: dtype) -> Any:
    values = convert(raw_array(values_of(tensor)), tensor._dtype, dtype)
    return np.broadcast_to(values, (len(values), *block_shape))


def _accumulate(values: Any, table: Any, order: Any, first: Any, counts: Any, dtype: dtype) -> Any:
    """Return the sums of products of each value with its matches, in the accumulate type."""
    acc_type = ACC_DTYPE.get(dtype, dtype)
    result = np.zeros(values.shape, np.bool_ if dtype is BOOL else numpy_storage_dtype(acc_type))
    for round_ in range(int(counts.max(initial=0))):
        selected = counts > round_
        other = table[order[first[selected] + round_]]
        if dtype is BOOL:
            result[selected] |= values[selected] & other
            continue
        product = _multiplied(values[selected], dtype, other, dtype, acc_type)
        with np.errstate(all="ignore"):
            result[selected] += product
    return result if dtype is BOOL else convert(np.ascontiguousarray(result), acc_type, dtype)
