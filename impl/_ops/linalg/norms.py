"""torch.linalg.matrix_norm and torch.linalg.norm (ATen/native/LinearAlgebra.cpp)."""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._geometry.extents import Ints
from ..._geometry.view_shapes import wrap_dim
from ..._kernels.reduction import reduced_shape
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.factories import python_scalar
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..elementwise.binding import Overload, function_of_module
from .checks import (
    check_dtype,
    check_floating,
    check_matrix,
    check_real_order,
    check_same_device,
    copied_into,
    number_text,
)
from .decompositions import singular_values
from .vector_norm import vector_norm

_MATRIX = "linalg.matrix_norm"
Norm = Callable[..., Tensor]


def _with_out(name: str, norm: Norm) -> Norm:
    """Return a norm that is copied to ``out``."""

    def run(tensor: Tensor, *arguments: Any, out: Tensor | None = None) -> Tensor:
        if out is None:
            return norm(tensor, *arguments)
        check_same_device(name, tensor, out)  # torch takes one for the other
        return copied_into(name, out, norm(tensor, *arguments))

    return run


def _check(tensor: Tensor, dims: Ints, dtype: Any, *, low_precision: bool) -> tuple[int, int]:
    """Return the wrapped dimensions of matrices (_linalg_matrix_norm_checks)."""
    check_matrix(_MATRIX, tensor)
    check_floating(_MATRIX, tensor, low_precision=low_precision)
    check(
        len(dims) == 2,
        lambda: f"{_MATRIX}: dim must be a 2-tuple. Got {' '.join(map(str, dims))}",
    )
    first, second = (wrap_dim(dim, tensor._geometry.rank) for dim in dims)
    check(
        first != second,
        lambda: f"{_MATRIX}: dims must be different. Got ({first}, {second})",
    )
    check_dtype(_MATRIX, dtype, tensor)
    return first, second


def _matrix_norm(tensor: Tensor, order: Any, dims: Ints, keepdim: bool, dtype: Any) -> Tensor:
    number = python_scalar(order)
    check_real_order(_MATRIX, number)
    value = float(number)
    check(
        abs(value) in (1, 2, inf),
        lambda: f"{_MATRIX}: Order {number_text(value)} not supported.",
    )
    pair = _check(tensor, dims, dtype, low_precision=abs(value) != 2)
    if abs(value) == 2:
        reduce = partial(_extreme, dim=-1, keepdim=keepdim, is_largest=value > 0)
        return _of_singular_values(tensor, pair, keepdim, dtype, reduce)
    summed, compared = pair if abs(value) == 1 else pair[::-1]
    norms = vector_norm(tensor, 1.0, (summed,), keepdim, dtype=dtype)
    return _extreme(norms, compared - (not keepdim and summed < compared), keepdim, value > 0)


def _of_singular_values(
    tensor: Tensor,
    dims: tuple[int, int],
    keepdim: bool,
    dtype: Any,
    reduce: Callable[[Tensor], Tensor],
) -> Tensor:
    """Return what is reduced of the singular values of the matrices in two dimensions."""
    if tensor._geometry.is_sparse:
        raise no_kernel("_linalg_svd", tensor)
    rank = tensor._geometry.rank
    order = [*(dim for dim in range(rank) if dim not in dims), *dims]
    if dtype is not None:
        tensor = METHODS["to"](tensor, dtype)
    result = reduce(singular_values(METHODS["permute"](tensor, order)))
    if not keepdim:
        return result
    result = METHODS["unsqueeze"](result, -1)
    return METHODS["permute"](result, [order.index(dim) for dim in range(rank)])  # type: ignore[no-any-return]


def _extreme(norms: Tensor, dim: int, keepdim: bool, is_largest: bool) -> Tensor:
    """Return the largest or smallest norms along a dimension; the largest of none is 0."""
    shape = norms._geometry.shape
    if not is_largest or shape[dim]:
        return PUBLIC["amax" if is_largest else "amin"](norms, dim, keepdim)  # type: ignore[no-any-return]
    dim = wrap_dim(dim, len(shape))
    result: Tensor = METHODS["new_zeros"](norms, reduced_shape(shape, (dim,), keepdim))
    if norms._geometry.device is not META:
        bump_version(result)
    return result


def _named_matrix_norm(tensor: Tensor, order: str, dims: Ints, keepdim: bool, dtype: Any) -> Tensor:
    check(order in ("fro", "nuc"), lambda: f"{_MATRIX}: Order {order} not supported.")
    pair = _check(tensor, dims, dtype, low_precision=order != "nuc")
    if order == "nuc":
        reduce = partial(PUBLIC["sum"], dim=-1, keepdim=keepdim)
        return _of_singular_values(tensor, pair, keepdim, dtype, reduce)
    return vector_norm(tensor, 2, pair, keepdim, dtype=dtype)  # type: ignore[no-any-return]


def _norm(tensor: Tensor, order: Any, dims: Any, keepdim: bool, dtype: Any) -> Tensor:
    rank = tensor._geometry.rank
    if dims is not None:
        _check_dims(dims)
    elif order is not None:
        _check_rank(rank)
    if order is not None and (rank if dims is None else len(dims)) == 2:
        return _matrix_norm(tensor, order, (0, 1) if dims is None else dims, keepdim, dtype)
    order = 2.0 if order is None else order
    return vector_norm(tensor, order, dims, keepdim, dtype=dtype)  # type: ignore[no-any-return]


def _named_norm(tensor: Tensor, order: str, dims: Any, keepdim: bool, dtype: Any) -> Tensor:
    if dims is not None:
        _check_dims(dims)
    else:
        _check_rank(tensor._geometry.rank)
    return _named_matrix_norm(tensor, order, (0, 1) if dims is None else dims, keepdim, dtype)


def _check_dims(dims: Ints) -> None:
    check(
        len(dims) in (1, 2),
        lambda: f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {[*dims]}",
    )


def _check_rank(rank: int) -> None:
    check(
        rank in (1, 2),
        lambda: (
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got"
            f" {rank}D."
        ),
    )


_MATRIX_PARAMETERS = "IntArrayRef dim={-2,-1}, bool keepdim=False, *, ScalarType? dtype=None"
_PARAMETERS = "IntArrayRef[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None"
matrix_norm = function_of_module(
    "linalg",
    "matrix_norm",
    Overload(f"Scalar ord, {_MATRIX_PARAMETERS}", _with_out(_MATRIX, _matrix_norm)),
    Overload(
        f'c10::string_view ord="fro", {_MATRIX_PARAMETERS}', _with_out(_MATRIX, _named_matrix_norm)
    ),
    doc="Return the norms of matrices.",
)
norm = function_of_module(
    "linalg",
    "norm",
    Overload(f"Scalar? ord=None, {_PARAMETERS}", _with_out("linalg.norm", _norm)),
    Overload(f"c10::string_view ord, {_PARAMETERS}", _with_out("linalg.norm", _named_norm)),
    doc="Return the norm of a vector or of matrices.",
)
