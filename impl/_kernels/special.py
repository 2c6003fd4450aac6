"""The gamma function's logarithm and its derivative, and the Bessel function i0.

The logarithm is computed in float64, by the rational approximations of
Sun's fdlibm: Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
Developed at SunPro, a Sun Microsystems, Inc. business. Permission to use, copy,
modify, and distribute this software is freely granted, provided that this
notice is preserved.

`digamma` and `i0` are those of the Cephes library (Copyright (c) 2018, Steven Moshier, 3-clause BSD
license), as in torch (ATen/native/Math.h).  Each step is rounded to the dtype of the argument.
"""

import math
from functools import partial

from .._arrays.numpy_bridge import np
from .polynomials import Array, Coefficients, in_double, multiply_add, piecewise, polynomial, ratio

# Coefficients of lgamma near 2, near its minimum, near 1, from 2 to 8, and above.

_GAMMA_NEAR_2 = (
    7.72156649015328655494e-02, 3.22467033424113591611e-01, 6.73523010531292681824e-02,
    2.05808084325167332806e-02, 7.38555086081402883957e-03, 2.89051383673415629091e-03,
    1.19270763183362067845e-03, 5.10069792153511336608e-04, 2.20862790713908385557e-04,
    1.08011567247583939954e-04, 2.52144565451257326939e-05, 4.48640949618915160150e-05,
)  # fmt: skip
_GAMMA_MINIMUM = 1.46163214496836224576e00
_GAMMA_AT_MINIMUM = -1.21486290535849611461e-01, -3.63867699703950536541e-18
_GAMMA_NEAR_MINIMUM = (
    4.83836122723810047042e-01, -1.47587722994593911752e-01, 6.46249402391333854778e-02,
    -3.27885410759859649565e-02, 1.79706750811820387126e-02, -1.03142241298341437450e-02,
    6.10053870246291332635e-03, -3.68452016781138256760e-03, 2.25964780900612472250e-03,
    -1.40346469989232843813e-03, 8.81081882437654011382e-04, -5.38595305356740546715e-04,
    3.15632070903625950361e-04, -3.12754168375120860518e-04, 3.35529192635519073543e-04,
)  # fmt: skip
_GAMMA_NEAR_1 = (
    (-7.72156649015328655494e-02, 6.32827064025093366517e-01, 1.45492250137234768737e+00,
     9.77717527963372745603e-01, 2.28963728064692451092e-01, 1.33810918536787660377e-02),
    (1.0, 2.45597793713041134822e+00, 2.12848976379893395361e+00, 7.69285150456672783825e-01,
     1.04222645593369134254e-01, 3.21709242282423911810e-03),
)  # fmt: skip
_GAMMA_TO_8 = (
    (-7.72156649015328655494e-02, 2.14982415960608852501e-01, 3.25778796408930981787e-01,
     1.46350472652464452805e-01, 2.66422703033638609560e-02, 1.84028451407337715652e-03,
     3.19475326584100867617e-05),
    (1.0, 1.39200533467621045958e+00, 7.21935547567138069525e-01, 1.71933865632803078993e-01,
     1.86459191715652901344e-02, 7.77942496381893596434e-04, 7.32668430744625636189e-06),
)  # fmt: skip
_GAMMA_FAR = (
    4.18938533204672725052e-01, 8.33333333333329678849e-02, -2.77777777728775536470e-03,
    7.93650558643019558500e-04, -5.95187557450339963135e-04, 8.36339918996282139126e-04,
    -1.63092934096575273989e-03,
)  # fmt: skip


def _lgamma_below_2(x: Array) -> Array:
    """Return lgamma of numbers from 0 to 2; up to 0.9 it is lgamma(x + 1) - log(x)."""
    is_low = x <= 0.9
    base = np.where(is_low, x + 1, x)
    correction = np.where(is_low, -np.log(x), 0)
    # The distances from 2, from the minimum and from 1; they are exact for low numbers.
    to_2 = np.where(is_low, 1 - x, 2 - x)
    to_minimum = np.where(is_low, x - (_GAMMA_MINIMUM - 1), x - _GAMMA_MINIMUM)
    to_1 = np.where(is_low, x, x - 1)
    near_2 = base >= 1.73163
    near_minimum = ~near_2 & (base >= 1.23163)
    high, tail = _GAMMA_AT_MINIMUM
    result = np.where(near_2, to_2 * polynomial(to_2, _GAMMA_NEAR_2) - 0.5 * to_2, 0)
    minimum_value = high + (tail + to_minimum**2 * polynomial(to_minimum, _GAMMA_NEAR_MINIMUM))
    result = np.where(near_minimum, minimum_value, result)
    near_1 = -0.5 * to_1 + to_1 * ratio(to_1, _GAMMA_NEAR_1)
    result = np.where(near_2 | near_minimum, result, near_1)
    return correction + result


