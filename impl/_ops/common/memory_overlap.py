"""Checks for memory overlap of written and read tensors (aten/src/ATen/MemoryOverlap.cpp)."""

from collections.abc import Iterable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._devices.device import META
from ..._geometry import broadcasting
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor


def check_no_overlap(target: Tensor, *sources: Tensor) -> None:
    """Raise if the target overlaps internally, or partially with a source."""
    broadcasting.check_no_internal_overlap(target._geometry.shape, target._geometry.stride)
    for source in sources:
        check_no_partial_overlap(target, source)


def check_copy_overlap(target: Tensor, *sources: Tensor) -> None:
    """Raise as `check_no_overlap` does; a copy to meta writes nothing (copy_impl in Copy.cpp)."""
    if target._geometry.device is not META:
        check_no_overlap(target, *sources)


def check_no_partial_overlap(target: Tensor, source: Tensor) -> None:
    """Raise if the target overlaps partially with a source."""
    if source._storage is target._storage and source is not target:
        status = broadcasting.overlaps(_span(target), _span(source))
        check(status != "partial", lambda: _OVERLAP)


def check_no_overlap_with(target: Tensor, source: Tensor) -> None:
    """Raise if the target overlaps with a source, partially or fully."""
    if source._storage is target._storage:
        status = "full" if source is target else broadcasting.overlaps(_span(target), _span(source))
        check(status not in ("full", "partial"), lambda: _OVERLAP)


_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a"
    " single memory location. Please clone() the tensor before performing the operation."
)


def check_written_alone(target: Tensor, *sources: Tensor) -> None:
    """Raise if the target overlaps internally, or at all with a source."""
    check_no_overlap(target)
    for source in sources:
        check_no_overlap_with(target, source)


def are_apart(left: Tensor, right: Tensor) -> bool:
    """Return whether two tensors of one storage are contiguous and have no byte in common."""
    if not (left._geometry.is_contiguous and right._geometry.is_contiguous):
        return False
    starts = [tensor._offset * tensor._dtype.itemsize for tensor in (left, right)]
    ends = [
        start + tensor._geometry.numel * tensor._dtype.itemsize
        for start, tensor in zip(starts, (left, right), strict=True)
    ]
    return ends[0] <= starts[1] or ends[1] <= starts[0]


def is_same_view(left: Tensor, right: Tensor) -> bool:
    """Return whether two tensors have the same storage, offset, geometry, dtype and bits."""
    return (
        left._storage is right._storage
        and left._offset == right._offset
        and left._geometry is right._geometry
        and left._dtype is right._dtype
        and left._conj_neg == right._conj_neg
    )


def reads_written(target: Tensor, sources: Iterable[Tensor], *, apart: bool) -> bool:
    """Return whether a source may be read where the target was written, for another element.

    ``apart`` is whether no two elements of the target share memory.
    """
    return any(
        source._storage is target._storage
        and not (apart and _span(source) == _span(target))
        and np.may_share_memory(raw_array(source), raw_array(target))
        for source in sources
    )


def _span(tensor: Tensor) -> Any:
    geometry = tensor._geometry
    return geometry.shape, geometry.stride, tensor._offset, tensor._dtype.itemsize
