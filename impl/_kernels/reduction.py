"""Reductions of NumPy arrays: axes, result shapes and reducers.

The result of `Reducer.fold` can be folded again, so large arrays are folded in parts on all cores.
"""

from collections.abc import Callable
from functools import partial, reduce as reduce_in_order
from itertools import pairwise
from typing import Any, NamedTuple

from .._arrays.cpu_capability import has_vector_instructions
from .._arrays.numpy_bridge import np, numpy_storage_dtype, take_along_axis
from .._arrays.opaque_dtypes import warn_complex_to_real
from .._arrays.parallel import BLOCK_ELEMENTS, parallel_for, without_fp_warnings
from .._codegen.loops import NUMPY_MAX_ELEMENTS
from .._codegen.sums import sum_axes, sum_kernels
from .._dtypes.table import DTYPES, dtype
from .._geometry.extents import Ints
from .._geometry.strides import memory_order
from .._geometry.view_shapes import distinct_dims
from .._numerics.cast import cast_kernel_of, convert, convert_part
from .elementwise import multiply_complex

Load = Callable[[Any], Any]


def reduced_axes(dims: Ints, rank: int) -> Ints:
    """Return the sorted axes of ``dims``; empty ``dims`` mean all axes."""
    return tuple(sorted(distinct_dims(dims, rank)))[:rank] if dims else tuple(range(rank))


def reduced_shape(shape: Ints, axes: Ints, keepdim: bool) -> Ints:
    """Return the shape without the reduced axes, or with size 1 for them.

    >>> reduced_shape((2, 3, 4), (0, 2), False), reduced_shape((2, 3, 4), (0, 2), True)
    ((3,), (1, 3, 1))
    """
    if keepdim:
        return tuple([1 if axis in axes else size for axis, size in enumerate(shape)])
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def coalesced_dims(shape: Ints, stride: Ints, axes: Ints) -> int:
    """Return the number of ``axes`` after coalescing (TensorIterator::coalesce_dimensions).

    >>> coalesced_dims((2, 3, 4), (12, 4, 1), (1, 2)), coalesced_dims((2, 3, 4), (12, 4, 1), (0, 2))
    (1, 2)
    """
    sizes, strides = (tuple([values[axis] for axis in axes]) for values in (shape, stride))
    count, next_stride = 0, 0
    for index in memory_order(sizes, (strides,)):
        if sizes[index] != 1:
            count += not count or strides[index] != next_stride
            next_stride = strides[index] * sizes[index]
    return count


class Reducer(NamedTuple):
    """The functions of a reduction.

    fold: ``fold(numbers, axes)`` reduces numbers along axes
    finish: ``finish(result, dtype)`` converts the last result to a NumPy dtype
    prepare: a function of the numbers before the first fold
    is_sum: whether `_codegen.sums` may compute the reduction
    """

    fold: Callable[[Any, Ints], Any]
    finish: Callable[[Any, Any], Any]
    prepare: Load | None = None
    is_sum: bool = False


class CastChain(NamedTuple):
    """The casts of a raw array: to the requested dtype, and then to the opmath dtype."""

    source: dtype
    target: dtype
    opmath: dtype

    def __call__(self, raw: Any) -> Any:
        """Return the numbers of a raw array."""
        return convert(convert(raw, self.source, self.target), self.target, self.opmath)

    def of_part(self, raw: Any) -> Any:
        """Return the numbers of a part, without a warning."""
        return convert(convert_part(raw, self.source, self.target), self.target, self.opmath)

    def warn(self) -> None:
        """Warn if the casts discard imaginary parts."""
        if cast_kernel_of(self.source, self.target).discards:
            warn_complex_to_real()


def reduce(reducer: Reducer, raw: Any, axes: Ints, load: CastChain | None) -> Any:
    """Reduce a non-empty raw array along axes; ``load`` converts its elements to numbers.

    Floating-point warnings are suppressed.
    """
    if raw.size <= NUMPY_MAX_ELEMENTS:
        return without_fp_warnings(reduce_small, reducer, raw, axes, load)
    if reducer.is_sum:
        casts = load or CastChain(*(DTYPES[raw.dtype.name],) * 3)
        result = without_fp_warnings(sum_axes, sum_kernels(*casts), raw, axes)
        if result is not None:
            return without_fp_warnings(reducer.finish, result, numpy_storage_dtype(casts.opmath))
    if len(axes) == raw.ndim and raw.flags.c_contiguous:
        raw, axes = raw.reshape(-1), (0,)
    return without_fp_warnings(
        _large if raw.size > BLOCK_ELEMENTS else reduce_small, reducer, raw, axes, load
    )


