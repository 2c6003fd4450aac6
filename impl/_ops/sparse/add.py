"""Sums of sparse tensors, and of dense and sparse tensors.

They follow aten/src/ATen/native/sparse/SparseTensorMath.cpp.
"""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import FLOAT16, FLOAT32, FLOAT64
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import dtype
from ..._geometry import broadcasting
from ..._geometry.layout import contiguous_format
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.fma import fused
from ..._numerics.promotion import can_cast
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with, resize_out, warn_if_complex32
from ..._tensor.data_access import (
    check_copy_across,
    has_separate_elements,
    raw_array,
    resolved_array,
    tensor_from_raw,
)
from ..._tensor.factories import python_scalar
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
    tensor_of_indices,
)
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.clone import like_geometry
from ..common.copy import record_write, scalar_to_tensor, to_dtype
from ..common.memory_overlap import check_no_overlap
from ..common.result_type import result_type_of
from ..elementwise.arithmetic import _check_sub as check_sub, check_alpha
from ..elementwise.plan import COMPLEX, NUMBERS
from ..indexing.advanced import add_rows
from .coalesce import add_into, coalesce_plain, first_parts
from .common import (
    assign,
    assign_out,
    check_sparse_out,
    from_arrays,
    is_coalesced,
    values_of,
    warn_of_empty_result,
    with_dtype,
    without_values,
)
from .merge_order import merged

_NOT_ALLOCATED = (
    "The tensor has a non-zero number of elements, but its data is not allocated yet.\nIf you're"
    " using torch.compile/export/fx, it is likely that we are erroneously tracing into a custom"
    " kernel. To fix this, please wrap the custom kernel into an opaque custom op. Please see the"
    " following for details: https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html\n"
    "If you're using Caffe2, Caffe2 uses a lazy allocation, so you will need to call"
    " mutable_data() or raw_mutable_data() to actually allocate memory."
)
_MIXED = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."


def add(left: Any, right: Any, alpha: Any = 1, out: Any = None) -> Tensor:
    """add(input, other, *, alpha=1): input + alpha * other."""
    return _recorded_sum(left, right, alpha, "AddBackward0", out)


def sub(left: Any, right: Any, alpha: Any = 1, out: Any = None) -> Tensor:
    """sub(input, other, *, alpha=1): input - alpha * other."""
    check_sub(left, right)
    return _recorded_sum(left, right, _negative(alpha), "SubBackward0", out)


def rsub(left: Any, right: Any, alpha: Any = 1) -> Tensor:
    """rsub(input, other, alpha=1): other - alpha * input."""
    if isinstance(right, Tensor):
        raise no_kernel("rsub.Tensor", left, right)
    check_sub(right, left)
    number = scalar_to_tensor(right)
    dtype = result_type_of((left, right))
    warn_if_complex32(dtype)
    result = _sum(number, left, _negative(alpha), dtype, dtype)
    return record_grad_fn(result, (left,), "RsubBackward1")


def _negative(alpha: Any) -> Any:
    check(
        type(alpha) is not bool,
        lambda: "torch boolean negative, the `-` operator, is not supported.",
    )
    return -alpha


def _recorded_sum(left: Any, right: Any, alpha: Any, node: str, out: Any) -> Tensor:
    alpha = python_scalar(alpha)
    sources = tuple(x for x in (left, right) if isinstance(x, Tensor))
    if out is not None:
        check_no_grad_out(node.removesuffix("Backward0").lower(), *sources, out)
    check(is_sparse(right) or not is_sparse(left), lambda: _MIXED)
    dtype = result_type_of((left, right))
    if out is None:
        check_alpha(scalar_dtype(alpha), dtype)
    else:
        check(
            is_sparse(left) or not is_sparse(out),
            lambda: (
                "Expected !r.is_sparse() to be true, but got false.  (Could this error message be"
                " improved?  If so, please report an enhancement request to PyTorch.)"
            ),
        )
        return assign_out(out, _sum(left, right, alpha, dtype, out._dtype, out))
    if is_sparse(left):
        warn_of_empty_result(dtype)
    else:
        warn_if_complex32(dtype)
    return record_grad_fn(_sum(left, right, alpha, dtype, dtype), sources, node)


