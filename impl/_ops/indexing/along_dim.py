"""Writes to a tensor at indices along one dimension, for index_fill and index_copy.

Torch restrides the tensor so that a TensorIterator steps along the indices in this dimension
(ATen/native/TensorAdvancedIndexing.cpp).  The order of the iterator is seen where elements share
memory, and where an index is out of bounds: torch has written the elements before it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._geometry.extents import Ints
from ..._geometry.geometry import dense, on_device
from ..._geometry.strides import memory_order
from ..._tensor.allocation import empty_tensor
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.tensor import Tensor
from ..._tensor.views import plain_view
from ..common.copy import copy_into
from ..common.memory_overlap import check_copy_overlap, check_written_alone, is_same_view
from ..reduction.reduce import prepare_out
from ..views.views import strided_view
from .advanced import memory_of
from .selection import coalesced_count, may_share


class Along(NamedTuple):
    """Indices along a dimension of a tensor, which has at least one dimension."""

    target: Tensor
    dim: int
    indices: Any
    """The indices, in an array of one dimension."""
    step: int
    """The stride of the index tensor."""
    can_be_negative: bool
    """Whether negative indices count from the end."""

    @property
    def size(self) -> int:
        """The size of the dimension."""
        size: int = self.target._geometry.shape[self.dim]
        return size

    @property
    def shape(self) -> Ints:
        """The shape of the elements that are written."""
        shape = self.target._geometry.shape
        return (*shape[: self.dim], len(self.indices), *shape[self.dim + 1 :])

    def out_of_bounds(self) -> Any:
        """Return an array of whether each index is out of bounds, or None if none is."""
        return find_beyond(self.indices, -self.size if self.can_be_negative else 0, self.size)


def find_beyond(indices: Any, low: int, high: int) -> Any:
    """Return an array of whether each index is out of bounds, or None if none is."""
    if indices.size <= _FEW:
        numbers = indices.tolist()
        if not numbers or (low <= min(numbers) and max(numbers) < high):
            return None
    elif low <= indices.min() and indices.max() < high:
        return None
    return (indices < low) | (indices >= high)


_FEW = 16
"""The largest number of indices that Python compares faster than NumPy."""


def same_slices(shape: Ints, other: Ints, dim: int) -> bool:
    """Return whether two shapes of equal rank differ at most in a dimension."""
    return len(shape) == len(other) and all(
        size == other_size or axis == dim
        for axis, (size, other_size) in enumerate(zip(shape, other, strict=True))
    )


def along(target: Tensor, dim: int, index: Tensor, *, can_be_negative: bool = False) -> Along:
    """Return indices along a dimension of a tensor; a 0-dim one counts as one of size 1."""
    step = index._geometry.stride[0] if index._geometry.rank else 1
    target = with_dim(target)
    result = Along(target, dim, raw_array(index).reshape(-1), step, can_be_negative)
    if not target._geometry.numel:  # torch makes a view with the indices in place of the dimension
        steps = target._geometry.stride
        strided_view(target, result.shape, (*steps[:dim], 0, *steps[dim + 1 :]), target._offset)
    return result


def with_dim(tensor: Tensor) -> Tensor:
    """Return a tensor, or a view of size 1 of a 0-dim one."""
    return tensor if tensor._geometry.rank else plain_view(tensor, (1,), (1,))


def write_along(
    along: Along, values: Any, stride: tuple[Ints, ...], error: Callable[[int], IndexError]
) -> None:
    """Write values, which broadcast, at the indices; the last of several writes wins.

    ``stride`` has the strides of a tensor of values.  ``error`` returns the error for an index out
    of bounds.
    """
    if 0 in along.shape:
        return
    memory = raw_array(along.target)
    if may_share(memory, along.indices):
        _write_one_by_one(along, values, stride, error)
        return
    beyond = along.out_of_bounds()
    if beyond is not None:
        end = _write_in_order(along, values, stride, beyond)
        raise error(int(along.indices[end]))
    if has_separate_elements(memory) and not may_share(memory, values):
        memory[(slice(None),) * along.dim + (along.indices,)] = values
    else:
        _write_in_order(along, values, stride, None)


def _write_one_by_one(
    along: Along, values: Any, stride: tuple[Ints, ...], error: Callable[[int], IndexError]
) -> None:
    """Write at indices that may have been written before they are read.

    Torch reads an index once for an inner loop along other dimensions.
    """
    order, strides = _loops(along, stride)
    steps, shape = along.target._geometry.stride, [along.shape[axis] for axis in order]
    depth = len(order) - coalesced_count(order[::-1], [*along.shape], strides)
    is_innermost = along.dim not in order[depth:]
    memory, read = memory_of(along.target), np.broadcast_to(values, along.shape).transpose(order)
    number = 0
    for at in np.ndindex(*shape):
        if not is_innermost or not any(at[depth:]):
            number = int(along.indices[at[order.index(along.dim)]])
            if not (-along.size if along.can_be_negative else 0) <= number < along.size:
                raise error(number)
            number %= along.size
        places = zip(order, at, strict=True)
        position = sum(steps[axis] * (number if axis == along.dim else n) for axis, n in places)
        memory[along.target._offset + position] = read[at]


def _loops(along: Along, stride: tuple[Ints, ...]) -> tuple[list[int], list[Ints]]:
    """Return the dimensions in the order of torch's loops, outermost first, and all strides."""
    dim, shape, steps = along.dim, along.shape, along.target._geometry.stride
    own = (*steps[:dim], 0, *steps[dim + 1 :])
    index = tuple([along.step if axis == dim else 0 for axis in range(len(shape))])
    strides = [own, index, *stride]
    return memory_order(shape, strides)[::-1], strides


