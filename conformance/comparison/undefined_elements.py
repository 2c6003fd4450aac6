"""Rules for the elements that torch leaves undefined.

Undefined elements are compared too. A rule accepts a difference in them, and the report counts for
each pair of dtypes how many there are and how many differ.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core.float_formats import Format, convertible, is_nan, numbers
from .nan_bits import differing_nans, wrong_nans


class Elements(NamedTuple):
    """The elements of a conversion, as arrays of raw bits with the parts on the last axis.

    others: the results of the oracle's other kernels for the same elements
    compares_nans, payload: whether the signs and the payloads of NaNs are compared
    """

    source: Format
    target: Format
    inputs: Any
    expected: Any
    observed: Any
    others: Iterable[Any] = ()
    compares_nans: bool = True
    payload: bool = True

    def wrong_nans(self) -> Any:
        """Return which parts are NaNs with wrong bits."""
        if not self.compares_nans:
            return np.zeros(self.expected.shape, bool)
        return wrong_nans(
            self.expected, self.observed, self.others, self.target, payload=self.payload
        )


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
        """Return which elements differ only in bits of NaNs that vary between kernels."""
        if not may_have_nans(elements):
            return _none(elements)
        expected, observed, fmt = elements.expected, elements.observed, elements.target
        nans = differing_nans(expected, observed, fmt)
        is_alike = (nans | (expected == observed)).all(-1)
        if not (nans.any(-1) & is_alike).any():
            return is_alike
        return is_alike & ~elements.wrong_nans().any(-1)

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
