"""Where torch's own kernels round differently: what may differ in the last bits, and by how much.

Torch has two kernels for most operators, one for vectors and one for the
elements that are left over or lie apart, and they do not always round alike:
one of them multiplies and adds in one step, or takes another library's sine.
Which kernel an element gets depends on where it stands.  So an element that
differs is accepted in two cases alone, both counted: torch gives that very
element itself when the operands lie otherwise, or the operator is in the table
of those that are not exactly rounded and the element is within its bound.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .cases import Case
from .compare import Comparison
from .facets import read
from .library import Library
from .number_formats import FORMATS, Format, is_nan, numbers
from .observe import Observation, run_case

_TABLE = Path(__file__).with_name("last_bits.toml")
_SHOWS_ELEMENTS = frozenset({"elements", "value", "state", "repr"})
"""The facets in which elements are seen."""

OTHER_KERNEL = "other-kernel"


class Inexact(NamedTuple):
    """An operator that is not exactly rounded: its bounds in units in the last place, by dtype."""

    name: str
    pattern: re.Pattern[str]
    why: str
    bounds: dict[str, int]


@cache
def inexact() -> tuple[Inexact, ...]:
    """Return the operators of the table."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(
        Inexact(name, re.compile(row["calls"]), row["why"], row.get("ulps", {}))
        for name, row in rows.items()
    )


def explained(
    oracle: Library, case: Case, expected: Observation, observed: Observation, found: Comparison
) -> Comparison:
    """Return a comparison without differences in last bits that torch's kernels explain."""
    facets = {each.facet for each in found.differences}
    if not facets or not facets <= _SHOWS_ELEMENTS:
        return found
    left, right = _elements(expected), _elements(observed)
    form = FORMATS.get(str(expected.get("dtype", "")).removeprefix("torch."))
    if form is None or left is None or right is None or len(left) != len(right):
        return found
    rows = [each for each in inexact() if each.pattern.search(case.steps[-1])]
    if not rows:
        return found
    wrong = [place for place, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
    distances = []
    if form.is_float and all(len(each) == len(left[0]) for each in (*left, *right)):
        distances = [_distance(left[place], right[place], form) for place in wrong]
    for row in rows:
        bound = row.bounds.get(form.name, 0)
        if distances and max(distances) <= bound:
            return _without(found, f"last-bits:{row.name}:{form.name}")
    for other in _other_answers(oracle, case):
        if len(other) == len(left):
            wrong = [place for place in wrong if other[place] != right[place]]
    return found if wrong else _without(found, f"{OTHER_KERNEL}:{rows[0].name}")


def _without(found: Comparison, rule: str) -> Comparison:
    return Comparison(found.facets, [], [*found.normalised, rule])


def _elements(seen: Observation) -> list[str] | None:
    elements = seen.get("elements")
    return elements if isinstance(elements, list) else None


def _distance(left: str, right: str, form: Format) -> float:
    """Return how many units in the last place lie between two elements, given by their bits.

    A complex element is measured by the larger of its parts.
    """
    first, second = _parts(left, form), _parts(right, form)
    if form.parts == 1:
        return _steps(first[0], second[0], form)
    sizes = [abs(float(numbers(np.array([each]), form)[0])) for each in first]
    values = [float(numbers(np.array([each]), form)[0]) for each in (*first, *second)]
    if not np.isfinite(values).all():
        return max(_steps(a, b, form) for a, b in zip(first, second, strict=True))
    unit = _unit(max(sizes), form)
    return max(abs(a - b) / unit for a, b in zip(values[:2], values[2:], strict=True))


def _parts(text: str, form: Format) -> list[Any]:
    """Return the codes of the parts; the imaginary one stands first in the text."""
    digits = form.bits // 4
    pieces = [text[start : start + digits] for start in range(0, len(text), digits)]
    return [np.dtype(form.code_type).type(int(each, 16)) for each in reversed(pieces)]


def _steps(left: Any, right: Any, form: Format) -> float:
    """Count the numbers between two codes; what is special, and the sign of a zero, has to be alike."""
    codes = np.array([left, right])
    if left == right or is_nan(codes, form).all():
        return 0
    values = numbers(codes, form)
    if not np.isfinite(values).all() or (np.signbit(values[0]) != np.signbit(values[1])):
        return np.inf
    return abs(int(left) - int(right))


def _unit(size: float, form: Format) -> float:
    """Return the distance between neighbours at a number."""
    _, exponent = np.frexp(max(size, 2.0**form.lowest_exponent))
    return float(np.ldexp(1.0, int(exponent) - 1 - form.mantissa))


def _other_answers(oracle: Library, case: Case) -> Iterator[list[str]]:
    """Ask the oracle the last step again, with operands that lie otherwise: apart, and in long rows."""
    *before, last = case.steps
    names = _assigned(before)
    for way in _BACK:
        steps = [
            step
            for name in names
            if re.search(rf"\b{name}\b", last)
            for step in (way.format(name=name),)
        ]
        seen = run_case(oracle, Case((*before, *steps, f"({last}){_BACK[way]}")), read)
        if len(seen) == len(before) + len(steps) + 1 and seen[-1].error is None:
            elements = _elements(seen[-1].observation)
            if elements is not None:
                yield elements


_APART = (
    "{name} = torch.stack([{name}, {name}], -1)[..., 0] if getattr({name}, 'ndim', 0) else {name}"
)
_IN_ROWS = (
    "{name} = {name}.unsqueeze(-1).expand(*{name}.shape, 64).contiguous()"
    " if getattr({name}, 'ndim', 0) else {name}"
)
_ALL_IN_ROWS = (
    "{name} = {name}.unsqueeze(-1).expand(*{name}.shape, 64).contiguous()"
    " if hasattr({name}, 'unsqueeze') else {name}"
)
_BACK = {_APART: "", _IN_ROWS: "[..., 0]", _ALL_IN_ROWS: "[..., 0]"}
"""How operands are laid for the one kernel and for the other, and where the answer stands then."""


def _assigned(steps: Iterable[str]) -> list[str]:
    """Return the names that steps give to values."""
    found = (re.match(r"(\w+) = ", step) for step in steps)
    return [match[1] for match in found if match]
