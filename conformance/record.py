"""A run as data: parts put together to properties, properties judged, all written as plain data.

Nothing here knows pytest, and `report` sees nothing but what `as_report` returns.
"""

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

from . import surface
from .bulk import Tally
from .clauses import Clause, clauses_by_property, state_of
from .compare import NORMALISATIONS
from .domains import Certificate, Visits
from .expectations import Judged, Judgement
from .library import Library
from .on_cuda import kind_of_devices
from .registry import Property
from .session import Divergence, PartRecord, Session
from .undefined import UNDEFINED

SCHEMA = "torch-attributes-conformance/1"

Report = dict[str, Any]


@dataclass
class PropertyRecord:
    """What all parts of a property did together."""

    claim: Property
    certificate: Certificate
    comparisons: int
    seconds: float
    divergences: list[Divergence]
    normalised: Counter[str] = field(default_factory=Counter)
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    operators: Mapping[str, Tally] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id of the property."""
        return self.claim.id

    @property
    def complete(self) -> bool:
        """Whether the domain is finished and something was compared."""
        return self.certificate.complete and self.comparisons > 0

    def for_judging(self) -> Judged:
        """Return what a judgement is about."""
        found = self.certificate
        coverage = f"{found.visited:,} of {found.size or 'any number of'} cells visited"
        return Judged(self.id, self.complete, coverage, self.divergences)


def merge(prop: Property, parts: Sequence[PartRecord]) -> PropertyRecord:
    """Put the parts of a property together.

    Each part must be there once, and all must have declared the same domain.
    """
    found = sorted(part.part for part in parts)
    if found != list(range(prop.parts)):
        raise ValueError(f"{prop.id}: parts {found} instead of {prop.parts} parts")
    declared = {(part.kind, part.size, part.declared) for part in parts}
    if len(declared) != 1:
        raise ValueError(f"{prop.id}: its parts declare different domains")
    kind, size, digest = declared.pop()
    visits = Visits.union(part.visits for part in parts)
    by_id: dict[str, Divergence] = {}
    for part in sorted(parts, key=lambda each: each.part):
        by_id = {**part.divergences, **by_id}
    return PropertyRecord(
        prop,
        Certificate(kind, size, digest, len(visits.seen), visits.rejected, visits.digest),
        sum(part.comparisons for part in parts),
        sum(part.seconds for part in parts),
        list(by_id.values()),
        sum((part.normalised for part in parts), Counter()),
        _added(part.tallies for part in parts),
        _added(part.operators for part in parts),
    )


def _added(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """Add up what was counted for each pair of dtypes, or each operator."""
    total: dict[str, Tally] = {}
    for each in tallies:
        for pair, tally in each.items():
            total[pair] = total.get(pair, Tally()) + tally
    return total


def to_text(part: PartRecord) -> str:
    """Write a part as text, to travel from a worker."""
    data = {
        **vars(part),
        "visits": {"seen": sorted(part.visits.seen), "rejected": part.visits.rejected},
        "divergences": {key: vars(each) for key, each in part.divergences.items()},
        "tallies": {pair: each.as_data() for pair, each in part.tallies.items()},
        "operators": {key: each.as_data() for key, each in part.operators.items()},
    }
    return json.dumps(data)


def from_text(text: str) -> PartRecord:
    """Read what `to_text` wrote."""
    data = json.loads(text)
    part = PartRecord(
        **{
            **data,
            "visits": Visits(set(data["visits"]["seen"]), data["visits"]["rejected"]),
            "divergences": {},
            "normalised": Counter(data["normalised"]),
            "tallies": {pair: Tally.of_data(each) for pair, each in data["tallies"].items()},
            "operators": {key: Tally.of_data(each) for key, each in data["operators"].items()},
        }
    )
    for each in data["divergences"].values():
        part.note(Divergence(**each))
    return part


def environment(oracle: Library) -> dict[str, str]:
    """Say where the run took place, as far as the result may depend on it."""
    version = getattr(oracle.root, "__version__", None)
    return {
        **({oracle.spec.partition("@")[0]: str(version)} if version else {}),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": sys.platform,
        "machine": platform.machine(),
        "cores": str(os.cpu_count()),
        "cuda": kind_of_devices(oracle),
        **{name: metadata.version(name) for name in ("numpy", "hypothesis", "pytest")},
    }


def known_facts(session: Session) -> dict[str, dict[str, str]]:
    """Say where a session runs, and what the conditions of expectations may ask about."""
    where = environment(session.oracle)
    _, _, device = session.subject.spec.partition("@")
    specs = {"oracle": session.oracle.spec, "subject": session.subject.spec}
    asked = {**where, **specs, "device": device or "cpu"}
    return {"environment": where, "facts": asked}


def as_report(
    records: Sequence[PropertyRecord],
    judgement: Judgement,
    clauses: Sequence[Clause],
    controls: Sequence[Mapping[str, Any]],
    run: Mapping[str, Any],
) -> Report:
    """Write a judged run as plain data.

    ``run`` holds what was asked for and where: subject, oracle, environment,
    profile, seed, duration_s, partial.
    """
    speaks_for = clauses_by_property(clauses)
    verdicts = {record.id: _verdict(record, judgement) for record in records}
    failing = [
        (each.property_id, each.missing or each.case)
        for record in records
        for each in record.divergences
        if judgement.status[each.id] != "expected"
    ]
    rows = [
        _divergence(
            each,
            judgement,
            [clause.id for clause in clauses if clause.is_about(record.id, each.case)],
        )
        for record in records
        for each in record.divergences
    ]
    return {
        "schema": SCHEMA,
        **run,
        "verdict": "conforms" if not judgement.problems and _all_caught(controls) else "fails",
        "totals": _totals(sum(each.comparisons for each in records), rows),
        "problems": [asdict(each) for each in judgement.problems],
        "areas": _areas(records, rows, verdicts),
        "clauses": [
            {
                "id": clause.id,
                "grade": clause.grade,
                "state": state_of(clause, verdicts, failing),
                "text": clause.text,
                "sources": [{"document": d, "heading": h} for d, h in clause.sources],
                "properties": list(clause.properties),
                "superseded_by": clause.superseded_by,
                "note": clause.note,
            }
            for clause in clauses
        ],
        "properties": [
            {
                "id": record.id,
                "area": record.claim.area,
                "summary": record.claim.summary,
                "about_subject": record.claim.about_subject,
                "verdict": verdicts[record.id],
                "clauses": speaks_for.get(record.id, []),
                "comparisons": record.comparisons,
                "divergences": len(record.divergences),
                "domain": record.certificate.as_data(),
            }
            for record in records
        ],
        "divergences": rows,
        "controls": list(controls),
        "normalisations": [
            {
                "name": rule.name,
                "facets": list(rule.facets),
                "why": rule.why,
                "used": sum(record.normalised[rule.name] for record in records),
            }
            for rule in NORMALISATIONS
        ],
        "surface": _surface(records),
        "elements": _elements(_added(record.tallies for record in records)),
        "operators": _operators(_added(record.operators for record in records)),
    }


def _surface(records: Sequence[PropertyRecord]) -> dict[str, Any] | None:
    """Write how many of torch's public names the subject has, if that was asked."""
    for record in records:
        if record.id == "surface.names":
            lacking = (surface.name_in(each.case) for each in record.divergences)
            return surface.counts(record.certificate.size or 0, lacking)
    return None


