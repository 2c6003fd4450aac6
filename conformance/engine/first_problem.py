"""The first reason for which a property fails a run, found without running the rest of it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .aggregate import merge
from .execution import run_property
from .expectations import ANY, Expectation, Problem, judge
from .records import Divergence, PartRecord
from .registry import Property
from .session import Session


def first_problem(
    session: Session,
    prop: Property,
    expectations: Iterable[Expectation],
    facts: Mapping[str, str],
) -> Problem | None:
    """Return a problem of a property, or None if it holds.

    The property ends with the first divergence that no expectation of ``expectations`` that
    applies covers. A divergence that one covers is judged when all of the property has run.
    """
    applying = [each for each in expectations if each.property == prop.id and each.applies(facts)]

    def is_unexpected(divergence: Divergence) -> bool:
        return not any(
            each.covers(divergence) and (each.count != ANY or each.matches([divergence]))
            for each in applying
        )

    def is_problem(record: PartRecord) -> bool:
        return any(map(is_unexpected, record.divergences.values()))

    records = run_property(replace(session, stops_at=is_problem), prop)
    judged = merge(prop, records).for_judging()
    problems = judge([judged], applying, facts).problems
    divergences = [problem for problem in problems if problem.kind == "divergence"]
    return next(iter((*divergences, *problems)), None)
