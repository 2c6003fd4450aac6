"""Selection by the algorithms that torch uses, which decide the order of equal elements."""

from typing import Any

from .._arrays.numpy_bridge import np
from .sorting import adjust_heap, move_medians, partition, sort_heap


def introselect(ranks: Any, nth: int) -> Any:
    """Return the indices in the order in which std::nth_element leaves lines of integers.

    All lines have one place ``nth``. Parts of more than 3 elements are partitioned, and the one
    with that place is kept; then its elements are inserted one by one.
    """
    count, size = ranks.shape
    values, places = ranks.reshape(-1).copy(), np.tile(np.arange(size), count)
    lows = np.arange(0, count * size, size)
    targets, highs = lows + nth, lows + size
    for _ in range(2 * (size.bit_length() - 1)):
        active = np.flatnonzero(highs - lows > 3)
        if not active.size:
            break
        firsts, lasts = lows[active], highs[active]
        move_medians(values, places, firsts, lasts)
        cuts = partition(values, places, firsts, lasts)
        is_after = cuts <= targets[active]
        lows[active] = np.where(is_after, cuts, firsts)
        highs[active] = np.where(is_after, lasts, cuts)
    for low, high, target in zip(lows.tolist(), highs.tolist(), targets.tolist(), strict=True):
        pairs = [*zip(values[low:high].tolist(), places[low:high].tolist(), strict=True)]
        if high - low > 3:
            pairs = _heap_selected(pairs, target + 1 - low)
            at = target - low
            pairs[0], pairs[at] = pairs[at], pairs[0]
        else:
            pairs.sort(key=lambda pair: pair[0])
        places[low:high] = [place for _, place in pairs]
    return places.reshape(count, size)


