"""Adding sparse tensors: to each other, and to dense ones.

The rules are in aten/src/ATen/native/sparse/SparseTensorMath.cpp.
"""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.tracking import check_writable
from ..._dtypes.constants import COMPLEX32, FLOAT32, FLOAT64
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import DTYPES, dtype
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.fma import fused
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.out_autograd import check_no_gradients
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
from ..._tensor.tensor import Tensor, record_grad_fn
from ..common.copy import scalar, written
from ..common.result_type import result_type_of
from ..elementwise.arithmetic import _check_sub as check_sub
from ..elementwise.arithmetic import check_alpha
from .coalesce import add_into, add_rows, coalesce_plain, first_parts
from .common import as_kind, become, values_of, with_values, written_out
from .merge_order import merged


def neg(tensor: Tensor) -> Tensor:
    """neg(input): the sparse tensor of the negated values."""
    held = PUBLIC["neg"](values_of(tensor))
    if tensor._dtype is COMPLEX32:
        warn_of_complex32()
    made = with_values(tensor, held)
    made._geometry.cleared = True  # type: ignore[attr-defined]
    return record_grad_fn(made, (tensor,), "NegBackward0")


_MIXED = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."


def add(left: Any, right: Any, alpha: Any = 1, out: Any = None) -> Tensor:
    """add(input, other, *, alpha=1): input + alpha * other."""
    return _added(left, right, alpha, "AddBackward0", out)


def sub(left: Any, right: Any, alpha: Any = 1, out: Any = None) -> Tensor:
    """sub(input, other, *, alpha=1): input - alpha * other."""
    check_sub(left, right)
    return _added(left, right, _negative(alpha), "SubBackward0", out)


def rsub(left: Any, right: Any, alpha: Any = 1) -> Tensor:
    """rsub(input, other, alpha=1): other - alpha * input."""
    check_sub(right, left)
    number = right if isinstance(right, Tensor) else scalar(right)
    dtype = result_type_of((left, right))
    made = _sum(number, left, _negative(alpha), dtype, dtype)
    return record_grad_fn(made, (left,), "RsubBackward1")


def _negative(alpha: Any) -> Any:
    check(
        type(alpha) is not bool,
        lambda: "torch boolean negative, the `-` operator, is not supported.",
    )
    return -alpha


def _added(left: Any, right: Any, alpha: Any, node: str, out: Any) -> Tensor:
    dtype = result_type_of((left, right))
    check_alpha(scalar_dtype(alpha), dtype)
    sources = tuple(each for each in (left, right) if isinstance(each, Tensor))
    if out is not None:
        check_no_gradients(node.removesuffix("Backward0").lower(), *sources, out)
        return written_out(out, _sum(left, right, alpha, dtype, out._dtype))
    return record_grad_fn(_sum(left, right, alpha, dtype, dtype), sources, node)


def _sum(left: Any, right: Any, alpha: Any, common: dtype, dtype: dtype) -> Tensor:
    """Return left + alpha * right, computed in a common dtype, with values of a dtype."""
    if not is_sparse(left):
        return dense_sum(left, right, alpha, common, dtype)
    check(is_sparse(right), lambda: _MIXED)
    return _sparse_sum(left, right, alpha, common, dtype)


def check_result(common: dtype, dtype: dtype) -> None:
    """Refuse a sum that a tensor of a dtype cannot hold."""
    check(
        can_cast(common, dtype),
        lambda: (
            f"Can't convert result type {kind_name(common)} to output {kind_name(dtype)} in"
            " add operation"
        ),
    )


def dense_sum(
    left: Any, right: Tensor, alpha: Any, common: dtype, dtype: dtype, contiguous: bool = True
) -> Tensor:
    """Add a sparse tensor to a dense one; to what has gaps, torch adds each place once."""
    check(isinstance(left, Tensor), lambda: _MIXED)
    check_dense_shape(left, right)
    check_result(common, dtype)
    if not contiguous or not sparse_dim_of(right):
        right = coalesce_plain(right)
    result = np.array(
        convert(raw_array(plain(left)), left._dtype, common), numpy_storage_dtype(common), order="C"
    )
    held = _times_number(convert(raw_array(values_of(right)), right._dtype, common), common, alpha)
    add_into(result, right, held, common)
    return tensor_from_raw(np.array(convert(result, common, dtype), order="C"), dtype)


def check_dense_shape(left: Tensor, right: Tensor) -> None:
    """Refuse to add a sparse tensor to a dense one of another shape."""
    shape, other = left._geometry.shape, right._geometry.shape
    check(
        shape == other,
        lambda: (
            f"add: expected 'self' and 'other' to have same size, but self has size {[*shape]} while"
            f" other has size {[*other]} (FYI: dense-sparse addition does not currently support"
            " broadcasting)"
        ),
    )


def _scaled(held: Any, own: dtype, dtype: dtype, alpha: Any) -> Any:
    """Return codes of a dtype, times a number."""
    held = convert(held, own, dtype)
    if type(alpha) in (int, bool) and alpha == 1:
        return held
    factor = encode_scalar(alpha, dtype, ScalarPath.SCALAR)
    number = tensor_from_raw(np.array(factor, numpy_storage_dtype(dtype)), dtype)
    return raw_array(PUBLIC["mul"](tensor_from_raw(np.ascontiguousarray(held), dtype), number))


