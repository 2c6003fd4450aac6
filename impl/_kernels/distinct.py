"""Distinct elements and rows, and how often they occur (ATen/native/Unique.cpp).

Among equal elements torch keeps the first one in the order of its sort. NaNs are not equal.
"""

from functools import total_ordering
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import is_native, np
from .._dtypes.table import dtype
from .._numerics.cast import to_numbers
from .introselect import std_sort_order
from .sorting import order_of_ranks


class Groups(NamedTuple):
    """Runs of equal elements.

    starts: whether a run begins at a position
    firsts: the positions at which runs begin
    """

    starts: Any
    firsts: Any

    @property
    def inverse(self) -> Any:
        """The index of the run of each position."""
        return np.cumsum(self.starts) - 1

    @property
    def counts(self) -> Any:
        """The lengths of the runs."""
        return np.diff(self.firsts, append=len(self.starts))


def groups_of(ordered: Any, dtype: dtype) -> Groups:
    """Return the runs of equal elements or rows."""
    numbers = to_numbers(ordered, dtype)
    starts = np.ones(len(numbers), np.bool_)
    differ = numbers[1:] != numbers[:-1]
    starts[1:] = differ.any(1) if numbers.ndim > 1 else differ
    return Groups(starts, np.flatnonzero(starts))


def sorted_alone(raw: Any, dtype: dtype) -> Any:
    """Return sorted elements without their indices.

    Return None if the order of zeros or NaNs is visible; NumPy's sort does not keep bits of NaNs.
    """
    if not is_native(dtype):
        return None
    if dtype.is_floating_point:
        signs = np.signbit(raw[raw == 0])
        if signs.any() and not signs.all():
            return None
    ordered = np.sort(raw)
    return ordered if (ordered[-1:] == ordered[-1:]).all() else None


def row_order(rows: Any, dtype: dtype) -> Any:
    """Return the order in which std::sort leaves rows that are compared element by element."""
    numbers = to_numbers(rows, dtype)
    if numbers.dtype.kind == "f" and (numbers != numbers).any():
        return np.array(std_sort_order([_Row(row) for row in numbers.tolist()]), np.int64)
    order = np.lexsort(numbers.T[::-1])
    ordered = numbers[order]
    ranks = np.zeros(len(numbers), np.int64)
    ranks[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(1))
    return order_of_ranks(ranks.reshape(1, -1))[0]


@total_ordering
class _Row:
    """A row with a NaN, whose elements are compared until one is less or greater."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers

    def __eq__(self, other: object) -> bool:
        return self is other

    def __lt__(self, other: "_Row") -> bool:
        for left, right in zip(self.numbers, other.numbers, strict=True):
            if left < right or left > right:
                return left < right
        return False
