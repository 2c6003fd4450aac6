"""Random integers and permutations of the CPU.

As in `uniform`, elements are in memory order.  The rules are in aten/src/ATen/native:
DistributionTemplates.h (bounds by dtype), cpu/DistributionTemplates.h, and
TensorFactories.cpp (randperm).
"""

from array import array
from functools import lru_cache
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import FLOAT16, FLOAT32, FLOAT64, INT64, UINT64
from .._dtypes.scalars import INT64_END
from .._dtypes.table import dtype, spec_of
from .._numerics.encode_scalar import ScalarPath, encode_scalar
from .._numerics.float_formats import format_of
from .._numerics.rounding import (
    COMMON_AND_BOOL,
    COMMON_DTYPES,
    FLOAT_DTYPES,
    check_supported,
    raise_not_implemented,
    round_to_elements,
    widen_to_float32,
)
from .._runtime.errors import check
from .._runtime.warnings import warn
from . import compiled
from .mt19937 import MT19937Stream
from .uniform import PIECE, RANGES, in_chunks

_MAX_RANGES = 1000
"""The most ranges whose bounds in a dtype are kept."""

_RANGE_64 = 2**28
"""The range from which on an integer needs 64 random bits; 32 would be too uneven."""


def integers(
    stream: MT19937Stream, count: int, dtype: dtype, low: int, high: int | None = None
) -> Any:
    """Return the integers in [low, high) of random_(from, to) and randint.

    Without ``high``, the last is the largest one of the dtype, for floats the largest exact one.

    >>> integers(MT19937Stream(0), 4, INT64, 0, 10)
    array([4, 9, 3, 0])
    """
    if high is None:
        if low == -INT64_END:
            return _full_range(stream, count, dtype)
        low, last = _open_range(dtype, low)
    else:
        low, last = _closed_range(dtype, low, high)
    _check_range(dtype, low, last)
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    size = (last - low + 1) % 2**64
    draw = _draw_64 if size >= _RANGE_64 else _draw_32
    return in_chunks(stream, count, dtype, lambda s, n: draw(s, n, dtype, low, size))


def _draw_32(stream: MT19937Stream, count: int, dtype: dtype, low: int, size: int) -> Any:
    numbers = _remainders(stream.words(count), size).astype(np.int64)
    numbers += low
    return round_to_elements(numbers, dtype)


def _draw_64(stream: MT19937Stream, count: int, dtype: dtype, low: int, size: int) -> Any:
    numbers = _remainders(stream.long_words(count), np.uint64(size))
    numbers += np.uint64(low % 2**64)
    return round_to_elements(numbers.view(np.int64), dtype)


def _remainders(words: Any, size: Any) -> Any:
    """Return remainders by floor division, which NumPy optimizes for one divisor."""
    multiples = words // size
    multiples *= size
    return np.subtract(words, multiples, out=multiples)


def _full_range(stream: MT19937Stream, count: int, dtype: dtype) -> Any:
    """Return integers of the full range of int64, which only four dtypes support."""
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    kernel = "random_full_64_bits_range_kernel_cpu"
    if dtype is FLOAT16:
        raise_not_implemented(kernel, dtype)
    check_supported(kernel, dtype, COMMON_DTYPES)
    check(
        dtype is INT64 or dtype.is_floating_point,
        lambda: f"{kernel} handles only int64, double, float and bfloat16",
    )
    return in_chunks(
        stream, count, dtype, lambda s, n: round_to_elements(s.long_words(n).view(np.int64), dtype)
    )


def _open_range(dtype: dtype, low: int) -> tuple[int, int]:
    """Return the first and the last integer of a range without upper bound."""
    if dtype.is_floating_point:
        check_supported("random_from_to_range_calc", dtype, FLOAT_DTYPES)
        low, last = _first_within(dtype, low), 2 ** _digits(dtype)
        check(
            low < last,
            lambda: (
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc'"
                f" casted to dtype, but got from={low} > to_inc={last}"
            ),
        )
        return low, last
    check(
        dtype in RANGES,
        lambda: "random_from_to_impl handles only integral, floating-point and boolean types",
    )
    # The largest uint64 overflows int64 to -1.
    return low, -1 if dtype is UINT64 else int(RANGES[dtype].max)


def check_range(low: int, high: int) -> None:
    """Raise if there is no integer from ``low`` up to ``high``, exclusive."""
    check(
        low < high,
        lambda: f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
    )


@lru_cache(_MAX_RANGES)
def _closed_range(dtype: dtype, low: int, high: int) -> tuple[int, int]:
    """Return the first and the last integer of a range, which a float dtype narrows."""
    check_range(low, high)
    if dtype.is_floating_point:
        check_supported("random_update_from_to", dtype, FLOAT_DTYPES)
        low, high = _first_within(dtype, low), _end_within(dtype, high)
        check(
            low < high,
            lambda: (
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype,"
                f" but got from={low} >= to={high}"
            ),
        )
    return low, high - 1


def _first_within(dtype: dtype, low: int) -> int:
    nearest = _nearest(dtype, low + 1)
    return nearest + _step(dtype, low + 1) if nearest < low else low


