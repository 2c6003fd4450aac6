"""What operators of two or three operands compute: remainders, logarithms of sums, shifts, mixtures.

Kernels as in `kernels`: on NumPy arrays of one dtype.
"""

from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32
from .._dtypes.table import dtype
from .._numerics.cast import convert
from .._numerics.float_formats import decode
from .._numerics.fma import fused
from .._runtime.errors import check
from .elementwise import Kernel
from .unary import complex_log1p


def logical(name: str) -> Kernel:
    """Return a kernel that compares whether numbers are zero: NumPy's function of a name."""

    def kernel(left: Any, right: Any) -> Any:
        return getattr(np, name)(left != 0, right != 0)

    kernel.__qualname__ = name
    return kernel


def larger(left: Any, right: Any) -> Any:
    """Return the larger of two numbers: NaN if one is, and of equal ones the first.

    The last is so where torch takes one element at a time; where it takes
    several, which depends on the processor, the second of two zeros is taken.
    """
    return np.where((left >= right) | np.isnan(left), left, right)


def smaller(left: Any, right: Any) -> Any:
    """Return the smaller of two numbers: NaN if one is, and of equal ones the first."""
    return np.where((left <= right) | np.isnan(left), left, right)


def fmax(dtype: dtype, left: Any, right: Any) -> Any:
    """Return the larger of two, but the other one of NaN; std::fmax."""
    return _number(dtype, "greater_equal", left, right)


def fmin(dtype: dtype, left: Any, right: Any) -> Any:
    """Return the smaller of two, but the other one of NaN; std::fmin."""
    return _number(dtype, "less_equal", left, right)


def _number(dtype: dtype, compare: str, left: Any, right: Any) -> Any:
    if dtype is BFLOAT16:  # of two zeros the second, and of others the first
        left, right = right, left
    return np.where(getattr(np, compare)(left, right) | np.isnan(right), left, right)


def clamp(array: Any, lower: Any, upper: Any) -> Any:
    """Return numbers, or the bound beyond which they lie; the upper one decides."""
    return smaller(larger(array, lower), upper)


def clamp_integers(array: Any, lower: Any, upper: Any) -> Any:
    """Return integers, or the bound beyond which they lie; the upper one decides."""
    return np.minimum(np.maximum(array, lower), upper)


def _no_zero(divisor: Any) -> None:
    check(divisor.all(), lambda: "ZeroDivisionError")


def remainder(left: Any, right: Any) -> Any:
    """Return what is left of a division, with the sign of the divisor, as CPython's ``%``."""
    rest = np.fmod(left, right)
    return np.where((rest != 0) & ((right < 0) != (rest < 0)), rest + right, rest)


def remainder_integers(left: Any, right: Any) -> Any:
    """Return what is left of a division of integers, with the sign of the divisor."""
    _no_zero(right)
    return np.remainder(left, right)


def fmod_integers(left: Any, right: Any) -> Any:
    """Return what is left of a division of integers, with the sign of the dividend."""
    _no_zero(right)
    return np.fmod(left, right)


def logarithm_of_sum(left: Any, right: Any) -> Any:
    """Return log(exp(left) + exp(right))."""
    more = np.log1p(np.exp(-np.abs(left - right)))
    return _unless_infinite(left, right, np.maximum(left, right) + more)


def binary_logarithm_of_sum(left: Any, right: Any) -> Any:
    """Return log2(2**left + 2**right)."""
    scale = np.array(1 / np.log(2.0), left.dtype)
    more = np.log1p(np.exp2(-np.abs(left - right)))
    return _unless_infinite(left, right, fused(more, scale, np.maximum(left, right)))


def _unless_infinite(left: Any, right: Any, found: Any) -> Any:
    """Return what was found, but an infinity of which there are two alike as it is."""
    return np.where((left == right) & np.isinf(left), left, found)


def logarithm_of_complex_sum(left: Any, right: Any) -> Any:
    """Return log(exp(left) + exp(right)) (ATen/native/cpu/LogAddExp.h)."""
    left, right = np.broadcast_arrays(left, right)
    ordered = left.real >= right.real
    larger, smaller = np.where(ordered, left, right), np.where(ordered, right, left)
    found = larger + complex_log1p(np.exp(smaller - larger))
    is_nan = np.isnan(left) | np.isnan(right)
    infinite = ~np.isfinite(smaller.real) & (smaller.real == larger.real)
    of_infinities = np.where(smaller.real < 0, smaller, np.log(np.exp(smaller) + np.exp(larger)))
    found = np.where(infinite, of_infinities, found)
    return np.where(is_nan, np.array(complex(np.nan, np.nan), left.dtype), found)


