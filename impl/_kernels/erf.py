"""The error function, its complement and its inverse, of float64 arrays.

The approximations are rational functions on a few intervals, as in Sun's fdlibm:
Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
Developed at SunPro, a Sun Microsystems, Inc. business. Permission to use, copy,
modify, and distribute this software is freely granted, provided that this
notice is preserved.
"""

import math
from collections.abc import Callable
from functools import partial

from .._arrays.numpy_bridge import np
from .polynomials import Array, Coefficients, piecewise, ratio

# Coefficients of the error function near 0, near 1, up to 1 / 0.35, and above.

_ERF_NEAR_0 = (
    (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
     -5.77027029648944159157e-03, -2.37630166566501626084e-05),
    (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
     1.32494738004321644526e-04, -3.96022827877536812320e-06),
)  # fmt: skip
_ERF_NEAR_1 = (
    (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
     3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
     -2.16637559486879084300e-03),
    (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
     1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02),
)  # fmt: skip
_ERFC_MIDDLE = (
    (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
     -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
     -8.12874355063065934246e+01, -9.81432934416914548592e+00),
    (1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
     6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
     6.57024977031928170135e+00, -6.04244152148580987438e-02),
)  # fmt: skip
_ERFC_FAR = (
    (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
     -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
     -4.83519191608651397019e+02),
    (1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
     3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
     -2.24409524465858183362e+01),
)  # fmt: skip
_ERF_OF_1 = 8.45062911510467529297e-01
"""The error function of 1, to 24 bits."""


def _erfc_near_0(x: Array) -> Array:
    correction = x * ratio(x * x, _ERF_NEAR_0)
    return np.where(x < 0.25, 1 - (x + correction), 0.5 - ((x - 0.5) + correction))


def _erfc_by(coefficients: tuple[Coefficients, Coefficients], x: Array) -> Array:
    # The square of x is split, which keeps all of its bits.
    top = (x.view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(np.float64)
    exponent = (top - x) * (top + x) + ratio(1 / (x * x), coefficients)
    return np.exp(-top * top - 0.5625) * np.exp(exponent) / x


_erfc_middle, _erfc_far = partial(_erfc_by, _ERFC_MIDDLE), partial(_erfc_by, _ERFC_FAR)
_MIDDLE_END = 1 / 0.35


def _erfc_of_positive(x: Array) -> Array:
    """Return 1 - erf(x) for x from 0.84375 to 28."""
    return piecewise(
        x,
        (x < 1.25, lambda part: (1 - _ERF_OF_1) - ratio(part - 1, _ERF_NEAR_1)),
        ((x >= 1.25) & (x < _MIDDLE_END), _erfc_middle),
        (x >= _MIDDLE_END, _erfc_far),
    )


_FEW = 256
"""The number of elements up to which the functions of the C library are faster, one by one."""


def _one_by_one(function: Callable[[float], float], x: Array) -> Array:
    return np.array([*map(function, x.ravel().tolist())], np.float64).reshape(x.shape)


def erf(x: Array) -> Array:
    """Return the error function of float64 numbers."""
    if x.size <= _FEW:
        return _one_by_one(math.erf, x)
    magnitude = np.abs(x)
    result = piecewise(
        magnitude,
        (magnitude < 0.84375, lambda part: part + part * ratio(part * part, _ERF_NEAR_0)),
        (
            (magnitude >= 0.84375) & (magnitude < 1.25),
            lambda part: _ERF_OF_1 + ratio(part - 1, _ERF_NEAR_1),
        ),
        ((magnitude >= 1.25) & (magnitude < 6), lambda part: 1 - _erfc_of_positive(part)),
        (magnitude >= 6, np.ones_like),
    )
    return np.copysign(result, x)


def erfc(x: Array) -> Array:
    """Return 1 - erf(x) of float64 numbers, accurate even where it is tiny."""
    if x.size <= _FEW:
        return _one_by_one(math.erfc, x)
    return piecewise(
        x,
        (x < -6, lambda part: np.full_like(part, 2)),
        ((x >= -6) & (x <= -0.84375), lambda part: 2 - _erfc_of_positive(-part)),
        (np.abs(x) < 0.84375, _erfc_near_0),
        ((x >= 0.84375) & (x < 28), _erfc_of_positive),
        (x >= 28, np.zeros_like),
    )


def erfinv(x: Array) -> Array:
    """Return the inverse of the error function of float64 numbers."""
    magnitude = np.abs(x)
    result = piecewise(
        magnitude,
        (magnitude <= 0.5, _erfinv_of_small),
        ((magnitude > 0.5) & (magnitude < 1), _erfinv_of_large),
        (magnitude == 1, lambda part: np.full_like(part, math.inf)),
        (magnitude > 1, lambda part: np.full_like(part, math.nan)),
    )
    return np.copysign(result, x)


_SLOPE = 2 / math.sqrt(math.pi)


def _erfinv_guess(magnitude: Array) -> Array:
    """Return an approximation of erfinv(magnitude) (Winitzki's formula)."""
    logarithm = np.log1p(-magnitude) + np.log1p(magnitude)
    half = 2 / (math.pi * 0.147) + logarithm / 2
    return np.sqrt(np.sqrt(half * half - logarithm / 0.147) - half)


def _erfinv_from(guess: Array, error: Callable[[Array], Array]) -> Array:
    for _ in range(3):
        step = error(guess) / (_SLOPE * np.exp(-guess * guess))
        guess = guess - step / (1 + guess * step)
    return guess


def _erfinv_of_small(magnitude: Array) -> Array:
    guess = np.where(magnitude < 1e-4, magnitude / _SLOPE, _erfinv_guess(magnitude))
    return _erfinv_from(guess, lambda x: erf(x) - magnitude)


def _erfinv_of_large(magnitude: Array) -> Array:
    complement = 1 - magnitude
    return _erfinv_from(_erfinv_guess(magnitude), lambda x: complement - erfc(x))
