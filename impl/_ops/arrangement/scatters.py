"""Copies of a tensor with other elements in a view: slice_scatter and its kin.

From ATen/native/TensorShape.cpp; for tensors on meta from torch/_meta_registrations.py and
torch/_decomp/decompositions.py.
"""

from functools import partial
from typing import Any, NamedTuple

from ..._autograd.autograd_meta import requires_grad
from ..._autograd.tracking import check_differentiable
from ..._geometry import broadcasting, view_slices
from ..._geometry.extents import storage_size
from ..._geometry.geometry import dense, on_device
from ..._geometry.strides import contiguous
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import check
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.out_autograd import (
    check_no_complex_gradient,
    check_no_complex_result,
    check_no_leaf,
)
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import plain_view, record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.clone import clone
from ..common.conj_neg_fallback import resolve_operands, run_resolved, write_to_clone
from ..common.copy import record_write
from ..common.meta_reference import in_reference, into_meta, is_on_meta, warn_of_result
from ..common.reference_dtypes import reference_dtype
from ..elementwise.binding import Overload, install_operator
from ..views import views
from .copies import SLICE, View, of_geometry, part_of, with_leaf_check, write_result


class Scatter(NamedTuple):
    """A function that copies a tensor and writes to a view of the copy.

    name: the name of the function
    parameters: the parameters after the source
    view: the view that is written
    node: the name of the grad_fn
    is_reference: torch has a reference for operands on meta, which writes and checks nothing
    has_out: the function has an ``out`` parameter
    """

    name: str
    parameters: str
    view: View
    node: str
    is_reference: bool = True
    has_out: bool = False


def _scatter(
    scatter: Scatter, tensor: Tensor, source: Tensor, *arguments: Any, out: Tensor | None = None
) -> Tensor:
    if out is not None:
        return _scatter_into(scatter, out, tensor, source, *arguments)
    if tensor._geometry.is_sparse or source._geometry.is_sparse:
        raise no_kernel(scatter.name, tensor, source)
    if scatter.is_reference and is_on_meta(tensor, source):
        result = run_resolved(
            lambda first, _: in_reference(_copied_by_reference, first), (tensor, source)
        )
    else:
        result = _scattered(scatter, tensor, source, *arguments)
    check_differentiable(result, source)
    if scatter.name in _WITHOUT_COMPLEX_GRADIENT:
        check_no_complex_gradient(scatter.name, result._dtype, tensor, source)
    return record_grad_fn(result, (tensor, source), scatter.node)


_WITHOUT_COMPLEX_GRADIENT = frozenset({"select_scatter", "slice_scatter"})


