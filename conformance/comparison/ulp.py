"""Distances of elements in units in the last place (ULP)."""

from typing import Any

import numpy as np

from ..core.float_formats import Format, is_nan, numbers


def distances(
    left: Any,
    right: Any,
    fmt: Format,
    floor: Any = 0.0,
    *,
    whole: bool = False,
    infinite: bool = False,
    unsigned: bool = False,
) -> Any:
    """Return the distance of each element of two arrays, as float64.

    Both hold raw bits, with the parts of an element on the last axis. Infinities and the signs of
    zeros have to be equal, or else the distance is infinite. All NaNs are equal. A complex element
    is measured in the ULP of its larger part. With ``whole`` its parts come of one rounding: the
    sign of a zero part matters only if both are zero, and beside an infinite part the other is
    measured in the ULP of the largest number. Elements below ``floor``, a number or an array, are
    measured in the ULP of ``floor``. With ``infinite`` all complex elements that are not finite are
    equal. With ``unsigned`` all zeros are.
    """
    if not fmt.is_float:
        return np.where((left == right).all(-1), 0.0, np.inf)
    steps = _steps(left, right, fmt)
    if fmt.parts == 1 and not np.any(floor) and not unsigned:
        return steps[..., 0]
    with np.errstate(all="ignore"):
        first, second = numbers(left, fmt), numbers(right, fmt)
        is_finite = np.isfinite(first) & np.isfinite(second)
        largest = numbers(np.array([fmt.largest], fmt.raw_dtype), fmt) if whole else 0.0
        magnitude = np.where(is_finite, np.abs(first), np.where(np.isinf(first), largest, 0.0)).max(
            -1
        )
        in_units = np.abs(first - second) / _unit(np.maximum(magnitude, floor), fmt)[..., None]
    is_other_zero = (first == 0) & (second == 0) & (left != right)
    if unsigned:
        steps = np.where(is_other_zero, 0.0, steps)
        is_other_zero &= False
    elif whole:
        is_other_zero &= (magnitude == 0)[..., None]
    by_unit = is_finite & ~is_other_zero
    if fmt.parts == 1:
        by_unit &= (magnitude < floor)[..., None]
    result = np.where(by_unit, in_units, steps).max(-1)
    if infinite and fmt.parts > 1:
        is_infinite = [~np.isfinite(side).all(-1) for side in (first, second)]
        return np.where(is_infinite[0] & is_infinite[1], 0.0, result)
    return result


def _steps(left: Any, right: Any, fmt: Format) -> Any:
    """Return the number of steps between parts; there is none between zeros of different sign."""
    first, second = numbers(left, fmt), numbers(right, fmt)
    magnitudes = [raw & raw.dtype.type(fmt.magnitudes - 1) for raw in (left, right)]
    difference = np.maximum(*magnitudes) - np.minimum(*magnitudes)
    is_across = np.signbit(first) != np.signbit(second)
    counted = np.where(is_across, magnitudes[0] + magnitudes[1], difference).astype(np.float64)
    is_countable = np.isfinite(first) & np.isfinite(second) & ((first != 0) | (second != 0))
    alike = (left == right) | (is_nan(left, fmt) & is_nan(right, fmt))
    return np.where(alike, 0.0, np.where(is_countable, counted, np.inf))


def _unit(magnitude: Any, fmt: Format) -> Any:
    _, exponent = np.frexp(np.maximum(magnitude, 2.0**fmt.lowest_exponent))
    return np.ldexp(1.0, exponent - 1 - fmt.mantissa)
