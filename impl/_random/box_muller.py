"""The Box-Muller transform: two normal numbers from two uniform ones, in groups of 16.

Of the 16 uniform numbers of a group, 8 are for the radii, then 8 for the angles.
"""

import math
from collections.abc import Callable
from typing import Any

from .._arrays.numpy_bridge import np
from .._kernels.polynomials import multiply_add, polynomial
from .._numerics.fma import fused_double, fused_single

FULL_TURN = 2.0 * math.pi


def number_pairs(fractions: list[float]) -> list[float]:
    """Transform pairs of numbers, one by one."""
    numbers = []
    for first, second in zip(fractions[::2], fractions[1::2], strict=True):
        radius = math.sqrt(-2.0 * math.log1p(-second))
        angle = FULL_TURN * first
        numbers.append(radius * math.cos(angle))
        numbers.append(radius * math.sin(angle))
    return numbers


def double_pairs(numbers: Any, mean: float, std: float) -> Any:
    """Transform groups of float64 numbers; NumPy's log, sin and cos differ from libm's."""
    first, second = numbers.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = np.sqrt(-2.0 * _map(math.log, 1.0 - first))
    angle = FULL_TURN * second
    pairs = np.stack((radius * _map(math.cos, angle), radius * _map(math.sin, angle)), 1)
    return fused_double(pairs, std, mean).reshape(-1)


def _map(function: Callable[[float], float], numbers: Any) -> Any:
    results = np.array([*map(function, numbers.reshape(-1).tolist())])
    return results.reshape(numbers.shape)


def single_pairs(numbers: Any, mean: float, std: float) -> Any:
    """Transform groups of float32 numbers, bit for bit as the AVX2 kernel."""
    first, second = numbers.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = np.sqrt(-2.0 * _log(1.0 - first))
    sine, cosine = _sine_and_cosine(FULL_TURN * second)
    return fused_single(np.stack((radius * cosine, radius * sine), 1), std, mean).reshape(-1)


# The polynomials of S. Moshier's Cephes library (logf.c, sinf.c), as in
# aten/src/ATen/native/cpu/avx_mathfun.h.  The compiler fuses products and sums; here the result is
# wrong by double rounding once in about 10**8.
LOG = (
    3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1,
    -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2,
)  # fmt: skip
LOG_2_LOW, LOG_2_HIGH, ROOT_HALF = -2.12194440e-4, 0.693359375, math.sqrt(0.5)
SINE = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
COSINE = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)
EIGHTH_TURN = (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)


def _log(x: Any) -> Any:
    """Return the natural logarithm of float32 numbers in (0, 1]."""
    fraction, exponent = np.frexp(x)
    small = fraction < ROOT_HALF
    exponent = (exponent - small).astype(np.float32)
    fraction = np.where(small, fraction + fraction, fraction) - 1.0
    square = fraction * fraction
    tail = multiply_add(polynomial(fraction, LOG) * fraction, square, exponent * LOG_2_LOW)
    tail -= square * 0.5
    return (fraction + tail) + exponent * LOG_2_HIGH


def _sine_and_cosine(angle: Any) -> tuple[Any, Any]:
    """Return sine and cosine of float32 angles up to a full turn."""
    eighths = (angle * (4.0 / math.pi)).astype(np.int32) + 1 & ~1
    for part in EIGHTH_TURN:
        angle = multiply_add(np.float32(part), eighths, angle)
    square = angle * angle
    cosine = multiply_add(polynomial(square, COSINE) * square, square, square * -0.5) + 1.0
    sine = multiply_add(polynomial(square, SINE) * square, angle, angle)
    swaps = (eighths & 2) != 0
    negate_sine, negate_cosine = (eighths & 4) != 0, (eighths + 2 & 4) != 0
    return (
        np.where(swaps, cosine, sine) * np.where(negate_sine, -1, 1).astype(np.float32),
        np.where(swaps, sine, cosine) * np.where(negate_cosine, -1, 1).astype(np.float32),
    )
