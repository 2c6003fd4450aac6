"""The bins of elements, and the sums of weights in each (ATen/native/cpu/HistogramKernel.cpp)."""

from collections.abc import Callable
from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.table import dtype, spec_of


def upper_bounds(edges: Any, numbers: Any) -> Any:
    """Return the place that std::upper_bound finds for each number, also in unsorted edges."""
    if (edges[1:] >= edges[:-1]).all():
        return np.searchsorted(edges, numbers, "right")
    first = np.zeros(numbers.shape, np.int64)
    count = np.full(numbers.shape, len(edges), np.int64)
    while (count > 0).any():
        step = count // 2
        middle = np.minimum(first + step, len(edges) - 1)
        is_left = numbers < edges[middle]
        is_active = count > 0
        first = np.where(is_active & ~is_left, middle + 1, first)
        count = np.where(is_left, step, count - step - 1) * is_active
    return first


def bins(edges: Any, numbers: Any, *, linear: bool) -> Any:
    """Return the bin of each number between the first and the last edge.

    Between ``linear`` edges torch divides, and looks for the bin beside the quotient.
    """
    last = len(edges) - 1
    if linear and len(numbers) > _FEW and (places := _bins_beside(edges, numbers)) is not None:
        return places
    places = upper_bounds(edges, numbers)
    if linear:
        guess = _guesses(edges, numbers)
        places = places.clip(np.maximum(guess - 1, 0), np.minimum(guess + 2, last + 1))
    places -= 1
    return np.where(places == last, last - 1, places)


def _guesses(edges: Any, numbers: Any) -> Any:
    """Return the truncated quotients that are near the bins between linear edges."""
    guess = (numbers - edges[0]) * edges.dtype.type(len(edges) - 1) / (edges[-1] - edges[0])
    return np.where(np.isfinite(guess), guess, 0).astype(np.int64)


def _bins_beside(edges: Any, numbers: Any) -> Any:
    """Return `bins` between sorted linear edges by comparisons with three of them, which is faster.

    Return None if they may be others.
    """
    last = len(edges) - 1
    guess = _guesses(edges, numbers)
    if not (edges[1:] >= edges[:-1]).all() or guess.min() < 0 or guess.max() > last:
        return None
    around = np.concatenate([[-np.inf], edges, [np.inf] * 2]).astype(edges.dtype)
    places = guess - 2
    for offset in range(3):
        places += around[offset:].take(guess) <= numbers
    return np.where(places == last, last - 1, places)


_FEW = 1000
"""The largest number of elements whose bins NumPy finds faster in all edges."""


def counts(places: Any, count: int, dtype: dtype) -> Any:
    """Return the sums of ones at each of ``count`` places, each rounded to a dtype, as float64."""
    spec = spec_of(dtype).float_format
    assert spec is not None
    # From this number on a sum stays as it is if 1 is added.
    limit = 2 ** (spec.mantissa_bits + 1)
    return np.minimum(np.bincount(places, minlength=count), limit).astype(np.float64)


def sums(places: Any, weights: Any, count: int, rounded: Callable[[Any], Any] | None) -> Any:
    """Return the sums of the weights at each of ``count`` places, each rounded, in order."""
    totals = np.zeros(count, weights.dtype)
    if rounded is None:
        np.add.at(totals, places, weights)
        return totals
    order = np.argsort(places, kind="stable")
    places, weights = places[order], weights[order]
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    ends = np.append(starts[1:], len(places))
    while len(starts):
        at = places[starts]
        totals[at] = rounded(totals[at] + weights[starts])
        is_left = starts + 1 < ends
        starts, ends = starts[is_left] + 1, ends[is_left]
    return totals
