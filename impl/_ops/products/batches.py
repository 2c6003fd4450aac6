"""bmm, baddbmm and addbmm, the products of batches of matrices (ATen/native/LinearAlgebra.cpp)."""

from functools import partial
from typing import Any

from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version, requires_grad
from ..._autograd.tracking import check_differentiable, check_inplace, is_tracked
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype, spec_of
from ..._geometry.geometry import Geometry
from ..._numerics.conj_neg import CONJUGATE
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.allocation import empty_tensor, resize_out
from ..._tensor.data_access import apply_conj_neg, has_separate_elements, raw_array
from ..._tensor.tensor import METHODS, Tensor, new_tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import (
    resolve_conj_neg,
    resolves_conj_neg,
    resolves_conj_neg_in_place,
)
from ..common.copy import record_write
from ..common.memory_overlap import check_no_overlap
from ..common.meta_reference import is_on_meta
from ..elementwise.binding import install_operator
from ..elementwise.scalar_args import UNROUNDED, ScalarArg
from . import references
from .kernels import (
    VECTORS,
    Compute,
    Factors,
    check_same_dtype,
    factors_of,
    is_single,
    operands_of,
    sum_function,
    write_in_turn,
    write_sum,
)
from .matrices import ADDMM, add_product, function_of_matrices
from .notes import note_sum
from .plan import with_plans
from .product import (
    Kind,
    Operands,
    Product,
    add_nothing,
    copy_added,
    expanded,
    overloads_of_pair,
    overloads_of_sum,
    reject_sparse,
    sum_overloads,
)
from .shared_memory import has_storage_of, read_as, shares_memory, sum_in_turn


def _infer_bmm(operands: Operands) -> Kind:
    left, right = operands.left, operands.right
    references.check_batches(left, right)
    return references.batch_shape(left, right), right._dtype


def _infer_baddbmm(operands: Operands) -> Kind:
    added, left, right = operands.tensors
    size = METHODS["size"]
    shape = size(left, 0), size(left, 1), size(right, 2)
    expanded(added, shape)
    names = [cpp_type(x._dtype) for x in operands.tensors]
    check(
        added._dtype is left._dtype,
        lambda: (
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]},"
            f" batch2: {names[2]}"
        ),
    )
    return _infer_bmm(operands)


def _write(result: Tensor, operands: Operands) -> Compute | None:
    """Write a product of batches, conjugated before and after it for a result with the conj bit."""
    added = operands.added
    if added is not None:
        added = expanded(added, result._geometry.shape)
        if operands.factors.adds:
            copy_added(result, added)
    left, right = (resolve_conj_neg(x) for x in (operands.left, operands.right))
    operands = operands._replace(left=left, right=right)
    if not result._conj_neg:
        return _multiply(result, operands)
    check_no_overlap(result)
    apply_conj_neg(result, CONJUGATE)
    _multiply(result, operands)
    apply_conj_neg(result, CONJUGATE)
    return None


def _multiply(result: Tensor, operands: Operands) -> Compute | None:
    """Write a product of batches (bmm_out_or_baddbmm_)."""
    left, right, added, factors = operands
    geometry = result._geometry
    if not geometry.numel:
        return None
    is_shared = has_storage_of(result, left, right)
    if not left._geometry.shape[2]:
        add_nothing(result, result, factors)
        return None
    is_small = left._geometry.shape[2] * geometry.shape[1] * geometry.shape[2] < _SMALL
    if not is_small and not _goes_to_blas(result, left, right):
        return _multiply_each(result, operands)
    kernel = "baddbmm_with_gemm" if not is_small else "bmm" if added is None else "baddbmm"
    first, *others = (left, result, right) if is_small else (result, right, left)
    if first._dtype not in VECTORS:
        raise_not_implemented(kernel, first._dtype)
    if is_small and added is not None:
        for factor in (factors.alpha, factors.beta):
            ScalarArg(factor, UNROUNDED).of(first._dtype)  # raises if it overflows
    for tensor in others:
        _check_scalar_type(first._dtype, tensor)
    if result._conj_neg:  # which these kernels ignore
        result = new_tensor(result._storage, geometry, result._offset, result._dtype)
    by_blas = not is_small
    if is_shared:
        batch, rows, columns = geometry.shape
        inner = left._geometry.shape[2]
        left, right = (
            read_as(x, shape, lambda *_: is_small)
            for x, shape in ((left, (batch, rows, inner)), (right, (batch, inner, columns)))
        )
        if is_small and shares_memory(result, left, right):
            compute = sum_function(result._dtype, factors, by_blas=False)
            write = partial(sum_in_turn, compute=compute, adds=factors.adds)
            for memory in zip(*map(raw_array, (result, left, right)), strict=True):
                without_fp_warnings(write, *memory)
            return None
    if has_separate_elements(raw_array(result)):
        single = is_single(left._geometry.shape, right._geometry.shape)
        compute = sum_function(result._dtype, factors, by_blas=by_blas, is_single=single)
        write_sum(result, compute, *operands_of(factors, result, left, right))
        return compute
    multiply = sum_function(result._dtype, factors._replace(beta=0), by_blas=False, rounds=False)
    products = without_fp_warnings(multiply, raw_array(left), raw_array(right))
    beta = ScalarArg(factors.beta).of(result._dtype)
    without_fp_warnings(write_in_turn, result, products, beta)
    return None


_SMALL = 400
"""The number of products from which torch calls BLAS."""


def _check_scalar_type(dtype: dtype, tensor: Tensor) -> None:
    expected, found = (spec_of(x).cpp_name for x in (dtype, tensor._dtype))
    check(expected == found, lambda: f"expected scalar type {expected} but found {found}")


