"""Fused multiply-add (FMA): a product and a sum with one rounding.

Torch's x86 kernels for AVX2 and later use FMA instructions; its baseline kernels may differ in the
last bit.  Compiled loops use them, too.  NumPy has no FMA.  So an intermediate sum is rounded to
odd: if it is inexact, to the adjacent number whose last bit is set (Boldo and Melquiond, "Emulation
of FMA and correctly rounded sums", 2008).
"""

import math
from typing import Any

from .._arrays.numpy_bridge import broadcast_arrays, np
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import LazyModule

_kernels: Any = LazyModule(f"{PACKAGE}._codegen.fma")

_SPLITTER = 2.0**27 + 1
_MAX_EXPONENT = 400


def fused(left: Any, right: Any, added: Any) -> Any:
    """Return ``left * right + added``, rounded once; all arrays are float32 or all are float64."""
    compiled = _kernels.fma_large(left, right, added)
    if compiled is not None:
        return compiled
    if left.dtype.char == "f":
        return _fused_single(left, right, added)
    unfused = left * right + added
    high, exact = _fma(left, right, added)
    size, largest = np.abs(high), np.maximum(np.abs(left), np.abs(right))
    mask = ~((size >= 2.0**-900) & (size <= 2.0**900) & (largest <= 2.0**990))
    is_finite = np.isfinite(left) & np.isfinite(right)
    mask = mask & is_finite & np.isfinite(added) & (left != 0) & (right != 0)
    result = np.where(np.isfinite(exact) & (high != 0), exact, unfused)
    result = np.where(is_finite & np.isinf(added), added, result)
    if mask.any():
        # Splitting would overflow or underflow.
        parts = (array[mask].tolist() for array in broadcast_arrays(left, right, added))
        result[mask] = list(map(_fma_exactly, *parts))
    return result


def _fused_single(left: Any, right: Any, added: Any) -> Any:
    """Return what `fused` does for float32: two roundings differ from one at few sums.

    These are the midpoints of two float32 numbers, and subnormal numbers.
    """
    product = np.multiply(left, right, dtype=np.float64)  # exact: 48 bits at most
    total = np.asarray(product + added)
    bits = total.view(np.uint64)
    may_differ = (bits & _DROPPED) == _MIDPOINT
    may_differ |= (bits & _MAGNITUDE) - 1 < _LEAST_NORMAL  # and not 0, as 0 - 1 wraps around
    if may_differ.any():
        product, added = np.broadcast_to(product, total.shape), np.broadcast_to(added, total.shape)
        total[may_differ] = _sum_to_odd(product[may_differ], added[may_differ].astype(np.float64))
    return total.astype(np.float32)


_DROPPED, _MIDPOINT = 2**29 - 1, 2**28
"""The bits that float64 has beyond those of float32, and their pattern halfway between two."""
_MAGNITUDE, _LEAST_NORMAL = 2**63 - 1, 897 << 52
"""The bits of a magnitude in float64, and those of the least normal number of float32."""


def fused_single(numbers: Any, scale: float, offset: float) -> Any:
    """Return ``numbers * scale + offset``, rounded once; all arguments are float32 numbers."""
    product = np.multiply(numbers, scale, dtype=np.float64)  # exact: 48 bits at most
    total = product + offset
    if offset and math.isfinite(scale) and math.isfinite(offset):
        # Double rounding fails only at the midpoint of two float32 numbers.
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
        # A product that underflows keeps its sign; an exact zero loses it in the sum.
        return np.where((numbers == 0) | (scale == 0), product + offset, product)
    # Scaling by a power of two is exact, and keeps the split product in range.
    power = math.frexp(max(abs(scale), abs(offset)))[1]
    power = power if abs(power) > _MAX_EXPONENT else 0
    if power and abs(math.ldexp(offset, -power)) < 2.0**-900:
        # A part of the smaller operand would underflow.
        exact = [_fma_exactly(number, scale, offset) for number in numbers.reshape(-1).tolist()]
        return np.array(exact, np.float64).reshape(numbers.shape)
    _, result = _fma(numbers, math.ldexp(scale, -power), math.ldexp(offset, -power))
    if power:
        result = np.ldexp(result, power)
        subnormal = np.abs(result) <= 2.0**-1022  # where ldexp rounds again
        result[subnormal] = [
            _fma_exactly(number, scale, offset) for number in numbers[subnormal].tolist()
        ]
    return result


def steps_single(numbers: Any, count: int, step: float) -> Any:
    """Return ``numbers + count * step``, rounded once to float32; ``count`` has few bits."""
    total = _sum_to_odd(numbers, count * step)
    return np.where(np.isfinite(total), total, numbers + count * step).astype(np.float32)


def steps_double(numbers: Any, count: int, step: float) -> Any:
    """Return ``numbers + count * step``, rounded once to float64."""
    if not math.isfinite(count * step):
        return numbers + count * step
    fraction, exponent = math.frexp(step)
    whole = count * int(math.ldexp(fraction, 53))
    high = math.ldexp(whole, exponent - 53)
    low = math.ldexp(whole - int(float(whole)), exponent - 53)
    total, tail = _sum(numbers, high)
    return np.where(np.isfinite(total), total + _sum_to_odd(tail, low), total)


def _fma(numbers: Any, scale: Any, offset: Any) -> tuple[Any, Any]:
    """Return the rounded product, and the product plus ``offset``, rounded once."""
    product = numbers * scale
    top = numbers * _SPLITTER
    top = top - (top - numbers)
    bottom = numbers - top
    scale_top = scale * _SPLITTER
    scale_top = scale_top - (scale_top - scale)
    scale_bottom = scale - scale_top
    error = (top * scale_top - product) + top * scale_bottom + bottom * scale_top
    middle, lowest = _sum(error + bottom * scale_bottom, offset)
    total, tail = _sum(product, middle)
    return product, total + _sum_to_odd(tail, lowest)


def _fma_exactly(number: float, scale: float, offset: float) -> float:
    """Return ``number * scale + offset`` by integer arithmetic; Python rounds the quotient once."""
    (number_top, number_bottom), (scale_top, scale_bottom), (top, bottom) = (
        value.as_integer_ratio() for value in (number, scale, offset)
    )
    denominator = number_bottom * scale_bottom
    numerator = number_top * scale_top * bottom + top * denominator
    try:
        return numerator / (denominator * bottom)
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def _sum(left: Any, right: Any) -> tuple[Any, Any]:
    """Return the rounded sum and its exact error."""
    total = left + right
    shadow = total - left
    return total, (left - (total - shadow)) + (right - shadow)


def _sum_to_odd(left: Any, right: Any) -> Any:
    total, error = _sum(left, right)
    even = (total.view(np.uint64) & 1) == 0
    return np.where(even & (error != 0), np.nextafter(total, np.copysign(np.inf, error)), total)
