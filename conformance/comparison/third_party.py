"""Third voters: what a conversion gives if neither the oracle nor the subject is asked.

One is NumPy, for the dtypes that it has.  The other computes with fractions:
it rounds once, to the nearest, a tie to the even code.  They tell who stands
alone where two libraries differ; they never say what is right.  A voter that
knows no answer (NaN or too large for an integer) abstains.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from ..core.float_formats import Format, nearest, shown, value_of

Code = Sequence[int]
"""An element: the codes of its parts."""


def third_party_results(code: Code, source: Format, target: Format) -> dict[str, str]:
    """Return what each voter makes of an element, as `shown` writes it; without who abstains."""
    found = {"exact rounding": _exact(code, source, target), "NumPy": _numpy(code, source, target)}
    return {name: shown(vote, target) for name, vote in found.items() if vote is not None}


def outlier(expected: str, observed: str, cast: Mapping[str, str]) -> str:
    """Say who stands alone: "oracle", "subject", "voters", or nobody, with an empty text.

    >>> outlier("01 (1)", "02 (2)", {"NumPy": "02 (2)"})
    'oracle'
    """
    answers = {_number(each) for each in cast.values()}
    sides = {_number(expected): "subject", _number(observed): "oracle"}
    backed = [side for answer, side in sides.items() if answer in answers]
    if len(backed) == 1:
        return backed[0]
    return "voters" if len(answers) == 1 and not backed else ""


def _number(text: str) -> str:
    return "nan" if "nan" in text else text


def _exact(code: Code, source: Format, target: Format) -> list[int] | None:
    values = [value_of(part, source) for part in code]
    if target.kind == "bool":
        return [int(any(each != 0 for each in values))]
    wanted = [*values, Fraction(0)][: target.parts]
    made = [
        _integer(each, source, target) if target.is_integer else nearest(each, target)
        for each in wanted
    ]
    return None if None in made else [each for each in made if each is not None]


def _integer(value: Fraction | float, source: Format, target: Format) -> int | None:
    """Cut off the fraction; only integers of other sizes are cut to fit."""
    if not math.isfinite(value):
        return None
    whole = math.trunc(value)
    low = -(2 ** (target.bits - 1)) if target.kind == "signed" else 0
    if source.is_float and not low <= whole < low + 2**target.bits:
        return None
    return int(whole % 2**target.bits)


_NUMPY = {
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
    "float32", "float64", "complex64", "complex128",
}  # fmt: skip


def _numpy(code: Code, source: Format, target: Format) -> list[int] | None:
    if not {source.name, target.name} <= _NUMPY or _exact(code, source, target) is None:
        return None
    element = np.array(code, source.code_type).view(source.name)
    with np.errstate(all="ignore"):
        if source.parts > target.parts and target.kind != "bool":
            element = element.real
        made = element.astype(target.name)
    return [int(part) for part in np.ascontiguousarray(made).view(target.code_type)]
