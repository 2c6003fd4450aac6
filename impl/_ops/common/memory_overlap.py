"""Refusals to write where elements lie on each other, or on others that are read."""

from typing import Any

from ..._geometry import broadcasting
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor


def check_no_overlap(target: Tensor, *sources: Tensor) -> None:
    """Refuse to write where elements lie on each other, or in part on those that are read."""
    broadcasting.check_no_internal_overlap(target._geometry.shape, target._geometry.stride)
    for source in sources:
        check_not_partly_on(target, source)


def check_not_partly_on(target: Tensor, source: Tensor) -> None:
    """Refuse to write to elements some of which are read as others."""
    if source._storage is target._storage and source is not target:
        check(broadcasting.overlaps(place(target), place(source)) != "partial", lambda: PARTLY_ON)


def check_apart(target: Tensor, source: Tensor) -> None:
    """Refuse to write to elements that are read, be they the same ones."""
    if source._storage is target._storage:
        status = "full" if source is target else broadcasting.overlaps(place(target), place(source))
        check(status not in ("full", "partial"), lambda: PARTLY_ON)


PARTLY_ON = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a"
    " single memory location. Please clone() the tensor before performing the operation."
)


def is_same_place(left: Tensor, right: Tensor) -> bool:
    """Tell whether two tensors are the same elements: of one storage, dtype, geometry and bits."""
    return (
        left._storage is right._storage
        and left._offset == right._offset
        and left._geometry is right._geometry
        and left._dtype is right._dtype
        and left._conj_neg == right._conj_neg
    )


def place(tensor: Tensor) -> Any:
    """Return what decides where the elements of a tensor lie in its storage."""
    geometry = tensor._geometry
    return geometry.shape, geometry.stride, tensor._offset, tensor._dtype.itemsize
