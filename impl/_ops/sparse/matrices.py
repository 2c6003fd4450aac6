"""Products of sparse matrices (SparseTensorMath.cpp and SparseMatMul.cpp in ATen/native/sparse)."""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version, version_counter
from ..._autograd.grad_mode import no_grad
from ..._autograd.tracking import check_differentiable, check_inplace
from ..._devices.device import META
from ..._dtypes.constants import FLOAT32, FLOAT64
from ..._dtypes.table import dtype, spec_of
from ..._geometry.layout import sparse_coo
from ..._kernels.elementwise import OPMATH_DTYPE, round_through
from ..._numerics.cast import convert
from ..._numerics.promotion import promote_types
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import triggered_at, warn_once
from ..._tensor.allocation import resize_out, warn_if_complex32, write_zeros
from ..._tensor.data_access import resolved_array, tensor_from_raw
from ..._tensor.factories import empty, zeros
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.sparse_coo import indices_of, is_sparse, nnz, sparse_dim_of, tensor_of_indices
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import plain_view, record_grad_fn
from ..common.copy import record_write, scalar_to_tensor, to_dtype
from ..common.out_argument import check_cast
from ..elementwise.arithmetic import MUL
from ..elementwise.plan import COMPLEX, NUMBERS
from ..elementwise.scalar_args import ScalarArg
from ..indexing.added_rows import HALVES, add_along
from ..products.kernels import NO_SUM, Factors, factors_of
from ..products.product import copy_added, expanded, resize_dense
from .coalesce import coalesce_plain
from .common import from_arrays, values_of, warn_of_empty_result


def _layout(tensor: Tensor) -> str:
    return "Sparse" if is_sparse(tensor) else "Strided"


def _size(tensor: Tensor, dim: int) -> int:
    return METHODS["size"](tensor, dim)  # type: ignore[no-any-return]


def mm(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """mm(input, mat2): the product of two matrices, which is sparse if both are."""
    if out is not None:
        check_no_grad_out("mm", left, right, out)
        layout = sparse_coo if is_sparse(right) else None
        added = zeros((), dtype=right._dtype, layout=layout)
        _add_product(out, _expanded(added, left, right), left, right, NO_SUM)
        bump_version(out)
        return out
    with no_grad():
        result = _product(left, right)
    check_differentiable(result, left, right)
    return record_grad_fn(result, (left, right), "MmBackward0")


def _product(left: Tensor, right: Tensor) -> Tensor:
    """Return the product of two matrices, of which one is sparse (_sparse_mm)."""
    if is_sparse(left) and is_sparse(right):
        return _sparse_product(left, right)
    shape = _size(left, -2), _size(right, -1)
    added = zeros(shape, dtype=(right if is_sparse(left) else left)._dtype)
    if is_sparse(left):
        return _sum(added, left, right, NO_SUM)
    added, right, left = (METHODS["transpose"](x, -2, -1) for x in (added, right, left))
    result = _sum(added, right, left, NO_SUM)
    return plain_view(result, result._geometry.shape[::-1], result._geometry.stride[::-1])


def _sparse_product(left: Tensor, right: Tensor) -> Tensor:
    """Return the product of two sparse matrices, with a value where terms of it exist."""
    for name, matrix in (("mat1_", left), ("mat2_", right)):
        check(matrix._geometry.rank == 2, lambda: _EXPECTED.format(f"{name}.dim() == 2"))  # noqa: B023
    for matrix in (left, right):
        dense_dim = matrix._geometry.rank - sparse_dim_of(matrix)
        check(
            not dense_dim,
            lambda: f"sparse_sparse_matmul_cpu: scalar values expected, got {dense_dim}D values",  # noqa: B023
        )
    (rows, inner), (other, columns) = left._geometry.shape, right._geometry.shape
    check(
        inner == other,
        lambda: f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {other}x{columns})",
    )
    names = [spec_of(x._dtype).cpp_name for x in (left, right)]
    check(
        names[0] == names[1],
        lambda: f"mat1 dtype {names[0]} does not match mat2 dtype {names[1]}",
    )
    dtype = left._dtype
    warn_if_complex32(dtype, 3)
    if dtype not in _MULTIPLIED:
        raise_not_implemented("sparse_matmul", dtype)
    for _ in (left, right):  # of which torch makes a tensor in the CSR layout
        warn_once(triggered_at(_CSR, "aten/src/ATen/SparseCsrTensorImpl.cpp:49"))
    indices, values = _multiplied(coalesce_plain(left), coalesce_plain(right), columns)
    return from_arrays(indices, values, dtype, (rows, columns), coalesced=True)


