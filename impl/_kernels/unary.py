"""What operators of one operand compute, on NumPy arrays of numbers.

Functions that are not exact are computed in float64 where the result is
float32, and rounded once: so the result is within a unit in the last place
of any good library's, torch's included.  Where torch rounds each step, or
fuses a product with a sum, the kernels do so, too: what they follow is
torch's kernel for single elements, which differs from its vectorised one in
a few last bits (aten/src/ATen/native/cpu/UnaryOpsKernel.cpp).
"""

import math
from collections.abc import Callable
from typing import Any

from .._arrays.numpy_bridge import np
from .._numerics.fma import fused
from . import erf as error_functions
from . import special
from .elementwise import ByKind, Kernel

Array = Any

LN_2 = math.log(2)


def accurate(function: str | Kernel) -> Kernel:
    """Return a kernel for a function of NumPy's, or of float64 arrays: float32 goes through float64."""

    def kernel(x: Array) -> Array:
        run = getattr(np, function) if isinstance(function, str) else function
        if x.dtype.char == "f":
            return run(x.astype(np.float64)).astype(np.float32)
        return run(x)

    return kernel


_exp, _log, _sin = accurate("exp"), accurate("log"), accurate("sin")


def _parts(real: Array, imag: Array) -> Array:
    """Return the complex numbers of these parts."""
    result = np.empty(real.shape, np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


# Signs and sizes


def sign(x: Array) -> Array:
    """Return 1, 0 or -1; 0 for NaN."""
    return np.subtract(x > 0, x < 0, dtype=np.int8).astype(x.dtype)


def sign_of_complex(x: Array) -> Array:
    """Return complex numbers divided by their size; 0 for 0."""
    size = complex_size(x)
    return np.where(x == 0, x.dtype.type(0), divide_complex(x, _parts(size, np.zeros_like(size))))


def complex_size(x: Array) -> Array:
    """Return the absolute values of complex numbers; infinite if a part is, whatever the other."""
    return np.where(np.isinf(x), x.real.dtype.type(math.inf), np.hypot(x.real, x.imag))


def angle(x: Array) -> Array:
    """Return the angle of real numbers: 0, pi if they are negative, NaN if they are."""
    return np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(math.pi), x.dtype.type(0)))


def complex_angle(x: Array) -> Array:
    """Return the angles of complex numbers."""
    if x.dtype.char == "F":
        wide = np.arctan2(x.imag.astype(np.float64), x.real.astype(np.float64))
        return wide.astype(np.float32)
    return np.arctan2(x.imag, x.real)


def never(x: Array) -> Array:
    """Return False: no integer is what was asked for."""
    return np.zeros(x.shape, np.bool_)


def is_positive_infinity(x: Array) -> Array:
    """Tell which numbers are positive infinity."""
    return x == math.inf


def is_negative_infinity(x: Array) -> Array:
    """Tell which numbers are negative infinity."""
    return x == -math.inf


def is_negative(x: Array) -> Array:
    """Tell which integers are negative."""
    return x < 0


def always(x: Array) -> Array:
    """Return True: every real number is what was asked for."""
    return np.ones(x.shape, np.bool_)


def is_real(x: Array) -> Array:
    """Tell which complex numbers have no imaginary part."""
    return x.imag == 0


def relu(x: Array) -> Array:
    """Return the numbers, but 0 for negative ones."""
    return np.where(x < 0, x.dtype.type(0), x)


def either_infinite(left: Array, right: Array) -> Array:
    """Tell where one of two numbers is infinite."""
    return np.isinf(left) | np.isinf(right)


def both_finite(left: Array, right: Array) -> Array:
    """Tell where two numbers are finite."""
    return np.isfinite(left) & np.isfinite(right)


def replacing(nan: float, above: float, below: float) -> ByKind:
    """Return the kernels that put other numbers for NaN and for the two infinities."""

    def kernel(x: Array) -> Array:
        kind = x.dtype.type
        found = np.where(np.isnan(x), kind(nan), x)
        found = np.where(x == math.inf, kind(above), found)
        return np.where(x == -math.inf, kind(below), found)

    def of_complex(x: Array) -> Array:
        return _parts(kernel(x.real), kernel(x.imag))

    return ByKind(kernel, integer="copy", boolean=_truth, complex=of_complex)


def _truth(x: Array) -> Array:
    """Return what is true as 1, whatever stands for it."""
    return x.view(np.uint8) != 0


# Rounding


def fraction(x: Array) -> Array:
    """Return what is behind the point."""
    return x - np.trunc(x)


def rounding(decimals: int) -> ByKind:
    """Return the kernel that rounds to a number of decimals."""
    scale = 10.0 ** abs(decimals)

    def kernel(x: Array) -> Array:
        power = x.dtype.type(scale)
        if decimals < 0:
            return np.rint(x / power) * power
        return np.rint(x * power) / power

    return ByKind(kernel)


def _same(x: Array) -> Array:
    return x


# Division


def reciprocal(x: Array) -> Array:
    """Return 1 / x."""
    return x.dtype.type(1) / x


