"""Numbers in a row, computed element by element as torch's kernels do, to the last bit.

The kernels of aten/src/ATen/native/cpu are compiled with instructions that
multiply and add with one rounding; those of RangeFactories.cpp beside it are
not.  Elements are as `numpy_storage_dtype` says.
"""

import math
from collections.abc import Callable
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from .._dtypes.table import DTYPES, dtype
from .._numerics.fma import fused_double, fused_single, steps_double, steps_single
from .._numerics.rounding import round_to_dtype, widen_to_float32

_LANES = {FLOAT64: 4, FLOAT32: 8, FLOAT16: 16, BFLOAT16: 16}
"""How many elements the AVX2 kernel of arange makes at once; it always makes two such groups."""

_EXACT = {FLOAT64: 2**53, FLOAT32: 2**24, FLOAT16: 2**11, BFLOAT16: 2**8}
"""Up to here a dtype holds every integer."""


def arange_codes(start: Any, step: Any, count: int, dtype: dtype) -> Any:
    """Return ``count`` elements from ``start`` on; the numbers are of the type that torch computes in.

    >>> arange_codes(1.0, 0.5, 3, FLOAT32)
    array([1. , 1.5, 2. ], dtype=float32)
    """
    if not dtype.is_floating_point:
        return _integers(start, step, count, dtype)
    if _is_exact(start, step, count, dtype):
        return _rounded(np.arange(count) * int(step) + int(start), dtype)
    lanes = _LANES[dtype]
    grouped = count - count % (2 * lanes)
    with np.errstate(all="ignore"):
        indices = np.arange(count)
        if not grouped:
            return _rounded(_fused(indices, step, start, dtype), dtype)
        # A group begins with what was computed from its index, rounded to the dtype; the rest of it
        # is counted from there.  What is left behind the groups is computed one by one.
        begins = _fused(indices[:grouped:lanes], step, start, dtype)
        bases = widen_to_float32(_rounded(begins, dtype), dtype).astype(np.float64)
        moved = steps_single if dtype is FLOAT16 or dtype is BFLOAT16 else steps_double
        columns = [bases, *(moved(bases, lane, step) for lane in range(1, lanes))]
        grid = np.stack([_rounded(each, dtype) for each in columns], -1)
        rest = _rounded(_fused(indices[grouped:], step, start, dtype), dtype)
    return np.concatenate((grid.reshape(-1), rest))


def _integers(start: int, step: int, count: int, dtype: dtype) -> Any:
    indices = np.arange(count)
    with np.errstate(over="ignore"):
        if step != 1:
            indices *= np.int64(step)
        if start:
            indices += np.int64(start)
    return indices.astype(numpy_storage_dtype(dtype), copy=False)


def _is_exact(start: float, step: float, count: int, dtype: dtype) -> bool:
    """Tell whether all elements are integers that the dtype holds, none of them a negative zero."""
    if not (math.isfinite(start) and math.isfinite(step)):
        return False
    return (
        step == int(step)
        and start == int(start)
        and abs(start) + max(count, 1) * abs(step) <= _EXACT[dtype]
        and (start != 0 or math.copysign(1, start) > 0)
    )


def _fused(indices: Any, step: float, start: float, dtype: dtype) -> Any:
    """Return start + step * index, rounded once to what the kernel computes in."""
    if dtype is FLOAT16 or dtype is BFLOAT16:
        return fused_single(indices.astype(np.float32), step, start)
    return fused_double(indices.astype(np.float64), step, start)


def _rounded(numbers: Any, dtype: dtype) -> Any:
    """Round numbers to a real dtype."""
    if dtype is FLOAT16 or dtype is BFLOAT16:
        return round_to_dtype(numbers.astype(np.float32), dtype)
    return numbers.astype(numpy_storage_dtype(dtype), copy=False)


def range_codes(start: Any, step: Any, count: int, dtype: dtype) -> Any:
    """Return ``count`` elements from ``start`` on, each product and each sum rounded by itself."""
    if not dtype.is_floating_point:
        return _integers(start, step, count, dtype)
    wide = np.float32 if dtype is FLOAT16 or dtype is BFLOAT16 else np.float64
    with np.errstate(all="ignore"):
        return _rounded(np.arange(count).astype(wide) * wide(step) + wide(start), dtype)


# linspace


def linspace_codes(start: Any, end: Any, steps: int, dtype: dtype) -> Any:
    """Return ``steps`` elements, at least two, between two elements of the dtype.

    >>> linspace_codes(0, 7, 3, DTYPES["int64"])
    array([0, 3, 7])
    """
    with np.errstate(all="ignore"):
        if dtype.is_complex:
            part, whole = dtype.to_real(), np.empty(steps, numpy_storage_dtype(dtype))
            whole.real = linspace_codes(start.real, end.real, steps, part)
            whole.imag = linspace_codes(start.imag, end.imag, steps, part)
            return whole
        if dtype is FLOAT16 or dtype is BFLOAT16:
            return _spaced_halves(start, end, steps, dtype)
        if dtype is FLOAT32:
            first, last = np.float32(start), np.float32(end)
            step = float((last - first) / np.float32(steps - 1))
            return _from_both_ends(float(first), float(last), step, steps, np.float32, fused_single)
        first, last = np.float64(start), np.float64(end)
        step = float((last - first) / np.float64(steps - 1))
        numbers = _from_both_ends(float(first), float(last), step, steps, np.float64, fused_double)
        return numbers if dtype is FLOAT64 else _truncated(numbers, dtype)


