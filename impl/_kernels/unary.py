"""Kernels of unary operators, on NumPy arrays of numbers.

They follow torch's scalar kernels (aten/src/ATen/native/cpu/UnaryOpsKernel.cpp), which differ from
the vectorized ones in a few last bits.  Inexact functions of float32 are computed in float64 and
rounded once, so results are within one unit in the last place of torch's.  Where torch rounds each
step or uses FMA, the kernels do too.
"""

import math
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import broadcast_arrays, np, numpy_storage_dtype
from .._arrays.parallel import without_fp_warnings
from .._dtypes.table import dtype
from .._numerics.fma import fused
from . import erf as error_functions, special
from .compiled_special import via_compiled
from .elementwise import OPMATH_DTYPE, ByKind, Kernel, WithNumbers, identity
from .polynomials import in_double

Array = Any


def via_float64(function: str | Kernel) -> Kernel:
    """Return the kernel of a NumPy function or of a function; float32 is computed in float64."""

    def kernel(x: Array) -> Array:
        compute = getattr(np, function) if isinstance(function, str) else function
        if x.dtype.char == "f":
            return compute(x.astype(np.float64)).astype(np.float32)
        return compute(x)

    return kernel


def with_nans(kernel: Kernel, sign: int = 1) -> Kernel:
    """Return a kernel with the NaNs of torch's.

    They are those of the operand, quiet, and one of a sign for numbers outside of the domain.
    """

    def corrected(x: Array) -> Array:
        result = kernel(x)
        is_nan = np.isnan(result)
        if is_nan.any():
            nan = result.dtype.type(math.copysign(math.nan, sign))
            # The sum is quiet.
            result = np.where(is_nan, np.where(np.isnan(x), x + x.dtype.type(0), nan), result)
        return result

    return corrected


exponential, _sin = via_float64("exp"), via_float64("sin")
_tanh = via_float64("tanh")
_plain_erf = via_float64(error_functions.erf)
logarithm = with_nans(via_float64("log"))


def narrow(kernel: str | Kernel) -> Kernel:
    """Return the kernel for float16 and bfloat16 that rounds only its result."""
    return lambda x, rounded: (getattr(np, kernel) if isinstance(kernel, str) else kernel)(x)


def _join(real: Array, imag: Array) -> Array:
    result = np.empty(real.shape, np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


# Signs and absolute values


def sign(x: Array) -> Array:
    """Return 1, 0 or -1; 0 for NaN."""
    return np.subtract(x > 0, x < 0, dtype=np.int8).astype(x.dtype)


def complex_sign(x: Array) -> Array:
    """Return complex numbers divided by their absolute values; 0 for 0."""
    norm = complex_abs(x)
    return np.where(x == 0, x.dtype.type(0), divide_complex(x, _join(norm, np.zeros_like(norm))))


def complex_abs(x: Array) -> Array:
    """Return the absolute values of complex numbers; infinite if a part is infinite."""
    return np.where(np.isinf(x), x.real.dtype.type(math.inf), np.hypot(x.real, x.imag))


def angle(x: Array) -> Array:
    """Return the angle of real numbers: pi if negative, NaN for NaN, else 0."""
    return np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(math.pi), x.dtype.type(0)))


def complex_angle(x: Array) -> Array:
    """Return the angles of complex numbers."""
    return in_double("arctan2", x.imag, x.real)


def always_false(x: Array) -> Array:
    """Return False for each integer."""
    return np.zeros(x.shape, np.bool_)


def is_positive_infinity(x: Array) -> Array:
    """Return whether numbers are positive infinity."""
    return x == math.inf


def is_negative_infinity(x: Array) -> Array:
    """Return whether numbers are negative infinity."""
    return x == -math.inf


def is_negative(x: Array) -> Array:
    """Return whether integers are negative."""
    return x < 0


def is_real(x: Array) -> Array:
    """Return whether the imaginary parts are 0."""
    return x.imag == 0


def relu(x: Array) -> Array:
    """Return the numbers, with 0 in place of negative ones."""
    return np.where(x < 0, x.dtype.type(0), x)


def either_infinite(left: Array, right: Array) -> Array:
    """Return whether at least one of two numbers is infinite."""
    return np.isinf(left) | np.isinf(right)


def both_finite(left: Array, right: Array) -> Array:
    """Return whether both numbers are finite."""
    return np.isfinite(left) & np.isfinite(right)


class Replacement(NamedTuple):
    """A number that replaces NaN or an infinity; beyond a dtype it is infinite."""

    number: float

    def of(self, dtype: dtype) -> Array:
        """Return the number as an array of the opmath dtype; 0 for integers, which keep all."""
        real_dtype = OPMATH_DTYPE.get(dtype, dtype).to_real()
        number = self.number if real_dtype.is_floating_point else 0
        return without_fp_warnings(np.array(number).astype, numpy_storage_dtype(real_dtype))


