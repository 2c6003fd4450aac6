"""Uniform and Bernoulli random numbers of the CPU.

Elements are in the order of torch's loop, which is memory order.  The stream advances as in
torch.  Arrays have the `numpy_storage_dtype`.  The rules are in aten/src/ATen: the checks in
native/DistributionTemplates.h, the loops in native/cpu/DistributionTemplates.h, the arithmetic
in core/TransformationHelper.h.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64
from .._dtypes.table import DTYPES, dtype, spec_of
from .._numerics.fma import fused_double, fused_single
from .._numerics.rounding import (
    COMMON_AND_BOOL,
    FLOAT_DTYPES,
    check_supported,
    format_number,
    round_to_dtype,
    round_to_elements,
    widen_to_float32,
)
from .._numerics.type_info import limits_of
from .._runtime.errors import check
from .mt19937 import MT19937Stream

_CPP_TYPES = {
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
    """The range of a dtype, and its C++ name in messages."""

    min: float
    max: float
    cpp_type: str


RANGES = {BOOL: Range(0, 1, "bool")}
for _name, _cpp_type in _CPP_TYPES.items():
    _limits = limits_of(DTYPES[_name])
    RANGES[DTYPES[_name]] = Range(_limits.min, _limits.max, _cpp_type)

PIECE = 512 * 624
"""The number of elements of a chunk, whose intermediate arrays fit into the cache."""


def uniform(
    stream: MT19937Stream, count: int, dtype: dtype, low: float = 0.0, high: float = 1.0
) -> Any:
    """Return the numbers in [low, high) of uniform_ and rand.

    >>> uniform(MT19937Stream(0), 2, FLOAT32)
    array([0.4962566, 0.7682218], dtype=float32)
    """
    if low == 0 and high == 1 and dtype in FLOAT_DTYPES:
        draw = _FRACTIONS.get(dtype) or partial(_half_fractions, dtype=dtype)
        return in_chunks(stream, count, dtype, draw)
    if dtype.is_complex:
        if not count:
            return np.empty(0, numpy_storage_dtype(dtype))
        elements = uniform(stream, 2 * count, dtype.to_real(), low, high)
        return elements.view(numpy_storage_dtype(dtype))
    _check_bounds(dtype, low, high)
    between = _double_between if dtype is FLOAT64 else _single_between
    return in_chunks(stream, count, dtype, lambda s, n: between(s, n, dtype, low, high))


def _check_bounds(dtype: dtype, low: float, high: float) -> None:
    check_supported("check_uniform_bounds", dtype, FLOAT_DTYPES)
    minimum, maximum, cpp_type = RANGES[dtype]
    check(minimum <= low <= maximum, lambda: f"from is out of bounds for {cpp_type}")
    check(minimum <= high <= maximum, lambda: f"to is out of bounds for {cpp_type}")
    check(
        low <= high,
        lambda: (
            "uniform_ expects to return a [from, to) range, but found"
            f" from={format_number(low)} > to={format_number(high)}"
        ),
    )
    check(
        high - low <= maximum,
        lambda: (
            f"uniform_ expects to-from <= std::numeric_limits<{spec_of(dtype).cpp_name}>::max(),"
            f" but found to={format_number(high)} and from={format_number(low)} which result in"
            " to-from to exceed the limit"
        ),
    )


def single_fractions(stream: MT19937Stream, count: int) -> Any:
    """Return float32 numbers in [0, 1), of a word each."""
    return fractions_of_words(stream.words(count))


def fractions_of_words(words: Any) -> Any:
    """Return float32 numbers in [0, 1) from the low 24 bits of words."""
    numbers = (words & 0xFFFFFF).astype(np.float32)
    numbers *= 2.0**-24
    return numbers


def double_fractions(stream: MT19937Stream, count: int) -> Any:
    """Return float64 numbers in [0, 1), of two words each."""
    return fractions_of_long_words(stream.long_words(count))


def fractions_of_long_words(words: Any) -> Any:
    """Return float64 numbers in [0, 1) from the low 53 bits of words, which change."""
    words &= 2**53 - 1
    numbers = words.astype(np.float64)
    numbers *= 2.0**-53
    return numbers


_FRACTIONS = {FLOAT32: single_fractions, FLOAT64: double_fractions}


def _half_fractions(stream: MT19937Stream, count: int, dtype: dtype) -> Any:
    """Return 24-bit fractions rounded to the dtype; 1 is replaced by 0."""
    elements = round_to_dtype(single_fractions(stream, count), dtype)
    elements[elements == _ONE[dtype]] = 0
    return elements


_ONE = {FLOAT16: 1.0, BFLOAT16: 0x3F80}


def _double_between(
    stream: MT19937Stream, count: int, dtype: dtype, low: float, high: float
) -> Any:
    numbers = fused_double(double_fractions(stream, count), high - low, low)
    numbers[numbers == high] = low
    return numbers


def _single_between(
    stream: MT19937Stream, count: int, dtype: dtype, low: float, high: float
) -> Any:
    """Return float32 numbers rounded to the dtype; ``high`` is replaced by ``low``."""
    start, end = np.array([low, high]).astype(np.float32)
    numbers = fused_single(single_fractions(stream, count), float(end - start), float(start))
    elements = round_to_dtype(numbers, dtype)
    ends = round_to_dtype(np.array([start, end]), dtype)
    elements[widen_to_float32(elements, dtype) == widen_to_float32(ends[1:], dtype)] = ends[0]
    return elements


def bernoulli(stream: MT19937Stream, count: int, dtype: dtype, p: float) -> Any:
    """Return ones with probability ``p``, else zeros, as bernoulli_ with a number."""
    check(
        0 <= p <= 1,
        lambda: f"bernoulli_ expects p to be in [0, 1], but got p={format_number(p)}",
    )
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    check_supported("bernoulli_scalar_cpu_", dtype, COMMON_AND_BOOL)
    return in_chunks(
        stream, count, dtype, lambda s, n: round_to_elements(double_fractions(s, n) < p, dtype)
    )


def bernoulli_each(stream: MT19937Stream, probabilities: Any, dtype: dtype, value: dtype) -> Any:
    """Return ones with given probabilities, as torch.bernoulli and bernoulli_ with a tensor.

    ``probabilities`` are float64 or float32 numbers of the dtype ``dtype``.  Numbers before an
    invalid probability are drawn, as in torch.
    """
    count = len(probabilities)
    if not count:
        return np.empty(0, numpy_storage_dtype(value))
    check_supported("bernoulli_tensor_cpu_self_", value, COMMON_AND_BOOL)
    check_supported("bernoulli_tensor_cpu_p_", dtype, FLOAT_DTYPES)
    invalid = np.flatnonzero(~((probabilities >= 0) & (probabilities <= 1)))
    draw = double_fractions if dtype is FLOAT64 else single_fractions
    if len(invalid):
        draw(stream, int(invalid[0]))
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error"
            " message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    return round_to_elements(draw(stream, count) < probabilities, value)


def in_chunks(
    stream: MT19937Stream, count: int, dtype: dtype, draw: Callable[[MT19937Stream, int], Any]
) -> Any:
    """Return ``count`` elements of a dtype in a new array, drawn in chunks."""
    if count <= PIECE:
        return draw(stream, count)
    elements = np.empty(count, numpy_storage_dtype(dtype))
    with stream.lock:
        for start in range(0, count, PIECE):
            elements[start : start + PIECE] = draw(stream, min(PIECE, count - start))
    return elements
