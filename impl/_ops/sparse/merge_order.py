"""The merge order of the indices of two sparse tensors, vectorized.

Torch's loop takes the lesser of the next indices of both sides, or both if they are equal
(add_out_sparse_contiguous in ATen/native/sparse/SparseTensorMath.cpp).  Indices need not be sorted,
so the running maximum of a side decides: the index with the lesser one goes first.  If both sides
reach an equal running maximum at once, they are merged the same way from there.
"""

from typing import Any

from ..._arrays.numpy_bridge import np

_Span = tuple[int, int, int, int, int]
"""The bounds on the left, the bounds on the right, and the first position of the output."""


def merged(left: Any, right: Any) -> tuple[Any, Any, int]:
    """Return the positions of two key arrays in the merged order, and the merged length.

    >>> merged(np.array([1, 5, 2]), np.array([3, 5]))
    (array([0, 2, 3]), array([1, 2]), 4)
    """
    count = len(left) + len(right)
    merge = _Merge(left, right)
    pending: list[_Span] = [(0, len(left), 0, len(right), 0)]
    while pending:
        pending += merge.place_span(pending.pop())
    # Until here each key has a position of its own, and merged pairs are adjacent.
    is_merged = np.zeros(count + 1, np.int64)
    is_merged[merge.at_right[merge.merged]] = 1
    shift = is_merged.cumsum()
    return (
        merge.at_left - shift[merge.at_left],
        merge.at_right - shift[merge.at_right],
        count - int(shift[-1]),
    )


class _Merge:
    """The positions so far, and a mask of the right keys that are merged with a left key."""

    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right
        self.at_left = np.zeros(len(left), np.int64)
        self.at_right = np.zeros(len(right), np.int64)
        self.merged = np.zeros(len(right), bool)

    def place_span(self, span: _Span) -> list[_Span]:
        """Place the common prefix of both sides, then runs; return the spans to process next."""
        a, a_end, b, b_end, position = span
        common = _common_prefix(self.left[a:a_end], self.right[b:b_end])
        pairs = position + 2 * np.arange(common)
        self.at_left[a : a + common] = pairs
        self.at_right[b : b + common] = pairs + 1
        self.merged[b : b + common] = True
        a, b, position = a + common, b + common, position + 2 * common
        if a < a_end and b < b_end:
            return self._place_runs((a, a_end, b, b_end, position))
        self.at_left[a:a_end] = np.arange(position, position + a_end - a)
        self.at_right[b:b_end] = np.arange(position, position + b_end - b)
        return []

    def _place_runs(self, span: _Span) -> list[_Span]:
        """Place runs of equal running maximum; the heads of runs with equal maximum are merged."""
        a, a_end, b, b_end, position = span
        keys, starts, sizes = _runs(self.left[a:a_end])
        other_keys, other_starts, other_sizes = _runs(self.right[b:b_end])
        match = np.searchsorted(other_keys, keys)
        in_range = match < len(other_keys)
        matches = np.zeros(len(keys), bool)
        matches[in_range] = other_keys[match[in_range]] == keys[in_range]
        before, others_before = (np.r_[0, counts.cumsum()] for counts in (sizes, other_sizes))
        begins = position + before[:-1] + others_before[match]
        other_begins = position + others_before[:-1] + before[np.searchsorted(keys, other_keys)]
        heads, other_heads = np.flatnonzero(matches), match[matches]
        merged = np.zeros(len(other_keys), bool)
        merged[other_heads] = True
        # A right head follows its equal left head, and the rest of both runs follows both heads.
        tail = np.repeat(matches, sizes)
        tail[starts] = False
        self.at_left[a:a_end] = np.repeat(begins - starts, sizes) + np.arange(a_end - a) + tail
        self.at_right[b:b_end] = np.repeat(
            other_begins - other_starts + merged, other_sizes
        ) + np.arange(b_end - b)
        self.merged[b + other_starts[other_heads]] = True
        both = (sizes[heads] > 1) & (other_sizes[other_heads] > 1)
        heads, other_heads = heads[both], other_heads[both]
        first, second = a + starts[heads], b + other_starts[other_heads]
        ends = first + sizes[heads], second + other_sizes[other_heads]
        spans = first + 1, ends[0], second + 1, ends[1], begins[heads] + 2
        return [*zip(*(bounds.tolist() for bounds in spans), strict=True)]


def _common_prefix(left: Any, right: Any) -> int:
    """Return the length of the common prefix of two arrays."""
    size = min(len(left), len(right))
    differs = np.flatnonzero(left[:size] != right[:size])
    return int(differs[0]) if len(differs) else size


def _runs(numbers: Any) -> tuple[Any, Any, Any]:
    """Return the distinct running maxima, their first positions, and their run lengths."""
    tops = np.maximum.accumulate(numbers)
    starts = np.flatnonzero(np.r_[True, tops[1:] != tops[:-1]])
    return tops[starts], starts, np.diff(np.r_[starts, len(tops)])