def replace_nonfinite(x: Array, nan: Array, above: Array, below: Array) -> Array:
    """Return numbers with others for NaN and the two infinities."""
    result = np.where(np.isnan(x), nan, x)
    result = np.where(x == math.inf, above, result)
    return np.where(x == -math.inf, below, result)


def nan_to_num(nan: float, above: float, below: float) -> WithNumbers:
    """Return the kernels that replace NaN and the two infinities."""

    def of_complex(x: Array, *numbers: Array) -> Array:
        return _join(replace_nonfinite(x.real, *numbers), replace_nonfinite(x.imag, *numbers))

    def of_bool(x: Array, *_: Array) -> Array:
        return x.view(np.uint8) != 0  # every nonzero byte is true

    kernels = ByKind(
        replace_nonfinite,
        integer=lambda x, *_: np.copy(x),
        boolean=of_bool,
        complex=of_complex,
    )
    return WithNumbers(kernels, tuple(map(Replacement, (nan, above, below))))


# Rounding


def trunc(x: Array) -> Array:
    """Return the whole part; torch returns a float64 NaN as it is."""
    result = np.trunc(x)
    if x.dtype.char == "d" and math.isnan(np.add.reduce(result, axis=None)):
        result = np.where(np.isnan(x), x, result)
    return result


def fraction(x: Array) -> Array:
    """Return the fractional part."""
    return x - np.trunc(x)


_OVERFLOWING_DECIMALS = 309


def round_decimals(decimals: int) -> ByKind:
    """Return the kernels that round to a number of decimals."""
    scale = 10.0 ** abs(decimals) if abs(decimals) < _OVERFLOWING_DECIMALS else math.inf

    def kernel(x: Array) -> Array:
        power = x.dtype.type(scale)
        if decimals < 0:
            return np.rint(x / power) * power
        return np.rint(x * power) / power

    return ByKind(kernel)


# Division


def reciprocal(x: Array) -> Array:
    """Return 1 / x."""
    return x.dtype.type(1) / x


def divide_complex(left: Array, right: Array) -> Array:
    """Return the complex quotient by Smith's algorithm with FMA (c10/util/complex.h)."""
    left, right = broadcast_arrays(left, right)
    real, imag = right.real, right.imag
    magnitude = np.abs(real)
    mask = magnitude >= np.abs(imag)
    larger, smaller = np.where(mask, real, imag), np.where(mask, imag, real)
    both_zero = (real == 0) & (imag == 0)
    ratio = smaller / larger
    scale = 1 / fused(smaller, ratio, larger)
    first, second = left.real, left.imag
    result_real = np.where(mask, fused(second, ratio, first), fused(first, ratio, second)) * scale
    # A processor subtracts the first part, which keeps the sign of its NaN.
    minus = np.where(np.isnan(first), first, -first)
    result_imag = np.where(mask, fused(minus, ratio, second), fused(second, ratio, minus)) * scale
    result_real = np.where(both_zero, first / magnitude, result_real)
    return _join(result_real, np.where(both_zero, second / magnitude, result_imag))


def complex_reciprocal(x: Array) -> Array:
    """Return 1 / x of complex numbers."""
    result = divide_complex(np.ones((), x.dtype), x)
    return np.where(x == 0, x.dtype.type(complex(math.inf, math.nan)), result)


def reciprocal_root(x: Array, rounded: Kernel = identity) -> Array:
    """Return 1 / sqrt(x); the root is rounded to the result's dtype."""
    return x.dtype.type(1) / rounded(np.sqrt(x))


def complex_reciprocal_root(x: Array) -> Array:
    """Return 1 / sqrt(x) of complex numbers."""
    return complex_reciprocal(np.sqrt(x))


def multiply_complex_fma(left: Array, right: Array) -> Array:
    """Return the complex product, with one FMA in each part."""
    product = left.imag * right.imag
    # A processor subtracts the product, which keeps the sign of its NaN.
    real = np.where(np.isnan(product), product, fused(left.real, right.real, -product))
    return _join(real, fused(left.real, right.imag, left.imag * right.real))


def complex_square(x: Array) -> Array:
    """Return x * x of complex numbers."""
    return multiply_complex_fma(x, x)


# Roots, exponentials and logarithms


def sqrt(x: Array) -> Array:
    """Return the square roots; NaN without a sign for negative numbers, as the MKL library."""
    result = np.sqrt(x)
    # A sum is NaN if an element is.
    if math.isnan(np.add.reduce(result, axis=None)):
        result = np.where(x < 0, x.dtype.type(math.nan), result)
    return result


def complex_exp2(x: Array) -> Array:
    """Return 2 ** x of complex numbers."""
    scale = x.real.dtype.type(math.log(2))
    return np.exp(_join(x.real * scale, x.imag * scale))


def complex_log(base: float) -> Kernel:
    """Return the kernel of a complex logarithm, a quotient of natural logarithms."""

    def kernel(x: Array) -> Array:
        logarithm = np.log(x)
        scale = logarithm.real.dtype.type(math.log(base))
        return _join(logarithm.real / scale, logarithm.imag / scale)

    return kernel