def times_logarithm(left: Any, right: Any, rounded: Kernel | None = None) -> Any:
    """Return left * log(right): zero for a left of zero, but NaN for a right of NaN."""
    # Correctly rounded, as the C library's is but for a few in a million.
    logarithms = np.log(right.astype(np.float64)).astype(right.dtype)
    found = left * (rounded(logarithms) if rounded else logarithms)
    return np.where(np.isnan(right), right, np.where(left == 0, np.zeros_like(found), found))


def hypotenuse(left: Any, right: Any) -> Any:
    """Return the root of the sum of squares; infinite if a side is."""
    return np.hypot(left.astype(np.float64), right.astype(np.float64)).astype(left.dtype)


def angle_of(left: Any, right: Any) -> Any:
    """Return the angle of the point (right, left)."""
    return np.arctan2(left.astype(np.float64), right.astype(np.float64)).astype(left.dtype)


def heaviside(left: Any, right: Any) -> Any:
    """Return 0 for negative numbers and NaN, 1 for positive ones, and ``right`` for zero."""
    return np.where(left == 0, right, (left > 0).astype(left.dtype))


def next_after(dtype: dtype, left: Any, right: Any) -> Any:
    """Return the next number of a dtype from left towards right."""
    if dtype is FLOAT16:
        found = np.nextafter(left.astype(np.float16), right.astype(np.float16))
        return np.where(left == right, right, found.astype(np.float32))
    if dtype is not BFLOAT16:
        return np.nextafter(left, right)
    left, right = np.broadcast_arrays(left, right)
    code = convert(np.array(left), FLOAT32, dtype).astype(np.int32)
    away = (right > left) == (code < 0x8000)
    code = code + np.where(away, 1, -1)
    smallest = np.where(np.signbit(right), 0x8001, 1)
    code = np.where(left == 0, smallest, code).astype(numpy_storage_dtype(dtype))
    found = np.where(left == right, right, decode(code, dtype))
    return np.where(np.isnan(left) | np.isnan(right), np.float32(np.nan), found)


def least_common_multiple(left: Any, right: Any) -> Any:
    """Return the least common multiple; what does not fit wraps."""
    divisor = np.gcd(left, right)
    some = np.where(divisor == 0, np.ones_like(divisor), divisor)
    quotient = (left - np.fmod(left, some)) // some
    # C computes narrow integers in 32 bits, and cuts the product's size off after that.
    wide = (
        np.abs(quotient.astype(np.int64) * right) if left.itemsize < 4 else np.abs(quotient * right)
    )
    return np.where(divisor == 0, np.zeros_like(divisor), wide.astype(left.dtype))


def shift_left(left: Any, right: Any) -> Any:
    """Shift bits to the left; zero, if by a negative number or by all bits."""
    bits = 8 * left.dtype.itemsize
    amount, out = _amount(right, bits)
    return np.where(out, np.zeros_like(left), np.left_shift(left, amount))


def shift_right(left: Any, right: Any) -> Any:
    """Shift bits to the right, those of signed integers with their sign."""
    bits = 8 * left.dtype.itemsize
    amount, out = _amount(right, bits)
    is_signed = left.dtype.kind == "i"
    # All bits are the sign, or none is left.
    gone = np.right_shift(left, bits - 1) if is_signed else np.zeros_like(left)
    return np.where(out, gone, np.right_shift(left, amount))


def _amount(right: Any, bits: int) -> tuple[Any, Any]:
    # A negative number in an unsigned integer is one with the highest bit.
    out = (right < 0) | (right >= bits)
    return np.where(out, np.zeros_like(right), right), out


def mixture(left: Any, right: Any, weight: Any) -> Any:
    """Return left + weight * (right - left), from the nearer end, rounded once (ATen/native/Lerp.h)."""
    if left.dtype.kind == "c":
        small = weight.real * weight.real + weight.imag * weight.imag < 0.25
        return np.where(
            small, left + weight * (right - left), right - (right - left) * (1 - weight)
        )
    small = np.abs(weight) < 0.5
    factor = np.where(small, weight, weight - np.array(1, weight.dtype))
    base = np.where(small, left, right)
    difference = right - left
    factor, difference, base = np.broadcast_arrays(factor, difference, base)
    return fused(factor, difference, base)


def times_power_of_two(left: Any, right: Any) -> Any:
    """Return left * 2**right, computed in double precision; right counts as an int of 32 bits."""
    return np.ldexp(left.astype(np.float64), right.astype(np.int32)).astype(left.dtype)