def _operators(tallies: Mapping[str, Tally]) -> list[dict[str, Any]]:
    """Write how far the elements of each operator were apart, and how far they may be."""
    found = []
    for key, tally in tallies.items():
        operator, _, dtype = key.rpartition(" ")
        found.append({"operator": operator, "dtype": dtype, **tally.as_data()})
    return found


def _elements(tallies: Mapping[str, Tally]) -> dict[str, Any]:
    """Write what was compared element by element, for each pair of dtypes, and by which rules."""
    pairs = [
        {**dict(zip(("source", "target"), pair.split(), strict=True)), **tally.as_data()}
        for pair, tally in tallies.items()
    ]
    total = sum(tallies.values(), Tally())
    return {
        "compared": total.compared,
        "differing": total.differing,
        "pairs": pairs,
        "rules": [
            {
                "name": rule.name,
                "why": rule.why,
                "link": rule.link,
                "undefined": total.undefined[rule.name],
                "forgiven": total.forgiven[rule.name],
            }
            for rule in UNDEFINED
        ],
    }


def _all_caught(controls: Sequence[Mapping[str, Any]]) -> bool:
    return all(control["caught"] for control in controls)


def _verdict(record: PropertyRecord, judgement: Judgement) -> str:
    if any(judgement.status[each.id] != "expected" for each in record.divergences):
        return "diverges"
    return "holds" if record.complete else "not run"


def _divergence(each: Divergence, judgement: Judgement, clauses: list[str]) -> dict[str, Any]:
    expectation = judgement.reasons.get(each.id)
    return {
        "id": each.id,
        "property": each.property_id,
        "clause": clauses,
        "facet": each.facet,
        "case": each.case,
        "expected": each.expected,
        "observed": each.observed,
        "missing": each.missing,
        "fingerprint": each.fingerprint,
        "status": judgement.status[each.id],
        "reason": expectation.reason if expectation else None,
        "link": expectation.link if expectation else None,
        "messages": list(each.messages),
        "votes": each.votes,
        "alone": each.alone,
        "reproduction": each.reproduction,
    }


def _totals(comparisons: int, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    status = Counter(row["status"] for row in rows)
    return {
        "comparisons": comparisons,
        "divergences": len(rows),
        "unexpected": len(rows) - status["expected"] - status["missing"],
        "missing": status["missing"],
        "expected": status["expected"],
    }


def _areas(
    records: Sequence[PropertyRecord],
    rows: Sequence[Mapping[str, Any]],
    verdicts: Mapping[str, str],
) -> list[dict[str, Any]]:
    areas = []
    for area in dict.fromkeys(record.claim.area for record in records):
        inside = [record for record in records if record.claim.area == area]
        ids = {record.id for record in inside}
        found = {verdicts[name] for name in ids}
        verdict = next((state for state in ("diverges", "not run") if state in found), "holds")
        own = [row for row in rows if row["property"] in ids]
        areas.append(
            {
                "area": area,
                "verdict": verdict,
                "properties": len(inside),
                **_totals(sum(record.comparisons for record in inside), own),
            }
        )
    return areas