def _scattered(scatter: Scatter, tensor: Tensor, source: Tensor, *arguments: Any) -> Tensor:
    operands = resolve_operands((tensor, source))
    check(
        scatter.is_reference or tensor._geometry.is_contiguous or not requires_grad(operands[0]),
        lambda: _NOT_CONTIGUOUS,
    )
    copied, written = [shallow_copy(operand) for operand in operands]
    result = _copied_with_strides(copied, copied._storage._size // copied._dtype.itemsize)
    view = scatter.view(result, *arguments)
    expected, given = [*view._geometry.shape], [*written._geometry.shape]
    check(
        expected == given,
        lambda: (
            "expected src to have a size equal to the slice of self. src size ="
            f" {given}, slice size = {expected}"
        ),
    )
    METHODS["copy_"](shallow_copy(view), written)
    if is_noting():
        _note(result, view, tensor, source)
    return result


def _note(result: Tensor, view: Tensor, tensor: Tensor, source: Tensor) -> None:
    """Note the function of arrays that copies a tensor and writes a source to a view."""
    part = part_of(result, view)
    if part is None or not has_separate_elements(raw_array(view)):
        return
    if tensor._geometry is not result._geometry or source._dtype is not view._dtype:
        return

    def scattered(raw: Any, written: Any) -> Any:
        copied = raw.copy()
        part(copied)[...] = written
        return copied

    note_arrays(scattered, result, tensor, source, is_whole=True)  # torch copies the storage


_NOT_CONTIGUOUS = (
    "!self.requires_grad() || self.is_contiguous() INTERNAL ASSERT FAILED at"
    ' "/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp":4754, please report a bug to'
    " PyTorch. as_strided_scatter is currently only supported for contiguous inputs"
)


def _copied_with_strides(tensor: Tensor, count: int) -> Tensor:
    """Return a copy of the first elements of a storage in the geometry of a tensor there.

    Of a tensor with equal elements in one place, return a clone (clone_preserve_strides).
    """
    geometry = tensor._geometry
    if broadcasting.has_internal_overlap(geometry.shape, geometry.stride) == "yes":
        return clone(shallow_copy(tensor))
    memory = plain_view(tensor, (count,), (1,), -tensor._offset)
    return plain_view(clone(memory), geometry.shape, geometry.stride, tensor._offset)


def _copied_by_reference(tensor: Tensor) -> Tensor:
    """Return a copy, of no more memory than needed (torch._meta_registrations)."""
    geometry = tensor._geometry
    count = storage_size(geometry.shape, geometry.stride, tensor._offset)
    return _copied_with_strides(shallow_copy(tensor), count)


def _scatter_into(
    scatter: Scatter, out: Tensor, tensor: Tensor, source: Tensor, *arguments: Any
) -> Tensor:
    check_no_leaf(f"aten::{scatter.name}", out)
    operands = resolve_operands((tensor, source))
    if out._conj_neg:
        return write_to_clone(out, lambda clone: _write(scatter, clone, *operands, *arguments))
    return _write(scatter, out, *operands, *arguments)


def _write(
    scatter: Scatter, out: Tensor, tensor: Tensor, source: Tensor, *arguments: Any
) -> Tensor:
    operands = shallow_copy(tensor), shallow_copy(source)
    is_sparse = any(each._geometry.is_sparse for each in (out, *operands))
    if not is_sparse and is_on_meta(out, *operands):
        _write_reference(out, *operands, *arguments)
    else:
        write_result(out, _scatter(scatter, *operands, *arguments))
    return record_write(out, (tensor, source), "NotImplemented")


def _write_reference(
    out: Tensor,
    tensor: Tensor,
    source: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> None:
    """Do what the decomposition of slice_scatter does with ``out``."""
    shape, device = tensor._geometry.shape, tensor._geometry.device
    dim = wrap_dim(dim, len(shape))
    if not shape:
        raise IndexError("tuple index out of range")
    sizes = view_slices.slice(shape, contiguous(shape), dim, start, end)[0]
    is_whole = sizes == shape and step == 1
    length = (sizes[dim] + step - 1) // step
    expanded = views.expand(source, (*shape[:dim], length, *shape[dim + 1 :]))
    own, dtype = source._geometry.device, source._dtype
    warn_of_result(dtype)
    if not is_whole:
        dtype = reference_dtype((expanded, tensor))
        check(
            own is device,
            lambda: f"Tensor on device {own} is not on the expected device {device}!",
        )
        warn_of_result(dtype)
    into_meta("slice_scatter", out, on_device(dense(shape), own), dtype)


def _slice_inverse(tensor: Tensor, source: Tensor, *_: Any) -> Tensor:
    """Return a view with the geometry of another tensor, and nothing of the slice."""
    if tensor._geometry.is_sparse:
        raise no_kernel("as_strided", tensor)
    geometry = source._geometry
    stride = (0,) * geometry.rank if geometry.is_sparse else geometry.stride
    offset = 0 if geometry.is_sparse else source._offset
    view = views.as_strided(tensor, geometry.shape, stride, offset, node=_INVERSE_NODE)
    check_differentiable(view, source)
    record_grad_fn(view, (tensor, source), _INVERSE_NODE)
    check_no_complex_result("slice_inverse", view)  # also of a view without gradients
    return view


_INVERSE_NODE = "SliceInverseBackward0"


for _scatter_row in (
    Scatter(
        "slice_scatter", SLICE, of_geometry(view_slices.slice), "SliceScatterBackward0",
        has_out=True,
    ),
    Scatter(
        "select_scatter", "int64_t dim, SymInt index", of_geometry(view_slices.select),
        "SelectScatterBackward0",
    ),
    Scatter(
        "diagonal_scatter", views.DIAGONAL, of_geometry(view_slices.diagonal),
        "DiagonalScatterBackward0",
    ),
    Scatter(
        "as_strided_scatter", views.AS_STRIDED, views.as_strided, "AsStridedScatterBackward0",
        is_reference=False,
    ),
):  # fmt: skip
    install_operator(
        _scatter_row.name,
        Overload(
            f"Tensor src, {_scatter_row.parameters}",
            with_leaf_check(partial(_scatter, _scatter_row), _scatter_row.name),
            out=_scatter_row.has_out,
        ),
        doc=f"Return a copy with other elements where {_scatter_row.name.split('_scatter')[0]} is.",
    )
install_operator(
    "slice_inverse",
    Overload(f"Tensor src, {SLICE}", _slice_inverse, out=False),
    doc="Return a view with the sizes, strides and offset of another tensor.",
)
