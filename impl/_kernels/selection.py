"""The places of selected elements: the largest, the k-th smallest, the median, the most frequent.

They are those along the last axis of arrays of two dimensions. Among equal elements torch takes
those that its algorithms leave at a place: std::nth_element, std::partial_sort and std::sort of
libstdc++, and quick_select_template of aten/src/ATen/native/Sorting.cpp. They are followed only in
lines in which equal elements matter.
"""

from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.constants import BFLOAT16, FLOAT16
from .._dtypes.table import dtype
from .introselect import heap_select, introselect, quick_select, std_sort_order
from .sorting import keys_of, order_of_ranks, sort_order, take_in_rows


def _is_nan(keys: Any, dtype: dtype) -> Any:
    """Return which keys are those of NaNs; None if there are none."""
    if dtype is FLOAT16 or dtype is BFLOAT16:
        found = keys == 0x7FFF
    elif dtype.is_floating_point:
        found = keys != keys
    else:
        return None
    return found if found.any() else None


def _ranks(keys: Any, nans: Any) -> Any:
    """Return integers in the order of keys, beginning with 0 in each line; NaN is the largest."""
    order = keys.argsort(-1, kind="stable")
    ordered = take_in_rows(keys, order)
    differ = ordered[:, 1:] != ordered[:, :-1]
    if nans is not None:
        ordered = take_in_rows(nans, order)
        differ &= ~(ordered[:, 1:] & ordered[:, :-1])
    ranks = np.zeros(keys.shape, np.int64)
    at = np.zeros_like(ranks)
    np.cumsum(differ, -1, out=at[:, 1:])
    np.put_along_axis(ranks, order, at, -1)
    return ranks


def _is_equal(keys: Any, chosen: Any, nans: Any, dtype: dtype) -> Any:
    """Return which keys equal the chosen one of their line."""
    equal = keys == chosen
    if nans is not None and dtype.is_floating_point:
        equal |= nans & (_is_nan_of(chosen, dtype))
    return equal


def _is_nan_of(chosen: Any, dtype: dtype) -> Any:
    return chosen == 0x7FFF if dtype in (FLOAT16, BFLOAT16) else chosen != chosen


def kth_places(raw: Any, dtype: dtype, k: int) -> Any:
    """Return the index of the k-th smallest element, counted from 0, of each line."""
    keys = keys_of(raw, dtype)
    nans = _is_nan(keys, dtype)
    chosen = np.partition(keys, k, -1)[:, k : k + 1]
    equal = _is_equal(keys, chosen, nans, dtype)
    places = equal.argmax(-1)
    (lines,) = np.nonzero(np.count_nonzero(equal, -1) > 1)
    if lines.size:
        ranks = _ranks(keys[lines], None if nans is None else nans[lines])
        for line, numbers in zip(lines.tolist(), ranks, strict=True):
            places[line] = quick_select(numbers, k)
    return places


def median_places(raw: Any, dtype: dtype, *, ignores_nan: bool) -> Any:
    """Return the index of the lower median of each line; the first one of equal elements counts.

    It is the first NaN if there is one, or with ``ignores_nan`` the median of other elements.
    """
    keys = keys_of(raw, dtype)
    size = keys.shape[1]
    nans = _is_nan(keys, dtype)
    if nans is None or not ignores_nan:
        nth = (size - 1) // 2
        chosen = np.partition(keys, nth, -1)[:, nth : nth + 1]
        counts = np.full(len(keys), nth)
    else:
        # The quotient of C++ is 0 for a line of NaNs alone.
        counts = np.maximum(size - np.count_nonzero(nans, -1) - 1, 0) // 2
        chosen = np.take_along_axis(np.sort(keys, -1), counts[:, None], -1)
    equal = keys == chosen
    before = counts - np.count_nonzero(keys < chosen, -1)
    places = (equal.cumsum(-1) > before[:, None]).argmax(-1)
    if nans is None:
        return places
    if not ignores_nan:
        return np.where(nans.any(-1), nans.argmax(-1), places)
    (lines,) = np.nonzero(nans.all(-1))
    if lines.size:
        places[lines] = introselect(np.zeros((lines.size, size), np.int64), 0)[:, 0]
    return places


def median_of_all(raw: Any, dtype: dtype, *, ignores_nan: bool) -> Any:
    """Return the place of the median of a row, None for a NaN that no element has.

    Torch finds it by std::nth_element, which shows in the sign of a zero and in a NaN.
    """
    keys = keys_of(raw.reshape(1, -1), dtype)
    nans = _is_nan(keys, dtype)
    if nans is not None and not ignores_nan:
        return None
    count = 0 if nans is None else np.count_nonzero(nans)
    nth = max(keys.size - count - 1, 0) // 2
    chosen = np.partition(keys, nth, -1)[:, nth : nth + 1]
    equal = _is_equal(keys, chosen, nans, dtype)
    if dtype.is_floating_point:
        bits = raw.reshape(1, -1)[equal].view(f"u{raw.itemsize}")
        if (bits != bits[0]).any():
            return introselect(_ranks(keys, nans), nth)[0, nth]
    return equal.argmax()


