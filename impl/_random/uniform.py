"""Uniform numbers and coin tosses, as torch draws them on a CPU.

Each function gives the elements in the order of torch's loop, which goes
through memory, and leaves the stream where torch leaves it.  The arrays hold
elements as `numpy_storage_dtype` says.  The rules are in aten/src/ATen: the checks in
native/DistributionTemplates.h, the loops in native/cpu/DistributionTemplates.h,
the arithmetic in core/TransformationHelper.h.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64
from .._dtypes.table import DTYPES, dtype, spec_of
from .._numerics.fma import fused_double, fused_single
from .._numerics.rounding import (
    FLOATS,
    USUAL,
    format_number,
    raise_not_implemented,
    round_to_dtype,
    widen_to_float32,
)
from .._numerics.type_info import finfo, iinfo
from .._runtime.errors import check
from .mt19937 import Stream

_CPP_TYPES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "uint16": "short unsigned int",
    "uint32": "unsigned int",
    "uint64": "long unsigned int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
}


class Range(NamedTuple):
    """What a dtype can hold, and what messages about it call the dtype."""

    least: float
    most: float
    cpp_type: str


def _range_of(dtype: dtype, cpp_type: str) -> Range:
    if dtype is BOOL:
        return Range(0, 1, cpp_type)
    limits_of: Any = finfo if dtype.is_floating_point else iinfo
    limits = limits_of(dtype)
    return Range(limits.min, limits.max, cpp_type)


RANGES = {DTYPES[name]: _range_of(DTYPES[name], cpp) for name, cpp in _CPP_TYPES.items()}

PIECE = 512 * 624
"""How many elements are made at a time, so that what is in between stays in the cache."""


def uniform(stream: Stream, count: int, dtype: dtype, low: float = 0.0, high: float = 1.0) -> Any:
    """Draw numbers from ``low`` up to, but without, ``high``: what uniform_ and rand give.

    >>> uniform(Stream(0), 2, FLOAT32)
    array([0.4962566, 0.7682218], dtype=float32)
    """
    if low == 0 and high == 1 and dtype in FLOATS:
        if dtype is FLOAT32:
            return in_pieces(stream, count, dtype, single_fractions)
        if dtype is FLOAT64:
            return in_pieces(stream, count, dtype, double_fractions)
        return in_pieces(stream, count, dtype, lambda s, n: _half_fractions(s, n, dtype))
    if dtype.is_complex:
        if not count:
            return np.empty(0, numpy_storage_dtype(dtype))
        parts = uniform(stream, 2 * count, dtype.to_real(), low, high)
        return parts.view(numpy_storage_dtype(dtype))
    _check_bounds(dtype, low, high)
    if dtype is FLOAT64:
        return in_pieces(stream, count, dtype, lambda s, n: _double_between(s, n, low, high))
    return in_pieces(stream, count, dtype, lambda s, n: _single_between(s, n, dtype, low, high))


def _check_bounds(dtype: dtype, low: float, high: float) -> None:
    if dtype not in FLOATS:
        raise_not_implemented("check_uniform_bounds", dtype)
    least, most, cpp_type = RANGES[dtype]
    check(least <= low <= most, lambda: f"from is out of bounds for {cpp_type}")
    check(least <= high <= most, lambda: f"to is out of bounds for {cpp_type}")
    check(
        low <= high,
        lambda: (
            "uniform_ expects to return a [from, to) range, but found"
            f" from={format_number(low)} > to={format_number(high)}"
        ),
    )
    check(
        high - low <= most,
        lambda: (
            f"uniform_ expects to-from <= std::numeric_limits<{spec_of(dtype).cpp_name}>::max(),"
            f" but found to={format_number(high)} and from={format_number(low)} which result in"
            " to-from to exceed the limit"
        ),
    )


def single_fractions(stream: Stream, count: int) -> Any:
    """Draw numbers in [0, 1) with 24 bits, as float32: the low bits of a word each."""
    numbers = (stream.words(count) & 0xFFFFFF).astype(np.float32)
    numbers *= 2.0**-24
    return numbers


def double_fractions(stream: Stream, count: int) -> Any:
    """Draw numbers in [0, 1) with 53 bits, as float64: the low bits of two words each."""
    words = stream.long_words(count)
    words &= 2**53 - 1
    numbers = words.astype(np.float64)
    numbers *= 2.0**-53
    return numbers


def _half_fractions(stream: Stream, count: int, dtype: dtype) -> Any:
    """Round 24 bits to the dtype; what is rounded up to 1 becomes 0."""
    elements = round_to_dtype(single_fractions(stream, count), dtype)
    elements[elements == _ONE[dtype]] = 0
    return elements


_ONE = {FLOAT16: 1.0, BFLOAT16: 0x3F80}


def _double_between(stream: Stream, count: int, low: float, high: float) -> Any:
    numbers = fused_double(double_fractions(stream, count), high - low, low)
    numbers[numbers == high] = low
    return numbers


def _single_between(stream: Stream, count: int, dtype: dtype, low: float, high: float) -> Any:
    """Compute in float32 and round to the dtype; what is rounded up to ``high`` becomes ``low``."""
    start, end = np.array([low, high]).astype(np.float32)
    numbers = fused_single(single_fractions(stream, count), float(end - start), float(start))
    elements = round_to_dtype(numbers, dtype)
    ends = round_to_dtype(np.array([start, end]), dtype)
    elements[widen_to_float32(elements, dtype) == widen_to_float32(ends[1:], dtype)] = ends[0]
    return elements


def bernoulli(stream: Stream, count: int, dtype: dtype, p: float) -> Any:
    """Draw ones with the probability ``p``, and zeros: what bernoulli_ gives for a number."""
    check(
        0 <= p <= 1,
        lambda: f"bernoulli_ expects p to be in [0, 1], but got p={format_number(p)}",
    )
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    if dtype is not BOOL and dtype not in USUAL:
        raise_not_implemented("bernoulli_scalar_cpu_", dtype)
    return in_pieces(
        stream, count, dtype, lambda s, n: converted(double_fractions(s, n) < p, dtype)
    )


def bernoulli_each(stream: Stream, probabilities: Any, dtype: dtype, value: dtype) -> Any:
    """Draw ones with a probability each: what torch.bernoulli and bernoulli_ give for a tensor.

    ``probabilities`` are numbers of the dtype ``dtype``, as float64 or float32.
    Where one is not a probability, those before it have been drawn, as in torch.
    """
    count = len(probabilities)
    if not count:
        return np.empty(0, numpy_storage_dtype(value))
    if value is not BOOL and value not in USUAL:
        raise_not_implemented("bernoulli_tensor_cpu_self_", value)
    if dtype not in FLOATS:
        raise_not_implemented("bernoulli_tensor_cpu_p_", dtype)
    wrong = np.flatnonzero(~((probabilities >= 0) & (probabilities <= 1)))
    draw = double_fractions if dtype is FLOAT64 else single_fractions
    if len(wrong):
        draw(stream, int(wrong[0]))
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error"
            " message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    return converted(draw(stream, count) < probabilities, value)


def in_pieces(stream: Stream, count: int, dtype: dtype, draw: Callable[[Stream, int], Any]) -> Any:
    """Draw ``count`` elements of a dtype, not too many at a time, as one array of its own."""
    if count <= PIECE:
        return draw(stream, count)
    whole = np.empty(count, numpy_storage_dtype(dtype))
    with stream.lock:
        for start in range(0, count, PIECE):
            whole[start : start + PIECE] = draw(stream, min(PIECE, count - start))
    return whole


def converted(numbers: Any, dtype: dtype) -> Any:
    """Return integers or bools as elements of a dtype; 16-bit floats are rounded twice."""
    if dtype is FLOAT16 or dtype is BFLOAT16:
        return round_to_dtype(numbers.astype(np.float32), dtype)
    return numbers.astype(numpy_storage_dtype(dtype))
