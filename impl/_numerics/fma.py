"""Multiplying and adding with one rounding, as processors do.

Torch's x86 kernels are compiled for AVX2 and later with these instructions;
where torch's baseline kernels run instead, the last bit may differ.  NumPy has
no such operation.  So a sum that is to be rounded again is rounded to odd: if
it is not exact, to that neighbour whose last bit is set (Boldo and Melquiond,
"Emulation of FMA and correctly rounded sums", 2008).
"""

import math
from typing import Any

from .._arrays.numpy_bridge import np

_SPLITTER = 2.0**27 + 1
_FAR = 400


def fused(left: Any, right: Any, added: Any) -> Any:
    """Return ``left * right + added``, rounded once; all are arrays of float32, or all of float64."""
    if left.dtype == np.float32:
        product = np.multiply(left, right, dtype=np.float64)  # exact: 48 bits at most
        total = product + added
        odd = _sum_to_odd(product, added.astype(np.float64))
        return np.where(np.isfinite(total), odd, total).astype(np.float32)
    plain = left * right + added
    high, low = _product(left, right)
    middle, lowest = _sum(low, added)
    top, rest = _sum(high, middle)
    exact = top + _sum_to_odd(rest, lowest)
    apart = (np.abs(high) > 2.0**900) | ((np.abs(high) < 2.0**-900) & (left != 0) & (right != 0))
    apart = apart & np.isfinite(left) & np.isfinite(right) & np.isfinite(added)
    result = np.where(np.isfinite(exact) & (high != 0), exact, plain)
    if apart.any():
        # Splitting would overflow, or lose a part.
        parts = [
            np.broadcast_to(each, apart.shape)[apart].tolist() for each in (left, right, added)
        ]
        result[apart] = list(map(_exactly, *parts))
    return result


def fused_single(numbers: Any, scale: float, offset: float) -> Any:
    """Return ``numbers * scale + offset``, rounded once to float32; scale and offset are such, too."""
    product = np.multiply(numbers, scale, dtype=np.float64)  # exact: 48 bits at most
    total = product + offset
    if offset and math.isfinite(scale) and math.isfinite(offset):
        # Rounding twice goes wrong only from half way between two float32 numbers.
        halfway = (total.view(np.uint64) & 0x1FFFFFFF) == 0x10000000
        if halfway.any():
            total[halfway] = _sum_to_odd(product[halfway], offset)
    return total.astype(np.float32)


def fused_double(numbers: Any, scale: float, offset: float) -> Any:
    """Return ``numbers * scale + offset``, rounded once to float64."""
    if scale == 1 or not math.isfinite(scale):
        return numbers * scale + offset
    if not math.isfinite(offset):
        return np.full_like(numbers, offset)
    if offset == 0:
        product = numbers * scale
        # One that vanishes keeps its sign; that of a zero is lost in the sum.
        return np.where((numbers == 0) | (scale == 0), product + offset, product)
    # Powers of two are exact; they keep the halves of the product within range.
    power = math.frexp(max(abs(scale), abs(offset)))[1]
    power = power if abs(power) > _FAR else 0
    if power and abs(math.ldexp(offset, -power)) < 2.0**-900:
        # Far apart: a part of the smaller one would be lost.
        exact = [_exactly(number, scale, offset) for number in numbers.reshape(-1).tolist()]
        return np.array(exact, np.float64).reshape(numbers.shape)
    high, low = _product(numbers, math.ldexp(scale, -power))
    middle, lowest = _sum(low, math.ldexp(offset, -power))
    top, rest = _sum(high, middle)
    result = top + _sum_to_odd(rest, lowest)
    if power:
        result = np.ldexp(result, power)
        subnormal = np.abs(result) < 2.0**-1022  # there ldexp has rounded, too
        result[subnormal] = [
            _exactly(number, scale, offset) for number in numbers[subnormal].tolist()
        ]
    return result


def steps_single(numbers: Any, count: int, step: float) -> Any:
    """Return ``numbers + count * step``, rounded once to float32; the count has few bits."""
    total = _sum_to_odd(numbers, count * step)
    return np.where(np.isfinite(total), total, numbers + count * step).astype(np.float32)


def steps_double(numbers: Any, count: int, step: float) -> Any:
    """Return ``numbers + count * step``, rounded once to float64."""
    if not math.isfinite(count * step):
        return numbers + count * step
    fraction, exponent = math.frexp(step)
    whole = count * int(math.ldexp(fraction, 53))
    high = float(whole)
    low = float(whole - int(high))
    high, low = math.ldexp(high, exponent - 53), math.ldexp(low, exponent - 53)
    total, rest = _sum(numbers, high)
    return np.where(np.isfinite(total), total + _sum_to_odd(rest, low), total)


def _exactly(number: float, scale: float, offset: float) -> float:
    """Compute in integers, whose quotient Python rounds once."""
    (number_top, number_bottom), (scale_top, scale_bottom), (top, bottom) = (
        each.as_integer_ratio() for each in (number, scale, offset)
    )
    below = number_bottom * scale_bottom
    above = number_top * scale_top * bottom + top * below
    try:
        return above / (below * bottom)
    except OverflowError:
        return math.inf if above > 0 else -math.inf


def _sum(left: Any, right: Any) -> tuple[Any, Any]:
    """Return the rounded sum and its exact error."""
    total = left + right
    shadow = total - left
    return total, (left - (total - shadow)) + (right - shadow)


def _product(numbers: Any, scale: Any) -> tuple[Any, Any]:
    """Return the rounded product and its exact error."""
    product = numbers * scale
    top = numbers * _SPLITTER
    top = top - (top - numbers)
    bottom = numbers - top
    scale_top = scale * _SPLITTER
    scale_top = scale_top - (scale_top - scale)
    scale_bottom = scale - scale_top
    error = (top * scale_top - product) + top * scale_bottom + bottom * scale_top
    return product, error + bottom * scale_bottom


def _sum_to_odd(left: Any, right: Any) -> Any:
    """Return the sum; where it is not exact, that of its two neighbours whose last bit is set."""
    total, error = _sum(left, right)
    even = (total.view(np.uint64) & 1) == 0
    return np.where(even & (error != 0), np.nextafter(total, np.copysign(np.inf, error)), total)
