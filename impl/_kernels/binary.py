"""Kernels of binary and ternary operators: remainder, logaddexp, shifts, lerp and others.

A kernel takes NumPy arrays of one dtype, as in `elementwise`.
"""

from functools import partial
from typing import Any

from .._arrays.numpy_bridge import broadcast_arrays, np, numpy_storage_dtype
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32
from .._dtypes.table import dtype
from .._numerics.cast import convert
from .._numerics.float_formats import decode
from .._numerics.fma import fused
from .elementwise import Kernel, nonzero_divisor
from .polynomials import in_double
from .unary import complex_log1p


def logical(name: str) -> Kernel:
    """Return the kernel that applies NumPy's function ``name`` to the truth values of numbers."""

    def kernel(left: Any, right: Any) -> Any:
        return getattr(np, name)(left != 0, right != 0)

    kernel.__qualname__ = name
    return kernel


def larger(left: Any, right: Any) -> Any:
    """Return the larger of two numbers: NaN if either is NaN, the first of two equal numbers.

    Torch's scalar kernel does the same.  Its vectorized kernel, which depends on the processor,
    returns the second of two zeros.
    """
    return np.where((left >= right) | np.isnan(left), left, right)


def smaller(left: Any, right: Any) -> Any:
    """Return the smaller of two numbers: NaN if either is NaN, the first of two equal numbers."""
    return np.where((left <= right) | np.isnan(left), left, right)


def _fmax_or_fmin(compare: str, dtype: dtype, left: Any, right: Any) -> Any:
    """Return the larger or smaller number, or the other one if one is NaN (std::fmax).

    Of two zeros it is the first, and of two NaNs the second; for bfloat16 the reverse.
    """
    if dtype is BFLOAT16:
        left, right = right, left
    return np.where(getattr(np, compare)(right, left) | np.isnan(left), right, left)


fmax, fmin = (partial(_fmax_or_fmin, compare) for compare in ("greater", "less"))


def clamp(array: Any, lower: Any, upper: Any) -> Any:
    """Return the numbers, clamped; the upper bound wins over the lower."""
    return smaller(larger(array, lower), upper)


def clamp_integers(array: Any, lower: Any, upper: Any) -> Any:
    """Return the integers, clamped; the upper bound wins over the lower."""
    return np.minimum(np.maximum(array, lower), upper)


def remainder(left: Any, right: Any) -> Any:
    """Return the remainder with the sign of the divisor, as CPython's ``%``."""
    result = np.fmod(left, right)
    return np.where((result != 0) & ((right < 0) != (result < 0)), result + right, result)


remainder_integers, fmod_integers = nonzero_divisor("remainder"), nonzero_divisor("fmod")


def logaddexp(left: Any, right: Any) -> Any:
    """Return log(exp(left) + exp(right))."""
    correction = np.log1p(np.exp(-np.abs(left - right)))
    return _unless_infinite(left, right, np.maximum(left, right) + correction)


def logaddexp2(left: Any, right: Any) -> Any:
    """Return log2(2**left + 2**right)."""
    scale = np.array(1 / np.log(2.0), left.dtype)
    correction = np.log1p(np.exp2(-np.abs(left - right)))
    return _unless_infinite(left, right, fused(correction, scale, np.maximum(left, right)))


def _unless_infinite(left: Any, right: Any, result: Any) -> Any:
    return np.where((left == right) & np.isinf(left), left, result)


def complex_logaddexp(left: Any, right: Any) -> Any:
    """Return log(exp(left) + exp(right)) (ATen/native/cpu/LogAddExp.h)."""
    left, right = broadcast_arrays(left, right)
    left_is_larger = left.real >= right.real
    larger, smaller = np.where(left_is_larger, left, right), np.where(left_is_larger, right, left)
    result = larger + complex_log1p(np.exp(smaller - larger))
    is_nan = np.isnan(left) | np.isnan(right)
    is_infinite = ~np.isfinite(smaller.real) & (smaller.real == larger.real)
    infinite_result = np.where(smaller.real < 0, smaller, np.log(np.exp(smaller) + np.exp(larger)))
    result = np.where(is_infinite, infinite_result, result)
    return np.where(is_nan, np.array(complex(np.nan, np.nan), left.dtype), result)


def xlogy(left: Any, right: Any, rounded: Kernel | None = None) -> Any:
    """Return left * log(right): 0 if left is 0, but NaN if right is NaN."""
    # Correctly rounded; the C library's result differs for a few numbers in a million.
    logarithms = in_double("log", right)
    if right.dtype.char == "d":
        logarithms = np.where(right < 0, np.nan, logarithms)  # a positive NaN
    result = left * (rounded(logarithms) if rounded else logarithms)
    nan = right.dtype.type(np.nan)
    return np.where(np.isnan(right), nan, np.where(left == 0, np.zeros_like(result), result))


hypot, atan2 = partial(in_double, "hypot"), partial(in_double, "arctan2")