def _end_within(dtype: dtype, high: int) -> int:
    nearest = _nearest(dtype, high - 1)
    return nearest - _step(dtype, high - 1) if nearest >= high else high


def _nearest(dtype: dtype, number: int) -> int:
    """Return ``number`` rounded to a float dtype, cast back to int64 as in C++."""
    with np.errstate(over="ignore"):
        element = round_to_elements(np.array([min(number, INT64_END - 1)], np.int64), dtype)
    nearest = float(widen_to_float32(element, dtype)[0])
    return int(nearest) if -INT64_END <= nearest < INT64_END else -INT64_END


def _step(dtype: dtype, number: int) -> int:
    """Return the distance of the floats around ``number`` in a dtype."""
    return int(2 ** (abs(number).bit_length() - _digits(dtype)))


def _digits(dtype: dtype) -> int:
    return format_of(dtype).mantissa_bits + 1


def _check_range(dtype: dtype, low: int, last: int) -> None:
    check(
        dtype in RANGES,
        lambda: "check_random_bounds handles only integral, floating-point and boolean types",
    )
    minimum, maximum, cpp_type = RANGES[dtype]
    maximum = min(maximum, INT64_END - 1) if dtype is UINT64 else maximum
    check(minimum <= low <= maximum, lambda: f"from is out of bounds for {cpp_type}")
    check(minimum <= last <= maximum, lambda: f"to - 1 is out of bounds for {cpp_type}")
    if dtype.is_floating_point:
        digits = _digits(dtype)
        for name, number, line in (("from", low, 110), ("to - 1", last, 111)):
            if abs(number) > 2**digits:
                warn(
                    f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision"
                    f" limitations {cpp_type} can support discrete uniform distribution only within"
                    " this range. This warning will become an error in version 1.7 release, please"
                    " fix the code in advance (Triggered internally at"
                    f" /__w/pytorch/pytorch/aten/src/ATen/native/DistributionTemplates.h:{line}.)"
                )


def random_full(stream: MT19937Stream, count: int, dtype: dtype) -> Any:
    """Return the integers of random_ without bounds, from 0 to the largest exact one."""
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    check_supported("random_kernel_cpu", dtype, COMMON_AND_BOOL)
    size = 2 ** _digits(dtype) + 1 if dtype.is_floating_point else int(RANGES[dtype].max) + 1
    draw = _draw_64 if dtype is INT64 or dtype is FLOAT64 else _draw_32
    return in_chunks(stream, count, dtype, lambda s, n: draw(s, n, dtype, 0, size))


def permutation(stream: MT19937Stream, n: int, dtype: dtype = INT64) -> Any:
    """Return the permutation of the integers below ``n`` of randperm (TensorFactories.cpp).

    >>> permutation(MT19937Stream(0), 5)
    array([4, 0, 1, 3, 2])
    """
    check_randperm(n, dtype)
    shuffled = _shuffled(stream, n) if n < _RANDPERM_64 else _shuffled_by_long_words(stream, n)
    return round_to_elements(np.array(shuffled, np.int64), dtype)


def check_randperm_dtype(n: int, dtype: dtype) -> None:
    """Raise if the dtype cannot represent the integers below ``n``."""
    check(n >= 0, lambda: f"n must be non-negative, got{n}")
    most, text = _EXACT.get(dtype, (n, ""))
    check(n <= most, lambda: f"n cannot be greater than {text} for {spec_of(dtype).cpp_name} type.")
    encode_scalar(n - 1, dtype, ScalarPath.SCALAR_ZERO_DIM)


_EXACT = {
    FLOAT16: (2**11 + 1, "2049"),
    FLOAT32: (2**24 + 1, "2^24+1"),
    FLOAT64: (2**53 + 1, "2^53+1"),
}


def check_randperm(n: int, dtype: dtype) -> None:
    """Raise if randperm has no kernel for the dtype, or `check_randperm_dtype` fails."""
    check_randperm_dtype(n, dtype)
    check_supported("randperm", dtype, COMMON_DTYPES)


_RANDPERM_64 = (2**32 - 1) // 20
"""The size from which on randperm uses 64-bit words and another algorithm."""


def _shuffled(stream: MT19937Stream, n: int) -> Any:
    """Return integers, each but the last swapped with itself or a later one."""
    if n < 2:
        return range(n)
    words = stream.words(n - 1)
    shuffled = compiled.shuffled(words, n)
    if shuffled is not None:
        return shuffled
    partners = words % np.arange(n, 1, -1, dtype=np.uint32)
    partners += np.arange(n - 1, dtype=np.uint32)
    order = list(range(n))
    for index, partner in enumerate(partners.tolist()):
        order[index], order[partner] = order[partner], order[index]
    return order


def _shuffled_by_long_words(stream: MT19937Stream, n: int) -> "array[int]":
    """Return integers, each inserted at its index and swapped with an earlier one."""
    order = array("q", range(n))
    with stream.lock:
        for start in range(0, n, PIECE):
            stop = min(start + PIECE, n)
            partners = stream.long_words(stop - start)
            partners %= np.arange(start + 1, stop + 1, dtype=np.uint64)
            for index, partner in enumerate(partners.tolist(), start):
                order[index] = order[partner]
                order[partner] = index
    return order
