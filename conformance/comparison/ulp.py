"""How far apart elements lie, counted in units in the last place."""

from typing import Any

import numpy as np

from ..core.float_formats import Format, is_nan, numbers


def distances(left: Any, right: Any, form: Format, floor: Any = 0.0, *, whole: bool = False) -> Any:
    """Return the distance of each element of one array to that of another, as float64.

    Both hold codes, with the parts of an element on the last axis.  What is special has to be
    alike, and so has the sign of a zero: else the distance is infinite.  All NaNs are alike.
    A complex element is measured by the larger of its parts.  With ``whole`` its parts come of one
    rounding: the sign of a zero part is nothing beside a part that is none, and beside an infinite
    one the other is measured as the largest number.  Elements below ``floor``, a number or one for
    each element, are measured by the unit there.
    """
    if not form.is_float:
        return np.where((left == right).all(-1), 0.0, np.inf)
    steps = _steps(left, right, form)
    if form.parts == 1 and not np.any(floor):
        return steps[..., 0]
    with np.errstate(all="ignore"):
        first, second = numbers(left, form), numbers(right, form)
        is_finite = np.isfinite(first) & np.isfinite(second)
        beyond = numbers(np.array([form.largest], form.code_type), form) if whole else 0.0
        size = np.where(is_finite, np.abs(first), np.where(np.isinf(first), beyond, 0.0)).max(-1)
        apart = np.abs(first - second) / _unit(np.maximum(size, floor), form)[..., None]
    is_other_zero = (first == 0) & (second == 0) & (left != right)
    if whole:
        is_other_zero &= (size == 0)[..., None]
    by_unit = is_finite & ~is_other_zero
    if form.parts == 1:
        by_unit &= (size < floor)[..., None]
    return np.where(by_unit, apart, steps).max(-1)


def _steps(left: Any, right: Any, form: Format) -> Any:
    """Count the numbers between codes of parts; there are none between two zeros of other signs."""
    first, second = numbers(left, form), numbers(right, form)
    sizes = [raw & raw.dtype.type(form.magnitudes - 1) for raw in (left, right)]
    between = np.maximum(*sizes) - np.minimum(*sizes)
    is_across = np.signbit(first) != np.signbit(second)
    counted = np.where(is_across, sizes[0] + sizes[1], between).astype(np.float64)
    is_countable = np.isfinite(first) & np.isfinite(second) & ((first != 0) | (second != 0))
    alike = (left == right) | (is_nan(left, form) & is_nan(right, form))
    return np.where(alike, 0.0, np.where(is_countable, counted, np.inf))


def _unit(size: Any, form: Format) -> Any:
    """Return the distance between neighbours at a number."""
    _, exponent = np.frexp(np.maximum(size, 2.0**form.lowest_exponent))
    return np.ldexp(1.0, exponent - 1 - form.mantissa)
