"""Numbers of the normal distribution, as torch draws them on a CPU.

Two uniform numbers make two normal ones (the Box-Muller transform).  From 16
numbers on, memory is filled in groups of 16, whose first 8 uniform numbers
give the radii and whose last 8 the angles.  Fewer than 16, and memory that is
not contiguous, are filled one by one, in double precision, and the second
number of a pair is kept in the stream for the next draw of a single one.
The rules are in aten/src/ATen/native/cpu/DistributionTemplates.h.
"""

import math
from collections.abc import Callable
from struct import pack, unpack
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._dtypes.constants import FLOAT32, FLOAT64
from .._dtypes.table import dtype
from .._numerics.fma import fused_double, fused_single
from .._numerics.rounding import FLOATS, format_number, raise_not_implemented, round_to_dtype
from .._runtime.errors import check
from .mt19937 import Stream
from .uniform import double_fractions, single_fractions

_GROUP = 16
_PIECE = 2**15
"""How many numbers are transformed at a time; the steps in between take several times as much."""


def normal(
    stream: Stream,
    count: int,
    dtype: dtype,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> Any:
    """Draw numbers around ``mean`` with the deviation ``std``: what normal_ and randn give.

    ``contiguous`` tells whether the memory to fill is; elements are in its order.

    >>> normal(Stream(0), 2, FLOAT32)
    array([ 1.5409961, -0.2934289], dtype=float32)
    """
    check(std >= 0, lambda: f"normal expects std >= 0.0, but found std {format_number(std)}")
    if not count:
        return np.empty(0, numpy_storage_dtype(dtype))
    if dtype.is_complex:
        # The two parts share the variance.
        parts = dtype.to_real()
        whole = _draw(stream, 2 * count, parts, mean, std / math.sqrt(2), contiguous)
        return whole.view(numpy_storage_dtype(dtype))
    if dtype not in FLOATS:
        raise_not_implemented("normal_kernel_cpu", dtype)
    return _draw(stream, count, dtype, mean, std, contiguous)


def _draw(
    stream: Stream, count: int, dtype: dtype, mean: float, std: float, contiguous: bool
) -> Any:
    with stream.lock, np.errstate(over="ignore", invalid="ignore"):
        if count >= _GROUP and contiguous:
            return _in_groups(stream, count, dtype, mean, std)
        numbers = fused_double(_one_by_one(stream, count), std, mean)
        return numbers if dtype is FLOAT64 else round_to_dtype(numbers.astype(np.float32), dtype)


def _one_by_one(stream: Stream, count: int) -> Any:
    """Make standard normal numbers singly (core/DistributionsHelper.h)."""
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


def _in_groups(stream: Stream, count: int, dtype: dtype, mean: float, std: float) -> Any:
    """Fill whole groups; then the last 16 places anew, where the groups do not fit."""
    if dtype is FLOAT64:
        fractions, transform = double_fractions, _double_pairs
    else:
        fractions, transform = single_fractions, _single_pairs
        mean, std = np.array([mean, std]).astype(np.float32).tolist()
    full = count - count % _GROUP
    whole = np.empty(count, numpy_storage_dtype(dtype))
    for start in range(0, full, _PIECE):
        stop = min(start + _PIECE, full)
        numbers = fractions(stream, stop - start)
        if stop == full < count:
            # Where torch draws into the result itself, it draws for all of it first.
            if dtype is FLOAT32 or dtype is FLOAT64:
                fractions(stream, count - full)
            numbers = np.concatenate((numbers, fractions(stream, _GROUP)))
        made = round_to_dtype(transform(numbers, mean, std), dtype)
        whole[start:stop] = made[: stop - start]
        whole[count - _GROUP :] = made[-_GROUP:]
    return whole


_FULL_TURN = 2.0 * math.pi


def _double_pairs(numbers: Any, mean: float, std: float) -> Any:
    """Transform groups of float64 numbers.  NumPy's logarithm and sine are not those of libm."""
    first, second = numbers.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = np.sqrt(-2.0 * _each(math.log, 1.0 - first))
    angle = _FULL_TURN * second
    pairs = np.stack((radius * _each(math.cos, angle), radius * _each(math.sin, angle)), 1)
    return fused_double(pairs, std, mean).reshape(-1)


def _each(function: Callable[[float], float], numbers: Any) -> Any:
    made = np.array([*map(function, numbers.reshape(-1).tolist())])
    return made.reshape(numbers.shape)


def _single_pairs(numbers: Any, mean: float, std: float) -> Any:
    """Transform groups of float32 numbers as the AVX2 kernel does, to the bit."""
    first, second = numbers.reshape(-1, 2, 8).swapaxes(0, 1)
    radius = np.sqrt(-2.0 * _log(1.0 - first))
    sine, cosine = _sine_and_cosine(_SINGLE_TURN * second)
    return fused_single(np.stack((radius * cosine, radius * sine), 1), std, mean).reshape(-1)


def _singles(*numbers: float) -> tuple[float, ...]:
    """Round numbers to float32."""
    return unpack(f"{len(numbers)}f", pack(f"{len(numbers)}f", *numbers))


# The polynomials are those of S. Moshier's Cephes library (logf.c, sinf.c), which
# aten/src/ATen/native/cpu/avx_mathfun.h evaluates; the compiler fuses each product with
# the sum that follows.
_LOG = _singles(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LOG_2_LOW, _LOG_2_HIGH, _ROOT_HALF = _singles(-2.12194440e-4, 0.693359375, math.sqrt(0.5))
_SINE = _singles(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COSINE = _singles(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_EIGHTH_TURN = _singles(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
_SINGLE_TURN, _EIGHTHS = _singles(2.0 * math.pi, 4.0 / math.pi)


def _fused(left: Any, right: Any, addend: Any) -> Any:
    """Multiply and add in float64, then round to float32: in 1 of some 10**8 not as one rounding."""
    exact = np.multiply(left, right, dtype=np.float64)
    exact += addend
    return exact.astype(np.float32)


def _polynomial(factors: tuple[float, ...], x: Any) -> Any:
    result: Any = np.float32(factors[0])
    for factor in factors[1:]:
        result = _fused(result, x, factor)
    return result


def _log(x: Any) -> Any:
    """Return the natural logarithm of float32 numbers in (0, 1]."""
    fraction, exponent = np.frexp(x)
    small = fraction < _ROOT_HALF
    exponent = (exponent - small).astype(np.float32)
    fraction = np.where(small, fraction + fraction, fraction) - 1.0
    square = fraction * fraction
    tail = _fused(_polynomial(_LOG, fraction) * fraction, square, exponent * _LOG_2_LOW)
    tail -= square * 0.5
    return (fraction + tail) + exponent * _LOG_2_HIGH


def _sine_and_cosine(angle: Any) -> tuple[Any, Any]:
    """Return the sine and the cosine of float32 angles of at most a full turn."""
    eighths = (angle * _EIGHTHS).astype(np.int32) + 1 & ~1
    for part in _EIGHTH_TURN:
        angle = _fused(eighths, part, angle)
    square = angle * angle
    cosine = _fused(_polynomial(_COSINE, square) * square, square, square * -0.5) + 1.0
    sine = _fused(_polynomial(_SINE, square) * square, angle, angle)
    across = (eighths & 2) != 0
    lower, left = (eighths & 4) != 0, (eighths + 2 & 4) != 0
    return (
        np.where(across, cosine, sine) * np.where(lower, -1, 1).astype(np.float32),
        np.where(across, sine, cosine) * np.where(left, -1, 1).astype(np.float32),
    )