def heaviside(left: Any, right: Any) -> Any:
    """Return 0 for negative numbers and NaN, 1 for positive ones, and ``right`` for zero."""
    return np.where(left == 0, right, (left > 0).astype(left.dtype))


def copysign_bfloat16(left: Any, right: Any) -> Any:
    """Return the raw bfloat16 elements of left with the signs of right."""
    bits = np.copysign(left, right).view(np.uint32) >> 16
    return bits.astype(np.uint16)


def nextafter(dtype: dtype, left: Any, right: Any) -> Any:
    """Return the next number of ``dtype`` after left towards right."""
    if dtype is FLOAT16:
        result = np.nextafter(left.astype(np.float16), right.astype(np.float16))
        result = np.where(left == right, right, result.astype(np.float32))
        return np.where(np.isnan(left), left, np.where(np.isnan(right), right, result))
    if dtype is not BFLOAT16:
        return np.nextafter(left, right)
    left, right = broadcast_arrays(left, right)
    raw = convert(np.array(left), FLOAT32, dtype).astype(np.int32)
    is_away_from_zero = (right > left) == (raw < 0x8000)
    raw = raw + np.where(is_away_from_zero, 1, -1)
    smallest = np.where(np.signbit(right), 0x8001, 1)
    raw = np.where(left == 0, smallest, raw).astype(numpy_storage_dtype(dtype))
    result = np.where(left == right, right, decode(raw, dtype))
    return np.where(np.isnan(left) | np.isnan(right), np.float32(np.nan), result)


def gcd(left: Any, right: Any) -> Any:
    """Return the greatest common divisor; torch's may be negative if a number is the least one.

    The absolute value of the least number is negative (calc_gcd in ATen/native/Math.h).
    """
    result = np.gcd(left, right)
    if left.dtype.kind == "i":
        least = -(1 << 8 * left.itemsize - 1)
        smallest = [np.minimum.reduce(x, axis=None, initial=0) for x in (left, right)]
        if least in smallest:
            is_least = (left == least) | (right == least)
            first, second = broadcast_arrays(left, right)
            result = np.array(result)
            result[is_least] = _euclid(np.abs(first[is_least]), np.abs(second[is_least]))
    return result


def _euclid(divisor: Any, number: Any) -> Any:
    """Return the last nonzero remainder, with the signs of C's ``%``."""
    while divisor.any():
        is_zero = divisor == 0
        rest = np.fmod(number, np.where(is_zero, divisor.dtype.type(1), divisor))
        number = np.where(is_zero, number, divisor)
        divisor = np.where(is_zero, divisor, rest)
    return number


def lcm(left: Any, right: Any) -> Any:
    """Return the least common multiple, which wraps on overflow."""
    divisor = gcd(left, right)
    safe_divisor = np.where(divisor == 0, np.ones_like(divisor), divisor)
    quotient = (left - np.fmod(left, safe_divisor)) // safe_divisor
    # C computes narrow integers in 32 bits and truncates the absolute product afterwards.
    if left.itemsize < 4:
        quotient = quotient.astype(np.int64)
    product = np.abs(quotient * right).astype(left.dtype)
    return np.where(divisor == 0, np.zeros_like(divisor), product)


def shift_left(left: Any, right: Any) -> Any:
    """Return left << right; 0 if the shift is negative or at least the bit width."""
    amount, is_out_of_range = _shift_amount(right, 8 * left.dtype.itemsize)
    return np.where(is_out_of_range, np.zeros_like(left), np.left_shift(left, amount))


def shift_right(left: Any, right: Any) -> Any:
    """Return left >> right, an arithmetic shift for signed integers."""
    bits = 8 * left.dtype.itemsize
    amount, is_out_of_range = _shift_amount(right, bits)
    # A shift by the bit width or more leaves only copies of the sign bit, or 0.
    sign_bits = np.right_shift(left, bits - 1) if left.dtype.kind == "i" else np.zeros_like(left)
    return np.where(is_out_of_range, sign_bits, np.right_shift(left, amount))


def _shift_amount(right: Any, bits: int) -> tuple[Any, Any]:
    # A negative number in an unsigned dtype has the highest bit set.
    is_out_of_range = (right < 0) | (right >= bits)
    return np.where(is_out_of_range, np.zeros_like(right), right), is_out_of_range


def lerp(left: Any, right: Any, weight: Any) -> Any:
    """Return the lerp from the nearer end, rounded once (ATen/native/Lerp.h)."""
    if left.dtype.kind == "c":
        is_small = weight.real * weight.real + weight.imag * weight.imag < 0.25
        return np.where(
            is_small, left + weight * (right - left), right - (right - left) * (1 - weight)
        )
    is_small = np.abs(weight) < 0.5
    factor = np.where(is_small, weight, weight - np.array(1, weight.dtype))
    base = np.where(is_small, left, right)
    return fused(factor, right - left, base)


def ldexp(left: Any, right: Any) -> Any:
    """Return left * 2**right, computed in float64; right is converted to int32."""
    return np.ldexp(left.astype(np.float64), right.astype(np.int32)).astype(left.dtype)
