"""Rules for the elements that torch leaves undefined.

Undefined elements are compared too. A rule accepts a difference in them, and the report counts for
each pair of dtypes how many there are and how many differ.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.float_formats import Format, convertible, is_nan, numbers


class Elements(NamedTuple):
    """The elements of a conversion, as arrays of raw bits with the parts on the last axis."""

    source: Format
    target: Format
    inputs: Any
    expected: Any
    observed: Any


class Undefined(NamedTuple):
    """A rule: the elements that are undefined, and the differing ones that it accepts."""

    name: str
    why: str
    link: str
    holds: Callable[[Elements], Any]
    forgives: Callable[[Elements], Any]


def _out_of_range(elements: Elements) -> Any:
    """Return which elements C++ cannot convert to an integer: NaN, and values out of range."""
    source, target = elements.source, elements.target
    if not (source.is_float and target.is_integer):
        return _none(elements)
    integers = convertible(target)
    with np.errstate(invalid="ignore"):
        whole = np.trunc(numbers(elements.inputs[..., 0], source))
    return ~((whole >= float(integers.start)) & (whole < float(integers.stop)))


def _none(elements: Elements) -> Any:
    return np.zeros(elements.inputs.shape[:-1], bool)


def _of_nans(why: str, may_have_nans: Callable[[Elements], bool]) -> Undefined:
    """Return the rule for the bits of NaNs of some elements."""

    def holds(elements: Elements) -> Any:
        if not may_have_nans(elements):
            return _none(elements)
        return is_nan(elements.expected, elements.target).any(-1)

    def forgives(elements: Elements) -> Any:
        """Return which elements have equal parts, or parts that are NaN on both sides."""
        if not may_have_nans(elements):
            return _none(elements)
        expected, observed = elements.expected, elements.observed
        nans = is_nan(expected, elements.target) & is_nan(observed, elements.target)
        return (nans | (expected == observed)).all(-1)

    link = "https://github.com/pytorch/pytorch/issues/180159"
    return Undefined("nan-bits", why, link, holds, forgives)


UNDEFINED = (
    Undefined(
        "float-to-integer",
        "the conversion of NaN and of numbers out of range to an integer",
        "https://github.com/pytorch/pytorch/issues/107693",
        _out_of_range,
        _out_of_range,
    ),
    _of_nans(
        "the bits of a NaN after a conversion, which differ between torch's kernels",
        # These NaNs are not copied, and the target has several bit patterns for NaN.
        lambda elements: (
            elements.target.specials in ("ieee", "fn")
            and elements.source.name != elements.target.name
        ),
    ),
)
"""The rules for conversions; tests/engine has accepted and rejected pairs for each."""

UNDEFINED_RESULTS = (
    _of_nans(
        "the bits of a NaN that an operator returns, which differ between torch's kernels",
        lambda elements: elements.target.is_float,
    ),
)
"""The rules for results of operators."""
