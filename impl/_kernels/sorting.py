"""The order of sorted elements, along the last axis of arrays of two dimensions; and duplicates.

Torch sorts by the functions of C++ on its build's library, libstdc++. Those without a promise for
equal elements leave them in an order of their own, which `introsort_order` finds.
"""

from typing import Any

from .._arrays.numpy_bridge import is_native, np
from .._dtypes.constants import BFLOAT16, BOOL, FLOAT16
from .._dtypes.table import dtype
from .._numerics.cast import to_numbers


def sort_order(raw: Any, dtype: dtype, *, descending: bool, stable: bool) -> Any:
    """Return the indices that sort the raw elements of lines; NaN counts as the largest number."""
    keys = keys_of(raw, dtype)
    if descending:
        keys = keys[:, ::-1]
    order = _stable_order(keys)
    if descending:
        order = keys.shape[1] - 1 - order[:, ::-1]
        keys = keys[:, ::-1]
    if stable or keys.shape[1] <= _FEW:
        return order
    return _order_of_equals(keys, order)


_FEW = 16
"""The largest number of elements that std::sort inserts one by one, which keeps their order."""


def keys_of(raw: Any, dtype: dtype) -> Any:
    """Return numbers in the order of raw elements; equal ones are equal, as all NaNs are."""
    if dtype is BOOL:
        return (raw != 0).view(np.uint8)
    if dtype is FLOAT16 or dtype is BFLOAT16:
        bits = np.ascontiguousarray(raw).view(np.int16)
        keys = np.where(bits < 0, -(bits & 0x7FFF), bits)
        keys[(bits & 0x7FFF) > (0x7C00 if dtype is FLOAT16 else 0x7F80)] = 0x7FFF
        return keys
    return raw if is_native(dtype) else to_numbers(raw, dtype)


def _stable_order(keys: Any) -> Any:
    """Return the indices that sort lines of keys; those of equal ones increase."""
    size = keys.dtype.itemsize
    if size <= 2 or keys.shape[1] < _RADIX_ELEMENTS:
        return keys.argsort(-1, kind="stable")
    bits = _unsigned_keys(keys)
    order = (bits & 0xFFFF).astype(np.uint16).argsort(-1, kind="stable")
    for shift in range(16, 8 * size, 16):
        digits = (bits >> shift).astype(np.uint16)
        if (digits == digits[:, :1]).all():
            continue
        digits = take_in_rows(digits, order)
        order = take_in_rows(order, digits.argsort(-1, kind="stable"))
    return order


_RADIX_ELEMENTS = 2048
"""The number of elements in a line from which sorting by digits is faster than by comparisons.

NumPy sorts integers of 16 bits by digits.
"""


def _unsigned_keys(keys: Any) -> Any:
    """Return unsigned integers in the order of numbers."""
    kind, size = keys.dtype.kind, keys.dtype.itemsize
    if kind == "u":
        return keys
    sign = np.array(1 << (8 * size - 1), f"u{size}")
    bits = np.ascontiguousarray(keys).view(sign.dtype)
    if kind == "i":
        return bits ^ sign
    bits = np.where(bits >= sign, sign - (bits & ~sign), bits | sign)
    bits[keys != keys] = ~np.array(0, sign.dtype)
    return bits


def take_in_rows(rows: Any, indices: Any) -> Any:
    """Return the elements of each row at its indices."""
    count, size = rows.shape
    if count == 1:
        return rows[0].take(indices)
    starts = np.arange(0, count * size, size) if size else np.zeros(count, np.int64)
    return rows.reshape(-1).take(indices + starts[:, None])


