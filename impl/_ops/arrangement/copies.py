"""Copies of views: view_copy and its kin, each a contiguous copy of a view of its operand.

From ATen/native/TensorShape.cpp and the generated CompositeViewCopyKernels.cpp. On meta, torch has
references of some of them (torch/_refs/__init__.py).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._devices.device import META
from ..._dtypes.cpp_names import cpp_type
from ..._geometry import view_shapes, view_slices
from ..._geometry.extents import storage_size
from ..._geometry.layout import contiguous_format
from ..._geometry.view_checks import DeviceError
from ..._runtime.errors import check
from ..._tensor.allocation import (
    empty_with,
    resize_output,
    warn_if_complex32,
    warn_resized_output,
)
from ..._tensor.data_access import byte_strides
from ..._tensor.out_autograd import (
    check_no_complex_gradient,
    check_no_leaf,
    with_gradient_check,
)
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import plain_view, record_grad_fn, record_outputs
from ..common.array_plans import is_noting, note_arrays
from ..common.clone import clone, like_geometry
from ..common.conj_neg_fallback import late_warnings, resolve_operands, write_to_clone
from ..common.copy import record_write
from ..common.device_checks import check_out_device, check_out_device_for_write
from ..common.meta_reference import into_meta, is_on_meta, warn_of_result
from ..elementwise.binding import Overload, install_operator
from ..views import views

View = Callable[..., Any]
"""A function of a tensor and of a view's arguments that returns the view or a tuple of views."""


class CopiedView(NamedTuple):
    """An overload of a function that copies a view.

    name: the name of the function
    parameters: the parameters after the first one
    view: the view that is copied
    node: the name of the grad_fn; empty if the copy has none
    overload: the name of torch's overload, with its dot
    is_reference: on meta, torch has a reference in Python of the function with ``out``
    """

    name: str
    parameters: str
    view: View
    node: str
    overload: str = ""
    is_reference: bool = True


def copy_view(copied: CopiedView, tensor: Tensor, *arguments: Any) -> Tensor:
    """Return a contiguous copy of a view."""
    resolved, view = _resolved_and_viewed(copied, tensor, *arguments)
    is_view = view._storage is resolved._storage  # view_copy copies what has no view
    result: Tensor = clone(view, contiguous_format) if is_view else view
    warn_if_complex32(tensor._dtype, late_warnings((tensor,)))
    if copied.name in _WITHOUT_COMPLEX_GRADIENT:
        check_no_complex_gradient(copied.name, result._dtype, tensor)
    if copied.node:
        record_grad_fn(result, (tensor,), copied.node)
    if is_view and is_noting() and (part := part_of(tensor, view)) is not None:
        is_whole = copied.name in _OF_STORAGE or copied.overload == ".dtype"
        note_arrays(lambda raw: part(raw).copy(), result, tensor, is_whole=is_whole)
    return result


_OF_STORAGE = frozenset({"as_strided_copy", "view_as_complex_copy"})
"""The functions whose results depend on the tensor's offset in its storage."""


def part_of(tensor: Tensor, view: Tensor) -> Callable[[Any], Any] | None:
    """Return the function of a contiguous tensor's raw array that returns that of its view.

    Return None for other tensors, and for views that end outside of the tensor.
    """
    geometry, own = view._geometry, tensor._geometry
    if not own.is_contiguous or not geometry.numel or view._conj_neg:
        return None
    storage_dtype = numpy_storage_dtype(view._dtype)
    itemsize = storage_dtype.itemsize
    size = own.numel * tensor._dtype.itemsize
    start = view._offset * itemsize - tensor._offset * tensor._dtype.itemsize
    end = start + storage_size(geometry.shape, geometry.stride) * itemsize
    if not 0 <= start <= end <= size:
        return None
    steps = byte_strides(geometry, itemsize)
    return lambda raw: np.ndarray(geometry.shape, storage_dtype, raw, start, steps)


