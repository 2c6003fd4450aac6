"""Faults of the suite itself: each makes it blind in one way that has fooled a suite before."""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...comparison import comparator
from ...comparison.comparator import Comparison, Difference
from ...comparison.tolerances import Inexact
from ...comparison.undefined_elements import Elements, Undefined
from ...core.domain import Cell, Domain
from ...engine.probe import Probe
from ...engine.registry import Property
from ...observation.runner import Observation


def nan_equals_zero(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Compare with every NaN made zero, as ``nan_to_num`` on both sides does."""
    return comparator.compare(_zeroed(expected), _zeroed(observed), case)


def _zeroed(observation: Observation) -> Observation:
    value = observation.get("value")
    if isinstance(value, dict) and "nan" in str(value.get("float")):
        return {**observation, "value": {"float": "0000000000000000 (0.0)"}}
    return observation


def blind_to(facet: str) -> Callable[[Observation, Observation, str], Comparison]:
    """Make a comparator that does not look at one facet."""

    def blind(expected: Observation, observed: Observation, case: str) -> Comparison:
        return _without(comparator.compare(expected, observed, case), facet)

    return blind


def classes_ignored(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Compare so that any error is as good as any other."""
    both_raised = expected["raises"] is not None and observed["raises"] is not None
    result = comparator.compare(expected, observed, case)
    return _without(result, "raises") if both_raised else result


def types_ignored(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Compare numbers by their value alone, whatever their type."""
    result = comparator.compare(expected, observed, case)
    same = _number(expected.get("value")) == _number(observed.get("value"))
    return _without(result, "value") if same else result


def _number(value: Any) -> Any:
    match value:
        case {"int": text}:
            return float(text)
        case {"float": text}:
            return float(text.partition("(")[2].rstrip(")"))
        case _:
            return value


def everything_undefined(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Compare with a rule for undefined answers that holds for every case."""
    rule = next(each for each in comparator.NORMALISATIONS if each.name == "foreign-memory")
    result = comparator.compare(expected, observed, case)
    undefined = [
        each.facet
        for each in result.differences
        if each.facet in rule.facets and rule.apply(each.expected) == rule.apply(each.observed)
    ]
    return _without(result, *undefined)


def case_ignored(expected: Observation, observed: Observation, case: str) -> Comparison:
    """Compare messages as if a normalisation made all letters small."""
    result = comparator.compare(expected, observed, case)
    same = [
        each.facet
        for each in result.differences
        if each.facet == "message" and each.expected.lower() == each.observed.lower()
    ]
    return _without(result, *same)


def _without(result: Comparison, *facets: str) -> Comparison:
    kept: list[Difference] = [each for each in result.differences if each.facet not in facets]
    return result._replace(differences=kept)


class _CutDomain(Domain):
    """A domain whose walk ends early, as that of a loop with ``return`` for ``continue``."""

    def cells(self, part: int = 0, parts: int = 1) -> Iterator[Cell]:
        return itertools.islice(super().cells(part, parts), 44)

    def digest(self) -> int:
        return Domain(**self.axes).digest()


def stops_early(prop: Property) -> Property:
    """Let a property visit the first cells only."""
    make = prop.domain
    assert make is not None
    return replace(prop, domain=lambda torch: _CutDomain(**make(torch).axes))


def passes_over(prop: Property) -> Property:
    """Let a property return before it asks, where a name has a digit in it."""

    def body(ask: Probe, *cell: str) -> None:
        if any(character.isdigit() for character in cell[0]):
            return
        prop.body(ask, *cell)

    return replace(prop, body=body)


def swallows(prop: Property) -> Property:
    """Let a property fail before it asks, inside an except that forgives it."""

    def body(ask: Probe, **drawn: Any) -> None:
        with contextlib.suppress(TypeError):
            prop.body(ask, **dict.fromkeys(drawn))

    return replace(prop, body=body)


def integers_undefined(rules: Sequence[Undefined]) -> Sequence[Undefined]:
    """Let the rule for integers hold for numbers that are in range, too."""
    return [
        rule._replace(forgives=lambda elements: _all(elements, elements.target.is_integer))
        if rule.name == "float-to-integer"
        else rule
        for rule in rules
    ]


def nans_undefined(rules: Sequence[Undefined]) -> Sequence[Undefined]:
    """Let the rule for NaN forgive what only the oracle has for NaN."""
    return [
        rule._replace(forgives=rule.holds) if rule.name == "nan-bits" else rule for rule in rules
    ]


def twice_as_inexact(table: Sequence[Inexact]) -> Sequence[Inexact]:
    """Let a table of last bits allow twice as much."""
    return [_widened(row, lambda measured: 2 * measured + 1) for row in table]


def one_step_more(table: Sequence[Inexact]) -> Sequence[Inexact]:
    """Let a table of last bits allow one step more."""
    return [_widened(row, lambda measured: measured + 1) for row in table]


def _widened(row: Inexact, widen: Callable[[int], int]) -> Inexact:
    measured = {dtype: widen(steps) for dtype, steps in row.measured.items()}
    return row._replace(measured=measured)


def _all(elements: Elements, hold: bool) -> Any:
    return np.full(elements.given.shape[:-1], hold)
