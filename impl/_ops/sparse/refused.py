"""Calls that torch refuses for sparse tensors after it has checked their arguments.

Torch composes these operators of others, of which one has no sparse kernel
(aten/src/ATen/native/TensorShape.cpp).
"""

from collections.abc import Callable
from typing import Any, NoReturn

from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_inplace
from ..._devices.device import META
from ..._dtypes.constants import INT64
from ..._dtypes.scalars import tensor_dtype_of
from ..._dtypes.table import dtype
from ..._geometry import broadcasting, view_shapes, view_slices
from ..._geometry.extents import Ints
from ..._geometry.layout import sparse_coo
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor import structseq
from ..._tensor.allocation import warn_if_complex32, warn_resized_output
from ..._tensor.factories import zeros
from ..._tensor.out_autograd import (
    check_no_complex_gradient,
    check_no_grad_out,
    check_resizable,
)
from ..._tensor.sparse_coo import is_sparse
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.sparse_missing import missing_kernel
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import record_grad_fn
from ..common.type_strings import type_string
from ..indexing.masked_fill import broadcast_copy
from ..reduction.cumulative import check_out, check_out_pair, check_scan_dim
from ..reduction.sums import check_nanmean
from ..searching.ranked import check_mode_outs
from ..views.inplace import check_same_type
from ..views.views import check_start, read_sections
from .common import NO_FORMAT, warn_of_empty_result


def _view(geometry_of: Callable[..., Any], name: str = "as_strided") -> Callable[..., NoReturn]:
    """Return a kernel that checks the arguments of a view, which the geometry function does."""

    def run(tensor: Tensor, *args: Any) -> NoReturn:
        if name.endswith("_"):
            check_inplace(tensor)
        shape = tensor._geometry.shape
        geometry_of(shape, (0,) * len(shape), *args)
        raise no_kernel(name, tensor)

    return run


def _narrow(tensor: Tensor, dim: int, start: Any, length: int) -> Tensor:
    if isinstance(start, Tensor):
        check_start(start)
        start = start.item()
    if not is_sparse(tensor):
        part: Tensor = METHODS["narrow"](tensor, dim, start, length)
        return part
    return _view(view_slices.narrow)(tensor, dim, start, length)