def _sum(
    left: Any, right: Any, alpha: Any, common: dtype, dtype: dtype, out: Tensor | None = None
) -> Tensor:
    """Return left + alpha * right, computed in ``common`` and cast to ``dtype``."""
    if not is_sparse(left):
        return dense_sum(left, right, alpha, common, dtype, out=out)
    check(is_sparse(right), lambda: _MIXED)
    return _sparse_sum(left, right, alpha, common, dtype, out)


def check_result(common: dtype, dtype: dtype) -> None:
    """Raise if a sum of dtype ``common`` cannot be cast to the result dtype."""
    check(
        can_cast(common, dtype),
        lambda: (
            f"Can't convert result type {cpp_name(common)} to output {cpp_name(dtype)} in"
            " add operation"
        ),
    )


def dense_sum(
    left: Any,
    right: Tensor,
    alpha: Any,
    common: dtype,
    dtype: dtype,
    contiguous: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Return dense + alpha * sparse; into a non-contiguous tensor, torch adds coalesced values.

    ``out`` is resized after the checks.  Torch takes the dense operand for the sum if it has the
    dtype of that, but ``out`` has not, and so changes it.
    """
    if not isinstance(left, Tensor):
        left = scalar_to_tensor(left)
    check_dense_shape(left, right)
    check_result(common, dtype)
    if out is not None:
        resize_out(out, left._geometry.shape)
    _check_on_meta(left, right, common, out)
    if left._geometry.device is META:
        return empty_with(like_geometry(left, None, dtype), dtype, warns=False)
    if right._geometry.device is META:  # without values, as the check is passed
        return to_dtype(left, dtype, True, contiguous_format)
    if out is not None:
        writes_to_left = left._dtype is common and (out is left or dtype is not common)
        writes_to_left = writes_to_left and not left._conj_neg  # else torch writes to a clone
        if writes_to_left:
            add_to_dense(left, right, alpha, common)
        if out is not left or dtype is not common or out._conj_neg:
            check_no_overlap(out)  # torch copies to it
        if writes_to_left:
            return to_dtype(detached_part(left), dtype, True, contiguous_format)
    if not contiguous or not sparse_dim_of(right):
        right = coalesce_plain(right)
    result = np.array(
        convert(resolved_array(detached_part(left)), left._dtype, common),
        numpy_storage_dtype(common),
        order="C",
    )
    values = convert(raw_array(values_of(right)), right._dtype, common)
    add_into(result, right, _multiplied(values, common, alpha), common)
    return tensor_from_raw(np.array(convert(result, common, dtype), order="C"), dtype)


def _check_on_meta(left: Tensor, right: Tensor, common: dtype, out: Tensor | None) -> None:
    """Raise if torch would read the data of a tensor on meta."""
    target = left if out is None else out
    if out is not None and out._dtype is common:
        check_copy_across(out, left)
    if right._geometry.device is META and nnz(right):
        if target._geometry.device is META:
            coalesce_plain(right)
        raise RuntimeError(_NOT_ALLOCATED)
    check_copy_across(target, left)


def check_dense_shape(left: Tensor, right: Tensor) -> None:
    """Raise if the dense and the sparse tensor differ in shape."""
    shape, other = left._geometry.shape, right._geometry.shape
    check(
        shape == other,
        lambda: (
            f"add: expected 'self' and 'other' to have same size, but self has size {[*shape]}"
            f" while other has size {[*other]} (FYI: dense-sparse addition does not currently"
            " support broadcasting)"
        ),
    )


def _scaled(values: Any, values_dtype: dtype, dtype: dtype, alpha: Any) -> Any:
    """Return raw elements, cast to a dtype and multiplied by a number."""
    values = convert(values, values_dtype, dtype)
    if type(alpha) in (int, bool) and alpha == 1:
        return values
    rows = tensor_from_raw(np.ascontiguousarray(values), dtype)
    return raw_array(PUBLIC["mul"](rows, _factor(alpha, dtype)))


def _factor(alpha: Any, dtype: dtype) -> Tensor:
    """Return a number as a 0-dim tensor of a dtype."""
    factor = encode_scalar(alpha, dtype, ScalarPath.SCALAR)
    return tensor_from_raw(np.array(factor, numpy_storage_dtype(dtype)), dtype)


def _sparse_sum(
    left: Tensor, right: Tensor, alpha: Any, common: dtype, dtype: dtype, out: Tensor | None
) -> Tensor:
    shape, other = left._geometry.shape, right._geometry.shape
    check(
        shape == other,
        lambda: f"add: expected sizes of 'self' and 'other' to match, but {[*shape]} != {[*other]}",
    )
    check_result(common, dtype)
    if left._geometry.device is META:
        if out is not None:
            check_sparse_out(out)
        if out is not left:
            warn_if_complex32(dtype)  # torch copies ``left`` to the result
        return without_values(left, dtype, warns=False)
    if not nnz(right):
        return left if out is left else with_dtype(left, dtype, warns=False)
    if not nnz(left):
        values, factor = detached_part(values_of(right)), alpha
        if values._dtype.is_complex:  # a number would be converted, which warns
            factor = _factor(alpha, values._dtype)
        scaled = PUBLIC["mul"](values, factor)
        check(
            can_cast(scaled._dtype, dtype),
            lambda: (
                f"result type {cpp_name(scaled._dtype)} can't be cast to the desired output type"
                f" {cpp_name(dtype)}"
            ),
        )
        indices = tensor_of_indices(indices_of(right).copy())
        coalesced = is_coalesced(right)
        return sparse_tensor(indices, scaled.to(dtype), shape, coalesced, warns=False)
    sparse_dim = sparse_dim_of(left)
    check(
        sparse_dim == sparse_dim_of(right),
        lambda: (
            "add: expected 'self' and 'other' to have same density, but 'self' has"
            f" {sparse_dim} sparse dimensions while 'other' has {sparse_dim_of(right)} sparse"
            " dimensions"
        ),
    )
    if all(values_of(x)._geometry.is_contiguous for x in (left, right)):
        warn_if_complex32(common)
        return _merged_sum(left, right, alpha, common, dtype)
    if common not in _ADD_DTYPES:
        raise_not_implemented("add_out_sparse_cpu", common)
    return _cat_sum(left, right, alpha, common, dtype)


_ADD_DTYPES = NUMBERS - {FLOAT16} | COMPLEX
"""The dtypes of torch's cadd_sparse kernel."""


def _cat_sum(left: Tensor, right: Tensor, alpha: Any, common: dtype, dtype: dtype) -> Tensor:
    """Return the sum as concatenated values, as torch does for non-contiguous values."""
    indices = np.concatenate([indices_of(left), indices_of(right)], axis=1)
    values = [
        convert(raw_array(values_of(left)), left._dtype, common),
        _scaled(raw_array(values_of(right)), right._dtype, common, alpha),
    ]
    joined = convert(np.concatenate(values), common, dtype)
    result = from_arrays(indices, joined, dtype, left._geometry.shape)
    if nnz(result) > left._geometry.numel:
        result = coalesce_plain(result)
        sparse_storage(result).coalesced = False  # torch takes its parts alone
    return result


def _merged_sum(left: Tensor, right: Tensor, alpha: Any, common: dtype, dtype: dtype) -> Tensor:
    if common not in _ADD_DTYPES:
        raise_not_implemented("cadd_sparse", common)
    shape = left._geometry.shape
    indices, others = indices_of(left), indices_of(right)
    pos, other_pos, total = merged(linear_indices(indices, shape), linear_indices(others, shape))
    most = indices.shape[1] + others.shape[1]
    merged_indices = np.zeros((len(indices), most), np.int64)
    merged_indices[:, pos], merged_indices[:, other_pos] = indices, others
    block_shape = values_of(right)._geometry.shape[1:]
    values = np.zeros((most, prod(block_shape)), numpy_storage_dtype(common))
    for target, side, factor in ((pos, left, 1), (other_pos, right, alpha)):
        rows = convert(raw_array(values_of(side)), side._dtype, common)
        rows = rows.reshape(len(rows), values.shape[1])
        if factor == 1 or common not in _FMA_DTYPES:
            add_rows(values, target, _multiplied(rows, common, factor), common)
        else:
            number = encode_scalar(factor, common, ScalarPath.SCALAR)
            with np.errstate(all="ignore"):  # one rounding
                factors = np.broadcast_to(numpy_storage_dtype(common).type(number), rows.shape)
                values[target] = fused(rows, factors, values[target])
    result_values = convert(values.reshape(most, *block_shape), common, dtype)
    parts = first_parts(merged_indices, result_values, total, dtype)
    return sparse_tensor(*parts, shape, is_coalesced(left) and is_coalesced(right))


_FMA_DTYPES = frozenset({FLOAT32, FLOAT64})


def _multiplied(rows: Any, dtype: dtype, factor: Any) -> Any:
    """Return rows times a number; complex rows also times 1, as 1 * inf has a NaN part."""
    if not dtype.is_complex:
        return _scaled(rows, dtype, dtype, factor)
    with np.errstate(all="ignore"):
        return rows * numpy_storage_dtype(dtype).type(factor)


def _add_in_place(left: Tensor, right: Any, alpha: Any, node: str) -> Tensor:
    sources = (right,) if isinstance(right, Tensor) else ()
    check_inplace(left, *sources)
    check(is_sparse(right) or not is_sparse(left), lambda: _MIXED)
    common = result_type_of((left, right))
    unchanged = is_sparse(left) and is_sparse(right) and not nnz(right)
    if is_sparse(left):
        result = _sum(left, right, alpha, common, left._dtype, left)
        if not unchanged:
            assign(left, result)
    else:
        check_dense_shape(left, right)
        check_result(common, left._dtype)
        add_to_dense(left, right, alpha, common)
    return record_write(left, sources, node)


def add_to_dense(
    left: Tensor, right: Tensor, alpha: Any, common: dtype, clears: bool = False
) -> None:
    """Add alpha * sparse to a dense tensor in place; ``clears`` sets that to zero before."""
    is_direct = common is left._dtype
    if left._geometry.device is not META:
        if is_direct and not (left._conj_neg or has_separate_elements(raw_array(left))):
            _add_to_overlapping(left, right, alpha, clears)
            return
        if left._conj_neg or (not is_direct and nnz(right)):
            check_no_overlap(left)  # torch copies the sum
    start = PUBLIC["zeros_like"](detached_part(left)) if clears else left
    geometry = like_geometry(left, None, left._dtype) if left._conj_neg else left._geometry
    contiguous = geometry.is_contiguous or not is_direct
    assign(left, dense_sum(start, right, alpha, common, left._dtype, contiguous))


def _add_to_overlapping(left: Tensor, right: Tensor, alpha: Any, clears: bool) -> None:
    """Add one value after another to elements some of which share memory."""
    target, dtype, source = raw_array(detached_part(left)), left._dtype, coalesce_plain(right)
    sparse_dim, geometry = sparse_dim_of(source), left._geometry
    if sparse_dim < geometry.rank and nnz(source):
        broadcasting.check_no_internal_overlap(
            geometry.shape[sparse_dim:], geometry.stride[sparse_dim:]
        )
    if clears:
        target[...] = 0
    values = convert(raw_array(values_of(source)), source._dtype, dtype)
    values = _multiplied(values, dtype, alpha)
    for position, value in zip(indices_of(source).T, values, strict=True):
        element = target[(*position, ...)].reshape(1, -1)
        add_rows(element, np.zeros(1, np.int64), value.reshape(1, -1), dtype)


def add_(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    """Tensor.add_(other, *, alpha=1): add in place."""
    return _add_in_place(left, right, alpha, "AddBackward0")


def sub_(left: Tensor, right: Any, alpha: Any = 1) -> Tensor:
    """Tensor.sub_(other, *, alpha=1): subtract in place."""
    check_inplace(left, *((right,) if isinstance(right, Tensor) else ()))
    check_sub(left, right)
    return _add_in_place(left, right, _negative(alpha), "SubBackward0")
