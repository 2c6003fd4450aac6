"""Uniform numbers and coin tosses, as torch draws them on a CPU.

Each function gives the elements in the order of torch's loop, which goes
through memory, and leaves the stream where torch leaves it.  The arrays hold
elements as `carrier` says.  The rules are in aten/src/ATen: the checks in
native/DistributionTemplates.h, the loops in native/cpu/DistributionTemplates.h,
the arithmetic in core/TransformationHelper.h.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import carrier, np
from .._dtypes.constants import BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64
from .._dtypes.table import DTYPES, dtype, row_of
from .._numerics.fma import fused_double, fused_single
from .._numerics.rounding import (
    FLOATS,
    USUAL,
    narrowed,
    not_implemented,
    number_text,
    widened,
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


def _range_of(value: dtype, cpp_type: str) -> Range:
    if value is BOOL:
        return Range(0, 1, cpp_type)
    limits_of: Any = finfo if value.is_floating_point else iinfo
    limits = limits_of(value)
    return Range(limits.min, limits.max, cpp_type)


RANGES = {DTYPES[name]: _range_of(DTYPES[name], cpp) for name, cpp in _CPP_TYPES.items()}

PIECE = 512 * 624
"""How many elements are made at a time, so that what is in between stays in the cache."""


def uniform(stream: Stream, count: int, value: dtype, low: float = 0.0, high: float = 1.0) -> Any:
    """Draw numbers from ``low`` up to, but without, ``high``: what uniform_ and rand give.

    >>> uniform(Stream(0), 2, FLOAT32)
    array([0.4962566, 0.7682218], dtype=float32)
    """
    if low == 0 and high == 1 and value in FLOATS:
        if value is FLOAT32:
            return in_pieces(stream, count, value, single_fractions)
        if value is FLOAT64:
            return in_pieces(stream, count, value, double_fractions)
        return in_pieces(stream, count, value, lambda s, n: _half_fractions(s, n, value))
    if value.is_complex:
        if not count:
            return np.empty(0, carrier(value))
        parts = uniform(stream, 2 * count, value.to_real(), low, high)
        return parts.view(carrier(value))
    _check_bounds(value, low, high)
    if value is FLOAT64:
        return in_pieces(stream, count, value, lambda s, n: _double_between(s, n, low, high))
    return in_pieces(stream, count, value, lambda s, n: _single_between(s, n, value, low, high))


def _check_bounds(value: dtype, low: float, high: float) -> None:
    if value not in FLOATS:
        not_implemented("check_uniform_bounds", value)
    least, most, cpp_type = RANGES[value]
    check(least <= low <= most, lambda: f"from is out of bounds for {cpp_type}")
    check(least <= high <= most, lambda: f"to is out of bounds for {cpp_type}")
    check(
        low <= high,
        lambda: (
            "uniform_ expects to return a [from, to) range, but found"
            f" from={number_text(low)} > to={number_text(high)}"
        ),
    )
    check(
        high - low <= most,
        lambda: (
            f"uniform_ expects to-from <= std::numeric_limits<{row_of(value).cpp_name}>::max(),"
            f" but found to={number_text(high)} and from={number_text(low)} which result in"
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


def _half_fractions(stream: Stream, count: int, value: dtype) -> Any:
    """Round 24 bits to the dtype; what is rounded up to 1 becomes 0."""
    elements = narrowed(single_fractions(stream, count), value)
    elements[elements == _ONE[value]] = 0
    return elements


_ONE = {FLOAT16: 1.0, BFLOAT16: 0x3F80}


def _double_between(stream: Stream, count: int, low: float, high: float) -> Any:
    numbers = fused_double(double_fractions(stream, count), high - low, low)
    numbers[numbers == high] = low
    return numbers


def _single_between(stream: Stream, count: int, value: dtype, low: float, high: float) -> Any:
    """Compute in float32 and round to the dtype; what is rounded up to ``high`` becomes ``low``."""
    start, end = np.array([low, high]).astype(np.float32)
    numbers = fused_single(single_fractions(stream, count), float(end - start), float(start))
    elements = narrowed(numbers, value)
    ends = narrowed(np.array([start, end]), value)
    elements[widened(elements, value) == widened(ends[1:], value)] = ends[0]
    return elements


def bernoulli(stream: Stream, count: int, value: dtype, p: float) -> Any:
    """Draw ones with the probability ``p``, and zeros: what bernoulli_ gives for a number."""
    check(
        0 <= p <= 1,
        lambda: f"bernoulli_ expects p to be in [0, 1], but got p={number_text(p)}",
    )
    if not count:
        return np.empty(0, carrier(value))
    if value is not BOOL and value not in USUAL:
        not_implemented("bernoulli_scalar_cpu_", value)
    return in_pieces(
        stream, count, value, lambda s, n: converted(double_fractions(s, n) < p, value)
    )


def bernoulli_each(stream: Stream, probabilities: Any, kind: dtype, value: dtype) -> Any:
    """Draw ones with a probability each: what torch.bernoulli and bernoulli_ give for a tensor.

    ``probabilities`` are numbers of the dtype ``kind``, as float64 or float32.
    Where one is not a probability, those before it have been drawn, as in torch.
    """
    count = len(probabilities)
    if not count:
        return np.empty(0, carrier(value))
    if value is not BOOL and value not in USUAL:
        not_implemented("bernoulli_tensor_cpu_self_", value)
    if kind not in FLOATS:
        not_implemented("bernoulli_tensor_cpu_p_", kind)
    wrong = np.flatnonzero(~((probabilities >= 0) & (probabilities <= 1)))
    draw = double_fractions if kind is FLOAT64 else single_fractions
    if len(wrong):
        draw(stream, int(wrong[0]))
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error"
            " message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    return converted(draw(stream, count) < probabilities, value)


def in_pieces(stream: Stream, count: int, value: dtype, draw: Callable[[Stream, int], Any]) -> Any:
    """Draw ``count`` elements of a dtype, not too many at a time, as one array of its own."""
    if count <= PIECE:
        return draw(stream, count)
    whole = np.empty(count, carrier(value))
    with stream.lock:
        for start in range(0, count, PIECE):
            whole[start : start + PIECE] = draw(stream, min(PIECE, count - start))
    return whole


def converted(numbers: Any, value: dtype) -> Any:
    """Return integers or bools as elements of a dtype; 16-bit floats are rounded twice."""
    if value is FLOAT16 or value is BFLOAT16:
        return narrowed(numbers.astype(np.float32), value)
    return numbers.astype(carrier(value))
