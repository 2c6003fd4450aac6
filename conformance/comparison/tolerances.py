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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.case import Case
from ..core.float_formats import FORMATS, Format, is_nan
from ..libraries.library import Library
from ..observation.facets import read
from ..observation.runner import Observation, run_case
from .comparator import Comparison, same
from .ulp import distances

_TABLE = Path(__file__).with_name("tolerances.toml")
_SHOWS_ELEMENTS = frozenset({"elements", "value", "state", "repr"})
"""The facets in which elements are seen."""

LAST_BITS, OTHER_KERNEL = "last-bits", "other-kernel"
"""The rules by which an element is accepted, as reports name them."""


class Inexact(NamedTuple):
    """An operator that is not exactly rounded.

    ``measured`` is how far apart two correct libraries were seen, in units in
    the last place, by the dtype of the result.  Below ``floor`` it is that of
    ``floor``: such an element is what is left of larger ones that cancel.  Rows of
    operators that put many elements together (``reduces``) hold in bulk cases alone, which say
    by whose units each result is measured; elsewhere sums have to be exact.
    With ``whole`` the parts of a complex element come of one rounding (`distances.distances`).
    """

    name: str
    pattern: re.Pattern[str]
    why: str
    measured: Mapping[str, int]
    floor: float = 0.0
    reduces: bool = False
    whole: bool = False

    def bound(self, dtype: str) -> int:
        """Return what is accepted: one more than what was measured, and nothing if nothing was."""
        measured = self.measured.get(dtype, 0)
        return measured + 1 if measured else 0


@cache
def inexact() -> tuple[Inexact, ...]:
    """Return the operators of the table."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return tuple(
        Inexact(
            name,
            re.compile(row["calls"]),
            row["why"],
            row.get("measured", {}),
            row.get("floor", 0.0),
            row.get("reduces", False),
            row.get("whole", False),
        )
        for name, row in rows.items()
    )


def rows_of(step: str, table: Sequence[Inexact], reduces: bool = False) -> list[Inexact]:
    """Return the rows that are about a step of a program, or about the name of what reduces."""
    return [each for each in table if each.reduces == reduces and each.pattern.search(step)]


def bound_of(rows: Iterable[Inexact], form: Format) -> int:
    """Return how far apart elements of a dtype may lie by the widest of some rows."""
    return max(row.bound(form.name) for row in rows)


def apart_by(rows: Sequence[Inexact], left: Any, right: Any, form: Format, sizes: Any = 0.0) -> Any:
    """Return how far apart elements, given by their codes, lie as rows measure it.

    Elements smaller than ``sizes`` are measured by the units there.
    """
    floor = np.maximum(sizes, max(row.floor for row in rows))
    return distances(left, right, form, floor, whole=any(row.whole for row in rows))


def explained(
    oracle: Library,
    case: Case,
    expected: Observation,
    observed: Observation,
    found: Comparison,
    table: Sequence[Inexact],
) -> Comparison:
    """Return a comparison without differences in last bits that torch's kernels explain."""
    facets = {each.facet for each in found.differences}
    if not facets or not facets <= _SHOWS_ELEMENTS:
        return found
    sides = [_result(each, case) for each in (expected, observed)]
    left, right = map(_elements, sides)
    form = FORMATS.get(str(sides[0].get("dtype", "")).removeprefix("torch."))
    if form is None or left is None or right is None or len(left) != len(right):
        return found
    wrong = [index for index, (a, b) in enumerate(zip(left, right, strict=True)) if a != b]
    # What differs beside equal elements, or in other tensors, has another reason.
    if not wrong:
        return found
    if "state" in facets and not _only_shows(
        expected.get("state"), observed.get("state"), left, right
    ):
        return found
    if _differ_in_nans(left, right, wrong, form):
        return _without(found, "nan-payload")
    rows = rows_of(case.steps[-1], table)
    if not rows:
        return found
    wrong = _farther(left, right, wrong, form, rows)
    if not wrong:
        return _without(found, f"{LAST_BITS}:{rows[0].name}:{form.name}")
    for other in _other_answers(oracle, case):
        if len(other) == len(left):
            wrong = _farther(other, right, wrong, form, rows)
    return found if wrong else _without(found, f"{OTHER_KERNEL}:{rows[0].name}")


