"""Reductions of NumPy arrays: which axes go, what remains, and how numbers are put together.

A `Reducer` puts all elements along some axes together.  What it returns may be
folded again, so large arrays are folded part by part, on all cores.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import PART, over_places, quietly
from .._codegen.loops import SMALL
from .._codegen.sums import summing, totals
from .._dtypes.table import DTYPES, dtype
from .._geometry.extents import Ints
from .._geometry.strides import memory_order
from .._geometry.view_shapes import distinct_dims
from .._numerics.cast import convert

Load = Callable[[Any], Any]


def reduced_axes(dims: Ints, rank: int) -> Ints:
    """Return the axes that dimensions stand for, in order; no dimensions stand for all."""
    return tuple(sorted(distinct_dims(dims, rank)))[:rank] if dims else tuple(range(rank))


def reduced_shape(shape: Ints, axes: Ints, keepdim: bool) -> Ints:
    """Return the shape without some axes, or with size 1 there.

    >>> reduced_shape((2, 3, 4), (0, 2), False), reduced_shape((2, 3, 4), (0, 2), True)
    ((3,), (1, 3, 1))
    """
    if keepdim:
        return tuple([1 if axis in axes else size for axis, size in enumerate(shape)])
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def runs(shape: Ints, stride: Ints, axes: Ints) -> int:
    """Return in how many runs some axes lie in memory (TensorIterator's coalesce_dimensions).

    >>> runs((2, 3, 4), (12, 4, 1), (1, 2)), runs((2, 3, 4), (12, 4, 1), (0, 2))
    (1, 2)
    """
    sizes, steps = (tuple([each[axis] for axis in axes]) for each in (shape, stride))
    count, end = 0, 0
    for place in memory_order(sizes, (steps,)):
        if sizes[place] != 1:
            count += not count or steps[place] != end
            end = steps[place] * sizes[place]
    return count


class Reducer(NamedTuple):
    """A way to put numbers together: ``fold(numbers, axes)``, and what is done with the last result.

    ``finish(folded, kind)`` makes numbers of NumPy's dtype ``kind`` of it; ``first`` is done with
    the elements before.  ``is_sum`` tells whether it may be computed as `compiled.sums` does.
    """

    fold: Callable[[Any, Ints], Any]
    finish: Callable[[Any, Any], Any]
    first: Load | None = None
    is_sum: bool = False


class Loading(NamedTuple):
    """What makes numbers of codes: they become those of a dtype, and those that it is computed in."""

    own: dtype
    kind: dtype
    computed: dtype

    def __call__(self, raw: Any) -> Any:
        """Return the numbers of an array of codes."""
        return convert(convert(raw, self.own, self.kind), self.kind, self.computed)


def apply(fold: Reducer, raw: Any, axes: Ints, load: Loading | None) -> Any:
    """Fold an array with elements along some axes; ``load``, if any, makes the numbers of its codes.

    Floating-point warnings are not given.
    """
    if raw.size <= SMALL:
        return quietly(small, fold, raw, axes, load)
    if fold.is_sum:
        steps = load or Loading(*(DTYPES[raw.dtype.name],) * 3)
        found = quietly(totals, summing(*steps), raw, axes)
        if found is not None:
            return quietly(fold.finish, found, numpy_storage_dtype(steps.computed))
    if len(axes) == raw.ndim and raw.flags.c_contiguous:
        raw, axes = raw.reshape(-1), (0,)
    return quietly(_large if raw.size > PART else small, fold, raw, axes, load)


def small(fold: Reducer, raw: Any, axes: Ints, load: Loading | None) -> Any:
    """Fold an array that is not large."""
    numbers = raw if load is None else load(raw)
    if fold.first is not None:
        numbers = fold.first(numbers)
    if not numbers.ndim:
        numbers, axes = numbers.reshape(1), (0,)
    return fold.finish(fold.fold(numbers, axes), numbers.dtype)


def _large(fold: Reducer, raw: Any, axes: Ints, load: Loading | None) -> Any:
    steps = [each for each in (load, fold.first) if each is not None]

    def numbers(part: Any) -> Any:
        for step in steps:
            part = step(part)
        return part

    dtype = numbers(raw[(slice(0, 1),) * raw.ndim]).dtype
    return fold.finish(_in_parts(fold.fold, raw, axes, numbers, threads=True), dtype)


def _in_parts(fold: Any, raw: Any, axes: Ints, load: Load, threads: bool) -> Any:
    """Fold parts of an array by themselves, cut along the axis that lies outermost, and join them."""
    if raw.size <= PART:
        return fold(load(raw), axes)
    steps = raw.strides
    axis = max(
        (each for each in range(raw.ndim) if raw.shape[each] > 1),
        key=lambda each: abs(steps[each]) * raw.shape[each],
    )
    size = raw.shape[axis]
    count = min(size, -(-raw.size // PART))
    ends = [size * index // count for index in range(count + 1)]
    found: list[Any] = [None] * count
    before = (slice(None),) * axis

    def work(index: int, start: int, stop: int) -> None:
        part = raw[(*before, slice(start, stop))]
        found[index] = _in_parts(fold, part, axes, load, threads=False)

    keys = [(index, *each) for index, each in enumerate(pairwise(ends))]
    if threads:
        over_places(work, keys)
    else:
        for key in keys:
            work(*key)
    if axis in axes:
        return fold(np.stack(found), (0,))
    return np.concatenate(found, axis - sum(each < axis for each in axes))


# Sums

_WIDER = {"f": "d", "F": "D"}


def _add(numbers: Any, axes: Ints) -> Any:
    """Add in float64.

    Torch's order depends on the width of the processor's vectors and on the
    number of threads, so its last bits are no fact to keep.
    """
    dtype = numbers.dtype
    if dtype.kind == "b":
        return np.logical_or.reduce(numbers, axis=axes)
    wide = _WIDER.get(dtype.char, dtype)
    if dtype.char in "dD" and len(axes) == 1:
        axis = axes[0]
        # Where they are no neighbours NumPy would add all of them one after the other.
        while numbers.shape[axis] > _FEW and numbers.strides[axis] != numbers.itemsize:
            numbers = np.add.reduceat(numbers, np.arange(0, numbers.shape[axis], _FEW), axis=axis)
    return np.add.reduce(numbers, axis=axes, dtype=wide)


_FEW = 64
"""How many numbers are added one after the other, at most."""


def _rounded_sum(total: Any, kind: Any) -> Any:
    """Round a sum once; torch begins with 0, so that no sum is -0 (ATen/native/cpu/SumKernel.cpp)."""
    if kind.kind in "fc":
        total = total + 0.0
    return np.asarray(total, kind)


def _without_nan(numbers: Any) -> Any:
    return np.where(np.isnan(numbers), numbers.dtype.type(0), numbers)


SUM = Reducer(_add, _rounded_sum, is_sum=True)
NANSUM = Reducer(_add, _rounded_sum, _without_nan)


# Products


def _multiply(numbers: Any, axes: Ints) -> Any:
    dtype = numbers.dtype
    if dtype.kind == "b":
        return np.logical_and.reduce(numbers, axis=axes)
    # Torch begins with 1; of complex numbers that shows: (inf + 1j) * 1 is inf + nan j.
    first = {"initial": 1} if dtype.kind == "c" else {}
    return np.multiply.reduce(numbers, axis=axes, dtype=dtype, **first)


def _as_kind(found: Any, kind: Any) -> Any:
    return np.asarray(found, kind)


PRODUCT = Reducer(_multiply, _as_kind)

_LANES = 64


def _multiply_rounded(rounded: Load, numbers: Any, axes: Ints) -> Any:
    """Multiply numbers one after the other, and round each product.

    So torch does with the narrow floats.  More than `_LANES` numbers are
    multiplied in lanes beside one another, as by its vectors.
    """
    rows = laid_out(numbers, axes)
    count = rows.shape[-1]
    if count > _LANES:
        width = max(_LANES, int(count**0.5))
        missing = -count % width
        if missing:
            ones = np.ones((*rows.shape[:-1], missing), rows.dtype)
            rows = np.concatenate([rows, ones], -1)
        lanes = rows.reshape(*rows.shape[:-1], -1, width)
        rows = _one_by_one(rounded, np.moveaxis(lanes, -2, 0))
    return _one_by_one(rounded, np.moveaxis(rows, -1, 0))


def _one_by_one(rounded: Load, factors: Any) -> Any:
    found = factors[0]
    for factor in factors[1:]:
        found = rounded(found * factor)
    return found


def product_rounded(rounded: Load) -> Reducer:
    """Return the product of which each step is rounded by a function."""
    return Reducer(partial(_multiply_rounded, rounded), _as_kind)


# Extremes


def laid_out(numbers: Any, axes: Ints) -> Any:
    """Return an array whose last axis goes through all elements along some axes, in order."""
    kept = [axis for axis in range(numbers.ndim) if axis not in axes]
    moved = numbers.transpose(*kept, *axes)
    return moved.reshape([numbers.shape[axis] for axis in kept] + [-1])


def _extreme(name: str, place: str, last: bool, numbers: Any, axes: Ints) -> Any:
    found = getattr(np, name).reduce(numbers, axis=axes)
    if numbers.dtype.kind != "f" or found.all():
        return found
    # Of zeros with different signs torch returns the first in memory; of a few elements looked at
    # all at once the last (of many, whichever its vectors of some width come to).
    steps = numbers.strides
    lying = axes if last else tuple(sorted(axes, key=lambda axis: -abs(steps[axis])))
    rows = laid_out(numbers, lying)
    if last:
        rows = rows[..., ::-1]
    chosen = getattr(np, place)(rows, -1)[..., None]
    return np.take_along_axis(rows, chosen, -1)[..., 0]


def _extreme_fold(name: str, place: str, last: bool = False) -> Reducer:
    return Reducer(partial(_extreme, name, place, last), _as_kind)


LARGEST, SMALLEST = _extreme_fold("maximum", "argmax"), _extreme_fold("minimum", "argmin")
LAST_LARGEST = _extreme_fold("maximum", "argmax", last=True)
LAST_SMALLEST = _extreme_fold("minimum", "argmin", last=True)


# Truth


def _logical(name: str, numbers: Any, axes: Ints) -> Any:
    return getattr(np, name).reduce(numbers, axis=axes)


ALL, ANY = (Reducer(partial(_logical, f"logical_{name}"), _as_kind) for name in ("and", "or"))


def _count(numbers: Any, axes: Ints) -> Any:
    if numbers.dtype.kind in "iu":
        return np.add.reduce(numbers, axis=axes, dtype=np.int64)
    return np.count_nonzero(numbers, axis=axes)


COUNT = Reducer(_count, lambda found, kind: np.asarray(found, np.int64))
