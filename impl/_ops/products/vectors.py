"""mv, addmv, dot and vdot, the products with vectors (ATen/native/Blas.cpp)."""

from functools import partial

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.table import spec_of
from ..._geometry.view_shapes import wrap_dim_nonscalar
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.conj_neg import CONJUGATE
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_tensor, resize_output, write_zeros
from ..._tensor.data_access import has_separate_elements, raw_array, resolved_array, write_raw
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, new_tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place, resolves_neg
from ..common.copy import copy_into
from ..common.meta_reference import in_reference, is_on_meta, write_reference
from ..elementwise.arithmetic import MUL
from ..elementwise.binding import Overload, install_operator
from ..elementwise.scalar_args import ScalarArg
from . import references
from .kernels import (
    BLAS,
    NO_SUM,
    VECTORS,
    Compute,
    Factors,
    dot_function,
    numbers_of,
    operands_of,
    sum_of_vectors,
    write_in_turn,
    write_sum,
)
from .notes import note_copy, note_sum
from .plan import with_plans
from .product import (
    Kind,
    Operands,
    Product,
    below_autograd,
    copy_added,
    expanded,
    reject_sparse,
    resize_dense,
    scale_first,
    sum_overloads,
)
from .shared_memory import add_columns, has_storage_of, read_as, shares_memory, sum_in_turn


def _infer(operands: Operands) -> Kind:
    added, matrix, vector = (x._geometry for x in operands.tensors)
    ranks = added.rank, matrix.rank, vector.rank
    check(
        ranks[1:] == (2, 1) and added.rank <= 1,
        lambda: f"vector + matrix @ vector expected, got {ranks[0]}, {ranks[1]}, {ranks[2]}",
    )
    (rows, inner), (size,) = matrix.shape, vector.shape
    check(
        inner == size and added.numel in (rows, 1),
        lambda: (
            f"size mismatch, got input ({added.shape[wrap_dim_nonscalar(0, added.rank)]}), mat"
            f" ({rows}x{inner}), vec ({size})"
        ),
    )
    dtypes = [spec_of(x._dtype).cpp_name for x in operands.tensors]
    check(
        len({*dtypes}) == 1,
        lambda: (
            "addmv input tensors must have the same dtype, but got"
            f" {dtypes[0]}, {dtypes[1]}, and {dtypes[2]}"
        ),
    )
    return (rows,), operands.right._dtype


def _write(result: Tensor, operands: Operands) -> Compute | None:
    added, matrix, vector = operands.tensors
    factors = operands.factors
    if not matrix._geometry.numel:
        if factors.adds:  # torch does not expand the added tensor, and resizes the result to it
            beta = PUBLIC["scalar_tensor"](factors.beta, dtype=result._dtype)
            resize_output(result, added._geometry.shape)
            copy_added(result, added)
            MUL.write_inplace(result, (result, beta))
        else:
            write_zeros(result)
        return None
    if result._dtype in VECTORS:
        METHODS["size"](matrix, 1)  # the matrix may be ``out``, which is a vector now
    if factors.adds:
        copy_added(result, expanded(added, result._geometry.shape))
    is_apart = has_separate_elements(raw_array(result))
    if is_apart and has_storage_of(result, matrix, vector):
        return _multiply_shared(result, matrix, vector, factors)
    if is_apart:
        compute = sum_of_vectors(result._dtype, factors, adds_zero=_adds_columns(matrix))
        write_sum(result, compute, *operands_of(factors, result, matrix, vector))
        return compute
    _write_in_turn(result, matrix, vector, factors)
    return None


def _multiply_shared(
    result: Tensor, matrix: Tensor, vector: Tensor, factors: Factors
) -> Compute | None:
    """Write a sum into the storage of the matrix or the vector, of which it may be a resized one.

    Torch reads what it wrote before (gemv in native/cpu/BlasKernel.cpp): the scaled result, unless
    it is that of narrow floats which are written over, and in its loops each element.
    """
    dtype, adds_columns = result._dtype, _adds_columns(matrix)
    vector = read_as(vector, matrix._geometry.shape[1:], lambda *_: True)
    is_shared = shares_memory(result, matrix, vector)
    is_buffered = dtype in BLAS or (adds_columns and dtype in OPMATH_DTYPE)
    if is_shared and is_buffered and factors.beta != 1 and (factors.adds or dtype in BLAS):
        factors = scale_first(result, factors)
    compute = sum_of_vectors(dtype, factors, adds_zero=adds_columns)
    if is_buffered or not is_shared:
        write_sum(result, compute, *operands_of(factors, result, matrix, vector))
        return None if is_shared else compute
    memory, rows, numbers = raw_array(result), resolved_array(matrix), resolved_array(vector)
    if not adds_columns:
        rows = rows if matrix._geometry.stride[1] == 1 else rows.copy()
        column, numbers = memory[:, None], numbers[:, None]
        without_fp_warnings(sum_in_turn, column, rows, numbers, compute, adds=factors.adds)
    else:
        beta, alpha = (ScalarArg(factor).of(dtype) for factor in factors)
        without_fp_warnings(add_columns, memory, rows, numbers, beta, alpha)
    return None


def _adds_columns(matrix: Tensor) -> bool:
    """Return whether torch adds one column after another to the result; else it sums each row."""
    (rows, columns), (by_row, by_column) = matrix._geometry.shape, matrix._geometry.stride
    return by_row == 1 and (columns == 1 or by_column >= rows)