def _order_of_equals(keys: Any, order: Any) -> Any:
    """Return the order in which std::sort leaves keys, from their stable order."""
    ordered = take_in_rows(keys, order)
    left, right = ordered[:, :-1], ordered[:, 1:]
    differ = left != right
    if keys.dtype.kind == "f":
        differ &= left == left  # NaNs, which are last or first, are equal
        differ |= (left == left) != (right == right)
    lines = np.flatnonzero(~differ.all(-1))
    if not lines.size:
        return order
    ranks = np.zeros((len(lines), keys.shape[1]), np.int32 if keys.shape[1] < 2**31 else np.int64)
    at = np.zeros_like(ranks)
    np.cumsum(differ[lines], -1, out=at[:, 1:])
    np.put_along_axis(ranks, order[lines], at, -1)
    if len(lines) == len(keys):
        return introsort_order(ranks)
    order[lines] = introsort_order(ranks)
    return order


_LONG = 1024
"""The least number of elements in a part that is partitioned on its own."""


def introsort_order(ranks: Any) -> Any:
    """Return the indices in the order in which std::sort of libstdc++ leaves lines of integers.

    It partitions parts of more than 16 elements until they are smaller, then inserts elements one
    by one, which keeps the order of equal ones. Here short parts are partitioned at once.
    """
    count, size = ranks.shape
    values = ranks.reshape(-1).copy()
    places = np.tile(np.arange(size), count)
    firsts = np.arange(0, count * size, size)
    lasts = firsts + size
    for _ in range(2 * (size.bit_length() - 1)):
        if not firsts.size:
            break
        move_medians(values, places, firsts, lasts)
        is_long = lasts - firsts >= _LONG
        if is_long.any():
            firsts, lasts = [
                np.concatenate([each[is_long], each[~is_long]]) for each in (firsts, lasts)
            ]
        long = np.count_nonzero(is_long)
        pairs = zip(firsts[:long].tolist(), lasts[:long].tolist(), strict=True)
        cuts = np.array([_partition_one(values, places, *pair) for pair in pairs], np.int64)
        if long < len(firsts):
            others = partition(values, places, firsts[long:], lasts[long:])
            cuts = np.concatenate([cuts, others])
        firsts, lasts = np.concatenate([firsts, cuts]), np.concatenate([cuts, lasts])
        is_large = lasts - firsts > _FEW
        firsts, lasts = firsts[is_large], lasts[is_large]
        by_place = np.argsort(firsts)
        firsts, lasts = firsts[by_place], lasts[by_place]
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        _heap_sort(values, places, first, last)
    values, places = values.reshape(count, size), places.reshape(count, size)
    return take_in_rows(places, _stable_order(values))


def partition(values: Any, places: Any, firsts: Any, lasts: Any) -> Any:
    """Partition parts by their first elements; return where their second halves begin.

    From both ends, elements that are not less and not greater than the first one are swapped, until
    the two ends meet (std::__unguarded_partition).
    """
    sizes = lasts - firsts - 1
    starts = np.cumsum(sizes) - sizes
    at = np.arange(sizes.sum()) + np.repeat(firsts + 1 - starts, sizes)
    numbers, medians = values[at], np.repeat(values[firsts], sizes)
    is_left, is_right = numbers >= medians, numbers <= medians
    lefts, rights = at[is_left], at[is_right]
    left_counts = np.add.reduceat(is_left, starts, dtype=np.int64)
    right_counts = np.add.reduceat(is_right, starts, dtype=np.int64)
    left_starts = np.cumsum(left_counts) - left_counts
    right_ends = np.cumsum(right_counts) - 1
    pairs = np.minimum(left_counts, right_counts)
    pair_starts = np.cumsum(pairs) - pairs
    nth = np.arange(pairs.sum()) - np.repeat(pair_starts, pairs)
    left = lefts[np.repeat(left_starts, pairs) + nth]
    right = rights[np.repeat(right_ends, pairs) - nth]
    is_swapped = left < right
    # A part without pairs would shift the sums of the others, but each has one, of the median.
    swaps = np.add.reduceat(is_swapped, pair_starts, dtype=np.int64)
    _swap(values, places, left[is_swapped], right[is_swapped])
    cuts = lasts.copy()
    stops = swaps < left_counts
    cuts[stops] = lefts[(left_starts + swaps)[stops]]
    moved = swaps > 0
    cuts[moved] = np.minimum(cuts[moved], rights[(right_ends - swaps + 1)[moved]])
    return cuts