def copy_views(copied: CopiedView, tensor: Tensor, *arguments: Any) -> tuple[Tensor, ...]:
    """Return a contiguous copy of each of several views."""
    _, parts = _resolved_and_viewed(copied, tensor, *arguments)
    copies = [clone(shallow_copy(part), contiguous_format) for part in parts]
    warn_if_complex32(tensor._dtype, late_warnings((tensor,)))
    results = record_outputs(copies, (tensor,), copied.node)
    if is_noting():
        reads = [part_of(tensor, part) for part in parts]
        if None not in reads:
            note_arrays(lambda raw: [read(raw).copy() for read in reads], results, tensor)  # type: ignore[misc]
    return results


def _resolved_and_viewed(copied: CopiedView, tensor: Tensor, *arguments: Any) -> tuple[Tensor, Any]:
    """Return a tensor with resolved bits, and the view or the views of it."""
    if tensor._geometry.is_sparse:
        raise no_kernel(f"{copied.name}{copied.overload}", tensor)
    if is_on_meta(tensor):
        plain = tensor if not tensor._conj_neg else _like(tensor)
        return plain, copied.view(plain, *arguments)
    (resolved,) = resolve_operands((tensor,))
    return resolved, copied.view(resolved, *arguments)


def _like(tensor: Tensor) -> Tensor:
    """Return a tensor on meta like a copy of one on meta, without its bits."""
    dtype = tensor._dtype
    return empty_with(like_geometry(tensor, None, dtype), dtype, warns=False)


_WITHOUT_COMPLEX_GRADIENT = frozenset({"select_copy", "slice_copy", "view_as_complex_copy"})


def copy_view_into(copied: CopiedView, out: Tensor, tensor: Tensor, *arguments: Any) -> Tensor:
    """Write a copy of a view to ``out``, which has to have its dtype and its device."""
    check_no_leaf(f"aten::{copied.name}", out)
    (resolved,) = resolve_operands((tensor,))
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _write(copied, clone, resolved, *arguments))
    return _write(copied, out, resolved, *arguments)


def _write(copied: CopiedView, out: Tensor, tensor: Tensor, *arguments: Any) -> Tensor:
    devices = tensor._geometry.device, out._geometry.device
    is_sparse = tensor._geometry.is_sparse or out._geometry.is_sparse
    if copied.is_reference and META in devices and not is_sparse:
        view: Tensor = copied.view(tensor, *arguments)
        write_on_meta(copied.name, out, view)
    else:
        write_result(out, copy_view(copied, shallow_copy(tensor), *arguments))
    return record_write(out, (tensor,), "NotImplemented")


def write_on_meta(name: str, out: Tensor, view: Tensor) -> None:
    """Do what a reference does to ``out``, where a tensor is on meta."""
    check_out_device_for_write(out, view._geometry.device)
    if name == "unfold_copy":
        warn_of_result(view._dtype)  # its reference makes a copy
    into_meta(name, out, view._geometry, view._dtype)


def write_result(out: Tensor, result: Tensor) -> None:
    """Write a new tensor to ``out``, which is resized (the generated kernels with out=)."""
    prepare_out(out, result)
    METHODS["copy_"](shallow_copy(out), result)


def prepare_out(out: Tensor, result: Tensor) -> None:
    """Resize ``out``; raise if it has not the dtype and the device of the result."""
    shape = result._geometry.shape
    if out._geometry.is_sparse and out._geometry.shape != shape:
        warn_resized_output(out._geometry.shape, shape)
        raise no_kernel("resize_", out)
    resize_output(out, shape)
    check(
        out._dtype is result._dtype,
        lambda: (
            f"Expected out tensor to have dtype {cpp_type(result._dtype)}, but got"
            f" {cpp_type(out._dtype)} instead"
        ),
    )
    check_out_device(out, result._geometry.device)


