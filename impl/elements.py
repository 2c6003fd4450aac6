"""The elements of tensors: as NumPy arrays over their memory."""

from typing import Any

from .arrays import carrier, np
from .casting import convert
from .dtypes import dtype
from .geometry import Geometry, dense
from .storage import adopt, buffer
from .tensor import Tensor, make


def codes(tensor: Tensor) -> Any:
    """Return a NumPy array over the tensor's own memory; what it carries is `arrays.carrier`'s."""
    geometry, kind = tensor._geometry, carrier(tensor._dtype)
    if not geometry.numel:
        # Torch lets negative sizes pass beside a size of 0.
        return np.empty([max(0, size) for size in geometry.shape], kind)
    start = tensor._offset * kind.itemsize
    if geometry.is_contiguous:
        return np.ndarray(geometry.shape, kind, buffer(tensor._storage), start)
    return np.ndarray(
        geometry.shape, kind, buffer(tensor._storage), start, byte_strides(geometry, kind.itemsize)
    )


def byte_strides(geometry: Geometry, itemsize: int) -> tuple[int, ...]:
    """Return the strides of a geometry in bytes."""
    known = geometry.plans.get(itemsize)
    if known is not None:
        return known  # type: ignore[no-any-return]
    return geometry.keep(itemsize, tuple([each * itemsize for each in geometry.stride]))  # type: ignore[no-any-return]


def from_codes(array: Any, kind: dtype) -> Tensor:
    """Make a contiguous tensor that keeps the memory of a new contiguous array."""
    return make(adopt(array), dense(array.shape), 0, kind)


def write(target: Tensor, source: Any, kind: dtype) -> None:
    """Write an array of codes of a dtype into a tensor's memory, converted and broadcast."""
    codes(target)[...] = convert(source, kind, target._dtype)