def _goes_to_blas(result: Tensor, left: Tensor, right: Tensor) -> bool:
    """Return whether torch calls BLAS once for a whole batch."""
    dtype = result._dtype
    is_wide = dtype.is_floating_point and spec_of(dtype).name not in ("float16", "bfloat16")
    return (
        (is_wide or dtype.is_complex)
        and _is_major(left._geometry)
        and _is_major(right._geometry)
        and result._geometry.is_contiguous
    )


def _is_major(geometry: Geometry) -> bool:
    """Return whether matrices of a batch are contiguous, or transposed."""
    _, rows, columns = geometry.shape
    _, by_row, by_column = geometry.stride
    return (by_column == 1 and (rows == 1 or by_row >= columns)) or (
        by_row == 1 and (columns == 1 or by_column >= rows)
    )


def _multiply_each(result: Tensor, operands: Operands) -> Compute | None:
    """Write the products of the matrices one by one."""
    left, right, added, factors = operands
    select = METHODS["select"]
    is_apart = has_separate_elements(raw_array(result)) and result._storage not in (
        left._storage,
        right._storage,
    )
    for index in range(result._geometry.shape[0]):
        target, first, second = (select(x, 0, index) for x in (result, left, right))
        if added is not None:
            ADDMM.infer(Operands(first, second, target))
        if is_apart:  # all at once
            check_same_dtype(first, second)
            compute = function_of_matrices(target, first, second, factors)
            write_sum(result, compute, *operands_of(factors, result, left, right))
            return compute
        add_product(target, target, first, second, factors)
    return None


BMM = Product("bmm", references.bmm, _infer_bmm, _write)
BADDBMM = Product("baddbmm", references.baddbmm, _infer_baddbmm, _write, expands_first=True)


def _addbmm(
    added: Tensor, left: Tensor, right: Tensor, *factors: Any, out: Tensor | None = None
) -> Tensor:
    tensors = added, left, right
    numbers = factors_of(*factors)
    _check_saved(*tensors)
    reject_sparse(*tensors, out)
    if is_on_meta(*tensors, out):
        return ADDBMM.run(Operands(left, right, added, numbers), out)
    result = empty_tensor((0,), added._dtype, added._geometry.device) if out is None else out
    _write_sum(result, added, left, right, numbers)
    if out is not None:
        bump_version(out)
        return out
    check_differentiable(result, *tensors)
    return record_grad_fn(result, tensors, ADDBMM.node)


def _addbmm_(added: Tensor, left: Tensor, right: Tensor, *factors: Any) -> Tensor:
    check_inplace(added, left, right)
    _check_saved(added, left, right)
    reject_sparse(added, left, right)
    if is_on_meta(added, left, right):
        return ADDBMM.in_place(added, left, right, *factors)
    numbers = factors_of(*factors)
    _write_sum(added, added, left, right, numbers)
    return record_write(added, (left, right), ADDBMM.node)


def _check_saved(*tensors: Tensor) -> None:
    """Raise for operands without the sizes that autograd saves."""
    if is_tracked(*tensors) and any(map(requires_grad, tensors)):
        size = METHODS["size"]
        for index, dim in ((1, 0), (1, 1), (2, 2)):
            size(tensors[index], dim)


def _write_sum(
    result: Tensor, added: Tensor, left: Tensor, right: Tensor, factors: Factors
) -> None:
    """Write the sum of a tensor and all products of a batch (addbmm_impl_)."""
    size = METHODS["size"]
    shape = size(left, 1), size(right, 2)
    given, added = added, expanded(added, shape)
    references.check_batches(left, right)
    references.check_batch_sizes(left, right)
    resize_out(result, shape)
    if factors.adds:
        copy_added(result, added)
    if not left._geometry.shape[0]:
        add_nothing(result, result, factors)
    computes: list[Any] = []
    inputs = operands_of(factors, given, left, right)
    select = METHODS["select"]
    for index in range(left._geometry.shape[0]):
        pair = select(left, 0, index), select(right, 0, index)
        ADDMM.infer(Operands(*pair, result))
        computes.append(add_product(result, result, *pair, factors))
        factors = factors._replace(beta=1)
    if all(computes) and computes:
        note_sum(partial(_sum_of_all, computes[0], computes[-1]), result, *inputs)


def _sum_of_all(first: Compute, compute: Compute, *arrays: Any) -> Any:
    """Return the sum of products of matrices; ``first`` computes the sum with the first product."""
    *added, left, right = arrays
    total = first(*added, left[0], right[0])
    for pair in zip(left[1:], right[1:], strict=True):
        total = compute(total, *pair)
    return total


ADDBMM = Product("addbmm", references.addbmm)

_OF_BATCHES = "Tensor batch1, Tensor batch2"

install_operator(
    "bmm",
    *overloads_of_pair(BMM, "Tensor mat2"),
    doc="Return the products of the matrices of two batches.",
    wrap=with_plans,
)
install_operator(
    "baddbmm",
    *overloads_of_sum(BADDBMM, _OF_BATCHES),
    doc="Return beta * input + alpha * (batch1 @ batch2).",
    wrap=with_plans,
)
install_operator(
    "addbmm",
    *sum_overloads(
        resolves_conj_neg(_addbmm, "addbmm"), resolves_conj_neg_in_place(_addbmm_), _OF_BATCHES
    ),
    doc="Return beta * input + alpha * the sum of the products of the matrices of two batches.",
    wrap=with_plans,
)
