"""Elements that indices select, in the order in which torch reads and writes them.

Where an index is out of bounds, torch has written the elements before it.  Where the written tensor
shares memory with the one that is read, it reads what it wrote.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._geometry.extents import Ints
from ..._geometry.strides import memory_order
from ..._tensor.data_access import has_separate_elements, raw_array
from ..._tensor.tensor import Tensor
from ..common.device_checks import check_out_device_for_write, common_device

Order = Callable[[], list[int]]
"""A function that returns the dimensions of the indices in torch's order, outermost first."""


class Selection(NamedTuple):
    """The elements of an array that indices select, one for each index.

    source: the array
    index: the array of indices
    first, end: the bounds of the indices
    read: returns the elements for an array of indices within the bounds
    place: returns the place in the source of the element for an index and the place of that
    error: returns the error for an index out of bounds
    """

    source: Any
    index: Any
    first: int
    end: int
    read: Callable[[Any], Any]
    place: Callable[[int, list[int]], Any]
    error: Callable[[int], Exception]

    def elements(self, order: Order) -> Any:
        """Return the elements; raise for the first index out of bounds."""
        if self._is_valid():
            return self.read(self.index)
        index = self.index.transpose(order()).reshape(-1)
        raise self.error(index[first_beyond(index, self.first, self.end)])

    def write(self, target: Any, order: Order) -> None:
        """Write the elements to an array; raise for the first index out of bounds."""
        if _share_memory(target, self.source) or np.may_share_memory(target, self.index):
            self._write_one_by_one(target, order())
        elif self._is_valid():
            target[...] = self.read(self.index)
        else:
            dims = order()
            index = self.index.transpose(dims).reshape(-1)
            count = first_beyond(index, self.first, self.end)
            if count:
                valid = self.index.clip(self.first, self.end - 1)
                elements = self.read(valid).transpose(dims).reshape(-1)
                target.transpose(dims).flat[:count] = elements[:count]
            raise self.error(index[count])

    def _is_valid(self) -> bool:
        return is_within(self.index, self.first, self.end)

    def _write_one_by_one(self, target: Any, dims: list[int]) -> None:
        shape = self.index.transpose(dims).shape
        for place in np.ndindex(*shape):
            at = [0] * len(dims)
            for dim, coordinate in zip(dims, place, strict=True):
                at[dim] = coordinate
            number = int(self.index[tuple(at)])
            if not self.first <= number < self.end:
                raise self.error(number)
            target[tuple(at)] = self.source[self.place(number, at)]


def has_sparse(tensor: Tensor, index: Tensor, out: Tensor | None) -> bool:
    """Return whether an operand is sparse."""
    return (
        tensor._geometry.is_sparse
        or index._geometry.is_sparse
        or (out is not None and out._geometry.is_sparse)
    )


def check_one_device(tensor: Tensor, index: Tensor, out: Tensor | None = None) -> None:
    """Raise if a tensor, its indices and ``out`` are on several devices."""
    device = tensor._geometry.device
    if index._geometry.device is not device:
        common_device((tensor, index), allow_cpu_scalars=False)
    if out is not None:
        check_out_device_for_write(out, device)


def is_within(index: Any, first: int, end: int) -> bool:
    """Return whether all indices are within bounds."""
    if not index.size:
        return True
    if not first:  # negative numbers are large ones without a sign
        return bool(np.maximum.reduce(index.view(f"u{index.itemsize}"), None) < end)
    return bool(first <= index.min() and index.max() < end)


def first_beyond(index: Any, first: int, end: int) -> int:
    """Return the place of the first index out of bounds."""
    return int(((index < first) | (index >= end)).argmax())


def contiguous_indices(index: Tensor) -> Any:
    """Return the array of indices of one dimension, a copy where torch makes a contiguous one."""
    array = raw_array(index).reshape(-1)
    return array if index._geometry.is_contiguous else array.copy()


def valid_indices(index: Any, size: int, error: Callable[[int], Exception]) -> Iterator[int]:
    """Yield the indices, each as it is when it is taken; raise for the first one out of bounds."""
    for number in index:
        if not 0 <= number < size:
            raise error(number)
        yield int(number)


def out_of_range(number: int) -> IndexError:
    """Return the error for an index out of bounds of operators that do not name it."""
    return IndexError("index out of range in self")


def _share_memory(target: Any, source: Any) -> bool:
    """Return whether a write to an element may change what is read or written later."""
    return not has_separate_elements(target) or np.may_share_memory(target, source)


def may_share(memory: Any, values: Any) -> bool:
    """Return whether an array may share elements with another one, or with a number."""
    if not isinstance(values, np.ndarray) or not np.may_share_memory(memory, values):
        return False
    try:
        return bool(np.shares_memory(memory, values, max_work=_MAX_WORK))
    except np.exceptions.TooHardError:
        return True


_MAX_WORK = 1000


def coalesced_count(order: list[int], shape: list[int], steps: list[Ints]) -> int:
    """Return the number of innermost dimensions that TensorIterator coalesces to one."""
    size, first = 1, None
    for count, dim in enumerate(order):
        if shape[dim] == 1:
            continue
        strides = [step[dim] for step in steps]
        if first is None:
            first = strides
        elif any(step != size * start for step, start in zip(strides, first, strict=True)):
            return count
        size *= shape[dim]
    return len(order)


def selected_slices(source: Any, dim: int, index: Any, error: Callable[[int], Exception]) -> Any:
    """Return the slices of an array along a dimension; raise for the first index out of bounds."""
    size = source.shape[dim]
    if not is_within(index, 0, size):
        raise error(index[first_beyond(index, 0, size)])
    return _slices(source, dim, index)


def _slices(source: Any, dim: int, index: Any) -> Any:
    if source.flags.c_contiguous:  # else NumPy copies the whole array first
        return source.take(index, dim, mode="clip")
    return source[(slice(None),) * dim + (index,)]


def write_slices(
    target: Any, source: Any, dim: int, index: Any, error: Callable[[int], Exception]
) -> None:
    """Write the slices of an array along a dimension; raise for the first index out of bounds."""
    size = source.shape[dim]
    if _share_memory(target, source) or np.may_share_memory(target, index):
        written, read = (np.moveaxis(array, dim, 0) for array in (target, source))
        for number, place in enumerate(valid_indices(index, size, error)):
            _write_slice(written, read, number, place)
        return
    count = None if is_within(index, 0, size) else first_beyond(index, 0, size)
    written, valid = np.moveaxis(target, dim, 0)[:count], index[:count]
    written[...] = np.moveaxis(_slices(source, dim, valid), dim, 0)
    if count is not None:
        raise error(index[count])


def _write_slice(written: Any, read: Any, number: int, place: int) -> None:
    """Write one slice, element by element if it is not one piece of memory."""
    target, source = written[number], read[place]
    if not target.ndim or are_in_one_piece(target, source):
        written[number] = source  # as memmove
        return
    target, source = _outermost_first(target, source)
    for at in np.ndindex(*target.shape):
        target[at] = source[at]


def are_in_one_piece(target: Any, source: Any) -> bool:
    """Return whether the elements of two arrays lie without gaps in the same order."""
    return all(array.flags.c_contiguous for array in _outermost_first(target, source))


def _outermost_first(target: Any, source: Any) -> tuple[Any, Any]:
    """Return arrays with dimensions in the order of a copy from one to the other."""
    order = memory_order(target.shape, (target.strides, source.strides))[::-1]
    return target.transpose(order), source.transpose(order)
