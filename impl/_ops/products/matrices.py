"""mm and addmm, the products of two matrices (ATen/native/LinearAlgebra.cpp)."""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.constants import FLOAT32, FLOAT64, INT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, strided
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._runtime.errors import check
from ..._tensor.allocation import empty_with, warn_if_complex32
from ..._tensor.data_access import has_separate_elements, raw_array, resolved_array
from ..._tensor.tensor import Tensor
from ..common.copy import copy_into
from ..common.memory_overlap import check_no_overlap
from ..elementwise.binding import install_operator
from ..elementwise.scalar_args import UNROUNDED, ScalarArg
from . import references
from .kernels import (
    BLAS,
    BLAS_OF_MATRICES,
    MATRICES,
    Compute,
    Factors,
    check_same_dtype,
    is_single,
    operands_of,
    sum_of_matrices,
    write_sum,
)
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
    scale_first,
)
from .shared_memory import add_terms, has_storage_of, read_as, shares_memory, sum_in_turn


def _infer_mm(operands: Operands) -> Kind:
    left, right = operands.left, operands.right
    check(left._geometry.rank == 2, lambda: "self must be a matrix")
    check(right._geometry.rank == 2, lambda: "mat2 must be a matrix")
    return _infer(left, right)


def _infer(left: Tensor, right: Tensor) -> Kind:
    (rows, inner), (other, columns) = left._geometry.shape, right._geometry.shape
    check(
        inner == other,
        lambda: f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {other}x{columns})",
    )
    return (rows, columns), left._dtype


def _infer_addmm(operands: Operands) -> Kind:
    added, left, right = operands.tensors
    for words, first, second in (("self and mat2", added, right), ("mat1 and mat2", left, right)):
        check(
            first._dtype is second._dtype,
            lambda: f"{words} must have the same dtype, but got {_names(first, second)}",  # noqa: B023
        )
    for name, tensor in (("mat1", left), ("mat2", right)):
        rank = tensor._geometry.rank
        check(rank == 2, lambda: f"{name} must be a matrix, got {rank}-D tensor")  # noqa: B023
    return _infer(left, right)


def _names(*tensors: Tensor) -> str:
    return " and ".join(_name(tensor._dtype) for tensor in tensors)


def _name(dtype: dtype) -> str:
    return spec_of(dtype).cpp_name


def _write(result: Tensor, operands: Operands) -> Compute | None:
    left, right, added, factors = operands
    return add_product(result, result if added is None else added, left, right, factors)


def add_product(
    result: Tensor, added: Tensor, left: Tensor, right: Tensor, factors: Factors
) -> Compute | None:
    """Write the sum of a tensor, which is expanded, and the product of two matrices.

    Return the function that computes it of their arrays, if one does.
    """
    added = expanded(added, result._geometry.shape)
    check_same_dtype(left, right)
    if not result._geometry.numel:
        return None
    if not left._geometry.shape[1]:
        add_nothing(result, added, factors)
        return None
    if factors.adds:
        copy_added(result, added)
    if has_storage_of(result, left, right):
        return _multiply_shared(result, left, right, factors)
    compute = function_of_matrices(result, left, right, factors)
    operands = operands_of(factors, result, left, right)
    if _is_major(result._geometry) or has_separate_elements(raw_array(result)):
        write_sum(result, compute, *operands)
        return compute
    # BLAS writes another matrix, whose columns are contiguous, which torch copies.
    shape = result._geometry.shape
    columns = empty_with(strided(shape, (1, shape[0])), result._dtype, warns=False)
    write_sum(columns, compute, *operands)
    copy_into(result, columns)
    return None


_READS_FIRST = BLAS_OF_MATRICES | {INT64}
"""The dtypes whose products libraries compute, which are taken to read all operands first."""


def _multiply_shared(
    result: Tensor, left: Tensor, right: Tensor, factors: Factors
) -> Compute | None:
    """Write a product of matrices into the storage of one, as `add_product` does."""
    geometry, dtype = result._geometry, result._dtype
    is_major = _is_major(geometry)
    rows, columns = geometry.shape
    is_swapped = is_major and _is_swapped(geometry)
    inner = right._geometry.shape[0] if is_swapped else left._geometry.shape[1]
    left = read_as(left, (rows, inner), _can_read)
    right = read_as(right, (inner, columns), _can_read)
    compute = function_of_matrices(result, left, right, factors)
    if dtype in BLAS and 1 in geometry.shape and shares_memory(result, left, right):
        factors = scale_first(result, factors)  # as its product of a matrix and a vector
        write_sum(result, sum_of_matrices(dtype, factors), result, left, right)
        return None
    transposed = _are_transposed(geometry, left._geometry, right._geometry)
    is_buffered = dtype in OPMATH_DTYPE and transposed == (False, True)
    reads_first = not is_major or is_buffered or dtype in _READS_FIRST
    if reads_first or not shares_memory(result, left, right):
        write_sum(result, compute, *operands_of(factors, result, left, right))
        return compute
    pair = [
        resolved_array(x) if _is_read(x._geometry) else resolved_array(x).copy()
        for x in (left, right)
    ]
    memory, adds = raw_array(result), factors.adds
    if is_swapped:
        memory, pair = memory.T, [x.T for x in pair[::-1]]
    if dtype in OPMATH_DTYPE or transposed[0]:
        compute = sum_of_matrices(dtype, factors)
        without_fp_warnings(partial(sum_in_turn, adds=adds), memory, *pair, compute)
    else:
        beta, alpha = (ScalarArg(factor, UNROUNDED).of(dtype) for factor in factors)
        without_fp_warnings(add_terms, memory, *pair, beta, alpha)
    return None


