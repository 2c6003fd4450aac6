"""A judged run as plain data, which is all that the writers of reports see.

`SCHEMA` names its version; `report/schema.json` describes it field by field.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..comparison.comparator import NORMALISATIONS
from ..comparison.element_cases import ElementCounts
from ..comparison.undefined_elements import UNDEFINED
from ..spec import public_surface
from ..spec.clauses import Clause, clauses_by_property, state_of
from . import answer_grids
from .aggregate import PropertyRecord, added
from .expectations import Judgement
from .records import Divergence

SCHEMA = "torch-attributes-conformance/3"

Report = dict[str, Any]


def as_report(
    records: Sequence[PropertyRecord],
    judgement: Judgement,
    clauses: Sequence[Clause],
    controls: Sequence[Mapping[str, Any]],
    run: Mapping[str, Any],
) -> Report:
    """Write a judged run as plain data.

    ``run`` holds what was asked for, when and where: subject, oracle, environment,
    code, profile, seed, started, duration_s, partial.
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
                "facets": dict(sorted(record.facets.items())),
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
                "used": None
                if rule.by_chance
                else sum(record.normalised[rule.name] for record in records),
            }
            for rule in NORMALISATIONS
        ],
        "surface": _surface(records),
        "elements": _elements(added(record.tallies for record in records)),
        "operators": _operators(added(record.operators for record in records)),
        "pictures": [answer_grids.of_domain(record) for record in records if record.answers],
    }


def _surface(records: Sequence[PropertyRecord]) -> dict[str, Any] | None:
    """Write how many of torch's public names the subject has, if that was asked."""
    for record in records:
        if record.id == "surface.names":
            lacking = (public_surface.name_in(each.case) for each in record.divergences)
            return public_surface.counts(record.certificate.size or 0, lacking)
    return None


def _operators(tallies: Mapping[str, ElementCounts]) -> list[dict[str, Any]]:
    """Write how far the elements of each operator were apart, and how far they may be."""
    found = []
    for key, tally in tallies.items():
        operator, _, dtype = key.rpartition(" ")
        found.append({"operator": operator, "dtype": dtype, **tally.as_data()})
    return found


def _elements(tallies: Mapping[str, ElementCounts]) -> dict[str, Any]:
    """Write what was compared element by element, for each pair of dtypes, and by which rules."""
    pairs = [
        {**dict(zip(("source", "target"), pair.split(), strict=True)), **tally.as_data()}
        for pair, tally in tallies.items()
    ]
    total = sum(tallies.values(), ElementCounts())
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
        "third_party_results": each.third_party_results,
        "outlier": each.outlier,
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
                "facets": _facets(inside, own),
            }
        )
    return areas


def _facets(
    records: Sequence[PropertyRecord], rows: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, int]]:
    """Count comparisons and divergences of an area for each facet."""
    compared = sum((record.facets for record in records), Counter())
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["facet"]].append(row)
    return {facet: _totals(compared[facet], found[facet]) for facet in sorted(compared)}
