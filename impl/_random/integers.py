"""Integers and permutations, as torch draws them on a CPU.

As in `random_uniform`, elements are in the order of memory.  The rules are in
aten/src/ATen/native: DistributionTemplates.h (which integers a dtype is let to),
cpu/DistributionTemplates.h and TensorFactories.cpp (randperm).
"""

from array import array
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import BOOL, FLOAT16, FLOAT32, FLOAT64, INT64, UINT64
from .._dtypes.table import DTYPES, dtype, spec_of
from .._numerics.rounding import (
    FLOATS,
    USUAL,
    raise_not_implemented,
    widen_to_float32,
)
from .._runtime.errors import check
from .._runtime.warnings import warn
from .mt19937 import Stream
from .uniform import PIECE, RANGES, converted, in_pieces

_LONG_RANGE = 2**28
"""From here on an integer is made of 64 bits: the rest of 32 would be too uneven."""


def integers(stream: Stream, count: int, dtype: dtype, low: int, high: int | None = None) -> Any:
    """Draw integers from ``low`` up to, but without, ``high``: what random_(from, to) and randint give.

    Without ``high``, up to the largest one, or the largest that all before it
    are exact.

    >>> integers(Stream(0), 4, INT64, 0, 10)
    array([4, 9, 3, 0])
    """
    if high is None:
        if low == -(2**63):
            return _all_integers(stream, count, dtype)
        low, last = _open_range(dtype, low)
    else:
        low, last = _closed_range(dtype, low, high)
    _check_range(dtype, low, last)
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    size = (last - low + 1) % 2**64
    draw = _of_long_words if size >= _LONG_RANGE else _of_words
    return in_pieces(stream, count, dtype, lambda s, n: converted(draw(s, n, low, size), dtype))


def _of_words(stream: Stream, count: int, low: int, size: int) -> Any:
    numbers = _remainders(stream.words(count), size).astype(np.int64)
    numbers += low
    return numbers


def _of_long_words(stream: Stream, count: int, low: int, size: int) -> Any:
    numbers = _remainders(stream.long_words(count), np.uint64(size))
    numbers += np.uint64(low % 2**64)
    return numbers.view(np.int64)


def _remainders(words: Any, size: Any) -> Any:
    """Divide and multiply again: NumPy has a fast division by one number, but no fast remainder."""
    multiples = words // size
    multiples *= size
    return np.subtract(words, multiples, out=multiples)


def _all_integers(stream: Stream, count: int, dtype: dtype) -> Any:
    """Draw from all that int64 has, which only four dtypes are let to."""
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    if dtype is FLOAT16 or dtype not in USUAL:
        raise_not_implemented("random_full_64_bits_range_kernel_cpu", dtype)
    check(
        dtype is INT64 or dtype.is_floating_point,
        lambda: (
            "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"
        ),
    )
    return in_pieces(
        stream, count, dtype, lambda s, n: converted(s.long_words(n).view(np.int64), dtype)
    )


def _open_range(dtype: dtype, low: int) -> tuple[int, int]:
    """Return the first and the last integer of a range without an end."""
    if dtype.is_floating_point:
        if dtype not in FLOATS:
            raise_not_implemented("random_from_to_range_calc", dtype)
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
    # The largest uint64 does not fit, and is -1 there.
    return low, -1 if dtype is UINT64 else int(RANGES[dtype].most)


def _closed_range(dtype: dtype, low: int, high: int) -> tuple[int, int]:
    """Return the first and the last integer of a range; its ends move inwards where floats are sparse."""
    check(
        low < high,
        lambda: f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
    )
    if dtype.is_floating_point:
        if dtype not in FLOATS:
            raise_not_implemented("random_update_from_to", dtype)
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
    """Return the integer that is left of ``number`` in a float dtype, as C++ reads it back."""
    with np.errstate(over="ignore"):
        element = converted(np.array([min(number, 2**63 - 1)], np.int64), dtype)
    nearest = float(widen_to_float32(element, dtype)[0])
    return int(nearest) if -(2.0**63) <= nearest < 2.0**63 else -(2**63)


def _step(dtype: dtype, number: int) -> int:
    """Return how far apart a dtype's floats are around ``number``."""
    return int(2 ** (abs(number).bit_length() - _digits(dtype)))


def _digits(dtype: dtype) -> int:
    form = spec_of(dtype).float_format
    assert form is not None
    return form.mantissa_bits + 1


