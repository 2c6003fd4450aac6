"""The products of torch.linalg (LinearAlgebra.cpp and TensorFactories.cpp in ATen/native)."""

from collections.abc import Sequence

from ..._argparser.types import is_integral_dtype
from ..._devices.device import META
from ..._geometry.layout import contiguous_format
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import warn_if_complex32
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..elementwise.binding import Overload, function_of_module
from ..products.composed import multi_dot as multiply_chain
from ..products.cross import cross_along
from ..products.matmul import multiply
from ..products.product import resize_counted
from .checks import (
    LAPACK,
    check_castable,
    check_floating,
    check_same_device,
    check_square,
    cpp_name,
)
from .solvers import inverse

_VECDOT = "linalg.vecdot"


def _vecdot(left: Tensor, right: Tensor, dim: int, out: Tensor | None = None) -> Tensor:
    check_floating(_VECDOT, left)
    dtypes = left._dtype, right._dtype
    check(
        dtypes[0] is dtypes[1],
        lambda: (
            f"{_VECDOT}: Expected x and y to have the same dtype, but found x of type"
            f" {cpp_name(dtypes[0])} and y of type {cpp_name(dtypes[1])} instead"
        ),
    )
    options = {} if out is None else {"out": out}
    if out is not None:
        check(
            out._dtype is dtypes[0],
            lambda: (
                f"{_VECDOT}: Expected out of dtype{cpp_name(dtypes[0])} but found"
                f" {cpp_name(out._dtype)}"
            ),
        )
        check_same_device(_VECDOT, left, out)  # torch takes one for the other
    if left._geometry.rank == right._geometry.rank == 1:
        if out is not None:
            resize_counted(out, ())
        return PUBLIC["vdot"](left, right, **options)  # type: ignore[no-any-return]
    conjugate = METHODS["conj"](left)
    is_copied = bool(conjugate._conj_neg) and left._geometry.device is META
    try:
        terms = METHODS["mul"](left if is_copied else conjugate, right)
        return PUBLIC["sum"](terms, (dim,), **options)  # type: ignore[no-any-return]
    finally:
        if is_copied:  # torch shows the warning of the copy after those of references
            warn_if_complex32(left._dtype)


def _cross(left: Tensor, right: Tensor, dim: int, out: Tensor | None = None) -> Tensor:
    return cross_along(left, right, dim, out)


with_gradient_check(_cross, gradient_check("linalg_cross"))


def _diagonal(tensor: Tensor, offset: int, first: int, second: int) -> Tensor:
    return METHODS["diagonal"](tensor, offset, first, second)  # type: ignore[no-any-return]


def _multi_dot(tensors: Sequence[Tensor], out: Tensor | None = None) -> Tensor:
    count = len(tensors)
    check(count >= 2, lambda: f"multi_dot(): expected at least 2 tensors but got {count}")
    return multiply_chain(tensors, out)


_POWER = "matrix_power"


def _matrix_power(tensor: Tensor, count: int, out: Tensor | None = None) -> Tensor:
    check_square(f"linalg.{_POWER}", tensor)
    if out is not None:
        check_same_device(_POWER, out, tensor)
        check_castable(_POWER, tensor._dtype, out)
        resize_counted(out, tensor._geometry.shape)
    given = (tensor,) if out is None else (tensor, out)
    if count < 0 and any(map(is_sparse, given)):
        raise no_kernel("linalg_inv_ex" if out is None else "linalg_inv_ex.inverse", *given)
    if count == -1:
        return inverse(tensor, out=out)
    if count < 0:
        tensor, count = inverse(tensor), -count
    if count < 2:
        return _copied(tensor, out, is_identity=not count)
    return _multiplied(tensor, count, out)


def _copied(tensor: Tensor, out: Tensor | None, *, is_identity: bool) -> Tensor:
    """Return the matrices, or the identity in their place."""
    if out is None:
        result: Tensor = METHODS["clone"](tensor, memory_format=contiguous_format)
        if not is_identity:
            return result
        out = result
    if is_identity:
        kind = {
            "dtype": tensor._dtype,
            "device": tensor._geometry.device,
            "layout": tensor.layout,
        }
        tensor = PUBLIC["eye"](tensor._geometry.shape[-1], **kind)
    return METHODS["copy_"](out, tensor)  # type: ignore[no-any-return]


def _multiplied(tensor: Tensor, count: int, out: Tensor | None) -> Tensor:
    """Return the product of at least two equal matrices, by squares unless there are three."""
    matmul = PUBLIC["matmul"]
    last = {} if out is None else {"out": out}
    if count in (2, 3):
        left = tensor if count == 2 else matmul(tensor, tensor)
        return matmul(left, tensor, **last)  # type: ignore[no-any-return]
    square, result = tensor, None
    while True:
        count, bit = divmod(count, 2)
        if bit:
            if not count and result is None:
                return square if out is None else METHODS["copy_"](out, square)
            if not count:
                return matmul(result, square, **last)  # type: ignore[no-any-return]
            result = square if result is None else matmul(result, square)
        square = matmul(square, square)


def _vander(tensor: Tensor, count: int | None) -> Tensor:
    dtype = tensor._dtype
    check(
        dtype in LAPACK or is_integral_dtype(dtype, or_bool=False),
        lambda: (
            "linalg.vander supports floating point, complex, and integer tensors, but got"
            f" {cpp_name(dtype)}"
        ),
    )
    if not tensor._geometry.rank:
        tensor = METHODS["unsqueeze"](tensor, -1)
    shape = tensor._geometry.shape
    columns = shape[-1] if count is None else count
    check(columns > 1, lambda: "N must be greater than 1.")
    repeated = METHODS["expand"](METHODS["unsqueeze"](tensor, -1), (*shape, columns - 1))
    powers = METHODS["cumprod"](repeated, -1)
    ones = METHODS["new_ones"](powers, (*shape, 1))
    return PUBLIC["cat"]([ones, powers], -1)  # type: ignore[no-any-return]


matmul = function_of_module(
    "linalg",
    "matmul",
    Overload("Tensor other", multiply),
    doc="Return the matrix product of two tensors.",
)
vecdot = function_of_module(
    "linalg",
    "vecdot",
    Overload("Tensor y, *, int64_t dim=-1", _vecdot, input="Tensor x"),
    doc="Return the dot products of vectors along a dimension, the first ones conjugated.",
)
cross = function_of_module(
    "linalg",
    "cross",
    Overload("Tensor other, *, int64_t dim=-1", _cross),
    doc="Return the cross products of the vectors of three elements along a dimension.",
)
diagonal = function_of_module(
    "linalg",
    "diagonal",
    Overload(
        "*, int64_t offset=0, int64_t dim1=-2, int64_t dim2=-1",
        _diagonal,
        input="Tensor A",
        out=False,
    ),
    doc="Return a view of the diagonals of matrices.",
)
multi_dot = function_of_module(
    "linalg",
    "multi_dot",
    Overload("", _multi_dot, input="TensorList tensors"),
    doc="Return the product of matrices, multiplied in the order that costs least.",
)
matrix_power = function_of_module(
    "linalg",
    "matrix_power",
    Overload("int64_t n", _matrix_power),
    doc="Return square matrices, or their inverses, multiplied by themselves.",
)
vander = function_of_module(
    "linalg",
    "vander",
    Overload("*, SymInt? N=None", _vander, input="Tensor x", out=False),
    doc="Return the matrices of the powers of vectors, in increasing order.",
)
