"""Reports for tests, built from records with the functions of the engine.

Every report is checked against the schema.  Invalid reports are valid ones with one change.
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
    "level": 3, "environment": ENVIRONMENT, "code": {"suite": "0123456789abcdef", "subject": None},
    "partial": None, "started": "2026-11-22T03:02:37+00:00", "duration_s": 1.5,
}  # fmt: skip
FACETS = Counter(raises=4, value=3, repr=2)


@dataclass(frozen=True)
class JudgedDivergence:
    """A divergence and its status in the report."""

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


def divergence(
    name: str, property: str = "a.p", status: str = "unexpected", **fields: Any
) -> JudgedDivergence:
    """Return a divergence in the case ``torch.<name>(1)``."""
    defaults = {
        "facet": "value", "case": f"torch.{name}(1)\ntorch.g()", "expected": {"torch": "int8"},
        "observed": {"int": "1"}, "reproduction": "import torch\nprint(1)", **fields,
    }  # fmt: skip
    return JudgedDivergence(Divergence(property, **defaults), status)


def name_of(row: Mapping[str, Any]) -> str:
    """Return the name that `divergence` was called with."""
    match = re.match(r"torch\.(\w+)\(", row["case"])
    assert match
    return match[1]


def record(
    name: str = "a.p",
    *,
    size: int | None = 2,
    visited: int = 2,
    blocked: int = 0,
    by: Sequence[str] = ("torch.f",),
    refused: int = 0,
    one_in: int = 1,
    digest: int = 7,
    **fields: Any,
) -> PropertyRecord:
    """Return the record of a property; without a size it is sampled.

    Each of the calls ``by`` blocks all ``blocked`` cells. torch.g refuses ``refused`` cells.
    """
    prop = Property(name, "It | claims.", lambda: None, 1, about_subject=name != "engine.e")
    mode = "sampled" if size is None else "finite"
    blocked_by = dict.fromkeys(by if blocked else (), blocked)
    declared = None if size is None else digest
    refused_by = {"torch.g": refused} if refused else {}
    coverage = Coverage(
        mode, size, declared, visited, 0, digest, blocked, blocked_by, one_in,
        refused=refused, refused_by=refused_by,
    )  # fmt: skip
    return PropertyRecord(prop, coverage, fields.pop("facets", FACETS), 1.0, [], **fields)


def control(name: str = "c", property: str = "a.p", **fields: Any) -> dict[str, Any]:
    """Return a control that was caught."""
    return {
        "id": name, "kind": "fault", "fault": "f", "property": property, "caught_as": "value",
        "caught": True, "found": ["value"], "problems": 1, "example": "value of x", **fields,
    }  # fmt: skip


NOT_CAUGHT = {"caught": False, "found": ["raises"], "example": "raises of x"}


def clause(name: str = "a.c", *properties: str, **fields: Any) -> Clause:
    """Return a clause with its properties."""
    defaults = {"grade": "must", "text": "it | works", "heading": "h", "documents": ("000",)}
    return Clause(name, **{**defaults, "properties": properties, **fields})


def report(
    *divergences: JudgedDivergence,
    records: Sequence[PropertyRecord] | None = None,
    clauses: Sequence[Clause] | None = None,
    controls: Sequence[Mapping[str, Any]] | None = None,
    stale: Sequence[str] = (),
    lacking: Mapping[str, str] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Return a report, checked against the schema.

    ``stale``: properties with an expectation that matches no divergence.
    ``lacking``: why facts that no adapter declares are not asked.
    ``changes``: top-level fields of the report.
    """
    records = [_with(record_, divergences) for record_ in (records or [record()])]
    names = [record_.id for record_ in records]
    expectations = [it.expectation for it in divergences if it.expectation]
    expectations += [
        Expectation("old", name, "value", "nothing", 1, "0" * 12, "r", "l") for name in stale
    ]
    judgement = judge([record_.for_judging() for record_ in records], expectations)
    run = {key: changes.pop(key, value) for key, value in RUN.items()}
    data = as_report(
        records,
        judgement,
        [clause("a.c", *names)] if clauses is None else clauses,
        [control(property=names[0])] if controls is None else controls,
        run,
        lacking=lacking,
    )
    data = {**data, "baseline": None, **changes}
    schema.check(data)
    return data


def _with(record_: PropertyRecord, divergences: Sequence[JudgedDivergence]) -> PropertyRecord:
    own_divergences = [
        it.divergence for it in divergences if it.divergence.property_id == record_.id
    ]
    return replace(
        record_,
        facets=record_.facets + Counter(it.facet for it in own_divergences),
        divergences=[*own_divergences],
    )


def changed(original: Mapping[str, Any], path: str, value: Any) -> Any:
    """Return a report with another value at a path, such as ``divergences.0.facet``.

    A callable maps the old value to the new one.  `...` deletes the value.
    """
    data: Any = copy.deepcopy(original)
    container, *steps = data, *path.split(".")
    for step in steps[:-1]:
        container = container[int(step) if isinstance(container, list) else step]
    last: Any = int(steps[-1]) if isinstance(container, list) else steps[-1]
    if value is ...:
        del container[last]
    else:
        container[last] = value(container[last]) if callable(value) else value
    return data
