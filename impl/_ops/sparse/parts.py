"""The conjugate, the real and imaginary parts of sparse tensors, and any().

They follow aten/src/ATen/native/sparse/SparseTensorMath.cpp and native/UnaryOps.cpp.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..._autograd.autograd_meta import is_differentiable
from ..._autograd.saved_targets import grad_fn_of
from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import BOOL, FLOAT16, FLOAT32, FLOAT64
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import resize_output, warn_if_complex32, warn_resized_output
from ..._tensor.out_autograd import check_no_leaf
from ..._tensor.sparse_coo import (
    detached_part,
    is_sparse,
    sparse_dim_of,
    sparse_storage,
    sparse_tensor,
)
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.copy import record_write, to_dtype
from ..common.out_argument import check_same_dtype
from .common import (
    check_sparse_out,
    internal_assert,
    is_coalesced,
    values_of,
    warn_of_empty_result,
    with_dtype,
    with_values,
)
from .resizing import check_resize
from .unary import assign_values, copy_into, written
from .views import record_sparse_view, select


def conj_physical(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """conj_physical(input, *, out=None): the conjugated values; a real tensor itself."""
    if out is not None and META in (tensor._geometry.device, out._geometry.device):
        check_no_leaf("aten::conj_physical", out, tensor)
        raise no_kernel("conj_physical.out", tensor, out)
    if out is not None:
        return _conj_physical_out(tensor, out)
    if not tensor._dtype.is_complex:
        return tensor
    warn_if_complex32(tensor._dtype)
    if tensor._geometry.device is META:
        warn_of_empty_result(tensor._dtype)
        raise no_kernel("conj_physical.out", tensor)
    values = PUBLIC["conj_physical"](detached_part(values_of(tensor)))
    warn_of_empty_result(tensor._dtype)
    return record_grad_fn(with_values(tensor, values), (tensor,), "ConjPhysicalBackward0")


def _conj_physical_out(tensor: Tensor, out: Tensor) -> Tensor:
    check_no_leaf("aten::conj_physical", out, tensor)
    internal_assert(is_sparse(tensor), "input.is_sparse()", 2055)
    check_sparse_out(out)
    if out is not tensor:
        check_resize(out, tensor)
    if not tensor._dtype.is_complex:
        recorded = (tensor,) if is_differentiable(out) else ()
        if out is tensor:
            return written(out, recorded)
        values = values_of(with_dtype(tensor, out._dtype))
        return copy_into(out, tensor, values, *recorded)
    if not out._dtype.is_complex:
        with_dtype(tensor, out._dtype)  # torch copies the elements first, and so warns
    check_same_dtype(tensor._dtype, out)
    values = detached_part(values_of(tensor))
    target = {"out": values} if out is tensor else {}
    return assign_values(out, tensor, PUBLIC["conj_physical"](values, **target), tensor)


def conj_physical_(tensor: Tensor) -> Tensor:
    """Tensor.conj_physical_(): torch has a sparse kernel for real tensors only."""
    check_inplace(tensor)
    check(not tensor._dtype.is_complex, lambda: "unsupported tensor layout: Sparse")
    return record_write(tensor, (), "ConjPhysicalBackward1")


def _part(index: int, tensor: Tensor) -> Tensor:
    """Return the real or imaginary parts, which share the memory of the values."""
    if not tensor._dtype.is_complex:
        check(not index, lambda: "imag is not implemented for tensors with non-complex dtypes.")
        return tensor
    return select(_view_as_real(tensor), -1, index)


def _reduction(name: str, tensor: Tensor, dims: Any, keepdim: bool, out: Tensor | None) -> Tensor:
    """Return the bools along some dimensions, which torch composes of the kernels for one and all.

    Along no dimension each element is one; along a dimension torch has no sparse kernel.
    """
    if isinstance(dims, int):
        raise no_kernel(f"{name}.dim" if out is None else f"{name}.out", tensor, out)
    if dims == ():
        is_dense = not is_sparse(tensor)
        result = to_dtype(tensor, BOOL, False, None) if is_dense else with_dtype(tensor, BOOL)
        return result if out is None else _copied_to(out, result)
    if dims is not None:
        raise no_kernel(f"{name}.dim", tensor) if is_sparse(tensor) else no_kernel("resize_", out)
    result = PUBLIC[name](tensor)
    if keepdim:
        result = METHODS["expand"](result, (1,) * tensor._geometry.rank)
    return result if out is None else _copied_to(out, result)


def _copied_to(out: Tensor, result: Tensor) -> Tensor:
    if not is_sparse(out):
        resize_output(out, result._geometry.shape)
    elif out._geometry.shape != result._geometry.shape:
        warn_resized_output(out._geometry.shape, result._geometry.shape)
        raise no_kernel("resize_", out)
    return METHODS["copy_"](out, result)  # type: ignore[no-any-return]


def all_(tensor: Tensor, *args: Any, out: Tensor | None = None) -> Tensor:
    """all(input, dim): torch has a result only along no dimension."""
    if args:
        dims, keepdim = args
        return _reduction("all", tensor, dims, keepdim, out)
    raise no_kernel("all" if out is None else "all.all_out", tensor, out)


def any_(tensor: Tensor, *args: Any, out: Tensor | None = None) -> Tensor:
    """any(input): whether any value is nonzero."""
    if args:
        dims, keepdim = args
        return _reduction("any", tensor, dims, keepdim, out)
    if out is not None or tensor._geometry.device is META:
        raise no_kernel("any" if out is None else "any.all_out", tensor, out)
    return PUBLIC["any"](detached_part(values_of(tensor)))  # type: ignore[no-any-return]


def _view_as_real(tensor: Tensor) -> Tensor:
    """view_as_real(input): the values as pairs, which share their memory."""
    if tensor._geometry.device is META:
        raise no_kernel("view_as_real", tensor)
    check(
        tensor._dtype.is_complex,
        lambda: "view_as_real_sparse is only supported for complex sparse tensors",
    )
    return _pairs(tensor)


def _pairs(tensor: Tensor) -> Tensor:
    return _with_viewed("view_as_real", tensor, (*tensor._geometry.shape, 2))


def _view_as_complex(tensor: Tensor) -> Tensor:
    """view_as_complex(input): the pairs of values as complex values, which share their memory."""
    if tensor._geometry.device is META:
        raise no_kernel("view_as_complex", tensor)
    check(
        tensor._dtype in (FLOAT16, FLOAT32, FLOAT64),
        lambda: (
            "view_as_complex_sparse is only supported for half, float, and double sparse tensors"
        ),
    )
    *shape, last = tensor._geometry.shape or (0,)
    check(
        last == 2 and sparse_dim_of(tensor) <= len(shape),
        lambda: (
            "view_as_complex_sparse is only supported for sparse tensors with the last dim == 2"
            " and dense_dim > 0."
        ),
    )
    return _with_viewed("view_as_complex", tensor, tuple(shape))


def _with_viewed(name: str, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    parts = sparse_storage(tensor)
    values = PUBLIC[name](detached_part(parts.values))
    result = sparse_tensor(parts.indices, values, shape, is_coalesced(tensor), warns=False)
    return record_sparse_view(result, tensor, grad_fn_of(name), typed=True)


KERNELS: dict[str, Callable[..., Any]] = {
    "conj_physical": conj_physical, "conj": conj_physical, "conj_physical_": conj_physical_,
    "real": partial(_part, 0), "imag": partial(_part, 1), "any": any_,
    "all": all_, "view_as_real": _view_as_real, "view_as_complex": _view_as_complex,
}  # fmt: skip
