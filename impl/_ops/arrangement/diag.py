"""The operator diag, which torch composes of diag_embed and diagonal_copy (TensorShape.cpp)."""

from collections.abc import Callable

from ..._devices.device import META
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import spec_of
from ..._geometry import view_slices
from ..._geometry.geometry import dense, on_device
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import resize_output, warn_resized_output
from ..._tensor.out_autograd import check_no_leaf
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import plain_view, record_grad_fn
from ..common.clone import contiguous_copy
from ..common.conj_neg_fallback import resolve_operands, write_to_clone
from ..common.copy import record_write
from ..common.device_checks import check_out_device, check_out_device_for_write
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..elementwise.binding import Overload, install_operator


def _diag(tensor: Tensor, diagonal: int, out: Tensor | None = None) -> Tensor:
    rank = tensor._geometry.rank
    check(
        rank in (1, 2),
        lambda: f"{'diag(): ' if out is None else ''}Supports 1D or 2D tensors. Got {rank}D",
    )
    if out is not None:
        return _diag_into(out, tensor, diagonal)
    if rank == 1:
        return PUBLIC["diag_embed"](tensor, diagonal)  # type: ignore[no-any-return]
    return _diagonal_copy(tensor, diagonal)


def _diagonal_copy(tensor: Tensor, diagonal: int) -> Tensor:
    """Return a copy of the diagonal of a matrix."""
    if tensor._geometry.is_sparse:
        raise no_kernel("diagonal_copy", tensor)
    if is_on_meta(tensor):
        copy = in_reference(contiguous_copy, _diagonal(tensor, diagonal))
        resolve_operands((tensor,))  # which torch does first, but it shows warnings of C++ later
    else:
        (resolved,) = resolve_operands((tensor,))
        copy = contiguous_copy(_diagonal(resolved, diagonal))
    return record_grad_fn(copy, (tensor,), "DiagonalBackward0_copy")


def _diagonal(tensor: Tensor, diagonal: int) -> Tensor:
    """Return a view of the diagonal of a matrix, without bits and autograd metadata."""
    geometry = tensor._geometry
    return plain_view(tensor, *view_slices.diagonal(geometry.shape, geometry.stride, diagonal))


def _diag_into(out: Tensor, tensor: Tensor, diagonal: int) -> Tensor:
    """Write the result into ``out``, which has to have the dtype and the device of the tensor."""
    source, dtype, is_vector = tensor._dtype, out._dtype, tensor._geometry.rank == 1
    check(
        not is_vector or can_cast(source, dtype),
        lambda: (
            f"diag: result type {spec_of(source).cpp_name} can't be cast to the desired out= type"
            f" {spec_of(dtype).cpp_name}"
        ),
    )
    kernel = "diag_embed" if is_vector else "diagonal_copy"
    check_no_leaf(f"aten::{kernel}", out)
    (resolved,) = resolve_operands((tensor,))
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _write(kernel, clone, resolved, diagonal))
    return _write(kernel, out, resolved, diagonal)


def _write(kernel: str, out: Tensor, tensor: Tensor, diagonal: int) -> Tensor:
    own, device = tensor._geometry.device, out._geometry.device
    in_python = META in (own, device) and not (
        tensor._geometry.is_sparse or out._geometry.is_sparse
    )
    if in_python:
        check_out_device_for_write(out, own)
    make: Callable[..., Tensor] = PUBLIC["diag_embed"]
    if kernel != "diag_embed":
        make = _diagonal if in_python else _diagonal_copy
    result = make(shallow_copy(tensor), diagonal)
    shape = result._geometry.shape
    if in_python:
        into_meta(kernel, out, on_device(dense(shape), META), tensor._dtype)
        return record_write(out, (tensor,), "NotImplemented")
    if out._geometry.is_sparse and out._geometry.shape != shape:
        warn_resized_output(out._geometry.shape, shape)
        raise no_kernel("resize_", out)
    resize_output(out, shape)
    check(
        out._dtype is tensor._dtype,
        lambda: (
            f"Expected out tensor to have dtype {cpp_type(tensor._dtype)}, but got"
            f" {cpp_type(out._dtype)} instead"
        ),
    )
    check_out_device(out, own)
    METHODS["copy_"](shallow_copy(out), result)
    return record_write(out, (tensor,), "NotImplemented")


install_operator(
    "diag",
    Overload("int64_t diagonal=0", _diag),
    doc="Return a matrix with the elements on a diagonal, or the diagonal of a matrix.",
)
