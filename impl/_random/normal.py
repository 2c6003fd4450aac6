"""Normal random numbers of the CPU.

The Box-Muller transform makes two normal numbers from two uniform ones.  Contiguous memory of
16 or more elements is filled in groups of 16: 8 uniform numbers for the radii, then 8 for the
angles.  Other memory is filled one by one in double precision; the stream keeps the second
number of a pair for the next draw of a single number.
The rules are in aten/src/ATen/native/cpu/DistributionTemplates.h.
"""

import math
from collections.abc import Callable
from struct import pack, unpack
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import without_fp_warnings
from .._dtypes.constants import FLOAT32, FLOAT64
from .._dtypes.table import dtype
from .._numerics.fma import fused_double
from .._numerics.rounding import (
    FLOAT_DTYPES,
    check_supported,
    format_number,
    round_to_dtype,
    round_to_elements,
)
from .._runtime.errors import check
from . import compiled
from .box_muller import double_pairs, number_pairs, single_pairs
from .mt19937 import MT19937Stream
from .uniform import fractions_of_long_words, fractions_of_words

_GROUP = 16
_CHUNK = 2**15
"""The number of elements of a chunk; intermediate arrays take several times its memory."""


def normal(
    stream: MT19937Stream,
    count: int,
    dtype: dtype,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> Any:
    """Return the normal numbers of normal_ and randn.

    ``contiguous`` describes the memory to fill; elements are in memory order.

    >>> normal(MT19937Stream(0), 2, FLOAT32)
    array([ 1.5409961, -0.2934289], dtype=float32)
    """
    check(std >= 0, lambda: f"normal expects std >= 0.0, but found std {format_number(std)}")
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    if dtype.is_complex:
        # The variance is divided between the two parts.
        std /= math.sqrt(2)
        elements = _draw(stream, 2 * count, dtype.to_real(), mean, std, contiguous)
        return elements.view(numpy_storage_dtype(dtype))
    check_supported("normal_kernel_cpu", dtype, FLOAT_DTYPES)
    return _draw(stream, count, dtype, mean, std, contiguous)


def _draw(
    stream: MT19937Stream, count: int, dtype: dtype, mean: float, std: float, contiguous: bool
) -> Any:
    with stream.lock:
        if count >= _GROUP and contiguous:
            return _fill_16(stream, count, dtype, mean, std)
        numbers = normal_numbers(stream, count, mean, std)
        if dtype is FLOAT64:
            return numbers
        return without_fp_warnings(round_to_elements, numbers, dtype)


def normal_numbers(stream: MT19937Stream, count: int, mean: float, std: float) -> Any:
    """Return float64 normal numbers, drawn one by one (core/DistributionsHelper.h)."""
    kept = [] if stream.kept_normal is None else [stream.kept_normal]
    stream.kept_normal = None
    words = stream.long_words(count - len(kept) + 1 & ~1)
    numbers = compiled.normal_pairs(words, -0.0, 1.0)  # as they are, zeros too
    if numbers is None:
        numbers = np.array(number_pairs(fractions_of_long_words(words).tolist()))
    if kept:
        numbers = np.concatenate((kept, numbers))
    if len(numbers) > count:
        stream.kept_normal = float(numbers[-1])
        numbers = numbers[:-1]
    return without_fp_warnings(fused_double, numbers, std, mean)


def _fill_16(stream: MT19937Stream, count: int, dtype: dtype, mean: float, std: float) -> Any:
    """Return numbers in groups of 16; an incomplete last group redraws the last 16 elements."""
    if dtype is FLOAT64:
        draw, fractions, transform = stream.long_words, fractions_of_long_words, double_pairs
    else:
        draw, fractions, transform = stream.words, fractions_of_words, single_pairs
        mean, std = _to_single(mean), _to_single(std)
    full = count - count % _GROUP
    if full == count <= _CHUNK:
        numbers = _transformed(transform, fractions, draw(count), mean, std)
        return (
            without_fp_warnings(round_to_dtype, numbers, dtype) if dtype.itemsize == 2 else numbers
        )
    elements = np.empty(count, numpy_storage_dtype(dtype))
    for start in range(0, full, _CHUNK):
        stop = min(start + _CHUNK, full)
        words = draw(stop - start)
        if stop == full < count:
            # If torch draws into the result itself, it first draws for all elements.
            if dtype is FLOAT32 or dtype is FLOAT64:
                draw(count - full)
            words = np.concatenate((words, draw(_GROUP)))
        numbers = _transformed(transform, fractions, words, mean, std)
        chunk = without_fp_warnings(round_to_dtype, numbers, dtype)
        elements[start:stop] = chunk[: stop - start]
        elements[count - _GROUP :] = chunk[-_GROUP:]
    return elements


def _to_single(number: float) -> float:
    """Return the nearest float32 number."""
    try:
        return unpack("f", pack("f", number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return math.copysign(math.inf, number)


def _transformed(
    transform: Callable[..., Any], fractions: Callable[..., Any], words: Any, *parameters: float
) -> Any:
    """Return the normal numbers of groups of 16 words."""
    numbers = compiled.normal_groups(words, *parameters)
    if numbers is None:
        numbers = without_fp_warnings(transform, fractions(words), *parameters)
    return numbers
