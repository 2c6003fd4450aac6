"""How torch walks through the places of two sparse tensors together, without a loop over them.

Torch's loop looks at the next place of each side, and takes the one that comes first, or both if they are the same
(add_out_sparse_contiguous in ATen/native/sparse/SparseTensorMath.cpp).  Places need not be in order.  A place waits
for all before it, so what decides is the greatest place so far: of places with different ones the lesser goes first.
Where both sides have come to the same greatest place at once, they go on alike with what follows it.
"""

from typing import Any

from ..._arrays.numpy_bridge import np

_Span = tuple[int, int, int, int, int]
"""From where to where on the left, and on the right, and which position comes first."""


def merged(left: Any, right: Any) -> tuple[Any, Any, int]:
    """Return the positions of two lists of numbers in what torch's loop makes of them, and how many there are.

    >>> merged(np.array([1, 5, 2]), np.array([3, 5]))
    (array([0, 2, 3]), array([1, 2]), 4)
    """
    count = len(left) + len(right)
    walk = _Walk(left, right)
    todo: list[_Span] = [(0, len(left), 0, len(right), 0)]
    while todo:
        todo += walk.go(todo.pop())
    # So far each has a position of its own, and what is the same is side by side.
    twice = np.zeros(count + 1, np.int64)
    twice[walk.at_right[walk.taken_with]] = 1
    less = twice.cumsum()
    return (
        walk.at_left - less[walk.at_left],
        walk.at_right - less[walk.at_right],
        count - int(less[-1]),
    )


class _Walk:
    """The positions found so far, and which of the right are taken together with one of the left."""

    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right
        self.at_left = np.zeros(len(left), np.int64)
        self.at_right = np.zeros(len(right), np.int64)
        self.taken_with = np.zeros(len(right), bool)

    def go(self, span: _Span) -> list[_Span]:
        """Place what both sides begin with alike, and then runs; return what is to be walked through again."""
        a, a_end, b, b_end, place = span
        common = _alike(self.left[a:a_end], self.right[b:b_end])
        pairs = place + 2 * np.arange(common)
        self.at_left[a : a + common] = pairs
        self.at_right[b : b + common] = pairs + 1
        self.taken_with[b : b + common] = True
        a, b, place = a + common, b + common, place + 2 * common
        if a < a_end and b < b_end:
            return self._place_runs((a, a_end, b, b_end, place))
        self.at_left[a:a_end] = np.arange(place, place + a_end - a)
        self.at_right[b:b_end] = np.arange(place, place + b_end - b)
        return []

    def _place_runs(self, span: _Span) -> list[_Span]:
        """Place runs with one greatest number so far; where both sides have the same, their heads are taken together."""
        a, a_end, b, b_end, place = span
        keys, starts, sizes = _runs(self.left[a:a_end])
        other_keys, other_starts, other_sizes = _runs(self.right[b:b_end])
        found = np.searchsorted(other_keys, keys)
        inside = found < len(other_keys)
        same = np.zeros(len(keys), bool)
        same[inside] = other_keys[found[inside]] == keys[inside]
        before, others_before = (np.r_[0, each.cumsum()] for each in (sizes, other_sizes))
        begins = place + before[:-1] + others_before[found]
        other_begins = place + others_before[:-1] + before[np.searchsorted(keys, other_keys)]
        ones, others = np.flatnonzero(same), found[same]
        taken = np.zeros(len(other_keys), bool)
        taken[others] = True
        # A head on the right comes right after its like on the left, and what follows either after both.
        shifted = np.repeat(same, sizes)
        shifted[starts] = False
        self.at_left[a:a_end] = np.repeat(begins - starts, sizes) + np.arange(a_end - a) + shifted
        self.at_right[b:b_end] = np.repeat(
            other_begins - other_starts + taken, other_sizes
        ) + np.arange(b_end - b)
        self.taken_with[b + other_starts[others]] = True
        both = (sizes[ones] > 1) & (other_sizes[others] > 1)
        ones, others = ones[both], others[both]
        first, second = a + starts[ones], b + other_starts[others]
        ends = first + sizes[ones], second + other_sizes[others]
        spans = first + 1, ends[0], second + 1, ends[1], begins[ones] + 2
        return [*zip(*(each.tolist() for each in spans), strict=True)]


def _alike(left: Any, right: Any) -> int:
    """Return with how many equal numbers two lists begin."""
    size = min(len(left), len(right))
    differs = np.flatnonzero(left[:size] != right[:size])
    return int(differs[0]) if len(differs) else size


def _runs(numbers: Any) -> tuple[Any, Any, Any]:
    """Return the greatest numbers so far, where each becomes so, and for how many it is."""
    tops = np.maximum.accumulate(numbers)
    starts = np.flatnonzero(np.r_[True, tops[1:] != tops[:-1]])
    return tops[starts], starts, np.diff(np.r_[starts, len(tops)])