def _lgamma_to_8(x: Array) -> Array:
    whole = np.floor(x)
    fraction = x - whole
    result = 0.5 * fraction + fraction * ratio(fraction, _GAMMA_TO_8)
    product = np.ones_like(x)
    for integer in range(2, 7):
        product = np.where(whole > integer, product * (fraction + integer), product)
    return result + np.log(product)


def _lgamma_far(x: Array) -> Array:
    inverse = 1 / x
    first, *coefficients = _GAMMA_FAR
    tail = first + inverse * polynomial(inverse * inverse, coefficients)
    return (x - 0.5) * (np.log(x) - 1) + tail


def _lgamma_of_positive(x: Array) -> Array:
    return piecewise(
        x,
        (x < 2**-70, lambda part: -np.log(part)),
        ((x >= 2**-70) & (x < 2), _lgamma_below_2),
        ((x >= 2) & (x < 8), _lgamma_to_8),
        ((x >= 8) & (x < 2**58), _lgamma_far),
        (x >= 2**58, lambda part: part * (np.log(part) - 1)),
    )


def _lgamma_of_negative(x: Array) -> Array:
    fraction = np.where(np.isinf(x), 0, -x - np.floor(-x))
    sine = np.sin(math.pi * np.minimum(fraction, 1 - fraction))
    result = np.log(math.pi / (sine * -x)) - _lgamma_of_positive(-x)
    return np.where(fraction == 0, math.inf, result)


def lgamma(x: Array) -> Array:
    """Return log(abs(gamma(x))) of float64 numbers."""
    magnitude = np.abs(x)
    return piecewise(
        x,
        (magnitude < 2**-70, lambda part: -np.log(np.abs(part))),
        (x >= 2**-70, _lgamma_of_positive),
        (x <= -(2**-70), _lgamma_of_negative),
    )


# Coefficients of digamma.

PSI_10 = 2.25175258906672110764
DIGAMMA_FAR = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def _digamma_of_positive(x: Array) -> Array:
    x, result = np.array(x), np.zeros_like(x)
    for _ in range(10):
        is_low = x < 10
        if not is_low.any():
            break
        result = np.where(is_low, result - 1 / x, result)
        x = np.where(is_low, x + 1, x)
    inverse = 1 / (x * x)
    series = inverse * polynomial(inverse, DIGAMMA_FAR)
    series = np.where(x < x.dtype.type(1e17), series, 0)
    far = result + in_double("log", x) - x.dtype.type(0.5) / x - series
    return np.where(x == 10, result + x.dtype.type(PSI_10), far)


def _digamma_of_negative(x: Array) -> Array:
    fraction = np.modf(x)[0]
    # Torch computes the cotangent in float64 for every dtype.
    cotangent = (math.pi / np.tan(math.pi * fraction.astype(np.float64))).astype(x.dtype)
    result = _digamma_of_positive(1 - x) - cotangent
    return np.where(fraction == 0, x.dtype.type(math.nan), result)


def digamma(x: Array) -> Array:
    """Return the logarithmic derivative of the gamma function, rounded at each step."""
    return piecewise(
        x,
        (x > 0, _digamma_of_positive),
        (x < 0, _digamma_of_negative),
        (x == 0, lambda part: np.copysign(part.dtype.type(math.inf), -part)),
    )


# Chebyshev coefficients of i0 up to 8, and above.

I0_TO_8 = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)  # fmt: skip
I0_FAR = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)  # fmt: skip


def _chebyshev(x: Array, coefficients: Coefficients) -> Array:
    """Return the value of a Chebyshev series; the highest coefficient comes first."""
    scalar_type = x.dtype.type
    current = np.full_like(x, coefficients[0])
    last, before_last = np.zeros_like(x), np.zeros_like(x)
    for coefficient in coefficients[1:]:
        new = multiply_add(x, current, -last) + scalar_type(coefficient)
        current, last, before_last = new, current, last
    return scalar_type(0.5) * (current - before_last)


def i0(x: Array) -> Array:
    """Return the modified Bessel function of the first kind of order 0, rounded at each step."""
    magnitude = np.abs(x)
    exp = partial(in_double, "exp")
    return piecewise(
        magnitude,
        (magnitude <= 8, lambda x: exp(x) * _chebyshev(x / 2 - 2, I0_TO_8)),
        (magnitude > 8, lambda x: exp(x) * _chebyshev(32 / x - 2, I0_FAR) / np.sqrt(x)),
    )
