"""Faults of the suite itself: each makes it blind in one way that has happened before."""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...comparison import comparator
from ...comparison.comparator import Comparison
from ...comparison.tolerances import Tolerance
from ...comparison.undefined_elements import Elements, Undefined
from ...core.domain import Cell, Domain
from ...engine.expectations import Expectation
from ...engine.probe import Probe
from ...engine.registry import Property
from ...engine.session import Session
from ...observation.cross_device import observer_for, on_meta
from ...observation.facets import FACETS
from ...observation.runner import Observation
from ..control import (
    Arrange,
    change_comparator,
    change_property,
    change_tolerances,
    change_undefined,
    fault,
    in_one_part,
)
from ..fault_injection import function_hook
from . import subject


@fault("engine.comparator", "verdict", change_comparator)
def nan_equals_zero(expected: Observation, observed: Observation, case: str) -> Comparison:
    """The comparator treats NaN as zero."""
    return comparator.compare(_zeroed(expected), _zeroed(observed), case)


def _zeroed(observation: Observation) -> Observation:
    value = observation.get("value")
    if isinstance(value, dict) and "nan" in str(value.get("float")):
        return {**observation, "value": {"float": "0000000000000000 (0.0)"}}
    return observation


for _facet in FACETS:

    def _blind(
        expected: Observation, observed: Observation, case: str, facet: str = _facet.name
    ) -> Comparison:
        return _without(comparator.compare(expected, observed, case), facet)

    _blind.__name__ = f"blind_to_{_facet.name}"
    _blind.__doc__ = f"The comparator ignores {_facet.name}."
    fault("engine.comparator", "verdict", change_comparator)(_blind)


@fault("engine.comparator", "verdict", change_comparator)
def classes_ignored(expected: Observation, observed: Observation, case: str) -> Comparison:
    """The comparator ignores the classes of errors."""
    both_raised = expected["raises"] is not None and observed["raises"] is not None
    result = comparator.compare(expected, observed, case)
    return _without(result, "raises") if both_raised else result


@fault("engine.comparator", "verdict", change_comparator)
def types_ignored(expected: Observation, observed: Observation, case: str) -> Comparison:
    """The comparator ignores the types of equal numbers."""
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


@fault("engine.normalisations", "verdict", change_comparator)
def all_undefined(expected: Observation, observed: Observation, case: str) -> Comparison:
    """A normalization for undefined answers applies to every case."""
    rule = next(rule for rule in comparator.NORMALIZATIONS if rule.name == "foreign-memory")
    result = comparator.compare(expected, observed, case)
    undefined = [
        difference.facet
        for difference in result.differences
        if difference.facet in rule.facets
        and rule.apply(difference.expected) == rule.apply(difference.observed)
    ]
    return _without(result, *undefined)


@fault("engine.normalisations", "verdict", change_comparator)
def case_ignored(expected: Observation, observed: Observation, case: str) -> Comparison:
    """A normalization ignores upper and lower case."""
    result = comparator.compare(expected, observed, case)
    same = [
        facet
        for facet, expected_text, observed_text in result.differences
        if facet == "message" and expected_text.lower() == observed_text.lower()
    ]
    return _without(result, *same)


def _without(result: Comparison, *facets: str) -> Comparison:
    differences = [row for row in result.differences if row.facet not in facets]
    return result._replace(differences=differences)


class _CutDomain(Domain):
    """A domain that yields only its first 44 cells."""

    def cells(self, part: int = 0, parts: int = 1) -> Iterator[Cell]:
        return itertools.islice(super().cells(part, parts), 44)

    def digest(self) -> int:
        return Domain(**self.axes).digest()


@fault("promotion.promote_types", "incomplete", change_property)
def stops_early(prop: Property) -> Property:
    """A property ends after 44 cells."""
    make = prop.domain
    assert make is not None
    return replace(prop, domain=lambda torch: _CutDomain(**make(torch).axes))


@fault("dtypes.names", "incomplete", change_property)
def passes_over(prop: Property) -> Property:
    """A property skips some cells."""

    def body(ask: Probe, *cell: str) -> None:
        if any(character.isdigit() for character in cell[0]):
            return
        prop.body(ask, *cell)

    return replace(prop, body=body)


@fault("promotion.chains", "incomplete", change_property)
def swallows(prop: Property) -> Property:
    """A property suppresses its own error and runs nothing."""

    def body(ask: Probe, **drawn: Any) -> None:
        with contextlib.suppress(TypeError):
            prop.body(ask, **dict.fromkeys(drawn))

    return replace(prop, body=body)


@fault("casting.undefined", "verdict", change_undefined)
def forgives_integers(rules: Sequence[Undefined]) -> Sequence[Undefined]:
    """Every conversion of a float to an integer is undefined."""
    return [
        rule._replace(forgives=lambda elements: _all(elements, elements.target.is_integer))
        if rule.name == "float-to-integer"
        else rule
        for rule in rules
    ]


@fault("casting.undefined", "verdict", change_undefined)
def forgives_nan(rules: Sequence[Undefined]) -> Sequence[Undefined]:
    """Elements that should be NaN are undefined."""
    return [
        rule._replace(forgives=rule.holds) if rule.name == "nan-bits" else rule for rule in rules
    ]


@fault("unary.bounds", "verdict", change_tolerances)
def forgives_twice_as_much(table: Sequence[Tolerance]) -> Sequence[Tolerance]:
    """The tolerances are twice as large."""
    return [_widened(row, lambda measured: 2 * measured + 1) for row in table]


@fault("unary.bounds", "verdict", change_tolerances)
def forgives_one_more(table: Sequence[Tolerance]) -> Sequence[Tolerance]:
    """The tolerances are one ULP larger."""
    return [_widened(row, lambda measured: measured + 1) for row in table]


def _widened(row: Tolerance, widen: Callable[[int], int]) -> Tolerance:
    measured = {dtype: widen(steps) for dtype, steps in row.measured.items()}
    return row._replace(measured=measured)


def _all(elements: Elements, hold: bool) -> Any:
    return np.full(elements.inputs.shape[:-1], hold)


@fault("factories.dtypes", "raises")
def answers_of_meta() -> Arrange:
    """A subject on meta answers like torch on meta instead of on the CPU."""

    def arrange(session: Session, prop: Property) -> tuple[Session, Property]:
        library = on_meta(session.oracle)
        return replace(session, subject=library, observer=observer_for(library)), in_one_part(prop)

    return arrange


_EXPECTATION = Expectation(
    "planted", "promotion.promote_types", "value",
    "*torch.promote_types(torch.uint8, torch.int8)", 1, "0" * 12, "planted", "none",
)  # fmt: skip


@fault("promotion.promote_types", "stale", expectation=_EXPECTATION)
def stale_expectation() -> Arrange:
    """An expectation matches nothing."""
    return lambda session, prop: (session, prop)


@fault(
    "promotion.promote_types",
    "changed",
    function_hook,
    "promote_types",
    expectation=_EXPECTATION,
)
def changed_expectation(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """An expectation matches other answers than before."""
    return subject.wrong_promotion(function, torch, *args, **kwargs)