def _sparse_sum(left: Tensor, right: Tensor, alpha: Any, common: dtype, dtype: dtype) -> Tensor:
    shape, other = left._geometry.shape, right._geometry.shape
    check(
        shape == other,
        lambda: f"add: expected sizes of 'self' and 'other' to match, but {[*shape]} != {[*other]}",
    )
    check_result(common, dtype)
    if not nnz(right):
        made = as_kind(left, dtype)
        made._geometry.cleared = True  # type: ignore[attr-defined]
        return made
    if not nnz(left):
        scaled = PUBLIC["mul"](plain(values_of(right)), alpha)
        check(
            can_cast(scaled._dtype, dtype),
            lambda: (
                f"result type {kind_name(scaled._dtype)} can't be cast to the desired output type"
                f" {kind_name(dtype)}"
            ),
        )
        places = tensor_of_indices(indices_of(right).copy())
        return sparse_tensor(places, scaled.to(dtype), shape, parts_of(right).coalesced)
    sparse = sparse_dim_of(left)
    check(
        sparse == sparse_dim_of(right),
        lambda: (
            "add: expected 'self' and 'other' to have same density, but 'self' has"
            f" {sparse} sparse dimensions while 'other' has {sparse_dim_of(right)} sparse dimensions"
        ),
    )
    check(
        common in _ADDED,
        lambda: f"\"cadd_sparse\" not implemented for '{kind_name(common)}'",
        NotImplementedError,
    )
    if all(values_of(each)._geometry.is_contiguous for each in (left, right)):
        return _merged_sum(left, right, alpha, common, dtype)
    return _joined_sum(left, right, alpha, common, dtype)


_ADDED = frozenset(
    DTYPES[name]
    for name in (
        "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "complex64", "complex128",
        "bfloat16",
    )
)  # fmt: skip
"""The dtypes in which torch adds sparse tensors."""


def _joined_sum(left: Tensor, right: Tensor, alpha: Any, common: dtype, dtype: dtype) -> Tensor:
    """Put the values of both one after the other, as torch does where they do not lie side by side."""
    places = np.concatenate([indices_of(left), indices_of(right)], axis=1)
    held = [
        convert(raw_array(values_of(left)), left._dtype, common),
        _scaled(raw_array(values_of(right)), right._dtype, common, alpha),
    ]
    whole = convert(np.concatenate(held), common, dtype)
    made = sparse_tensor(
        tensor_of_indices(places),
        tensor_from_raw(np.ascontiguousarray(whole), dtype),
        left._geometry.shape,
    )
    return coalesce_plain(made) if nnz(made) > left._geometry.numel else made


def _merged_sum(left: Tensor, right: Tensor, alpha: Any, common: dtype, dtype: dtype) -> Tensor:
    shape = left._geometry.shape
    places, others = indices_of(left), indices_of(right)
    at, other_at, total = merged(linear_indices(places, shape), linear_indices(others, shape))
    most = places.shape[1] + others.shape[1]
    found = np.zeros((len(places), most), np.int64)
    found[:, at], found[:, other_at] = places, others
    blocks = values_of(right)._geometry.shape[1:]
    held = np.zeros((most, prod(blocks)), numpy_storage_dtype(common))
    for where, side, factor in ((at, left, 1), (other_at, right, alpha)):
        rows = convert(raw_array(values_of(side)), side._dtype, common)
        rows = rows.reshape(len(rows), held.shape[1])
        if factor == 1 or common not in _FUSED:
            add_rows(held, where, _times_number(rows, common, factor), common)
        else:
            number = encode_scalar(factor, common, ScalarPath.SCALAR)
            held[where] = _fused(rows, numpy_storage_dtype(common).type(number), held[where])
    coalesced = parts_of(left).coalesced and parts_of(right).coalesced
    whole = held.reshape(most, *blocks)
    if dtype is not common:
        whole = convert(whole, common, dtype)
    parts = first_parts(found, whole, total, dtype)
    return sparse_tensor(*parts, shape, coalesced)


_FUSED = frozenset({FLOAT32, FLOAT64})


def _fused(rows: Any, factor: Any, target: Any) -> Any:
    """Return target + factor * rows, rounded once."""
    with np.errstate(all="ignore"):
        return fused(rows, np.broadcast_to(factor, rows.shape), target)


def _times_number(rows: Any, dtype: dtype, factor: Any) -> Any:
    """Multiply by a number; complex ones by 1, too, which shows (1 * inf)."""
    if not dtype.is_complex:
        return _scaled(rows, dtype, dtype, factor)
    with np.errstate(all="ignore"):
        return rows * numpy_storage_dtype(dtype).type(factor)


def _change_by_sum(left: Tensor, right: Any, alpha: Any, node: str) -> Tensor:
    common = result_type_of((left, right))
    sources = (right,) if isinstance(right, Tensor) else ()
    check_writable(left, *sources)
    nothing = is_sparse(left) and is_sparse(right) and not nnz(right)
    if is_sparse(left):
        made = _sum(left, right, alpha, common, left._dtype)
    else:
        direct = common is left._dtype and not left._geometry.is_contiguous
        made = dense_sum(left, right, alpha, common, left._dtype, contiguous=not direct)
    if not nothing:
        become(left, made)
    return written(left, sources, node)


def add_(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    """Tensor.add_(other, *, alpha=1): add to the tensor itself."""
    return _change_by_sum(left, right, alpha, "AddBackward0")


def sub_(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    """Tensor.sub_(other, *, alpha=1): subtract from the tensor itself."""
    check_writable(left, *((right,) if isinstance(right, Tensor) else ()))
    check_sub(left, right)
    return _change_by_sum(left, right, _negative(alpha), "SubBackward0")
