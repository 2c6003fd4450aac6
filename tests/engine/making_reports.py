"""Makes reports for tests, by the suite's own way from records to data.

Every report that is made here is held against the schema.  A broken one is made of a good one.
"""

import copy
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape
from typing import Any

from conformance.core.domain import Coverage
from conformance.engine.aggregate import PropertyRecord
from conformance.engine.expectations import Expectation, fingerprint_of, judge
from conformance.engine.records import Divergence
from conformance.engine.registry import Property
from conformance.engine.report_model import as_report
from conformance.report import schema
from conformance.spec.clauses import Clause

ENVIRONMENT = {
    "torch": "2.13.0+cpu", "python": "3.11.7", "implementation": "CPython", "platform": "linux",
    "machine": "x86_64", "cores": "2", "cuda": "FakeTensorMode", "numpy": "2.4.6",
    "hypothesis": "6.170.15", "pytest": "9.2.0",
}  # fmt: skip
RUN = {
    "subject": "theirs", "oracle": "torch", "profile": "quick", "seed": 0,
    "environment": ENVIRONMENT, "code": {"suite": "0123456789abcdef", "subject": None},
    "partial": None, "started": "2026-11-22T03:02:37+00:00", "duration_s": 1.5,
}  # fmt: skip
FACETS = Counter(raises=4, value=3, repr=2)


@dataclass(frozen=True)
class Made:
    """A divergence, and the status that it is to have."""

    divergence: Divergence
    status: str

    @property
    def id(self) -> str:
        return self.divergence.id

    @property
    def expectation(self) -> Expectation | None:
        if self.status not in ("expected", "changed"):
            return None
        it = self.divergence
        fingerprint = fingerprint_of([it]) if self.status == "expected" else "0" * 12
        return Expectation(
            f"of {it.id}", it.property_id, it.facet, escape(it.case), 1, fingerprint, "r", "l"
        )


def divergence(name: str, property: str = "a.p", status: str = "unexpected", **fields: Any) -> Made:
    """Make a divergence in a case that has a name."""
    given = {
        "facet": "value", "case": f"torch.{name}(1)\ntorch.g()", "expected": {"torch": "int8"},
        "observed": {"int": "1"}, "reproduction": "import torch\nprint(1)", **fields,
    }  # fmt: skip
    return Made(Divergence(property, **given), status)


def name_of(row: Mapping[str, Any]) -> str:
    """Return the name of the case that a divergence was made with."""
    found = re.match(r"torch\.(\w+)\(", row["case"])
    assert found
    return found[1]


def record(
    name: str = "a.p", *, size: int | None = 2, visited: int = 2, **fields: Any
) -> PropertyRecord:
    """Make what a property did; without a size it is drawn."""
    claim = Property(name, "It | claims.", lambda: None, 1, about_subject=name != "engine.e")
    kind = "sampled" if size is None else "finite"
    certificate = Coverage(kind, size, size and 7, visited, 0, 7)
    return PropertyRecord(claim, certificate, fields.pop("facets", FACETS), 1.0, [], **fields)


def control(name: str = "c", property: str = "a.p", **fields: Any) -> dict[str, Any]:
    """Make a control that was caught."""
    return {
        "id": name, "kind": "fault", "fault": "f", "property": property, "caught_as": "value",
        "caught": True, "found": ["value"], "problems": 1, "example": "value of x", **fields,
    }  # fmt: skip


NOT_CAUGHT = {"caught": False, "found": ["raises"], "example": "raises of x"}


def clause(name: str = "a.c", *properties: str, **fields: Any) -> Clause:
    """Make a clause that some properties speak for."""
    return Clause(name, **{"grade": "must", "text": "it | works", "sources": (("d", "h"),),
                           "properties": properties, **fields})  # fmt: skip


def report(
    *found: Made,
    records: Sequence[PropertyRecord] | None = None,
    clauses: Sequence[Clause] | None = None,
    controls: Sequence[Mapping[str, Any]] | None = None,
    stale: Sequence[str] = (),
    **changes: Any,
) -> dict[str, Any]:
    """Make a whole report, and hold it against the schema.

    ``stale`` are properties that have an expectation which nothing matches.  Changes are of what
    stands at the top of a report.
    """
    records = [_with(each, found) for each in (records or [record()])]
    names = [each.id for each in records]
    expectations = [each.expectation for each in found if each.expectation]
    expectations += [
        Expectation("old", name, "value", "nothing", 1, "0" * 12, "r", "l") for name in stale
    ]
    judgement = judge([each.for_judging() for each in records], expectations)
    run = {key: changes.pop(key, value) for key, value in RUN.items()}
    made = as_report(
        records,
        judgement,
        [clause("a.c", *names)] if clauses is None else clauses,
        [control(property=names[0])] if controls is None else controls,
        run,
    )
    made = {**made, "baseline": None, **changes}
    schema.check(made)
    return made


def _with(each: PropertyRecord, found: Sequence[Made]) -> PropertyRecord:
    own = [made.divergence for made in found if made.divergence.property_id == each.id]
    return replace(each, facets=each.facets + Counter(it.facet for it in own), divergences=[*own])


def changed(good: Mapping[str, Any], place: str, value: Any) -> Any:
    """Return a report with something else at a place, such as ``divergences.0.facet``.

    A function changes what is there; without a value, `...`, it is taken away.
    """
    made: Any = copy.deepcopy(good)
    holder, *steps = made, *place.split(".")
    for step in steps[:-1]:
        holder = holder[int(step) if isinstance(holder, list) else step]
    last: Any = int(steps[-1]) if isinstance(holder, list) else steps[-1]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value(holder[last]) if callable(value) else value
    return made