def function_of_matrices(result: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Compute:
    """Return the function of the arrays of matrices, whose sum can be written to the result."""
    geometry, dtype = result._geometry, result._dtype
    geometries = left._geometry, right._geometry
    if dtype not in MATRICES:
        copied = [not _is_major(geometry), *[not _is_read(each) for each in geometries]]
        warn_if_complex32(dtype, sum(copied))
    is_looped = not factors.adds and dtype not in BLAS_OF_MATRICES
    adds_zero = is_looped and _adds_terms(geometry, *geometries)
    single = is_single(*[x.shape for x in geometries])
    compute = sum_of_matrices(
        dtype,
        factors,
        is_single=single,
        adds_zero=adds_zero,
        scales_left=_is_swapped(geometry),
    )
    if not _is_major(geometry):  # torch writes a copy, and copies that back
        check_no_overlap(result)
    is_scaled = factors.alpha not in (0, 1) and not single
    is_small = _is_small(geometry, geometries[1].shape[0], dtype)
    if is_scaled and is_small and not _are_transposed(geometry, *geometries)[0]:
        beta, alpha = (ScalarArg(factor, UNROUNDED).of(dtype) for factor in factors)
        return partial(_scaled_terms, _is_swapped(geometry), beta, alpha)
    return compute


_FEW = 512
"""The number of products of elements up to which MKL scales those of one matrix, then adds."""


def _is_small(result: Geometry, inner: int, dtype: dtype) -> bool:
    """Return whether MKL adds the products of so few elements one after another."""
    is_few = result.numel * inner <= _FEW and 1 not in result.shape
    return is_few and dtype in (FLOAT32, FLOAT64)


def _scaled_terms(scales_left: bool, beta: Any, alpha: Any, *arrays: Any) -> Any:
    """Return a sum to which the products of columns and scaled rows are added in turn."""
    *added, left, right = arrays
    if scales_left:
        left = alpha * left
    else:
        right = alpha * right
    sums = beta * added[0] if added else np.zeros((left.shape[0], right.shape[1]), left.dtype)
    for column, row in zip(left.T[..., None], right, strict=True):
        sums = sums + column * row
    return sums


def _adds_terms(result: Geometry, left: Geometry, right: Geometry) -> bool:
    """Return whether torch's loops add terms to zeros (gemm_transb_); others scale a sum."""
    first, second = _are_transposed(result, left, right)
    return second and not first


def _are_transposed(result: Geometry, left: Geometry, right: Geometry) -> tuple[bool, bool]:
    """Return whether torch's loops read the matrices that they multiply as transposed ones."""
    (rows, columns), inner = result.shape, left.shape[1]
    is_swapped = _is_swapped(result)
    if is_swapped:  # the product of the transposed matrices
        rows, columns, left_stride = columns, rows, right.stride[::-1]
        right_stride = left.stride[::-1]
    else:
        left_stride, right_stride = left.stride, right.stride
    copy = not is_swapped
    return (
        _is_transposed(left_stride, (rows, inner), copy),
        _is_transposed(right_stride, (inner, columns), copy),
    )


def _is_swapped(result: Geometry) -> bool:
    """Return whether torch multiplies the transposed matrices, as the rows are contiguous."""
    (rows, columns), (by_row, by_column) = result.shape, result.stride
    return by_column == 1 and not (by_row == 1 and (columns == 1 or by_column >= rows))


def _is_transposed(stride: Ints, shape: Ints, copy: bool) -> bool:
    """Return whether BLAS reads a matrix as a transposed one; ``copy`` is that for a copy of it."""
    if stride[0] == 1 and stride[1] >= max(1, shape[0]):
        return False
    return copy or (stride[1] == 1 and stride[0] >= max(1, shape[1]))


def _is_read(operand: Geometry) -> bool:
    """Return whether torch reads a matrix as it is; it copies others first."""
    return _can_read(operand.shape, operand.stride)


def _can_read(shape: Ints, stride: Ints) -> bool:
    """Return whether torch reads a matrix of sizes and strides as it is."""
    return any(stride[dim] == 1 and stride[1 - dim] >= max(1, shape[dim]) for dim in (0, 1))


def _is_major(geometry: Geometry) -> bool:
    """Return whether BLAS can write a matrix: its rows or its columns are contiguous."""
    (rows, columns), (by_row, by_column) = geometry.shape, geometry.stride
    return (by_row == 1 and (columns == 1 or by_column >= rows)) or (
        by_column == 1 and (rows == 1 or by_row >= columns)
    )


MM = Product("mm", references.mm, _infer_mm, _write)
ADDMM = Product("addmm", references.addmm, _infer_addmm, _write)

install_operator(
    "mm",
    *overloads_of_pair(MM, "Tensor mat2"),
    doc="Return the product of two matrices.",
    wrap=with_plans,
)
install_operator(
    "addmm",
    *overloads_of_sum(ADDMM, "Tensor mat1, Tensor mat2"),
    doc="Return beta * input + alpha * (mat1 @ mat2).",
    wrap=with_plans,
)