def _check_range(dtype: dtype, low: int, last: int) -> None:
    check(
        dtype in RANGES,
        lambda: "check_random_bounds handles only integral, floating-point and boolean types",
    )
    least, most, cpp_type = RANGES[dtype]
    most = most if dtype is not UINT64 else 2**63 - 1
    check(least <= low <= most, lambda: f"from is out of bounds for {cpp_type}")
    check(least <= last <= most, lambda: f"to - 1 is out of bounds for {cpp_type}")
    if dtype.is_floating_point:
        digits = _digits(dtype)
        for name, number, line in (("from", low, 110), ("to - 1", last, 111)):
            if abs(number) > 2**digits:
                _warn_of_gaps(name, cpp_type, digits, line)


def _warn_of_gaps(name: str, cpp_type: str, digits: int, line: int) -> None:
    warn(
        f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations"
        f" {cpp_type} can support discrete uniform distribution only within this range. This"
        " warning will become an error in version 1.7 release, please fix the code in advance"
        " (Triggered internally at"
        f" /__w/pytorch/pytorch/aten/src/ATen/native/DistributionTemplates.h:{line}.)"
    )


def random_full(stream: Stream, count: int, dtype: dtype) -> Any:
    """Draw what random_ gives without bounds: from 0 to the largest integer, or the last exact one."""
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    if dtype is not BOOL and dtype not in USUAL:
        raise_not_implemented("random_kernel_cpu", dtype)
    size = 2 ** _digits(dtype) + 1 if dtype.is_floating_point else int(RANGES[dtype].most) + 1
    draw = _of_long_words if dtype is INT64 or dtype is FLOAT64 else _of_words
    return in_pieces(stream, count, dtype, lambda s, n: converted(draw(s, n, 0, size), dtype))


def permutation(stream: Stream, n: int, dtype: dtype = INT64) -> Any:
    """Draw an order of the integers from 0 to ``n`` - 1: what randperm gives (TensorFactories.cpp).

    >>> permutation(Stream(0), 5)
    array([4, 0, 1, 3, 2])
    """
    check_shuffled(n, dtype)
    shuffled = _shuffled(stream, n) if n < _MANY else _shuffled_by_long_words(stream, n)
    return converted(np.asarray(shuffled, np.int64), dtype)


def check_permutation(n: int, dtype: dtype) -> None:
    """Raise unless torch takes the dtype to hold the integers below ``n``."""
    check(n >= 0, lambda: f"n must be non-negative, got{n}")
    _check_last(dtype, n)


def check_shuffled(n: int, dtype: dtype) -> None:
    """Raise unless torch takes the dtype, and has a kernel for it."""
    check_permutation(n, dtype)
    if dtype is BOOL or dtype not in USUAL:
        raise_not_implemented("randperm", dtype)


_MANY = (2**32 - 1) // 20
"""From here on randperm takes 64 bits for each element, and another way of shuffling."""


def _shuffled(stream: Stream, n: int) -> list[int]:
    """Exchange each place but the last with itself or one behind it."""
    order = list(range(n))
    if n < 2:
        return order
    partners = stream.words(n - 1) % np.arange(n, 1, -1, dtype=np.uint32)
    partners += np.arange(n - 1, dtype=np.uint32)
    for index, partner in enumerate(partners.tolist()):
        order[index], order[partner] = order[partner], order[index]
    return order


def _shuffled_by_long_words(stream: Stream, n: int) -> "array[int]":
    """Put each number in at its own place, which it exchanges with one before it."""
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


def _check_last(dtype: dtype, n: int) -> None:
    most, text = _EXACT.get(dtype, (n, ""))
    check(n <= most, lambda: f"n cannot be greater than {text} for {spec_of(dtype).cpp_name} type.")
    form = spec_of(dtype).float_format
    if not (dtype in RANGES or dtype.is_complex or (form and form.packed == 1)):
        raise_not_implemented("fill_out", dtype)
    if dtype in _WRAPS:
        most, name = _WRAPS[dtype]
        check(n - 1 <= most, lambda: f"value cannot be converted to type {name} without overflow")


_EXACT = {
    FLOAT16: (2**11 + 1, "2049"),
    FLOAT32: (2**24 + 1, "2^24+1"),
    FLOAT64: (2**53 + 1, "2^53+1"),
}
_WRAPS = {
    DTYPES[name]: (most, cpp_name)
    for name, most, cpp_name in (
        ("uint8", 2**8 - 1, "uint8_t"),
        ("int8", 2**7 - 1, "int8_t"),
        ("int16", 2**15 - 1, "int16_t"),
        ("int32", 2**31 - 1, "int"),
        ("uint16", 2**16 - 1, "uint16_t"),
        ("uint32", 2**32 - 1, "uint32_t"),
        ("complex32", 65504, "c10::complex<c10::Half>"),
    )
}
