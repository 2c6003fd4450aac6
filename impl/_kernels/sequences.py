"""The elements of arange, range, linspace and logspace, equal to torch's to the last bit.

The kernels in aten/src/ATen/native/cpu are compiled with FMA instructions; those of
aten/src/ATen/native/RangeFactories.cpp are not.  Elements have the `numpy_storage_dtype`.
"""

import math
from functools import partial
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._codegen import sequences
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from .._dtypes.table import DTYPES, dtype
from .._numerics.fma import fused_double, fused_single, steps_double, steps_single
from .._numerics.rounding import round_to_dtype, round_to_elements, widen_to_float32
from .elementwise import Kernel, multiply_complex

_LANES = {FLOAT64: 4, FLOAT32: 8, FLOAT16: 16, BFLOAT16: 16}
"""The vector width of the AVX2 kernel of arange, which computes two vectors at a time."""

_EXACT = {FLOAT64: 2**53, FLOAT32: 2**24, FLOAT16: 2**11, BFLOAT16: 2**8}
"""The bound up to which a dtype represents every integer."""


def arange_elements(start: Any, step: Any, count: int, dtype: dtype) -> Any:
    """Return ``count`` elements of arange; the scalars have the accumulation dtype.

    >>> arange_elements(1.0, 0.5, 3, FLOAT32)
    array([1. , 1.5, 2. ], dtype=float32)
    """
    if not dtype.is_floating_point:
        return _integers(start, step, count, dtype)
    if _is_exact(start, step, count, dtype):
        return round_to_elements(np.arange(count) * int(step) + int(start), dtype)
    lanes = _LANES[dtype]
    grouped = count - count % (2 * lanes)
    with np.errstate(all="ignore"):
        indices = np.arange(count)
        if not grouped:
            return _affine(indices, step, start, dtype)
        # The first element of a vector is computed from its index and rounded to the dtype.  The
        # others are offsets from it.  Elements after the last pair of vectors are computed singly.
        firsts = _affine(indices[:grouped:lanes], step, start, dtype)
        bases = widen_to_float32(firsts, dtype).astype(np.float64)
        add_steps = _ADD_STEPS.get(dtype, steps_double)
        columns = [bases, *(add_steps(bases, lane, step) for lane in range(1, lanes))]
        vectors = np.stack([round_to_elements(column, dtype) for column in columns], -1)
        remainder = _affine(indices[grouped:], step, start, dtype)
    return np.concatenate((vectors.reshape(-1), remainder))


def _add_rounded_steps(bases: Any, count: int, step: float) -> Any:
    """Return float32 numbers plus the product ``count * step``, which is rounded, too."""
    return bases.astype(np.float32) + np.float32(count * step)


_ADD_STEPS = {FLOAT16: steps_single, BFLOAT16: _add_rounded_steps}
"""How Vectorized::arange adds the steps within a vector: of bfloat16 without FMA instructions."""


def _integers(start: int, step: int, count: int, dtype: dtype) -> Any:
    indices = np.arange(count)
    with np.errstate(over="ignore"):
        if step != 1:
            indices *= np.int64(step)
        if start:
            indices += np.int64(start)
    return indices.astype(numpy_storage_dtype(dtype), copy=False)


def _is_exact(start: float, step: float, count: int, dtype: dtype) -> bool:
    """Return whether all elements are integers that the dtype represents, and none is -0."""
    if not (math.isfinite(start) and math.isfinite(step)):
        return False
    return (
        step == int(step)
        and start == int(start)
        and abs(start) + max(count, 1) * abs(step) <= _EXACT[dtype]
        and (start != 0 or math.copysign(1, start) > 0)
    )


def _affine(indices: Any, step: float, start: float, dtype: dtype) -> Any:
    """Return start + step * index, rounded to the opmath dtype and then to the dtype."""
    if dtype is FLOAT16 or dtype is BFLOAT16:
        return round_to_dtype(fused_single(indices.astype(np.float32), step, start), dtype)
    return round_to_elements(fused_double(indices.astype(np.float64), step, start), dtype)


def range_elements(start: Any, step: Any, count: int, dtype: dtype) -> Any:
    """Return ``count`` elements of range; each product and each sum is rounded."""
    if not dtype.is_floating_point:
        return _integers(start, step, count, dtype)
    opmath = np.float32 if dtype is FLOAT16 or dtype is BFLOAT16 else np.float64
    with np.errstate(all="ignore"):
        numbers = np.arange(count).astype(opmath) * opmath(step) + opmath(start)
        return round_to_elements(numbers, dtype)


# linspace