def _partition_one(values: Any, places: Any, first: int, last: int) -> int:
    """Partition one part, as `partition` does."""
    numbers = values[first + 1 : last]
    lefts = np.flatnonzero(numbers >= values[first])
    rights = np.flatnonzero(numbers <= values[first])[::-1]
    low, high = 0, min(len(lefts), len(rights))
    while low < high:  # the pairs to swap are the first ones
        middle = (low + high) // 2
        if lefts[middle] < rights[middle]:
            low = middle + 1
        else:
            high = middle
    left, right = lefts[:low], rights[:low]
    _swap(numbers, places[first + 1 : last], left, right)
    cut: int = min([*lefts[low : low + 1].tolist(), *right[-1:].tolist()])
    return first + 1 + cut


def _swap(values: Any, places: Any, left: Any, right: Any) -> None:
    for array in (values, places):
        array[left], array[right] = array[right], array[left]


def move_medians(values: Any, places: Any, firsts: Any, lasts: Any) -> None:
    """Swap the first elements of parts with the median of three (std::__move_median_to_first)."""
    a, b, c = firsts + 1, firsts + (lasts - firsts) // 2, lasts - 1
    x, y, z = values[a], values[b], values[c]
    of_less = np.where(y < z, b, np.where(x < z, c, a))
    of_others = np.where(x < z, a, np.where(y < z, c, b))
    _swap(values, places, firsts, np.where(x < y, of_less, of_others))


def _heap_sort(values: Any, places: Any, first: int, last: int) -> None:
    """Sort a part that was partitioned too often (std::__partial_sort of all elements)."""
    heap = [*zip(values[first:last].tolist(), places[first:last].tolist(), strict=True)]
    size = len(heap)
    for parent in range((size - 2) // 2, -1, -1):
        adjust_heap(heap, parent, size, heap[parent])
    sort_heap(heap)
    values[first:last], places[first:last] = zip(*heap, strict=True)


def sort_heap(heap: list[tuple[int, int]]) -> None:
    """Sort the elements of a heap (std::__sort_heap)."""
    for end in range(len(heap) - 1, 0, -1):
        element, heap[end] = heap[end], heap[0]
        adjust_heap(heap, 0, end, element)


def adjust_heap(
    heap: list[tuple[int, int]], hole: int, size: int, element: tuple[int, int]
) -> None:
    """Put an element into a heap from a hole on (std::__adjust_heap)."""
    top = child = hole
    while child < (size - 1) // 2:
        child = 2 * child + 2
        if heap[child][0] < heap[child - 1][0]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * child + 1
        heap[hole] = heap[child]
        hole = child
    parent = (hole - 1) // 2
    while hole > top and heap[parent][0] < element[0]:
        heap[hole] = heap[parent]
        hole = parent
        parent = (hole - 1) // 2
    heap[hole] = element


def order_of_ranks(ranks: Any) -> Any:
    """Return the indices in the order in which std::sort leaves lines of integers."""
    return _stable_order(ranks) if ranks.shape[1] <= _FEW else introsort_order(ranks)


def unique(ordered: Any, order: Any, dtype: dtype) -> tuple[Any, Any]:
    """Return sorted raw elements without duplicates, and the index of each one before they were.

    NaNs are no duplicates.
    """
    numbers = to_numbers(ordered, dtype)
    is_new = np.ones(len(ordered), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=is_new[1:])
    inverse = np.empty_like(order)
    inverse[order] = np.cumsum(is_new) - 1
    return ordered[is_new], inverse


def membership(raw: Any, others: Any, dtype: dtype) -> Any:
    """Return which raw elements equal one of others."""
    numbers, others = to_numbers(raw, dtype), to_numbers(others, dtype)
    if numbers.dtype == np.float16:
        numbers, others = numbers.astype(np.float32), others.astype(np.float32)
    if numbers.size * others.size <= _FEW_PAIRS:
        return (numbers[..., None] == others).any(-1)
    return np.isin(numbers, others)


_FEW_PAIRS = 4096
"""The largest number of pairs of elements that are compared at once."""
