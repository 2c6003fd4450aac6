"""The places of numbers in sorted rows (cus_lower_bound of ATen/native/Bucketization.cpp).

Torch halves a row until one place is left, whether the row is sorted or not. A NaN is neither
greater nor equal, so its place is the end of the row.
"""

from operator import ge, gt
from typing import Any

from .._arrays.numpy_bridge import np
from .._codegen import searches


def bounds(rows: Any, values: Any, *, right: bool) -> Any:
    """Return the places of values in rows of numbers; one row is for all values.

    They are before equal numbers, or after them if ``right``.
    """
    count, size = rows.shape
    if values.size == 1:
        return np.full(values.shape, _place(rows[0], values.reshape(-1)[0], right))
    places = searches.places(rows, values, right=right)
    if places is not None:
        return places
    halvings = size.bit_length()
    if count * _ROW_COST + rows.size <= values.size * halvings * _STEP_COST and _is_sorted(rows):
        side = "right" if right else "left"
        if count == 1:
            return rows[0].searchsorted(values, side)
        pairs = zip(rows, values, strict=True)
        return np.stack([row.searchsorted(each, side) for row, each in pairs])
    starts = np.zeros(values.shape, np.int64)
    ends = np.full_like(starts, size)
    row = np.arange(count).reshape(-1, *(1,) * (values.ndim - 1))
    is_before = np.greater if right else np.greater_equal
    for _ in range(halvings):
        middles = (starts + ends) >> 1
        is_open = starts < ends
        found = rows[row, np.minimum(middles, size - 1)]
        is_left = is_before(found, values)
        np.copyto(ends, middles, where=is_open & is_left)
        np.copyto(starts, middles + 1, where=is_open & ~is_left)
    return starts


def _place(row: Any, value: Any, right: bool) -> int:
    """Return the place of one value."""
    start, end = 0, len(row)
    is_before = gt if right else ge
    while start < end:
        middle = (start + end) >> 1
        if is_before(row[middle], value):
            end = middle
        else:
            start = middle + 1
    return start


_ROW_COST, _STEP_COST = 16, 8
"""The costs of the search in a row, and of a step for all rows, per element of a comparison."""


def _is_sorted(rows: Any) -> bool:
    """Return whether no number of a row is less than the one before, and none is a NaN."""
    if rows.shape[1] == 1:
        return bool((rows == rows).all())
    return bool((rows[:, :-1] <= rows[:, 1:]).all())
