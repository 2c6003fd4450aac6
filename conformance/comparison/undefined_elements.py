"""Which elements of a conversion torch leaves undefined: rules for elements, as there are for facets.

An undefined element is run and compared as every other.  A rule forgives a
difference in just those elements, and the report counts for each pair of
dtypes how many there were, and how many did differ.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.float_formats import Format, is_nan, numbers


class Elements(NamedTuple):
    """The elements of a conversion: the codes of the parts on the last axis of each array."""

    source: Format
    target: Format
    given: Any
    expected: Any
    observed: Any


class Undefined(NamedTuple):
    """A rule: ``holds`` says which elements are undefined, ``forgives`` which differ only so."""

    name: str
    why: str
    link: str
    holds: Callable[[Elements], Any]
    forgives: Callable[[Elements], Any]


def _out_of_range(elements: Elements) -> Any:
    """Find what C++ cannot convert: NaN, and what is out of range when its fraction is cut off."""
    source, target = elements.source, elements.target
    if not (source.is_float and target.is_integer):
        return _none(elements)
    # To uint8 torch goes through int64 (c10/util/TypeCast.h), so that fewer are undefined.
    bits, is_signed = (
        (64, True) if target.name == "uint8" else (target.bits, target.kind == "signed")
    )
    low = -(2.0 ** (bits - 1)) if is_signed else 0.0
    with np.errstate(invalid="ignore"):
        whole = np.trunc(numbers(elements.given[..., 0], source))
    return ~((whole >= low) & (whole < low + 2.0**bits))


def _has_nan(elements: Elements) -> Any:
    if not _may_have_nan(elements):
        return _none(elements)
    return is_nan(elements.expected, elements.target).any(-1)


def _differs_in_nans(elements: Elements) -> Any:
    """Find the elements whose parts are alike, or NaN on both sides."""
    if not _may_have_nan(elements):
        return _none(elements)
    expected, observed = elements.expected, elements.observed
    nans = is_nan(expected, elements.target) & is_nan(observed, elements.target)
    return (nans | (expected == observed)).all(-1)


def _may_have_nan(elements: Elements) -> bool:
    """Tell whether there may be a NaN that is not copied, of a format that has more than one."""
    source, target = elements.source, elements.target
    return target.specials in ("ieee", "fn") and source.name != target.name


def _none(elements: Elements) -> Any:
    return np.zeros(elements.given.shape[:-1], bool)


def _has_computed_nan(elements: Elements) -> Any:
    if not elements.target.is_float:
        return _none(elements)
    return is_nan(elements.expected, elements.target).any(-1)


def _differs_in_computed_nans(elements: Elements) -> Any:
    """Find the elements whose parts are alike, or NaN on both sides, whatever they came of."""
    if not elements.target.is_float:
        return _none(elements)
    expected, observed = elements.expected, elements.observed
    nans = is_nan(expected, elements.target) & is_nan(observed, elements.target)
    return (nans | (expected == observed)).all(-1)


UNDEFINED = (
    Undefined(
        "float-to-integer",
        "what becomes of NaN, and of a number out of range, where an integer is wanted",
        "https://github.com/pytorch/pytorch/issues/107693",
        _out_of_range,
        _out_of_range,
    ),
    Undefined(
        "nan-bits",
        "which bits a NaN has after a conversion, its sign among them: kernels of torch differ in it",
        "https://github.com/pytorch/pytorch/issues/180159",
        _has_nan,
        _differs_in_nans,
    ),
)
"""The rules for elements.  Every one has pairs that it must and must not forgive, in tests/engine."""

UNDEFINED_RESULTS = (
    Undefined(
        "nan-bits",
        "which bits a NaN has that an operator gives, its sign among them: kernels of torch differ in it",
        "https://github.com/pytorch/pytorch/issues/180159",
        _has_computed_nan,
        _differs_in_computed_nans,
    ),
)
"""The rules for the elements that operators give."""