def _only_shows(left: Any, right: Any, expected: list[str], observed: list[str]) -> bool:
    """Tell whether states are alike, but for tensors that have just the elements of the results."""
    if same(left, right):
        return True
    if not isinstance(left, dict) or not isinstance(right, dict) or list(left) != list(right):
        return False
    for one, other in zip(left.values(), right.values(), strict=True):
        if same(one, other):
            continue
        if not isinstance(one, dict) or not same({**one, "elements": observed}, other):
            return False
        if one.get("elements") != expected:
            return False
    return True


def _differ_in_nans(
    left: Sequence[str], right: Sequence[str], places: Sequence[int], form: Format
) -> bool:
    """Tell whether all parts that differ are NaN on both sides."""
    if not form.is_float or not places:
        return False
    first, second = (_codes([side[place] for place in places], form) for side in (left, right))
    return bool(((first == second) | (is_nan(first, form) & is_nan(second, form))).all())


def _farther(
    left: Sequence[str],
    right: Sequence[str],
    places: Sequence[int],
    form: Format,
    rows: Sequence[Inexact],
) -> list[int]:
    """Return those of some places at which elements lie farther apart than rows allow."""
    if not places:
        return []
    first, second = (_codes([side[place] for place in places], form) for side in (left, right))
    far = apart_by(rows, first, second, form) > bound_of(rows, form)
    return [place for place, is_far in zip(places, far, strict=True) if is_far]


def _without(found: Comparison, rule: str) -> Comparison:
    return Comparison(found.facets, [], [*found.normalised, rule])


def _result(seen: Observation, case: Case) -> Observation:
    """Return what is seen of the result; of ``x += y`` that is ``x``, as it stands afterwards."""
    changed = _CHANGED.match(case.steps[-1])
    state = seen.get("state")
    if changed is None or not isinstance(state, dict):
        return seen
    return state.get(changed[1]) or {}


_CHANGED = re.compile(r"(\w+) (?![=!<>]= )[^\w\s]+= ")
"""A statement that changes a variable in place, which a comparison does not."""


def _elements(seen: Observation) -> list[str] | None:
    elements = seen.get("elements")
    return elements if isinstance(elements, list) else None


def _codes(texts: Sequence[str], form: Format) -> Any:
    """Return the codes of the parts of elements; the imaginary one stands first in the text."""
    digits = form.bits // 4
    return np.array(
        [
            [int(text[start : start + digits], 16) for start in range(0, len(text), digits)][::-1]
            for text in texts
        ],
        form.code_type,
    )


def _other_answers(oracle: Library, case: Case) -> Iterator[list[str]]:
    """Ask the oracle the last step again, with operands that lie otherwise: apart, and in long rows.

    What is negated is asked about with numbers that lay apart before they were, too: which zero
    becomes of a complex one depends on that, and which side of a cut it stands on.
    """
    *before, last = case.steps
    apart = tuple(_NEGATED.sub(_NEGATED_APART, each) for each in case.steps)
    changed = _CHANGED.match(last)
    if apart != case.steps:
        yield from _answer(oracle, (*apart, changed[1]) if changed else apart)
    names = _assigned(before)
    for way in _BACK:
        steps = [
            step
            for name in names
            if re.search(rf"\b{name}\b", last)
            for step in (way.format(name=name),)
        ]
        asked = (last, changed[1]) if changed else (f"({last})",)
        yield from _answer(oracle, (*before, *steps, *asked[:-1], asked[-1] + _BACK[way]))


def _answer(oracle: Library, steps: tuple[str, ...]) -> Iterator[list[str]]:
    """Return the elements of the last of some steps, if it has any."""
    seen = run_case(oracle, Case(steps), read)
    if len(seen) == len(steps) and seen[-1].error is None:
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

_NEGATED = re.compile(r"^(\w+) = (.*?)\._neg_view\(\)", re.DOTALL)
_NEGATED_APART = r"\1 = (lambda x: torch.stack([x, x], -1)[..., 0])(\2)._neg_view()"
"""A step that negates, and how its numbers are laid apart before."""


def _assigned(steps: Iterable[str]) -> list[str]:
    """Return the names that steps give to values."""
    found = (re.match(r"(\w+) = ", step) for step in steps)
    return [match[1] for match in found if match]
