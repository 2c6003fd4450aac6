"""Kernels of powers (ATen/native/cpu/PowKernel.cpp).

Torch has special cases for some exponents, except for float16.  They show in the last bits, in
signs and in infinities, so they exist here too.
"""

from functools import partial
from math import copysign, inf, isinf, isnan, nan
from typing import Any

from .._arrays.numpy_bridge import broadcast_arrays, np
from .._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32
from .._dtypes.table import Kind, dtype, spec_of
from .elementwise import Kernel, identity, multiply_complex, round_through
from .unary import sqrt


def power(dtype: dtype, base: Any, exponent: Any) -> Any:
    """Return base ** exponent for numbers of ``dtype``."""
    if dtype.is_complex:
        # As the C library does.
        return np.exp(_product(*broadcast_arrays(exponent, np.log(base))))
    if spec_of(dtype).kind is not Kind.FLOAT:
        return _integer_power(base, exponent)
    result = np.power(base.astype(np.float64), exponent.astype(np.float64))
    # NumPy may compute a square root for exponent 0.5, which differs for -inf and -0.
    root = np.where(np.isinf(base), np.inf, result + 0.0)
    return np.where(exponent == 0.5, root, result).astype(base.dtype)


def scalar_exponent_kernel(exponent: complex) -> Kernel:
    """Return the kernel for one scalar exponent; it takes a dtype, the bases and the exponents."""
    special_case = _SPECIAL_CASES.get(exponent)

    def kernel(dtype: dtype, base: Any, exponents: Any) -> Any:
        is_float = dtype.is_complex or dtype.is_floating_point
        if special_case is None or dtype is FLOAT16 or not is_float:
            return power(dtype, base, exponents)
        # Each step is rounded for bfloat16.
        rounded = partial(round_through, FLOAT32, dtype) if dtype is BFLOAT16 else identity
        return special_case(base, rounded)

    return kernel


def _multiply(left: Any, right: Any) -> Any:
    return multiply_complex(left, right) if left.dtype.kind == "c" else left * right


def _inverse(base: Any) -> Any:
    result = _one(base) / base
    return np.where(base == 0, complex(inf, nan), result) if base.dtype.kind == "c" else result


def _one(numbers: Any) -> Any:
    return np.array(1, numbers.dtype)


_SPECIAL_CASES: dict[complex, Any] = {
    0.5: lambda base, rounded: np.sqrt(base) if base.dtype.kind == "c" else sqrt(base),
    2: lambda base, rounded: _multiply(base, base),
    3: lambda base, rounded: _multiply(rounded(_multiply(base, base)), base),
    -0.5: lambda base, rounded: _one(base) / rounded(np.sqrt(base)),
    -1: lambda base, rounded: _inverse(base),
    -2: lambda base, rounded: _one(base) / rounded(_multiply(base, base)),
}


def _integer_power(base: Any, exponent: Any) -> Any:
    """Return powers of integers, which wrap; negative exponents give truncated fractions."""
    base, exponent = broadcast_arrays(base, exponent)
    result = np.power(base, np.where(exponent < 0, np.zeros_like(exponent), exponent))
    if base.dtype.kind == "u":
        return result
    sign = np.where(exponent % 2 == 0, np.ones_like(base), base)
    fraction = np.where(base == 1, base, np.where(base == -1, sign, np.zeros_like(base)))
    return np.where(exponent < 0, fraction, result)


def _product(left: Any, right: Any) -> Any:
    """Return the complex product of C, which turns some NaNs into infinities (C11, annex G)."""
    product = multiply_complex(left, right)
    is_nan = np.isnan(product.real) & np.isnan(product.imag)
    if not is_nan.any():
        return product
    a, b, c, d = (part[is_nan] for part in (left.real, left.imag, right.real, right.imag))
    product[is_nan] = list(map(_recovered, a, b, c, d))
    return product


def _recovered(a: float, b: float, c: float, d: float) -> complex:
    """Return (a + bi) * (c + di) for a product whose parts are both NaN.

    The arguments are NumPy scalars, so a product overflows as in their dtype.
    """
    is_inf = False
    if isinf(a) or isinf(b):
        a, b = copysign(isinf(a), a), copysign(isinf(b), b)
        c, d = _zero_for_nan(c), _zero_for_nan(d)
        is_inf = True
    if isinf(c) or isinf(d):
        c, d = copysign(isinf(c), c), copysign(isinf(d), d)
        a, b = _zero_for_nan(a), _zero_for_nan(b)
        is_inf = True
    if not is_inf and any(isinf(product) for product in (a * c, b * d, a * d, b * c)):
        a, b, c, d = map(_zero_for_nan, (a, b, c, d))
        is_inf = True
    return complex(inf * (a * c - b * d), inf * (a * d + b * c)) if is_inf else complex(nan, nan)


def _zero_for_nan(number: float) -> float:
    return copysign(0.0, number) if isnan(number) else number
