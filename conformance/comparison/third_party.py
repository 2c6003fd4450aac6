"""Third-party results of a conversion, independent of oracle and subject.

One is NumPy's, for its dtypes. The other is computed with fractions and rounded once, to nearest,
ties to even. They show which library is the outlier, not which is right. NaN, and integers out of
range, have no third-party result.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from ..core.float_formats import Format, format_element, nearest, value_of

RawElement = Sequence[int]
"""An element: the raw bits of its parts."""


def third_party_results(raw: RawElement, source: Format, target: Format) -> dict[str, str]:
    """Return each third party's conversion of an element, if any, as text of `format_element`."""
    raw_results = {
        "exact rounding": _exact(raw, source, target),
        "NumPy": _numpy(raw, source, target),
    }
    return {
        name: format_element(raw, target) for name, raw in raw_results.items() if raw is not None
    }


def outlier(expected: str, observed: str, results: Mapping[str, str]) -> str:
    """Return the outlier: "oracle", "subject", "voters", or an empty string if there is none.

    >>> outlier("01 (1)", "02 (2)", {"NumPy": "02 (2)"})
    'oracle'
    """
    answers = {_number(text) for text in results.values()}
    sides = {_number(expected): "subject", _number(observed): "oracle"}
    backed = [side for answer, side in sides.items() if answer in answers]
    if len(backed) == 1:
        return backed[0]
    return "voters" if len(answers) == 1 and not backed else ""


def _number(text: str) -> str:
    return "nan" if "nan" in text else text


def _exact(raw: RawElement, source: Format, target: Format) -> list[int] | None:
    values = [value_of(part, source) for part in raw]
    if target.kind == "bool":
        return [int(any(part != 0 for part in values))]
    parts = [*values, Fraction(0)][: target.parts]
    results = [
        _integer(part, source, target) if target.is_integer else nearest(part, target)
        for part in parts
    ]
    return None if None in results else [part for part in results if part is not None]


def _integer(value: Fraction | float, source: Format, target: Format) -> int | None:
    """Return the truncated integer, wrapped if the source is an integer; None if out of range."""
    if not math.isfinite(value):
        return None
    whole = math.trunc(value)
    if source.is_float and whole not in target.integers:
        return None
    return int(whole % 2**target.bits)


def _numpy(raw: RawElement, source: Format, target: Format) -> list[int] | None:
    # NumPy has the dtypes whose names it has.
    if not (hasattr(np, source.name) and hasattr(np, target.name)):
        return None
    if _exact(raw, source, target) is None:
        return None
    element = np.array(raw, source.raw_dtype).view(source.name)
    with np.errstate(all="ignore"):
        if source.parts > target.parts and target.kind != "bool":
            element = element.real
        result = element.astype(target.name)
    return [int(part) for part in np.ascontiguousarray(result).view(target.raw_dtype)]