def _split(tensor: Tensor, sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return no parts of a dimension without elements; raise for others."""
    shape = tensor._geometry.shape
    if isinstance(sizes, tuple) and sizes and sizes[0] >= 0:
        view_shapes.wrap_dim(dim, len(shape))
    else:  # without a first part that lacks as_strided
        view_slices.split(shape, (0,) * len(shape), sizes, dim)
    if sizes != ():
        raise no_kernel("as_strided", tensor)
    return ()


def _tensor_split(shape: Ints, stride: Ints, sections: Any, dim: int = 0) -> None:
    if isinstance(sections, Tensor):
        sections = read_sections(shape, sections)
    at_indices = isinstance(sections, tuple)
    parts = view_slices.tensor_split_at if at_indices else view_slices.tensor_split
    parts(shape, stride, sections, dim)


def expand(tensor: Tensor, size: Ints, *_: Any) -> NoReturn:
    rank = tensor._geometry.rank
    check(
        len(size) >= rank,
        lambda: (
            f"expand({cpp_type_name(tensor)}{{{[*tensor._geometry.shape]}}}, size={[*size]}): the"
            f" number of sizes provided ({len(size)}) must be greater or equal to the number of"
            f" dimensions in the tensor ({rank})"
        ),
    )
    raise RuntimeError(_NO_EXPAND)


def _scan(name: str) -> Callable[..., Any]:
    """Return a kernel that has a result only for a tensor without elements, of which it is empty.

    Torch fills the result of a 0-dim tensor (cummax_out in ATen/native/ReduceOps.cpp).
    """

    def run(tensor: Tensor, dim: int, *_: Any, out: Any = None) -> Any:
        geometry, dtypes = tensor._geometry, (tensor._dtype, INT64)
        if out is not None:
            check_out_pair(tensor, out, dtypes)
        check_scan_dim(name, geometry.rank, dim)
        for target in out or ():
            if target._geometry.shape != geometry.shape:
                warn_resized_output(target._geometry.shape, geometry.shape)
                raise no_kernel("resize_", target)
        if not geometry.numel:
            return _without_elements(name, tensor, dtypes, out)
        if geometry.rank:
            view_shapes.wrap_dim(dim, geometry.rank)
        if out is None:
            warn_of_empty_result(tensor._dtype)
        raise no_kernel(f"_{name}_helper" if geometry.rank else "fill_.Tensor", tensor)

    return run


def _without_elements(name: str, tensor: Tensor, dtypes: tuple[dtype, dtype], out: Any) -> Any:
    """Return the results of a scan of a tensor without elements."""
    if out is not None:
        for target in out:
            bump_version(target)
        return getattr(structseq, f"{name}_out")(out)
    geometry = tensor._geometry
    values, indices = (
        zeros(geometry.shape, dtype=dtype, layout=sparse_coo, device=geometry.device)
        for dtype in dtypes
    )
    check_no_complex_gradient(name, tensor._dtype, tensor)
    record_grad_fn(values, (tensor,), f"{name.title()}Backward0")
    return getattr(structseq, name)((values, indices))


def _logsumexp(tensor: Tensor, *_: Any, out: Tensor | None = None) -> NoReturn:
    if out is None:
        warn_of_empty_result(tensor._dtype)
    raise no_kernel("logsumexp.out", tensor, out)


def _logcumsumexp(tensor: Tensor, *_: Any, out: Tensor | None = None) -> NoReturn:
    if out is None:
        raise no_kernel("_logcumsumexp", tensor)
    check_out(tensor, out, tensor._dtype)
    raise no_kernel("_logcumsumexp.out", tensor, out)


def _nanmean(tensor: Tensor, *_: Any, out: Any = None) -> NoReturn:
    check_nanmean(tensor._dtype, out)
    if out is not None and not is_sparse(tensor):
        check_no_grad_out("nansum", tensor, out)
    if out is None:
        warn_if_complex32(tensor._dtype)  # torch detaches the tensor
    raise no_kernel("ne.Tensor" if is_sparse(tensor) else "nansum.out", tensor, out)


def _resize_(tensor: Tensor, *_: Any) -> NoReturn:
    check_resizable(tensor)
    raise no_kernel("resize_", tensor)


def _bernoulli(tensor: Tensor, p: Any = None, *out: Any) -> NoReturn:
    if tensors := [x for x in out if isinstance(x, Tensor)]:
        check_no_grad_out("bernoulli", tensor, *tensors)
        raise no_kernel("bernoulli.out", tensor)
    if isinstance(p, int | float):
        raise no_kernel("bernoulli.p", tensor)
    raise RuntimeError(NO_FORMAT)


def _on_clone(name: str) -> Callable[..., NoReturn]:
    """Return a kernel of an operator that torch composes of a clone and the one in place."""

    def run(tensor: Tensor, *others: Any) -> NoReturn:
        can_clone = tensor._geometry.device is META or not is_sparse(tensor)
        check(can_clone, lambda: "unsupported memory format option Preserve")
        METHODS["clone"](tensor)
        raise no_kernel(missing_kernel(f"{name}_", (tensor, *others)), tensor, *others)

    return run


def _frexp(tensor: Tensor, out: tuple[Tensor, Tensor] | None = None) -> NoReturn:
    if out is None:
        PUBLIC["empty_like"](shallow_copy(tensor))  # which warns of complex32
    raise no_kernel("frexp.Tensor_out", tensor, *(out or ()))


def _on_broadcast_copy(name: str) -> Callable[..., NoReturn]:
    """Return a kernel of an operator that torch composes of a copy and the one in place."""

    def run(tensor: Tensor, mask: Tensor, value: Any) -> NoReturn:
        if mask._geometry.shape != tensor._geometry.shape:  # then torch expands both
            broadcasting.broadcast_pair(mask._geometry.shape, tensor._geometry.shape)
            check(not (is_sparse(mask) or is_sparse(tensor)), lambda: _NO_EXPAND)
        check(tensor._geometry.device is not META or not is_sparse(tensor), lambda: NO_FORMAT)
        if not is_sparse(tensor):
            broadcast_copy(tensor, mask)  # torch makes the result first
            operands = tensor, mask, value
            raise no_kernel(missing_kernel(f"{name}_", operands), *operands)
        raise RuntimeError("unsupported memory format option Contiguous")

    return run


_NO_EXPAND = "expand is unsupported for Sparse tensors"


def _set_(tensor: Tensor, source: Any = None, *layout: Any) -> NoReturn:
    if isinstance(source, Tensor):
        check(
            not (layout and is_sparse(source)),
            lambda: "passed in tensor to be used as storage must be contiguous",
        )
        if not layout:
            check_same_type(tensor, source)
    check_inplace(tensor)
    if isinstance(source, Tensor):
        raise no_kernel(_SET_STORAGE if layout else "set_.source_Tensor", tensor, source)
    if source is None:
        raise no_kernel("set_", tensor)
    raise no_kernel(_SET_STORAGE if layout else "set_.source_Storage", tensor)


_SET_STORAGE = "set_.source_Storage_storage_offset"


def cpp_type_name(tensor: Any) -> str:
    """Return the C++ type name of a tensor, or of the 0-dim tensor of a number."""
    if not isinstance(tensor, Tensor):
        tensor = zeros((), dtype=tensor_dtype_of(tensor))
    return type_string(tensor)


def _mode(tensor: Tensor, dim: int, keepdim: bool, out: Any = None) -> NoReturn:
    if out is None:
        raise no_kernel("mode", tensor)
    check_no_grad_out("mode", tensor, out[0])
    device = tensor._geometry.device
    check(
        device is not META,
        lambda: f"mode only supports CPU, CUDA and XPU device type, got: {device}",
    )
    check(not is_sparse(tensor), lambda: "mode only supports strided layout, got: Sparse")
    check_mode_outs(tensor, out)
    view_shapes.wrap_dim(dim, tensor._geometry.rank)
    raise no_kernel("as_strided_", next(filter(is_sparse, out)))


KERNELS: dict[str, Callable[..., Any]] = {
    "mode": _mode,
    "squeeze": _view(view_shapes.squeeze), "squeeze_": _view(view_shapes.squeeze, "as_strided_"),
    "unsqueeze_": _view(view_shapes.unsqueeze, "as_strided_"),
    "diagonal": _view(view_slices.diagonal), "narrow": _narrow,
    "chunk": _view(view_slices.chunk),
    "split": _split, "split_with_sizes": _split,
    "tensor_split": _view(_tensor_split),
    "expand": expand, "broadcast_to": expand,
    "cummax": _scan("cummax"), "cummin": _scan("cummin"), "logsumexp": _logsumexp,
    "logcumsumexp": _logcumsumexp,
    "resize_": _resize_, "bernoulli": _bernoulli,
    "nanmean": _nanmean, "masked_fill": _on_broadcast_copy("masked_fill"),
    "frexp": _frexp,
    "masked_scatter": _on_broadcast_copy("masked_scatter"), "index_put": _on_clone("index_put"),
    "index_fill": _on_clone("index_fill"), "put": _on_clone("put"), "set_": _set_,
}  # fmt: skip