def divide_complex(above: Array, below: Array) -> Array:
    """Divide complex numbers as Smith does, products fused with sums (c10/util/complex.h)."""
    real, imag = below.real, below.imag
    wide = np.abs(real) >= np.abs(imag)
    larger, smaller = np.where(wide, real, imag), np.where(wide, imag, real)
    both_zero = (real == 0) & (imag == 0)
    ratio = smaller / larger
    scale = 1 / fused(smaller, ratio, larger)
    first, second = np.broadcast_to(above.real, real.shape), np.broadcast_to(above.imag, real.shape)
    found_real = np.where(wide, fused(second, ratio, first), fused(first, ratio, second)) * scale
    found_imag = np.where(wide, fused(-first, ratio, second), fused(second, ratio, -first)) * scale
    size = np.abs(real)
    found_real = np.where(both_zero, first / size, found_real)
    return _parts(found_real, np.where(both_zero, second / size, found_imag))


def complex_reciprocal(x: Array) -> Array:
    """Return 1 / x of complex numbers."""
    found = divide_complex(np.ones((), x.dtype), x)
    return np.where(x == 0, x.dtype.type(complex(math.inf, math.nan)), found)


def reciprocal_root(x: Array, rounded: Kernel = _same) -> Array:
    """Return 1 / sqrt(x); the root is rounded to the result's dtype."""
    return x.dtype.type(1) / rounded(np.sqrt(x))


def complex_reciprocal_root(x: Array) -> Array:
    """Return 1 / sqrt(x) of complex numbers."""
    return complex_reciprocal(np.sqrt(x))


def multiply_complex(left: Array, right: Array) -> Array:
    """Multiply complex numbers, one product of each sum fused with it."""
    real = fused(left.real, right.real, -(left.imag * right.imag))
    return _parts(real, fused(left.real, right.imag, left.imag * right.real))


def complex_square(x: Array) -> Array:
    """Return x * x of complex numbers."""
    return multiply_complex(x, x)


# Exponentials and logarithms


def complex_exp2(x: Array) -> Array:
    """Return 2 to the power of complex numbers."""
    scale = x.real.dtype.type(LN_2)
    return np.exp(_parts(x.real * scale, x.imag * scale))


def complex_log(base: float) -> Kernel:
    """Return the kernel of a logarithm of complex numbers: a quotient of natural ones."""

    def kernel(x: Array) -> Array:
        found = np.log(x)
        scale = found.real.dtype.type(math.log(base))
        return _parts(found.real / scale, found.imag / scale)

    return kernel


def complex_log1p(x: Array) -> Array:
    """Return log(1 + x) of complex numbers, mending what the sum has lost (c10/util/complex_math.h)."""
    shifted = _parts(x.real + 1, x.imag)
    kept = _parts(shifted.real - 1, shifted.imag)
    logarithm = np.log(shifted)
    mended = multiply_complex(logarithm, divide_complex(x, kept))
    return np.where(shifted == 1, x, np.where(kept == x, logarithm, mended))


def complex_acos(x: Array) -> Array:
    """Return the arc cosine of complex numbers; in float64 that of the sine from a right angle."""
    if x.dtype.char == "F":
        return np.arccos(x)
    sine = np.arcsin(x)
    return _parts(math.pi / 2 - sine.real, 0.0 - sine.imag)


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    one = x.dtype.type(1)
    return one / (one + _exp(-x))


def complex_sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)) of complex numbers."""
    return complex_reciprocal(1 + np.exp(-x))


def logit(eps: float | None) -> ByKind:
    """Return the kernel of log(x / (1 - x)), where x is kept away from 0 and 1 by ``eps``.

    Each step is rounded to the result's dtype.
    """

    def kernel(x: Array, rounded: Kernel = _same) -> Array:
        one = x.dtype.type(1)
        if eps is not None and eps >= 0:
            low = rounded(np.asarray(eps, x.dtype))
            high = rounded(one - low)
            x = np.where(x < low, low, np.where(x > high, high, x))
        return _log(rounded(x / rounded(one - x)))

    return ByKind(kernel, narrow=kernel)


def sinc(x: Array) -> Array:
    """Return sin(pi x) / (pi x); 1 for 0."""
    product = x.dtype.type(math.pi) * x
    return np.where(x == 0, x.dtype.type(1), _sin(product) / product)


def complex_sinc(x: Array) -> Array:
    """Return sin(pi x) / (pi x) of complex numbers; 1 for 0."""
    pi = x.real.dtype.type(math.pi)
    product = _parts(x.real * pi - x.imag * 0, x.real * 0 + x.imag * pi)
    return np.where(x == 0, x.dtype.type(1), divide_complex(np.sin(product), product))


def erf_of_halves(x: Array, rounded: Kernel) -> Array:
    """Return the error function as torch has it for float16 and bfloat16: right to seven digits.

    From Abramowitz and Stegun, 7.1.26 (ATen/cpu/vec/vec512/vec512_float.h).
    """
    size = np.abs(x)
    one = np.float32(1)
    inverse = one / fused(np.float32(0.3275911), size, one)
    total = np.full_like(x, 1.061405429)
    for each in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        total = fused(total, inverse, np.float32(each))
    power = -_exp(-(x * x))
    return np.copysign(fused(power * inverse, total, one), x)


erf, erfc, erfinv, _lgamma = map(
    accurate,
    (
        error_functions.erf,
        error_functions.erfc,
        error_functions.erfinv,
        special.lgamma,
    ),
)


def lgamma(x: Array) -> Array:
    """Return the logarithm of the gamma function's size; infinity a little early, as the Sleef library."""
    last = 4.03711e36 if x.dtype.char == "f" else 2.55634816387169e305
    return np.where(x > x.dtype.type(last), x.dtype.type(math.inf), _lgamma(x))


digamma: Callable[[Array], Array] = special.digamma
i0: Callable[[Array], Array] = special.i0