def linspace_elements(start: Any, end: Any, steps: int, dtype: dtype) -> Any:
    """Return the ``steps`` elements of linspace, at least two, between two elements of the dtype.

    >>> linspace_elements(0, 7, 3, DTYPES["int64"])
    array([0, 3, 7])
    """
    with np.errstate(all="ignore"):
        if dtype.is_complex:
            real_dtype, result = dtype.to_real(), np.empty(steps, numpy_storage_dtype(dtype))
            result.real = linspace_elements(start.real, end.real, steps, real_dtype)
            result.imag = linspace_elements(start.imag, end.imag, steps, real_dtype)
            return result
        if dtype is FLOAT16 or dtype is BFLOAT16:
            return _linspace_16bit(start, end, steps, dtype)
        single = dtype is FLOAT32
        opmath, fused = (np.float32, fused_single) if single else (np.float64, fused_double)
        first, last = opmath(start), opmath(end)
        step = float((last - first) / opmath(steps - 1))
        numbers = sequences.steps_between(first, last, step, steps)
        if numbers is None:
            numbers = _from_both_ends(
                np.arange(steps).astype(opmath),
                lambda indices: fused(indices, step, float(first)),
                # A NaN keeps its sign.
                lambda indices: fused(indices, -step if step == step else step, float(last)),
            )
        return numbers if dtype.is_floating_point else _truncate(numbers, dtype)


def _from_both_ends(indices: Any, from_start: Kernel, from_end: Kernel) -> Any:
    """Return elements by functions of their indices; in the second half counted from the end."""
    steps = len(indices)
    half = steps // 2
    return np.concatenate((from_start(indices[:half]), from_end(indices[: steps - half][::-1])))


def _truncate(numbers: Any, dtype: dtype) -> Any:
    """Return truncated numbers, as x86 does: the least int32 for numbers beyond int32."""
    integer_dtype = np.int64 if dtype.itemsize == 8 else np.int32
    return numbers.astype(integer_dtype).astype(numpy_storage_dtype(dtype))


def _linspace_16bit(start: Any, end: Any, steps: int, dtype: dtype) -> Any:
    """Return linspace with each operation rounded, as c10::Half and c10::BFloat16 do."""
    rounded = partial(_round_16bit, dtype)
    first, last = _ends(start, end, dtype)
    step = rounded(rounded(last - first) / rounded(steps - 1))
    terms = rounded(step * rounded(np.arange(steps)))
    numbers = _from_both_ends(terms, lambda terms: first + terms, lambda terms: last - terms)
    return round_to_dtype(numbers, dtype)


def _round_16bit(dtype: dtype, numbers: Any) -> Any:
    single = np.asarray(numbers).astype(np.float32)
    return widen_to_float32(round_to_dtype(single, dtype), dtype).astype(np.float32)


def _ends(start: Any, end: Any, dtype: dtype) -> Any:
    """Return two elements as numbers of the dtype to which C++ promotes them."""
    ends = widen_to_float32(np.array([start, end], numpy_storage_dtype(dtype)), dtype)
    return ends.astype(_PROMOTED.get(dtype, ends.dtype))


_PROMOTED = {DTYPES[name]: "int32" for name in ("uint8", "int8", "int16")}
_PROMOTED |= {FLOAT16: "float32", BFLOAT16: "float32"}


# logspace


def logspace_elements(start: Any, end: Any, steps: int, dtype: dtype, base: float) -> Any:
    """Return the ``steps`` elements of logspace, at least two."""
    with np.errstate(all="ignore"):
        if dtype.is_complex:
            return _complex_powers(start, end, steps, dtype, base)
        first, last = _ends(start, end, dtype)
        distance = last - first
        if dtype is FLOAT16 or dtype is BFLOAT16:
            distance = _round_16bit(dtype, distance)
        step = float(distance) / (steps - 1)
        exponents = _exponents(float(first), float(last), step, np.arange(steps))
        powers = sequences.powers(base, exponents)
        if powers is None:
            powers = np.array([_power(base, exponent) for exponent in exponents.tolist()])
        finish = round_to_elements if dtype.is_floating_point else _truncate
        return finish(powers, dtype)


def _exponents(start: Any, end: Any, step: Any, indices: Any) -> Any:
    terms = step * indices
    return _from_both_ends(terms, lambda terms: start + terms, lambda terms: end - terms)


def power(base: float, exponent: float | complex) -> float | complex:
    """Return base ** exponent, as std::pow does."""
    if not isinstance(exponent, complex):
        return _power(base, exponent)
    with np.errstate(all="ignore"):
        if not base > 0:
            return complex(_complex_power(base, np.array([exponent]))[0])
        radius, angle = _power(base, exponent.real), exponent.imag * np.log(base)
        return complex(radius * np.cos(angle), radius * np.sin(angle))


def _power(base: float, exponent: float) -> float:
    """Return pow of the C library, which raises no exceptions."""
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError) as error:
        if isinstance(error, ValueError) and base != 0:
            return math.copysign(math.nan, -1)  # the sign of x86's NaN
        return math.copysign(math.inf, base) if exponent % 2 == 1 else math.inf


def _complex_powers(start: Any, end: Any, steps: int, dtype: dtype, base: float) -> Any:
    numpy_dtype = numpy_storage_dtype(dtype)
    first, last = numpy_dtype.type(start), numpy_dtype.type(end)
    step = (last - first) / numpy_dtype.type(steps - 1)
    return _complex_power(base, _exponents(first, last, step, np.arange(steps).astype(numpy_dtype)))


def _complex_power(base: float, exponents: Any) -> Any:
    return np.exp(multiply_complex(exponents, np.log(exponents.dtype.type(base))))
