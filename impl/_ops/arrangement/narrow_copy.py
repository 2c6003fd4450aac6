"""The operator narrow_copy, which on the CPU copies bytes (narrow_copy_dense_cpu_out)."""

from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._geometry import view_slices
from ..._geometry.extents import Ints
from ..._geometry.strides import contiguous
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import resize_out
from ..._tensor.data_access import raw_array
from ..._tensor.factories import empty
from ..._tensor.tensor import Tensor
from ..._tensor.views import plain_view, record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.clone import contiguous_copy
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.meta_reference import is_on_meta
from ..elementwise.binding import Overload, install_operator
from .copies import CopiedView, copy_view, copy_view_into, of_geometry, part_of

_ON_META = CopiedView("narrow_copy", "", of_geometry(view_slices.narrow), "NarrowCopyBackward0")


def _narrow_copy(
    tensor: Tensor, dim: int, start: int, length: int, out: Tensor | None = None
) -> Tensor:
    """Return a copy of ``length`` indices of a dimension, from ``start``."""
    if tensor._geometry.is_sparse:
        raise NotDense
    if is_on_meta(tensor, out):
        if out is None:
            return copy_view(_ON_META, tensor, dim, start, length)
        return copy_view_into(_ON_META, out, tensor, dim, start, length)
    result = out
    if result is None:  # which torch resizes, too
        result = empty((0,), dtype=tensor._dtype, device=tensor._geometry.device)
    _copy_bytes(tensor, dim, start, length, result)
    if out is None:
        if is_noting():
            geometry = tensor._geometry
            view = plain_view(tensor, *_part(geometry.shape, geometry.stride, dim, start, length))
            if (part := part_of(tensor, view)) is not None:
                note_arrays(lambda raw: part(raw).copy(), result, tensor)
        return record_grad_fn(result, (tensor,), _ON_META.node)
    bump_version(out)
    return out


def _copy_bytes(tensor: Tensor, dim: int, start: int, length: int, result: Tensor) -> None:
    """Copy the bytes of the part of a tensor to a result, as if that was contiguous.

    Torch resizes the result, but does not read its strides. It writes beyond a memory that is too
    small; here, the elements that have no place are left out.
    """
    check(tensor._geometry.rank, lambda: "narrow() cannot be applied to a 0-dim tensor.")
    _check("self.dtype() == output.dtype()", result._dtype is tensor._dtype)
    source = tensor if tensor._geometry.is_contiguous else contiguous_copy(tensor)
    geometry = source._geometry
    sizes, steps, offset = _part(geometry.shape, geometry.stride, dim, start, length)
    if result is source:
        steps = contiguous(sizes)  # the kernel counts the elements to skip by the new sizes
    part = plain_view(source, sizes, steps, offset)
    elements = raw_array(part).flatten()
    resize_out(result, sizes)
    place = result._storage._size // result._dtype.itemsize - result._offset
    elements = elements[: max(place, 0)]
    target = raw_array(plain_view(result, (len(elements),), (1,)))
    if source._storage is not result._storage or result is source:
        target[...] = elements
        return
    outer = sizes[: wrap_dim(dim, len(sizes))]
    row = prod(sizes[len(outer) :]) or 1
    rows = [target[start : start + row] for start in range(0, len(target), row)]
    source_rows = raw_array(part)
    for written, index in zip(rows, np.ndindex(outer), strict=False):
        written[...] = source_rows[index].flatten()[: len(written)]


def _part(shape: Ints, stride: Ints, dim: int, start: int, length: int) -> Any:
    """Return the sizes, strides and offset of the part; raise as the kernel does."""
    _check("dim < static_cast<int64_t>(self_sizes.size())", dim < len(shape))
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    check(
        -size <= start <= size,
        lambda: (
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        ),
        IndexError,
    )
    start += size if start < 0 else 0
    check(
        0 <= length <= size - start,
        lambda: f"start ({start}) + length ({length}) exceeds dimension size ({size}).",
    )
    return view_slices.narrow(shape, stride, dim, start, length)


def _check(condition: str, is_true: bool) -> None:
    check(
        is_true,
        lambda: (
            f"Expected {condition} to be true, but got false.  (Could this error message be"
            " improved?  If so, please report an enhancement request to PyTorch.)"
        ),
    )


install_operator(
    "narrow_copy",
    Overload(
        "int64_t dim, SymInt start, SymInt length",
        resolves_conj_neg(_narrow_copy, "narrow_copy"),
    ),
    doc="Return a copy of some indices of a dimension.",
)