def top_places(raw: Any, dtype: dtype, k: int, *, largest: bool, ordered: bool) -> Any:
    """Return the indices of the ``k`` largest or smallest elements of lines; NaN is the largest."""
    keys = keys_of(raw, dtype)
    count, size = keys.shape
    if not k or not count:
        return np.zeros((count, k), np.int64)
    nans = _is_nan(keys, dtype)
    is_partial = k * 64 <= size
    if ordered or is_partial:
        places, lines = _distinct_tops(keys, nans, dtype, k, largest)
        if not lines.size:
            return places
    else:
        places, lines = np.empty((count, k), np.int64), np.arange(count)
    ranks = _ranks(keys[lines], None if nans is None else nans[lines])
    if largest:
        ranks = ranks.max(-1, keepdims=True) - ranks
    if is_partial:
        places[lines] = [heap_select(numbers, k) for numbers in ranks]
        return places
    order = introselect(ranks, k - 1)[:, :k]
    if ordered and k > 2:
        first = order[:, : k - 1]
        again = order_of_ranks(take_in_rows(ranks, first))
        order = np.concatenate([take_in_rows(first, again), order[:, k - 1 :]], -1)
    places[lines] = order
    return places


def _distinct_tops(keys: Any, nans: Any, dtype: dtype, k: int, largest: bool) -> tuple[Any, Any]:
    """Return the places of the first ``k`` elements, and the lines in which some are equal."""
    size = keys.shape[1]
    if keys.size <= _FEW:
        order = keys.argsort(-1, kind="stable")
        near = order[:, max(0, size - k - 1) :] if largest else order[:, : k + 1]
        ordered = take_in_rows(keys, near)
        equal = (ordered[:, 1:] == ordered[:, :-1]).any(-1)
        if nans is not None:
            equal |= np.count_nonzero(nans, -1) > 1
        places = order[:, : -k - 1 : -1] if largest else order[:, :k]
        return places, np.flatnonzero(equal)
    if k < size:
        part = np.argpartition(keys, size - k if largest else k - 1, -1)
        part = part[:, size - k :] if largest else part[:, :k]
    else:
        part = np.broadcast_to(np.arange(size), keys.shape)
    chosen = take_in_rows(keys, part)
    order = chosen.argsort(-1, kind="stable")
    if largest:
        order = order[:, ::-1]
    places = take_in_rows(part, order)
    chosen = take_in_rows(keys, places)
    equal = (chosen[:, 1:] == chosen[:, :-1]).any(-1)
    last = chosen[:, -1:]
    equal |= np.count_nonzero(_is_equal(keys, last, nans, dtype), -1) > 1
    if nans is not None:
        equal |= np.count_nonzero(nans, -1) > 1
    return places, np.flatnonzero(equal)


_FEW = 2048
"""The largest number of elements which are all sorted to find the largest ones."""


def mode_places(raw: Any, dtype: dtype) -> Any:
    """Return the last index of the most frequent element of each line, as std::sort leaves them.

    Among elements of the same frequency it is the smallest one. NaNs differ from all elements.
    """
    order = sort_order(raw, dtype, descending=False, stable=False)
    keys = keys_of(raw, dtype)
    nans = _is_nan(keys, dtype)
    if nans is not None:
        for line in np.flatnonzero(nans.any(-1)).tolist():
            order[line] = std_sort_order(_numbers(keys[line], nans[line]))
    ordered = take_in_rows(keys, order)
    size = keys.shape[1]
    ends = np.ones(keys.shape, np.bool_)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=ends[:, :-1])
    if nans is not None:
        ends |= take_in_rows(nans, order)
        ends[:, :-1] |= take_in_rows(nans, order)[:, 1:]
    before = np.where(ends, np.arange(size), -1)
    starts = np.full_like(before, -1)
    np.maximum.accumulate(before[:, :-1], -1, out=starts[:, 1:])
    best = np.where(ends, np.arange(size) - starts, 0).argmax(-1)
    return take_in_rows(order, best[:, None])[:, 0]


def _numbers(keys: Any, nans: Any) -> list[float]:
    """Return numbers that compare as elements do."""
    pairs = zip(keys.tolist(), nans.tolist(), strict=True)
    return [float("nan") if is_nan else key for key, is_nan in pairs]
