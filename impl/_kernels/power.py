"""What powers compute.

Exponents for which torch has a shorter way (ATen/native/cpu/PowKernel.cpp) have one here, as it shows
in the last bits, in signs and in what is infinite.  float16 has none.
"""

from math import copysign, inf, isinf, isnan, nan
from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32
from .._dtypes.table import Kind, dtype, spec_of
from .._numerics.cast import convert
from .elementwise import Kernel, multiply_complex


def power(dtype: dtype, base: Any, exponent: Any) -> Any:
    """Return powers of numbers of a dtype."""
    if dtype.is_complex:
        return _complex_power(base, exponent)
    if spec_of(dtype).kind is not Kind.FLOAT:
        return _integer_power(base, exponent)
    found = np.power(base.astype(np.float64), exponent.astype(np.float64))
    # NumPy may take the root for an exponent of 0.5, which differs for -inf and -0.
    root = np.where(np.isinf(base), np.inf, found + 0.0)
    return np.where(exponent == 0.5, root, found).astype(base.dtype)


def short_power(exponent: complex) -> Kernel:
    """Return the kernel of powers of one exponent; it is given the dtype and the bases."""
    short = _SHORT.get(exponent)

    def kernel(dtype: dtype, base: Any, given: Any) -> Any:
        is_float = dtype.is_complex or dtype.is_floating_point
        if short is None or dtype is FLOAT16 or not is_float:
            return power(dtype, base, given)
        return short(base, _rounder(dtype))

    return kernel


def _rounder(dtype: dtype) -> Kernel:
    """Return what rounds each step for bfloat16."""
    if dtype is not BFLOAT16:
        return lambda numbers: numbers
    return lambda numbers: convert(convert(numbers, FLOAT32, dtype), dtype, FLOAT32)


def _times(left: Any, right: Any) -> Any:
    return multiply_complex(left, right) if left.dtype.kind == "c" else left * right


def _one(numbers: Any) -> Any:
    return np.array(1, numbers.dtype)


_SHORT: dict[complex, Any] = {
    0.5: lambda base, rounded: np.sqrt(base),
    2: lambda base, rounded: _times(base, base),
    3: lambda base, rounded: _times(rounded(_times(base, base)), base),
    -0.5: lambda base, rounded: _one(base) / rounded(np.sqrt(base)),
    -1: lambda base, rounded: _one(base) / base,
    -2: lambda base, rounded: _one(base) / rounded(_times(base, base)),
}


def _integer_power(base: Any, exponent: Any) -> Any:
    """Return powers of integers, which wrap; those of negative exponents are fractions, cut off."""
    base, exponent = np.broadcast_arrays(base, exponent)
    found = np.power(base, np.where(exponent < 0, np.zeros_like(exponent), exponent))
    if base.dtype.kind == "u":
        return found
    odd = np.where(exponent % 2 == 0, np.ones_like(base), base)
    fraction = np.where(base == 1, base, np.where(base == -1, odd, np.zeros_like(base)))
    return np.where(exponent < 0, fraction, found)


def _complex_power(base: Any, exponent: Any) -> Any:
    """Return exp(exponent * log(base)), as the C library does."""
    return np.exp(_product(*np.broadcast_arrays(exponent, np.log(base))))


def _product(left: Any, right: Any) -> Any:
    """Multiply complex numbers as C does, which makes infinities of some NaNs (C11, annex G)."""
    product = multiply_complex(left, right)
    lost = np.isnan(product.real) & np.isnan(product.imag)
    if not lost.any():
        return product
    a, b, c, d = (each[lost] for each in (left.real, left.imag, right.real, right.imag))
    found = [_recovered(*parts) for parts in zip(a, b, c, d, strict=True)]
    product[lost] = found
    return product


def _recovered(a: float, b: float, c: float, d: float) -> complex:
    """Return (a + bi) * (c + di) where both parts came out as NaN.

    The parts are NumPy's, so that a product overflows as it does in their dtype.
    """
    again = False
    if isinf(a) or isinf(b):
        a, b = copysign(isinf(a), a), copysign(isinf(b), b)
        c, d = _zero_for_nan(c), _zero_for_nan(d)
        again = True
    if isinf(c) or isinf(d):
        c, d = copysign(isinf(c), c), copysign(isinf(d), d)
        a, b = _zero_for_nan(a), _zero_for_nan(b)
        again = True
    if not again and any(isinf(each) for each in (a * c, b * d, a * d, b * c)):
        a, b, c, d = map(_zero_for_nan, (a, b, c, d))
        again = True
    return complex(inf * (a * c - b * d), inf * (a * d + b * c)) if again else complex(nan, nan)


def _zero_for_nan(number: float) -> float:
    return copysign(0.0, number) if isnan(number) else number