def _from_both_ends(
    start: float, end: float, step: float, steps: int, wide: Any, fused: Callable[..., Any]
) -> Any:
    indices = np.arange(steps)
    half = steps // 2
    lower = fused(indices[:half].astype(wide), step, start)
    # The sign of a NaN is left alone.
    back = -step if step == step else step
    upper = fused(indices[: steps - half][::-1].astype(wide), back, end)
    return np.concatenate((lower, upper))


def _truncated(numbers: Any, dtype: dtype) -> Any:
    """Return the integers towards zero, as x86 does: of what an int32 cannot hold, its least."""
    wide = np.int64 if dtype.itemsize == 8 else np.int32
    return numbers.astype(wide).astype(numpy_storage_dtype(dtype))


def _spaced_halves(start: Any, end: Any, steps: int, dtype: dtype) -> Any:
    """Round after each operation, as the operators of c10::Half and c10::BFloat16 do."""

    def rounded(numbers: Any) -> Any:
        single = np.asarray(numbers).astype(np.float32)
        return widen_to_float32(round_to_dtype(single, dtype), dtype).astype(np.float32)

    first, last = widen_to_float32(
        np.array([start, end], numpy_storage_dtype(dtype)), dtype
    ).astype(np.float32)
    step = rounded(rounded(last - first) / rounded(steps - 1))
    indices, half = np.arange(steps), steps // 2
    lower = first + rounded(step * rounded(indices[:half]))
    upper = last - rounded(step * rounded(indices[: steps - half][::-1]))
    return round_to_dtype(np.concatenate((lower, upper)).astype(np.float32), dtype)


# logspace


def logspace_codes(start: Any, end: Any, steps: int, dtype: dtype, base: float) -> Any:
    """Return ``steps`` powers of ``base``, at least two; the exponents are evenly spaced."""
    with np.errstate(all="ignore"):
        if dtype.is_complex:
            return _complex_powers(start, end, steps, dtype, base)
        if dtype is FLOAT16 or dtype is BFLOAT16:
            first, last = widen_to_float32(
                np.array([start, end], numpy_storage_dtype(dtype)), dtype
            ).astype(np.float32)
            distance = widen_to_float32(round_to_dtype((last - first).reshape(1), dtype), dtype)[0]
        else:
            first, last = np.array([start, end], numpy_storage_dtype(dtype)).astype(
                _PROMOTED.get(dtype, numpy_storage_dtype(dtype))
            )
            distance = last - first
        step = float(distance) / (steps - 1)
        exponents = _exponents(float(first), float(last), step, np.arange(steps))
        powers = np.array([_power(base, each) for each in exponents.tolist()])
        if dtype.is_floating_point:
            return _rounded(powers, dtype)
        return _truncated(powers, dtype)


# Small integers are ints where C++ computes with them.
_PROMOTED = {DTYPES[name]: "int32" for name in ("uint8", "int8", "int16")}


def _exponents(start: Any, end: Any, step: Any, indices: Any) -> Any:
    """Return evenly spaced exponents, the second half counted from the end."""
    steps = len(indices)
    half = steps // 2
    lower = start + step * indices[:half]
    upper = end - step * indices[: steps - half][::-1]
    return np.concatenate((lower, upper))


def power(base: float, exponent: float | complex) -> float | complex:
    """Raise a double to a power, as std::pow does."""
    if not isinstance(exponent, complex):
        return _power(base, exponent)
    with np.errstate(all="ignore"):
        if not base > 0:
            return complex(_complex_power(base, np.array([exponent]))[0])
        radius, angle = _power(base, exponent.real), exponent.imag * np.log(base)
        return complex(radius * np.cos(angle), radius * np.sin(angle))


def _power(base: float, exponent: float) -> float:
    """Return what pow of the C library does, which raises nothing."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        is_odd = exponent % 2 == 1
        return -math.inf if base < 0 and is_odd else math.inf
    except ValueError:
        if base == 0:
            is_odd = exponent % 2 == 1
            return math.copysign(math.inf, base) if is_odd else math.inf
        return math.copysign(math.nan, -1)  # as x86 makes it


def _complex_powers(start: Any, end: Any, steps: int, dtype: dtype, base: float) -> Any:
    carried = numpy_storage_dtype(dtype)
    first, last = carried.type(start), carried.type(end)
    step = (last - first) / carried.type(steps - 1)
    return _complex_power(base, _exponents(first, last, step, np.arange(steps).astype(carried)))


def _complex_power(base: float, exponents: Any) -> Any:
    # The real and the imaginary part by themselves: NumPy fuses its product.
    logarithm = np.log(exponents.dtype.type(base))
    products = np.empty_like(exponents)
    products.real = exponents.real * logarithm.real - exponents.imag * logarithm.imag
    products.imag = exponents.real * logarithm.imag + exponents.imag * logarithm.real
    return np.exp(products)