def reduce_small(reducer: Reducer, raw: Any, axes: Ints, load: CastChain | None) -> Any:
    """Reduce an array in one part."""
    numbers = raw if load is None else load(raw)
    if reducer.prepare is not None:
        numbers = reducer.prepare(numbers)
    if not numbers.ndim:
        numbers, axes = numbers.reshape(1), (0,)
    return reducer.finish(reducer.fold(numbers, axes), numbers.dtype)


def _large(reducer: Reducer, raw: Any, axes: Ints, load: CastChain | None) -> Any:
    if load is not None:
        load.warn()

    def numbers(part: Any) -> Any:
        loaded = part if load is None else load.of_part(part)
        return loaded if reducer.prepare is None else reducer.prepare(loaded)

    dtype = numbers(raw[(slice(0, 1),) * raw.ndim]).dtype
    return reducer.finish(_in_parts(reducer.fold, raw, axes, numbers, threads=True), dtype)


def _in_parts(fold: Any, raw: Any, axes: Ints, load: Load, threads: bool) -> Any:
    """Fold an array in parts along its outermost axis, and combine the results."""
    if raw.size <= BLOCK_ELEMENTS:
        return fold(load(raw), axes)
    strides = raw.strides
    axis = max(
        (dim for dim in range(raw.ndim) if raw.shape[dim] > 1),
        key=lambda dim: abs(strides[dim]) * raw.shape[dim],
    )
    size = raw.shape[axis]
    count = min(size, -(-raw.size // BLOCK_ELEMENTS))
    bounds = [size * index // count for index in range(count + 1)]
    results: list[Any] = [None] * count
    prefix = (slice(None),) * axis

    def work(index: int, start: int, stop: int) -> None:
        part = raw[(*prefix, slice(start, stop))]
        results[index] = _in_parts(fold, part, axes, load, threads=False)

    keys = [(index, *interval) for index, interval in enumerate(pairwise(bounds))]
    if threads:
        parallel_for(work, keys)
    else:
        for key in keys:
            work(*key)
    if axis in axes:
        return fold(np.stack(results), (0,))
    return np.concatenate(results, axis - sum(dim < axis for dim in axes))


# Sums


def _add(numbers: Any, axes: Ints) -> Any:
    """Return sums, computed in float64.

    Torch's order depends on the vector width and the number of threads, so its last bits are not
    reproduced.
    """
    dtype = numbers.dtype
    if dtype.kind == "b":
        return np.logical_or.reduce(numbers, axis=axes)
    if dtype.char in "dD" and len(axes) == 1:
        axis = axes[0]
        # For strided elements NumPy would add all of them one by one.
        while numbers.shape[axis] > _RUN and numbers.strides[axis] != numbers.itemsize:
            numbers = np.add.reduceat(numbers, np.arange(0, numbers.shape[axis], _RUN), axis=axis)
    return np.add.reduce(numbers, axis=axes, dtype={"f": "d", "F": "D"}.get(dtype.char, dtype))


_RUN = 64
"""The largest number of elements that are added one by one."""


def _rounded_sum(total: Any, dtype: Any) -> Any:
    """Round a sum; torch starts at 0, so no sum is -0 (ATen/native/cpu/SumKernel.cpp)."""
    if dtype.kind in "fc":
        total = total + 0.0
    return np.asarray(total, dtype)


def _without_nan(numbers: Any) -> Any:
    return np.where(np.isnan(numbers), numbers.dtype.type(0), numbers)


SUM = Reducer(_add, _rounded_sum, is_sum=True)
NANSUM = Reducer(_add, _rounded_sum, _without_nan)


# Products


def _multiply(numbers: Any, axes: Ints) -> Any:
    dtype = numbers.dtype
    if dtype.kind == "b":
        return np.logical_and.reduce(numbers, axis=axes)
    if dtype.kind != "c":
        return np.multiply.reduce(numbers, axis=axes, dtype=dtype)
    # Torch starts at 1, which complex numbers show: (inf + 1j) * 1 is inf + nan j.
    result = np.multiply.reduce(numbers, axis=axes, dtype=dtype, initial=1)
    if np.isfinite(result).all() or numbers.size > _LANES * result.size:
        return result
    factors = np.moveaxis(flatten_axes(numbers, axes), -1, 0)
    # NumPy fuses the products of some processors, which changes overflows.
    return reduce_in_order(multiply_complex, factors, dtype.type(1))


def as_dtype(result: Any, dtype: Any) -> Any:
    """Return a result as an array of a NumPy dtype."""
    return np.asarray(result, dtype)


PRODUCT = Reducer(_multiply, as_dtype)

_LANES = 64


def _multiply_rounded(rounded: Load, numbers: Any, axes: Ints) -> Any:
    """Return products with each step rounded, as torch computes narrow floats.

    More than `_LANES` numbers are multiplied in parallel lanes, as in torch's vectorized kernel.
    """
    rows = flatten_axes(numbers, axes)
    count = rows.shape[-1]
    if count > _LANES:
        width = max(_LANES, int(count**0.5))
        missing = -count % width
        if missing:
            ones = np.ones((*rows.shape[:-1], missing), rows.dtype)
            rows = np.concatenate([rows, ones], -1)
        lanes = rows.reshape(*rows.shape[:-1], -1, width)
        rows = _multiply_in_order(rounded, np.moveaxis(lanes, -2, 0))
    return _multiply_in_order(rounded, np.moveaxis(rows, -1, 0))


def _multiply_in_order(rounded: Load, factors: Any) -> Any:
    product = factors[0]
    for factor in factors[1:]:
        product = rounded(product * factor)
    return product


def rounded_product(rounded: Load) -> Reducer:
    """Return the reducer of a product whose steps are rounded by a function."""
    return Reducer(partial(_multiply_rounded, rounded), as_dtype)


# Extremes


def flatten_axes(numbers: Any, axes: Ints) -> Any:
    """Return an array with the reduced axes flattened, in order, to its last axis."""
    kept = [axis for axis in range(numbers.ndim) if axis not in axes]
    moved = numbers.transpose(*kept, *axes)
    return moved.reshape([numbers.shape[axis] for axis in kept] + [-1])


def in_memory_order(stride: Ints, axes: Ints) -> Ints:
    """Return axes with the outermost in memory first, the order in which torch reduces elements."""
    return tuple(sorted(axes, key=lambda axis: -abs(stride[axis])))


def _extreme(name: str, arg_name: str, numbers: Any, axes: Ints) -> Any:
    """Return the largest or smallest numbers; among zeros the first in memory, as torch does.

    For many elements torch's choice among zeros depends on the vector width.
    """
    result = getattr(np, name).reduce(numbers, axis=axes)
    if numbers.dtype.kind != "f" or result.all():
        return result
    rows = flatten_axes(numbers, in_memory_order(numbers.strides, axes))
    index = getattr(np, arg_name)(rows, -1)[..., None]
    return take_along_axis(rows, index, -1)[..., 0]


def _extreme_of_all(name: str, half: bool, numbers: Any, axes: Ints) -> Any:
    """Return the largest or smallest of all numbers, with the sign of torch's zero or NaN.

    Torch compares vectors of 32 bytes, then their lanes in order, and takes the last of equal
    numbers and the first NaN (reduce_all in aten/src/ATen/cpu/vec/functional_base.h). A vector of a
    narrow dtype, with ``half``, becomes two of float32, which are compared after all others. With
    vector instructions a NaN has all bits set (vec256_float.h); of float16 the conversions of
    narrow vectors keep its sign alone, and those of wide ones keep all bits.
    """
    result = getattr(np, name).reduce(numbers, axis=axes)
    is_nan = result != result
    if numbers.dtype.kind != "f" or (result and not is_nan):
        return result
    if is_nan and numbers.size > 1 and has_vector_instructions():
        all_bits = np.array(-1, f"i{numbers.itemsize}").view(numbers.dtype)[()]
        return -numbers.dtype.type(np.nan) if half else all_bits
    row, lanes = numbers.reshape(-1), 32 // numbers.itemsize
    columns = [row[lane::lanes] for lane in range(min(lanes, row.size))]
    for column in columns if is_nan else reversed(columns):
        (found,) = np.nonzero(column != column if is_nan else column == 0)
        if found.size:
            found = found[np.argsort(found % 2, kind="stable")] if half else found
            return column[found[0 if is_nan else -1]]
    return result


def _with_positive_nans(result: Any, dtype: Any) -> Any:
    """Return extremes with the NaN of torch's scalar kernel (max_impl in cpu/zmath.h)."""
    if dtype.kind == "f":
        is_nan = result != result
        if is_nan.any() if result.ndim else is_nan:
            result = np.where(is_nan, dtype.type(np.nan), result)
    return np.asarray(result, dtype)


LARGEST, SMALLEST = (
    Reducer(partial(_extreme, *names), _with_positive_nans)
    for names in (("maximum", "argmax"), ("minimum", "argmin"))
)
LARGEST_OF_ALL, SMALLEST_OF_ALL, LARGEST_HALF_OF_ALL, SMALLEST_HALF_OF_ALL = (
    Reducer(partial(_extreme_of_all, name, half), as_dtype)
    for half in (False, True)
    for name in ("maximum", "minimum")
)


# Truth


ALL = Reducer(lambda numbers, axes: np.logical_and.reduce(numbers, axis=axes), as_dtype)
ANY = Reducer(lambda numbers, axes: np.logical_or.reduce(numbers, axis=axes), as_dtype)


def _count(numbers: Any, axes: Ints) -> Any:
    if numbers.dtype.kind in "iu":
        return np.add.reduce(numbers, axis=axes, dtype=np.int64)
    return np.count_nonzero(numbers, axis=axes)


COUNT = Reducer(_count, lambda result, dtype: np.asarray(result, np.int64))