_EXPECTED = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please"
    " report an enhancement request to PyTorch.)"
)
_CSR = (
    "Sparse CSR tensor support is in beta state. If you miss a functionality in the sparse tensor"
    " support, please submit a feature request to https://github.com/pytorch/pytorch/issues."
)
_MULTIPLIED = COMPLEX | {FLOAT32, FLOAT64}


def _multiplied(left: Tensor, right: Tensor, columns: int) -> tuple[Any, Any]:
    """Return the indices and values of a product of coalesced matrices."""
    (rows, inner), (other, targets) = indices_of(left), indices_of(right)
    first = np.searchsorted(other, inner)
    counts = np.searchsorted(other, inner, "right") - first
    terms = np.repeat(np.arange(len(inner)), counts)  # those of a value on the left, in order
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    others = np.arange(len(terms)) - starts + first[terms]
    numbers = [resolved_array(values_of(x)) for x in (left, right)]
    products = without_fp_warnings(np.multiply, numbers[0][terms], numbers[1][others])
    keys = rows[terms] * columns + targets[others]
    unique, places = np.unique(keys, return_inverse=True)
    values = np.zeros(len(unique), products.dtype)
    without_fp_warnings(np.add.at, values, places, products)
    return np.stack([unique // max(columns, 1), unique % max(columns, 1)]), values


def addmm(*arguments: Any, out: Tensor | None = None) -> Tensor:
    """addmm(input, mat1, mat2): the sum of a tensor and the product with a sparse matrix."""
    added, left, right, factors = _arguments(*arguments)
    tensors = added, left, right
    if out is not None:
        check_no_grad_out("addmm", *tensors, out)
        _add_product(out, _expanded(added, left, right), left, right, factors)
        bump_version(out)
        return out
    with no_grad():
        result = _sum(added, left, right, factors)
    check_differentiable(result, *tensors)
    return record_grad_fn(result, tensors, "AddmmBackward0")


def addmm_(*arguments: Any) -> Tensor:
    """Tensor.addmm_(mat1, mat2): add the product with a sparse matrix."""
    added, left, right, factors = _arguments(*arguments)
    check_inplace(added, left, right)
    _add_product(added, added, left, right, factors)
    return record_write(added, (left, right), "AddmmBackward0")


def _arguments(*arguments: Any) -> tuple[Tensor, Tensor, Tensor, Factors]:
    """Return the tensors and factors of any overload of addmm."""
    first, second, third, *rest = arguments
    if len(rest) == 1:
        beta, added, left, right, alpha = first, second, third, *rest, 1
    elif isinstance(rest[1], Tensor) and rest[1]._geometry.rank:  # no factor
        beta, added, alpha, left, right = first, second, third, *rest
    else:
        added, left, right, beta, alpha = first, second, third, *rest
    return added, left, right, factors_of(beta, alpha)


def _expanded(added: Tensor, left: Tensor, right: Tensor) -> Tensor:
    return expanded(added, (_size(left, 0), _size(right, 1)))


def _sum(added: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Tensor:
    """Return the sum of a tensor and the product with a sparse matrix (addmm_sparse_dense_cpu)."""
    added = _expanded(added, left, right)
    layout = sparse_coo if is_sparse(added) else None
    result = empty((0,), dtype=added._dtype, layout=layout)
    _add_product(result, added, left, right, factors)
    return result


def _add_product(
    result: Tensor, added: Tensor, left: Tensor, right: Tensor, factors: Factors
) -> None:
    """Write the sum of a tensor and the product of two matrices (s_addmm_out_sparse_dense_cpu)."""
    for words, tensor in (("strided result tensor", result), ("'t' to have strided layout", added)):
        check(
            not is_sparse(tensor),
            lambda: f"addmm_sparse_dense: expected {words}, got tensor with layout Sparse",  # noqa: B023
        )
    check(
        is_sparse(left) and not is_sparse(right),
        lambda: (
            "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have"
            f" strided layout, got 'mat1' with layout {_layout(left)} and 'mat2' with layout"
            f" {_layout(right)}"
        ),
    )
    sparse_dim = sparse_dim_of(left)
    dense_dim = left._geometry.rank - sparse_dim
    check(sparse_dim == 2, lambda: f"addmm: matrices expected, got {sparse_dim}D tensor")
    check(not dense_dim, lambda: f"addmm: scalar values expected, got {dense_dim}D values")
    rank = right._geometry.rank
    check(rank == 2, lambda: f"addmm: matrices expected, got {rank}D tensor")
    (rows, inner), columns = left._geometry.shape, right._geometry.shape[1]
    for name, tensor, dim, size in (
        ("#3 (dense)", right, 0, inner),
        ("#1 (t)", added, 0, rows),
        ("#1 (t)", added, 1, columns),
    ):
        own = _size(tensor, dim)
        check(
            own == size,
            lambda: f"addmm: Argument {name}: Expected dim {dim} size {size}, got {own}",  # noqa: B023
        )
    resize_out(result, (rows, columns))
    if not nnz(left):
        scale = PUBLIC["scalar_tensor"](factors.beta, dtype=result._dtype)
        MUL.write_inplace(result, (added, scale))
        return
    dtype = left._dtype
    if dtype not in NUMBERS | COMPLEX:
        raise_not_implemented("addmm_sparse_dense", dtype)
    _add_values(result, added, indices_of(left), values_of(left), right, factors)


def _add_values(
    result: Tensor, added: Tensor, indices: Any, values: Tensor, right: Tensor, factors: Factors
) -> None:
    """Write the sum of a tensor and the product of a matrix with these values."""
    dtype = values._dtype
    alpha, beta = (ScalarArg(x).of(dtype) for x in (factors.alpha, factors.beta))
    if beta == 0:
        write_zeros(result)
    elif beta == 1:
        copy_added(result, added)
    else:
        MUL.write_inplace(result, (added, scalar_to_tensor(factors.beta)))
    for tensor in (right, result):
        found = spec_of(tensor._dtype).cpp_name
        check(
            tensor._dtype is dtype,
            lambda: f"expected scalar type {spec_of(dtype).cpp_name} but found {found}",  # noqa: B023
        )
    rows, columns = indices
    if not result._geometry.shape[1]:
        return
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    scaled = _rounded(np.multiply, alpha, convert(resolved_array(values), dtype, opmath), dtype)
    read = convert(resolved_array(right)[columns], dtype, opmath)
    products = _rounded(np.multiply, scaled[:, None], read, dtype)
    terms = tensor_from_raw(convert(products, opmath, dtype), dtype)
    add_along(result, 0, tensor_of_indices(rows), terms, 1)


def _rounded(function: Any, left: Any, right: Any, dtype: dtype) -> Any:
    """Return numbers of the opmath dtype, rounded to a dtype."""
    numbers, opmath = without_fp_warnings(function, left, right), OPMATH_DTYPE.get(dtype, dtype)
    return numbers if opmath is dtype else round_through(opmath, dtype, numbers)


def mv(matrix: Tensor, vector: Tensor, out: Tensor | None = None) -> Tensor:
    """mv(input, vec): the product of a sparse matrix and a vector."""
    tensors = (matrix, vector) if out is None else (matrix, vector, out)
    if out is not None:
        check_no_grad_out("mv", *tensors)
    if out is not None or any(x._geometry.device is META for x in tensors):
        rows = _size(matrix, 0)
        if out is None or out._geometry.rank > 1 or out._geometry.numel not in (rows, 1):
            warn_if_complex32(vector._dtype, 2 if is_sparse(vector) else 1)
        raise no_kernel("addmv_" if out is None else "addmv.out", *tensors)
    shape, size = matrix._geometry.shape, vector._geometry.shape
    check(
        len(shape) == 2 and len(size) == 1,
        lambda: (
            f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {len(shape)}Tensor"
            f" Dim: {len(size)}"
        ),
    )
    check(size[-1] == shape[-1], lambda: "mv: expected self.size(-1) == vec.size(-1)")
    with no_grad():
        product = METHODS["matmul"](matrix, METHODS["unsqueeze"](vector, -1))
        result = METHODS["squeeze"](product, -1)
    result = plain_view(result, result._geometry.shape, result._geometry.stride)
    check_differentiable(result, matrix, vector)
    return record_grad_fn(result, (matrix, vector), "MvBackward0")


def bmm(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """bmm(input, mat2): the products of a batch of sparse matrices and one of dense matrices."""
    if out is not None:
        check_no_grad_out("bmm", left, right, out)
    if is_sparse(right):
        if out is None:
            warn_of_empty_result(right._dtype)
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    result = empty((), dtype=right._dtype) if out is None else out
    _multiply_batches(left, right, result)
    if out is not None:
        bump_version(out)
        return out
    check_differentiable(result, left, right)
    return record_grad_fn(result, (left, right), "BmmBackward0")


def _multiply_batches(left: Tensor, right: Tensor, result: Tensor) -> None:
    """Write the products of the matrices of two batches (bmm_out_sparse_cpu)."""
    sparse_dim = sparse_dim_of(left) if is_sparse(left) else 0
    dense_dim, rank = left._geometry.rank - sparse_dim, right._geometry.rank
    for name, is_right, words, found in (
        ("self", not dense_dim, "0 dense dims", dense_dim),
        ("self", sparse_dim == 3, "3 sparse dims", sparse_dim),
        ("mat2", rank == 3, "3 dims", rank),
    ):
        check(is_right, lambda: f"bmm_sparse: Tensor '{name}' must have {words}, but has {found}")  # noqa: B023
    shape, other = left._geometry.shape, right._geometry.shape
    for own, dim in ((0, 0), (2, 1)):
        check(
            shape[own] == other[dim],
            lambda: f"bmm_sparse: 'self.size({own})' and 'mat2.size({dim})' must match",  # noqa: B023
        )
    if is_sparse(result):
        raise no_kernel("resize_", result)
    resize_out(result, (*shape[:2], other[2]))
    if not nnz(left):
        write_zeros(result)
        return
    left = coalesce_plain(left)
    if left._dtype not in (NUMBERS | COMPLEX) - HALVES:
        raise_not_implemented("bmm_sparse_dense", left._dtype)
    indices, values, select = indices_of(left), values_of(left), METHODS["select"]
    bounds = np.searchsorted(indices[0], np.arange(shape[0] + 1))
    for index in range(shape[0]):
        target, start, end = select(result, 0, index), bounds[index], bounds[index + 1]
        if start == end:
            write_zeros(target)
            continue
        part = METHODS["narrow"](values, 0, int(start), int(end - start))
        places = indices[1:, start:end]
        _add_values(target, target, places, part, select(right, 0, index), NO_SUM)


def addr(*arguments: Any, out: Tensor | None = None) -> Tensor:
    """addr(input, vec1, vec2), which torch composes for sparse tensors (math_addr)."""
    added, left, right, factors = _arguments(*arguments)
    tensors = added, left, right
    if out is not None:
        check_no_grad_out("addr", *tensors, out)
    with no_grad():
        result = _addr(*tensors, factors)
        if out is not None:
            _copy_checked(out, result)
            return out
    return record_grad_fn(result, tensors, "AddrBackward0")


def _addr(added: Tensor, left: Tensor, right: Tensor, factors: Factors) -> Tensor:
    beta, alpha = factors
    if not any(map(is_sparse, (added, left, right))):
        return PUBLIC["addr"](added, left, right, beta=beta, alpha=alpha)  # type: ignore[no-any-return]
    products = PUBLIC["outer"](left, right)
    if alpha != 1:
        products = METHODS["mul"](products, alpha)
    if beta != 0:
        scaled = added if beta == 1 else METHODS["mul"](added, beta)
        products = METHODS["add"](scaled, products)
    common = promote_types(promote_types(added._dtype, left._dtype), right._dtype)
    return to_dtype(products, common, False, None)


def _copy_checked(out: Tensor, result: Tensor) -> None:
    check_cast(result._dtype, out)
    resize_dense(out, result._geometry.shape)
    METHODS["copy_"](out, result)


def addr_(*arguments: Any) -> Tensor:
    """Tensor.addr_(vec1, vec2): addr, written into the tensor."""
    added, left, right, factors = _arguments(*arguments)
    check_inplace(added, left, right)
    counter = version_counter(added)
    before = counter.version
    with no_grad():
        _copy_checked(added, _addr(added, left, right, factors))
    counter.version = before  # only the whole operator counts as a write
    return record_write(added, (left, right), "AddrBackward0")


KERNELS: dict[str, Callable[..., Any]] = {
    "mm": mm, "addmm": addmm, "addmm_": addmm_, "mv": mv, "bmm": bmm, "addr": addr, "addr_": addr_
}  # fmt: skip
"""The sparse kernels, by operator."""
