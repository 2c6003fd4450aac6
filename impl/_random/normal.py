"""Normal random numbers of the CPU.

The Box-Muller transform makes two normal numbers from two uniform ones.  Contiguous memory of
16 or more elements is filled in groups of 16: 8 uniform numbers for the radii, then 8 for the
angles.  Other memory is filled one by one in double precision; the stream keeps the second
number of a pair for the next draw of a single number.
The rules are in aten/src/ATen/native/cpu/DistributionTemplates.h.
"""

import math
from collections.abc import Callable
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import FLOAT32, FLOAT64
from .._dtypes.table import dtype
from .._kernels.polynomials import multiply_add, polynomial
from .._numerics.fma import fused_double, fused_single
from .._numerics.rounding import FLOAT_DTYPES, check_supported, format_number, round_to_dtype
from .._runtime.errors import check
from .mt19937 import MT19937Stream
from .uniform import double_fractions, single_fractions

_GROUP = 16
_CHUNK = 2**15
"""The number of elements of a chunk; intermediate arrays take several times its memory."""


def normal(
    stream: MT19937Stream,
    count: int,
    dtype: dtype,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> Any:
    """Return the normal numbers of normal_ and randn.

    ``contiguous`` describes the memory to fill; elements are in memory order.

    >>> normal(MT19937Stream(0), 2, FLOAT32)
    array([ 1.5409961, -0.2934289], dtype=float32)
    """
    check(std >= 0, lambda: f"normal expects std >= 0.0, but found std {format_number(std)}")
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    if dtype.is_complex:
        # The variance is divided between the two parts.
        std /= math.sqrt(2)
        elements = _draw(stream, 2 * count, dtype.to_real(), mean, std, contiguous)
        return elements.view(numpy_storage_dtype(dtype))
    check_supported("normal_kernel_cpu", dtype, FLOAT_DTYPES)
    return _draw(stream, count, dtype, mean, std, contiguous)


def _draw(
    stream: MT19937Stream, count: int, dtype: dtype, mean: float, std: float, contiguous: bool
) -> Any:
    with stream.lock, np.errstate(over="ignore", invalid="ignore"):
        if count >= _GROUP and contiguous:
            return _fill_16(stream, count, dtype, mean, std)
        numbers = fused_double(normal_numbers(stream, count), std, mean)
        return numbers if dtype is FLOAT64 else round_to_dtype(numbers.astype(np.float32), dtype)


def normal_numbers(stream: MT19937Stream, count: int) -> Any:
    """Return standard normal numbers, drawn one by one (core/DistributionsHelper.h)."""
    numbers = [] if stream.kept_normal is None else [stream.kept_normal]
    stream.kept_normal = None
    fractions = double_fractions(stream, count - len(numbers) + 1 & ~1).tolist()
    for first, second in zip(fractions[::2], fractions[1::2], strict=True):
        radius = math.sqrt(-2.0 * math.log1p(-second))
        angle = _FULL_TURN * first
        numbers.append(radius * math.cos(angle))
        numbers.append(radius * math.sin(angle))
    if len(numbers) > count:
        stream.kept_normal = numbers.pop()
    return np.array(numbers)


def _fill_16(stream: MT19937Stream, count: int, dtype: dtype, mean: float, std: float) -> Any:
    """Return numbers in groups of 16; an incomplete last group redraws the last 16 elements."""
    if dtype is FLOAT64:
        fractions, transform = double_fractions, _double_pairs
    else:
        fractions, transform = single_fractions, _single_pairs
        mean, std = np.array([mean, std]).astype(np.float32).tolist()
    full = count - count % _GROUP
    elements = np.empty(count, numpy_storage_dtype(dtype))
    for start in range(0, full, _CHUNK):
        stop = min(start + _CHUNK, full)
        numbers = fractions(stream, stop - start)
        if stop == full < count:
            # If torch draws into the result itself, it first draws for all elements.
            if dtype is FLOAT32 or dtype is FLOAT64:
                fractions(stream, count - full)
            numbers = np.concatenate((numbers, fractions(stream, _GROUP)))
        chunk = round_to_dtype(transform(numbers, mean, std), dtype)
        elements[start:stop] = chunk[: stop - start]
        elements[count - _GROUP :] = chunk[-_GROUP:]
    return elements


_FULL_TURN = 2.0 * math.pi


def _double_pairs(numbers: Any, mean: float, std: float) -> Any:
    """Transform groups of float64 numbers; NumPy's log, sin and cos differ from libm's."""
    first, second = numbers.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = np.sqrt(-2.0 * _map(math.log, 1.0 - first))
    angle = _FULL_TURN * second
    pairs = np.stack((radius * _map(math.cos, angle), radius * _map(math.sin, angle)), 1)
    return fused_double(pairs, std, mean).reshape(-1)


def _map(function: Callable[[float], float], numbers: Any) -> Any:
    results = np.array([*map(function, numbers.reshape(-1).tolist())])
    return results.reshape(numbers.shape)


def _single_pairs(numbers: Any, mean: float, std: float) -> Any:
    """Transform groups of float32 numbers, bit for bit as the AVX2 kernel."""
    first, second = numbers.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = np.sqrt(-2.0 * _log(1.0 - first))
    sine, cosine = _sine_and_cosine(_FULL_TURN * second)
    return fused_single(np.stack((radius * cosine, radius * sine), 1), std, mean).reshape(-1)


# The polynomials of S. Moshier's Cephes library (logf.c, sinf.c), as in
# aten/src/ATen/native/cpu/avx_mathfun.h.  The compiler fuses products and sums; here the result is
# wrong by double rounding once in about 10**8.
_LOG = (
    3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1,
    -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2,
)  # fmt: skip
_LOG_2_LOW, _LOG_2_HIGH, _ROOT_HALF = -2.12194440e-4, 0.693359375, math.sqrt(0.5)
_SINE = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
_COSINE = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)
_EIGHTH_TURN = (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)


def _log(x: Any) -> Any:
    """Return the natural logarithm of float32 numbers in (0, 1]."""
    fraction, exponent = np.frexp(x)
    small = fraction < _ROOT_HALF
    exponent = (exponent - small).astype(np.float32)
    fraction = np.where(small, fraction + fraction, fraction) - 1.0
    square = fraction * fraction
    tail = multiply_add(polynomial(fraction, _LOG) * fraction, square, exponent * _LOG_2_LOW)
    tail -= square * 0.5
    return (fraction + tail) + exponent * _LOG_2_HIGH


def _sine_and_cosine(angle: Any) -> tuple[Any, Any]:
    """Return sine and cosine of float32 angles up to a full turn."""
    eighths = (angle * (4.0 / math.pi)).astype(np.int32) + 1 & ~1
    for part in _EIGHTH_TURN:
        angle = multiply_add(np.float32(part), eighths, angle)
    square = angle * angle
    cosine = multiply_add(polynomial(square, _COSINE) * square, square, square * -0.5) + 1.0
    sine = multiply_add(polynomial(square, _SINE) * square, angle, angle)
    swaps = (eighths & 2) != 0
    negate_sine, negate_cosine = (eighths & 4) != 0, (eighths + 2 & 4) != 0
    return (
        np.where(swaps, cosine, sine) * np.where(negate_sine, -1, 1).astype(np.float32),
        np.where(swaps, sine, cosine) * np.where(negate_cosine, -1, 1).astype(np.float32),
    )