def _heap_selected(pairs: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Return pairs with the ``count`` smallest ones as a heap at the front (std::__heap_select)."""
    heap, others = pairs[:count], pairs[count:]
    for parent in range((count - 2) // 2, -1, -1):
        adjust_heap(heap, parent, count, heap[parent])
    for index, pair in enumerate(others):
        if pair[0] < heap[0][0]:
            others[index] = heap[0]
            adjust_heap(heap, 0, count, pair)
    return heap + others


def heap_select(ranks: Any, count: int) -> list[int]:
    """Return the indices that std::partial_sort leaves at the first ``count`` places of a line."""
    heap = [*zip(ranks[:count].tolist(), range(count), strict=True)]
    for parent in range((count - 2) // 2, -1, -1):
        adjust_heap(heap, parent, count, heap[parent])
    for start in range(count, len(ranks), _BLOCK):
        block = ranks[start : start + _BLOCK]
        for offset in np.flatnonzero(block < heap[0][0]).tolist():
            if block[offset] < heap[0][0]:
                adjust_heap(heap, 0, count, (int(block[offset]), start + offset))
    sort_heap(heap)
    return [place for _, place in heap]


_BLOCK = 1024
"""The number of elements that are compared with the root of the heap at once."""


def quick_select(ranks: Any, k: int) -> int:
    """Return the index of the element that quick_select_template leaves at place ``k``."""
    if len(ranks) > _BLOCK:
        ranks, places, k = _narrowed(ranks, k)
    else:
        places = [*range(len(ranks))]
    values = ranks.tolist()
    left, right = 0, len(values) - 1
    while right > left + 1:
        left, right = _selected_part(values, places, left, right, k)
    if right == left + 1 and values[left] > values[right]:
        _swap(values, places, left, right)
    return int(places[k])


def _swap(values: Any, places: Any, i: int, j: int) -> None:
    values[i], values[j] = values[j], values[i]
    places[i], places[j] = places[j], places[i]


def _move_pivot(values: Any, places: Any, left: int, right: int) -> None:
    """Swap the median of three elements to the left end, between a smaller and a larger one."""
    _swap(values, places, (left + right) >> 1, left + 1)
    for low, high in ((left + 1, right), (left, right), (left + 1, left)):
        if values[low] > values[high]:
            _swap(values, places, low, high)


def _selected_part(values: Any, places: Any, left: int, right: int, k: int) -> tuple[int, int]:
    """Partition a part, and return the ends of its part with place ``k``."""
    _move_pivot(values, places, left, right)
    pivot, i, j = values[left], left + 1, right
    while True:
        i += 1
        while pivot > values[i]:
            i += 1
        j -= 1
        while values[j] > pivot:
            j -= 1
        if j < i:
            break
        _swap(values, places, i, j)
    _swap(values, places, left, j)
    return i if j <= k else left, j - 1 if j >= k else right


def _narrowed(ranks: Any, k: int) -> tuple[Any, Any, int]:
    """Return the part of a long line that is left to select from, its indices, and the place."""
    values, places = ranks.copy(), np.arange(len(ranks))
    left, right = 0, len(values) - 1
    while right - left > _BLOCK:
        _move_pivot(values, places, left, right)
        pivot = values[left]
        lefts = left + 2 + np.flatnonzero(values[left + 2 : right + 1] >= pivot)
        rights = left + 1 + np.flatnonzero(values[left + 1 : right] <= pivot)[::-1]
        size = min(len(lefts), len(rights))
        count = int(np.count_nonzero(lefts[:size] <= rights[:size]))
        low, high = lefts[:count], rights[:count]
        for array in (values, places):
            array[low], array[high] = array[high], array[low]
        i, j = _meeting(lefts, rights, count)
        _swap(values, places, left, j)
        left, right = i if j <= k else left, j - 1 if j >= k else right
    if not left <= k <= right:  # the element is at its place
        left = right = k
    return values[left : right + 1], places[left : right + 1].tolist(), k - left


def _meeting(lefts: Any, rights: Any, count: int) -> tuple[int, int]:
    """Return where both ends stop after the swaps of the first ``count`` pairs."""
    if not count:
        return int(lefts[0]), int(rights[0])
    low, high = int(lefts[count - 1]), int(rights[count - 1])
    if low == high:
        return low + 1, low - 1
    # What was swapped last stops them, too.
    return min([high, *lefts[count : count + 1].tolist()]), max(
        [low, *rights[count : count + 1].tolist()]
    )


def std_sort_order(values: list[Any]) -> list[int]:
    """Return the indices in the order in which std::sort leaves numbers with NaNs among them.

    NaNs break the order that the algorithm expects: it compares them as equal to all numbers.
    """
    places = [*range(len(values))]
    parts = [(0, len(values), 2 * (len(values).bit_length() - 1))]
    while parts:
        first, last, depth = parts.pop()
        while last - first > 16 and depth:
            depth -= 1
            cut = _unguarded_partition(values, places, first, last)
            parts.append((cut, last, depth))
            last = cut
        if last - first > 16:
            pairs = [*zip(values[first:last], places[first:last], strict=True)]
            pairs = _heap_selected(pairs, len(pairs))
            sort_heap(pairs)
            values[first:last], places[first:last] = ([*x] for x in zip(*pairs, strict=True))
    _insert(values, places)
    return places


def _unguarded_partition(values: Any, places: Any, first: int, last: int) -> int:
    """Partition a part by the median of three (std::__unguarded_partition_pivot)."""
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    x, y, z = values[a], values[b], values[c]
    of_less = b if y < z else c if x < z else a
    of_others = a if x < z else c if y < z else b
    _swap(values, places, first, of_less if x < y else of_others)
    pivot, i, j = values[first], first + 1, last
    while True:
        while values[i] < pivot:
            i += 1
        j -= 1
        while pivot < values[j]:
            j -= 1
        if not i < j:
            return i
        _swap(values, places, i, j)
        i += 1


def _insert(values: Any, places: Any) -> None:
    """Insert elements one by one (std::__final_insertion_sort)."""
    for index in range(1, len(values)):
        value = values[index]
        if index < 16 and value < values[0]:
            hole = 0
        else:
            hole = index
            while value < values[hole - 1]:
                hole -= 1
        values.insert(hole, values.pop(index))
        places.insert(hole, places.pop(index))