def _write_in_turn(result: Tensor, matrix: Tensor, vector: Tensor, factors: Factors) -> None:
    """Write a sum into a vector whose elements are one (gemv in ATen/native/BlasKernel.cpp)."""
    multiply = sum_of_vectors(result._dtype, factors._replace(beta=0), rounds=False)
    products = without_fp_warnings(multiply, resolved_array(matrix), resolved_array(vector))
    beta, alpha = (ScalarArg(factor).of(result._dtype) for factor in factors)
    if _adds_columns(matrix):
        terms = without_fp_warnings(np.multiply, numbers_of(matrix), alpha * numbers_of(vector))
        if not factors.adds:
            terms[:-1, 0] = 0  # each of the first column is written over the one before
        beta, products = beta ** matrix._geometry.shape[0], terms.sum(dtype=terms.dtype).reshape(1)
    without_fp_warnings(write_in_turn, result, products, beta)


ADDMV = Product("addmv", references.addmv, _infer, _write)
_MV = Product("mv", references.mv)


def _mv(matrix: Tensor, vector: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the product of a matrix and a vector: the sum of nothing and it."""
    reject_sparse(matrix, vector, out)
    if is_on_meta(matrix, vector, out):
        return _MV.run(Operands(matrix, vector), out)
    rows = matrix._geometry.shape[wrap_dim_nonscalar(0, matrix._geometry.rank)]
    if out is None or out._geometry.rank > 1 or out._geometry.numel not in (rows, 1):
        result = empty_tensor((rows,), vector._dtype, vector._geometry.device)
    else:
        result = out
    operands = Operands(matrix, vector, result, NO_SUM)
    shape, dtype = ADDMV.infer(operands)
    if out is not None:
        result = ADDMV.result(Operands(matrix, vector), shape, dtype, out)
    compute = ADDMV.write(result, operands._replace(added=result))
    note_sum(compute, result, matrix, vector)
    if out is not None:
        bump_version(out)
        return out
    return record_grad_fn(result, (matrix, vector), "MvBackward0")


def _dot(is_vdot: bool, left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    name = "vdot" if is_vdot else "dot"
    if out is not None and any(map(is_sparse, (left, right, out))):
        return _dot_out(name, left, right, out)
    reject_sparse(left, right)
    if is_on_meta(left, right, out):
        reference = references.vdot if is_vdot else references.dot
        result = in_reference(below_autograd, reference, left, right)
        if out is not None:
            return write_reference(name, out, result)
    elif out is not None:
        return _dot_out(name, left, right, out)
    else:
        result = _dot_of(is_vdot, left, right)
    return record_grad_fn(result, (left, right), f"{name.capitalize()}Backward0")


def _dot_out(name: str, left: Tensor, right: Tensor, out: Tensor) -> Tensor:
    devices = [x._geometry.device for x in (out, left, right)]
    check(
        len({*devices}) == 1,
        lambda: (
            f"{name}: Expected the output and input tensors to be on the same device, but got the"
            f" output tensor on {devices[0]}, the 'input' tensor on {devices[1]}, and the 'other'"
            f" tensor on {devices[2]}"
        ),
    )
    resize_dense(out, ())
    check(
        out._dtype is left._dtype,
        lambda: f"result dtype {_name(out)} does not match input dtype {_name(left)}",
    )
    if any(map(is_sparse, (left, right))):
        raise no_kernel(name, left, right, out)
    result = PUBLIC[name](left, right)
    if is_sparse(out):
        raise no_kernel("fill_.Tensor", out)
    copy_into(out, result)
    note_copy(out)
    bump_version(out)
    return out


def _name(tensor: Tensor) -> str:
    return spec_of(tensor._dtype).cpp_name


def _dot_of(is_vdot: bool, left: Tensor, right: Tensor) -> Tensor:
    """Return the dot product of two vectors, the first one conjugated by ``is_vdot``.

    Torch has a kernel for either, and calls that for which the memory of both is as it is.
    """
    dtype = left._dtype
    is_vdot = is_vdot and dtype.is_complex
    bits = [bool(dtype.is_complex and x._conj_neg & CONJUGATE) for x in (left, right)]
    if bits[1] and bits[0] == is_vdot:
        left, right = right, left
    references.check_vectors(left, right, [_name(x) for x in (left, right)], "the same")
    conjugates = is_vdot != (bits[0] != bits[1])
    if dtype not in VECTORS:
        raise_not_implemented("vdot" if conjugates else "dot", dtype)
    compute = dot_function(dtype, conjugates)
    result = empty_tensor((), dtype, left._geometry.device)
    write_raw(result, without_fp_warnings(compute, raw_array(left), raw_array(right)))
    note_sum(compute, result, left, right)
    if bits[1] and bits[0] != is_vdot:
        return new_tensor(result._storage, result._geometry, 0, dtype, conj_neg=CONJUGATE)
    return result


install_operator(
    "mv",
    Overload("Tensor vec", resolves_conj_neg(_mv, "mv")),
    doc="Return the product of a matrix and a vector.",
    wrap=with_plans,
)
install_operator(
    "addmv",
    *sum_overloads(
        resolves_conj_neg(ADDMV.of_sum, "addmv"),
        resolves_conj_neg_in_place(ADDMV.in_place),
        "Tensor mat, Tensor vec",
    ),
    doc="Return beta * input + alpha * (mat @ vec).",
    in_place_function=True,
    wrap=with_plans,
)
install_operator(
    "dot",
    Overload("Tensor tensor", resolves_neg(partial(_dot, False), "dot")),
    doc="Return the sum of the products of the elements of two vectors.",
    wrap=with_plans,
)
install_operator(
    "vdot",
    Overload("Tensor other", resolves_neg(partial(_dot, True), "vdot")),
    doc="Return the dot product of two vectors, the first one conjugated.",
    wrap=with_plans,
)