def _write_in_order(along: Along, values: Any, stride: tuple[Ints, ...], beyond: Any) -> int:
    """Write one element after the other up to the first index out of bounds; return its place."""
    target, dim, shape = along.target, along.dim, along.shape
    steps, (order, _) = target._geometry.stride, _loops(along, stride)
    axes = [(np.arange(size), step) for size, step in zip(shape, steps, strict=True)]
    axes[dim] = np.where(along.indices < 0, along.indices + along.size, along.indices), steps[dim]
    positions = np.array(target._offset)
    for axis in order:
        numbers, step = axes[axis]
        positions = positions[..., None] + numbers * step
    positions, end = positions.reshape(-1), 0
    if beyond is not None:
        places = np.zeros([shape[axis] for axis in order], np.int64)
        along_order = [-1 if axis == dim else 1 for axis in order]
        places += np.arange(len(along.indices)).reshape(along_order)
        count = int(beyond[places.reshape(-1)].argmax())
        end = int(places.reshape(-1)[count])
        positions = positions[:count]
    elements = memory_of(target)
    read = np.broadcast_to(values, shape).transpose(order)
    if may_share(elements, values):
        for position, place in zip(positions, np.ndindex(read.shape), strict=False):
            elements[position] = read[place]
    else:
        elements[positions] = read.reshape(-1)[: len(positions)]
    return end


def new_or_out(tensor: Tensor, out: Tensor | None, *sources: Tensor) -> Tensor:
    """Return a new tensor like another one, or ``out``, resized; raise if it overlaps a source."""
    geometry = tensor._geometry
    if out is None:
        return empty_tensor(geometry.shape, tensor._dtype, geometry.device)
    prepare_out(tensor, on_device(dense(geometry.shape), geometry.device), (out, tensor._dtype))
    check_written_alone(out, *sources)
    return out


def copy_to_result(result: Tensor, tensor: Tensor) -> None:
    """Copy a tensor to a result of its shape, unless that is the tensor."""
    if result is not tensor and not is_same_view(result, tensor):
        check_copy_overlap(result, tensor)
        copy_into(result, tensor)
