"""Controls: planted faults, and the decorator that registers one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..comparison.tolerances import Tolerance
from ..comparison.undefined_elements import Undefined
from ..core.domain import Cell
from ..core.profiles import FAULTS
from ..engine.aggregate import merge
from ..engine.execution import run_property
from ..engine.expectations import Expectation, Problem, judge
from ..engine.probe import Probe
from ..engine.records import PartRecord
from ..engine.registry import Property
from ..engine.session import Compare, Mask, Session
from ..observation.cross_device import without_device
from ..observation.facets import observe
from ..properties import all_properties
from .certificates import cells_that_caught
from .fault_injection import Fault, FaultyLibrary

Arrange = Callable[[Session, Property], tuple[Session, Property]]


@dataclass(frozen=True)
class Control:
    """A fault and the property that must catch it.

    fault: the text of the fault
    caught_as: the facet of the divergences, or the kind of the problem
    arrange: the function that plants the fault in a session or a property
    expectation: an expectation for the planted run
    """

    id: str
    fault: str
    property: str
    caught_as: str
    arrange: Arrange
    expectation: Expectation | None = None

    def run(self, session: Session) -> dict[str, Any]:
        """Plant the fault, run the property, and return whether it catches the fault, as data."""
        cells: list[Cell] = []
        problems = self.problems(replace(session, profile=FAULTS, stops_at=self._is_caught), cells)
        found = {p.facet if p.kind == "divergence" else p.kind for p in problems}
        kinds = sorted(found, key=str)
        return {
            "id": self.id,
            "kind": "fault",
            "fault": self.fault,
            "property": self.property,
            "caught_as": self.caught_as,
            "caught": self.caught_as in kinds,
            "found": kinds,
            "cell": cells[-1] if cells and self.caught_as in found else None,
            "problems": len(problems),
            "example": problems[0].text if problems else None,
        }

    def _is_caught(self, record: PartRecord) -> bool:
        if self.caught_as == "blocked":
            return bool(record.visits.blocked)
        return any(each.facet == self.caught_as for each in record.divergences.values())

    def problems(self, session: Session, cells: list[Cell]) -> Sequence[Problem]:
        """Return the problems of the property with the fault planted; add its cells to a list."""
        torch = without_device(session.oracle)
        against_torch = replace(session, oracle=torch, subject=torch, observer=observe)
        prop = all_properties()[self.property]
        if (cell := cells_that_caught().get(self.id)) is not None:
            prop = _starting_with(cell, prop)
        session, prop = self.arrange(against_torch, _noting_cells(cells, prop))
        record = merge(prop, run_property(session, prop))
        return judge(
            [record.for_judging()], [self.expectation] if self.expectation else []
        ).problems


def _starting_with(cell: Cell, prop: Property) -> Property:
    domain = prop.domain
    if domain is None:
        return prop
    return replace(prop, domain=lambda torch: domain(torch).starting_with(cell))


def _noting_cells(cells: list[Cell], prop: Property) -> Property:
    if prop.domain is None:
        return prop

    def body(ask: Probe, *cell: str) -> None:
        cells.append(cell)
        prop.body(ask, *cell)

    return replace(prop, body=body)


def in_one_part(prop: Property) -> Property:
    """Return a property with one part whose cells are scattered, so that rare cells come soon."""
    domain = prop.domain
    if domain is None:
        return prop
    return replace(prop, parts=1, domain=lambda torch: domain(torch).scattered())


def change_subject(fault: Fault) -> Arrange:
    """Return a function that replaces the subject by the oracle with a fault."""
    return lambda session, prop: (
        replace(session, subject=FaultyLibrary(session.oracle.root, fault)),
        in_one_part(prop),
    )


def change_comparator(compare: Compare) -> Arrange:
    """Return a function that replaces the comparator of the session."""
    return lambda session, prop: (replace(session, compare=compare), prop)


def change_mask(mask: Mask) -> Arrange:
    """Return a function that replaces the masking of unwritten elements."""
    return lambda session, prop: (replace(session, mask=mask), prop)


def change_undefined(change: Callable[[Sequence[Undefined]], Sequence[Undefined]]) -> Arrange:
    """Return a function that changes the rules for undefined elements."""
    return lambda session, prop: (replace(session, undefined=change(session.undefined)), prop)


def change_tolerances(change: Callable[[Sequence[Tolerance]], Sequence[Tolerance]]) -> Arrange:
    """Return a function that changes the table of tolerances."""
    return lambda session, prop: (replace(session, tolerances=change(session.tolerances)), prop)


def change_property(change: Callable[[Property], Property]) -> Arrange:
    """Return a function that changes the property itself."""
    return lambda session, prop: (session, change(prop))


CONTROLS: list[Control] = []
"""Every planted fault, in the order of the modules of `faults`."""


def fault(
    property: str,
    caught_as: str,
    plant: Callable[..., Any] | None = None,
    *args: Any,
    expectation: Expectation | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as a fault that ``property`` must catch as ``caught_as``.

    ``plant(*args, function)`` returns a `Fault` or an `Arrange` function; without ``plant``,
    ``function()`` does. The control has the function's name as id and its docstring as text.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        planted = function() if plant is None else plant(*args, function)
        arrange = change_subject(planted) if isinstance(planted, Fault) else planted
        name = function.__name__.strip("_").replace("_", "-")
        text = (function.__doc__ or "").partition("\n\n")[0].rstrip(".")
        CONTROLS.append(Control(name, text, property, caught_as, arrange, expectation))
        return function

    return register