def with_leaf_check(run: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that raises first if autograd forbids to write to ``out``."""

    def check(operands: tuple[Any, ...], out: Tensor) -> None:
        check_no_leaf(f"aten::{name}", out)

    return with_gradient_check(run, check)


def _run(copied: CopiedView, tensor: Tensor, *arguments: Any, out: Tensor | None = None) -> Tensor:
    if out is None:
        return copy_view(copied, tensor, *arguments)
    return copy_view_into(copied, out, tensor, *arguments)


def _reshape(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """Return a view of another shape, or a copy; on meta, torch has only the view."""
    return (views.view if tensor._geometry.device is META else views.reshape)(tensor, size)


def of_geometry(function: Callable[..., Any]) -> View:
    """Return a view that the geometry alone decides, without autograd metadata."""

    def view(tensor: Tensor, *arguments: Any) -> Tensor:
        geometry = tensor._geometry
        try:
            change = function(geometry.shape, geometry.stride, *arguments)
        except DeviceError as error:
            raise error.of(is_meta=geometry.device is META) from None
        return plain_view(tensor, *change)

    return view


def without_autograd(function: Callable[..., Any]) -> View:
    """Return a function of views which autograd does not record."""
    return lambda tensor, *arguments: function(shallow_copy(tensor), *arguments)


def doc_of(name: str) -> str:
    """Return the docstring of a function that copies a view."""
    return f"Return what {name.removesuffix('_copy')} returns, copied to new memory."


DIAGONAL_COPY = CopiedView(
    "diagonal_copy", views.DIAGONAL, of_geometry(view_slices.diagonal), "DiagonalBackward0_copy"
)
SLICE = "int64_t dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1"
_squeeze = of_geometry(view_shapes.squeeze)

_COPIES = (
    CopiedView("alias_copy", "", shallow_copy, "AliasBackward0_copy"),
    CopiedView("detach_copy", "", shallow_copy, "NotImplemented", is_reference=False),
    CopiedView(
        "as_strided_copy", views.AS_STRIDED, without_autograd(views.as_strided),
        "AsStridedBackward0_copy",
    ),
    DIAGONAL_COPY,
    CopiedView(
        "expand_copy",
        "SymIntArrayRef size, *, bool implicit=False",
        without_autograd(views.expand),
        "ExpandBackward0_copy",
    ),
    CopiedView(
        "permute_copy", "IntArrayRef dims", of_geometry(view_shapes.permute),
        "PermuteBackward0_copy",
    ),
    CopiedView(
        "select_copy", "int64_t dim, SymInt index", of_geometry(view_slices.select),
        "SelectBackward0_copy", ".int", is_reference=False,
    ),
    CopiedView(
        "slice_copy", SLICE, of_geometry(view_slices.slice), "SliceBackward0_copy", ".Tensor",
        is_reference=False,
    ),
    CopiedView("squeeze_copy", "", _squeeze, "SqueezeBackward0_copy"),
    CopiedView("squeeze_copy", "int64_t dim", _squeeze, "SqueezeBackward1_copy", ".dim"),
    CopiedView("squeeze_copy", "IntArrayRef dim", _squeeze, "SqueezeBackward2_copy", ".dims"),
    CopiedView("t_copy", "", of_geometry(view_shapes.t), "TBackward0_copy"),
    CopiedView(
        "transpose_copy", views.TRANSPOSES["transpose"], of_geometry(view_shapes.transpose),
        "TransposeBackward0_copy", ".int",
    ),
    CopiedView(
        "unfold_copy", "int64_t dimension, int64_t size, int64_t step",
        of_geometry(view_slices.unfold), "UnfoldBackward0_copy",
    ),
    CopiedView(
        "unsqueeze_copy", "int64_t dim", of_geometry(view_shapes.unsqueeze),
        "UnsqueezeBackward0_copy",
    ),
    CopiedView("view_copy", "ScalarType dtype", without_autograd(views.view_dtype), "", ".dtype"),
    CopiedView(
        "view_copy", "SymIntArrayRef size", without_autograd(_reshape), "ViewBackward0_copy"
    ),
    CopiedView(
        "view_as_real_copy", "", without_autograd(views.view_as_real), "ViewAsRealBackward0_copy",
        is_reference=False,
    ),
    CopiedView(
        "view_as_complex_copy", "", without_autograd(views.view_as_complex),
        "ViewAsComplexBackward0_copy", is_reference=False,
    ),
)  # fmt: skip
"""The functions that copy views, with the overloads of each in torch's order."""


for _name in dict.fromkeys(copied.name for copied in _COPIES):
    _overloads = [
        Overload(copied.parameters, with_leaf_check(partial(_run, copied), _name))
        for copied in _COPIES
        if copied.name == _name
    ]
    install_operator(_name, *_overloads, doc=doc_of(_name), method=False)
