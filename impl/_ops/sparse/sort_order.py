"""The order in which torch sorts the linear indices of a sparse tensor.

Torch sorts them with std::sort, which does not keep the order of equal elements, or from
`_RADIX_SORT_ELEMENTS` elements with a stable radix sort (ATen/native/cpu/SortingKernel.cpp).  The
order decides how sums of equal indices are rounded.  This is the introsort of libstdc++
(bits/stl_algo.h, bits/stl_heap.h): partitions down to `_INSERTION_SORT_ELEMENTS`, then one
insertion sort, which is stable.  The loops of a partition are vectorized.
"""

from typing import Any

from ..._arrays.numpy_bridge import np

_INSERTION_SORT_ELEMENTS = 16
_RADIX_SORT_ELEMENTS = 32768


def sort_order(keys: Any, stable_order: Any = None) -> Any:
    """Return the order in which torch sorts an int64 array, a stable order of which may be given.

    >>> sort_order(np.zeros(17, np.int64))[:10]
    array([ 8, 16, 15, 14, 13, 12, 11, 10,  9,  0])
    """
    count = len(keys)
    if not _INSERTION_SORT_ELEMENTS < count < _RADIX_SORT_ELEMENTS:
        return keys.argsort(kind="stable") if stable_order is None else stable_order
    keys, order = keys.copy(), np.arange(count)
    pending = [(0, count, 2 * (count.bit_length() - 1))]
    while pending:
        first, last, depth = pending.pop()
        if last - first <= _INSERTION_SORT_ELEMENTS:
            continue
        if not depth:
            _heap_sort(keys[first:last], order[first:last])
            continue
        cut = first + _partition(keys[first:last], order[first:last])
        pending += (first, cut, depth - 1), (cut, last, depth - 1)
    return order[keys.argsort(kind="stable")]


def _swap(arrays: tuple[Any, Any], left: Any, right: Any) -> None:
    for array in arrays:
        array[left], array[right] = array[right].copy(), array[left].copy()


def _partition(keys: Any, order: Any) -> int:
    """Partition around the median of three elements, which moves to the front; return the cut."""
    middle, last = len(keys) // 2, len(keys) - 1
    _swap((keys, order), 0, _median_position(keys, 1, middle, last))
    # The loops stop at elements not less than the pivot, and at elements not greater.
    stops = np.flatnonzero(keys[1:] >= keys[0]) + 1
    others = np.flatnonzero(keys[1:] <= keys[0])[::-1] + 1
    size = min(len(stops), len(others))
    swaps = int(np.count_nonzero(stops[:size] < others[:size]))
    _swap((keys, order), stops[:swaps], others[:swaps])
    bounds = [*stops[swaps : swaps + 1].tolist(), *others[max(swaps - 1, 0) : swaps].tolist()]
    return int(min(bounds))


def _median_position(keys: Any, *positions: int) -> int:
    """Return the position of the median, by the comparisons of __move_median_to_first."""
    first, middle, last = positions
    a, b, c = (int(keys[position]) for position in positions)
    if a < b:
        return middle if b < c else last if a < c else first
    return first if a < c else last if b < c else middle


def _heap_sort(keys: Any, order: Any) -> None:
    """Sort with a heap: the partitions of this segment were too uneven."""
    heap = [*zip(keys.tolist(), order.tolist(), strict=True)]
    size = len(heap)
    for parent in range((size - 2) // 2, -1, -1):
        _adjust_heap(heap, parent, size, heap[parent])
    for end in range(size - 1, 0, -1):
        value, heap[end] = heap[end], heap[0]
        _adjust_heap(heap, 0, end, value)
    keys[:], order[:] = zip(*heap, strict=True)


def _adjust_heap(heap: list[tuple[int, int]], hole: int, size: int, value: tuple[int, int]) -> None:
    """Move the hole down to a leaf, and the value from there up to its position."""
    top = child = hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        child -= heap[child][0] < heap[child - 1][0]
        heap[hole], hole = heap[child], child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * child + 1
        heap[hole], hole = heap[child], child
    parent = (hole - 1) // 2
    while hole > top and heap[parent][0] < value[0]:
        heap[hole], hole = heap[parent], parent
        parent = (hole - 1) // 2
    heap[hole] = value