def complex_log1p(x: Array) -> Array:
    """Return log(1 + x) of complex numbers, corrected for rounding (c10/util/complex_math.h)."""
    shifted = _join(x.real + 1, x.imag)
    recovered = _join(shifted.real - 1, shifted.imag)
    logarithm = np.log(shifted)
    corrected = multiply_complex_fma(logarithm, divide_complex(x, recovered))
    return np.where(shifted == 1, x, np.where(recovered == x, logarithm, corrected))


def complex_acos(x: Array) -> Array:
    """Return the arc cosine of complex numbers; in complex128 it is pi / 2 - asin(x)."""
    if x.dtype.char == "F":
        return np.arccos(x)
    sine = np.arcsin(x)
    return _join(math.pi / 2 - sine.real, 0.0 - sine.imag)


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    one = x.dtype.type(1)
    return one / (one + exponential(-x))


def complex_sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)) of complex numbers."""
    return complex_reciprocal(1 + np.exp(-x))


def silu(x: Array) -> Array:
    """Return x / (1 + exp(-x))."""
    return x / (x.dtype.type(1) + exponential(-x))


def complex_silu(x: Array) -> Array:
    """Return x / (1 + exp(-x)) of complex numbers."""
    return divide_complex(x, 1 + np.exp(-x))


def gelu(x: Array) -> Array:
    """Return x times the cumulative normal distribution at x."""
    scalar_type = x.dtype.type
    scaled = x * scalar_type(math.sqrt(0.5))
    return x * scalar_type(0.5) * (scalar_type(1) + _plain_erf(scaled))


def gelu_by_tanh(x: Array) -> Array:
    """Return the approximation of gelu by a hyperbolic tangent."""
    scalar_type = x.dtype.type
    beta, kappa = scalar_type(math.sqrt(2 / math.pi)), scalar_type(0.044715)
    inner = beta * (x + kappa * (x * x * x))
    return scalar_type(0.5) * x * (scalar_type(1) + _tanh(inner))


def logit(eps: float | None) -> ByKind:
    """Return the kernels of log(x / (1 - x)), with x clamped to [eps, 1 - eps].

    Each step is rounded to the result's dtype.
    """

    def kernel(x: Array, rounded: Kernel = identity) -> Array:
        one = x.dtype.type(1)
        if eps is not None and eps >= 0:
            low = rounded(np.asarray(eps, x.dtype))
            high = rounded(one - low)
            x = np.where(x < low, low, np.where(x > high, high, x))
        return logarithm(rounded(x / rounded(one - x)))

    return ByKind(kernel, narrow=kernel)


def sinc(x: Array) -> Array:
    """Return sin(pi x) / (pi x); 1 for 0."""
    product = x.dtype.type(math.pi) * x
    return np.where(x == 0, x.dtype.type(1), _sin(product) / product)


def complex_sinc(x: Array) -> Array:
    """Return sin(pi x) / (pi x) of complex numbers; 1 for 0."""
    pi = x.real.dtype.type(math.pi)
    product = _join(x.real * pi - x.imag * 0, x.real * 0 + x.imag * pi)
    return np.where(x == 0, x.dtype.type(1), divide_complex(np.sin(product), product))


def erf_16bit(x: Array, rounded: Kernel) -> Array:
    """Return torch's error function for float16 and bfloat16, accurate to seven digits.

    It is Abramowitz and Stegun, 7.1.26 (ATen/cpu/vec/vec512/vec512_float.h).
    """
    magnitude = np.abs(x)
    one = np.float32(1)
    inverse = one / fused(np.float32(0.3275911), magnitude, one)
    total = np.full_like(x, 1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        total = fused(total, inverse, np.float32(coefficient))
    power = -exponential(-(x * x))
    return np.copysign(fused(power * inverse, total, one), x)


erf = with_nans(via_float64(error_functions.erf))
erfc = with_nans(via_float64(error_functions.erfc))
_erfinv = via_compiled("erfinv", via_float64(error_functions.erfinv))
_lgamma = with_nans(via_compiled("lgamma", via_float64(special.lgamma)))
digamma = with_nans(via_compiled("digamma", special.digamma))
_i0 = via_compiled("i0", special.i0)
positive_erfinv, _negative_erfinv = with_nans(_erfinv), with_nans(_erfinv, -1)


def erfinv(x: Array) -> Array:
    """Return the inverse error function; the NaN for a float32 number is negative."""
    return (_negative_erfinv if x.dtype.char == "f" else positive_erfinv)(x)


def i0(x: Array) -> Array:
    """Return the Bessel function, which takes the absolute value first."""
    result = _i0(x)
    return np.where(np.isnan(x), np.abs(x) + x.dtype.type(0), result)


def lgamma(x: Array) -> Array:
    """Return log(abs(gamma(x))), infinite above the bound of the Sleef library."""
    last = 4.03711e36 if x.dtype.char == "f" else 2.55634816387169e305
    return np.where(x > x.dtype.type(last), x.dtype.type(math.inf), _lgamma(x))
