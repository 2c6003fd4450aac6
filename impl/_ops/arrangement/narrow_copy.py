"""The operator narrow_copy, which on the CPU copies bytes (narrow_copy_dense_cpu_out)."""

from typing import Any

from ..._autograd.autograd_meta import bump_version
from ..._geometry import view_slices
from ..._geometry.extents import Ints
from ..._geometry.strides import contiguous
from ..._geometry.view_shapes import wrap_dim
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import resize_out, warn_if_complex32
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor
from ..._tensor.views import plain_view, record_grad_fn
from ..common.clone import contiguous_copy
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.meta_reference import is_on_meta
from ..elementwise.binding import Overload, install_operator
from .copies import CopiedView, copy_view, copy_view_into, of_geometry

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
    geometry = tensor._geometry
    try:
        check(geometry.rank, lambda: "narrow() cannot be applied to a 0-dim tensor.")
        if out is not None:
            _check("self.dtype() == output.dtype()", out._dtype is tensor._dtype)
        sizes, steps, offset = _part(geometry.shape, geometry.stride, dim, start, length)
    except (IndexError, RuntimeError):
        if out is None:
            warn_if_complex32(tensor._dtype)  # torch has made the result by now
        raise
    if out is tensor and geometry.is_contiguous:
        steps = contiguous(sizes)  # the kernel resizes ``out`` before it counts elements to skip
    view = plain_view(tensor, sizes, steps, offset)
    if out is None:
        return record_grad_fn(contiguous_copy(view), (tensor,), _ON_META.node)
    _write(out, contiguous_copy(view))
    bump_version(out)
    return out


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


def _write(out: Tensor, copy: Tensor) -> None:
    """Write a contiguous tensor to the memory of ``out``, as if that was contiguous, too.

    Torch resizes ``out``, but does not read its strides. It writes beyond a memory that is too
    small; here, the elements that have no place are left out.
    """
    resize_out(out, copy._geometry.shape)
    place = out._storage._size // out._dtype.itemsize - out._offset
    count = min(copy._geometry.numel, place)
    if count > 0:
        target, source = (plain_view(each, (count,), (1,)) for each in (out, copy))
        raw_array(target)[...] = raw_array(source)


install_operator(
    "narrow_copy",
    Overload(
        "int64_t dim, SymInt start, SymInt length",
        resolves_conj_neg(_narrow_copy, "narrow_copy"),
    ),
    doc="Return a copy of some indices of a dimension.",
)
