"""A judged run as plain data, the only input of the writers of reports.

`SCHEMA` is its version; `report/schema.json` describes each field.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..comparison.comparator import NORMALIZATIONS
from ..comparison.element_cases import ElementCounts
from ..comparison.undefined_elements import UNDEFINED
from ..observation.levels import LEVELS, level_of_facet, level_of_fact
from ..spec import public_surface
from ..spec.clauses import Clause, clauses_by_property, load_documents, state_of
from . import answer_grids
from .aggregate import PropertyRecord, merge_counts
from .expectations import Expectation, Judgement
from .records import Divergence

SCHEMA = "torch-attributes-conformance/4"

Report = dict[str, Any]


def as_report(
    records: Sequence[PropertyRecord],
    judgement: Judgement,
    clauses: Sequence[Clause],
    controls: Sequence[Mapping[str, Any]],
    run: Mapping[str, Any],
    certificate: Mapping[str, Any] | None = None,
    lacking: Mapping[str, str] | None = None,
) -> Report:
    """Return a judged run as plain data.

    run: the settings and the environment: subject, oracle, environment, code, profile, level, seed,
        started, duration_s, partial, and interrupted if it was
    certificate: the origin of the controls' results if they did not run
    lacking: why facts that no adapter declares are not asked
    """
    speaks_for = clauses_by_property(clauses)
    not_asked = _not_asked(records, lacking or {})
    fails = any(not row["is_declared"] and row["level"] <= run["level"] for row in not_asked)
    conforms = not (judgement.problems or fails or run.get("interrupted"))
    conforms = conforms and all(control["caught"] for control in controls)
    verdicts = {record.id: _verdict(record, judgement) for record in records}
    divergences = [each for record in records for each in record.divergences]
    failing = [
        (each.property_id, each.missing or each.case)
        for each in divergences
        if judgement.status[each.id] != "expected" or judgement.is_accepted(each)
    ]
    rows = [_divergence(each, judgement, clauses) for each in divergences]
    return {
        "schema": SCHEMA,
        **run,
        "verdict": "conforms" if conforms else "fails",
        "totals": _totals(sum(record.comparisons for record in records), rows),
        "problems": [asdict(problem) for problem in judgement.problems],
        "blocked": _blocked(records),
        "not_asked": not_asked,
        "areas": _areas(records, rows, verdicts),
        "levels": _levels(records, rows),
        "documents": [document._asdict() for document in load_documents()],
        "clauses": [
            {
                "id": clause.id,
                "grade": clause.grade,
                "state": state_of(clause, verdicts, failing),
                "text": clause.text,
                "heading": clause.heading,
                "documents": list(clause.documents),
                "properties": list(clause.properties),
                "superseded_by": clause.superseded_by,
                "note": " ".join(filter(None, (clause.note, clause.unobservable))) or None,
            }
            for clause in clauses
        ],
        "properties": [
            {
                "id": record.id,
                "area": record.prop.area,
                "summary": record.prop.summary,
                "about_subject": record.prop.about_subject,
                "verdict": verdicts[record.id],
                "clauses": speaks_for.get(record.id, []),
                "comparisons": record.comparisons,
                "seconds": round(record.seconds, 3),
                "facets": dict(sorted(record.facets.items())),
                "divergences": len(record.divergences),
                "domain": record.coverage.as_data(),
                "excused": _reason(judgement.domains.get(record.id)),
            }
            for record in records
        ],
        "divergences": rows,
        "controls": list(controls),
        "certificate": certificate,
        "normalisations": [
            {
                "name": rule.name,
                "facets": list(rule.facets),
                "why": rule.why,
                "used": None
                if rule.by_chance
                else sum(record.normalized[rule.name] for record in records),
            }
            for rule in NORMALIZATIONS
        ],
        "surface": _surface(records),
        "schemas": _schemas(records),
        "elements": _elements(merge_counts(record.tallies for record in records)),
        "unwritten": _unwritten(records),
        "operators": _counted(
            ("operator", "dtype"), merge_counts(record.operators for record in records)
        ),
        "pictures": [answer_grids.grid_of_domain(record) for record in records if record.answers],
    }


def _blocked(records: Sequence[PropertyRecord]) -> list[dict[str, Any]]:
    """Return the calls that block questions, by the number of cells and then of drawn cases."""
    rows: dict[str, dict[str, Any]] = {}
    for record in records:
        kind = "cases" if record.coverage.size is None else "cells"
        for blocker, count in record.coverage.blocked_by.items():
            row = rows.setdefault(
                blocker, {"by": blocker, "cells": 0, "cases": 0, "properties": []}
            )
            row[kind] += count
            row["properties"].append(record.id)
    return sorted(rows.values(), key=lambda row: (-row["cells"], -row["cases"], row["by"]))


def _not_asked(
    records: Sequence[PropertyRecord], lacking: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the facts that were not asked, how often, and why; those without a reason first."""
    counts: Counter[str] = sum((record.not_asked for record in records), Counter())
    rows = [
        {"fact": fact, "level": level_of_fact(fact), "count": counts[fact],
         "why": lacking.get(fact, ""), "is_declared": fact not in lacking}
        for fact in sorted({*counts, *lacking})
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row["is_declared"], -row["count"]))


def _levels(
    records: Sequence[PropertyRecord], rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the numbers of facts, of wrong ones and of divergences for each area and level.

    Facts of the suite, which are no facts of the subject, are left out.
    """
    levels = []
    about_subject = [record for record in records if record.prop.about_subject]
    for area in dict.fromkeys(record.prop.area for record in about_subject):
        asked: Counter[int] = Counter()
        wrong: Counter[int] = Counter()
        of_area = {record.id: record for record in about_subject if record.prop.area == area}
        for record in of_area.values():
            _count_levels(record, asked, wrong)
        unexpected = Counter(
            row["level"]
            for row in rows
            if row["property"] in of_area and row["status"] != "expected"
        )
        levels += [
            {
                "area": area, "level": level, "asked": asked[level], "wrong": wrong[level],
                "unexpected": unexpected[level],
            }
            for level in LEVELS
        ]  # fmt: skip
    return levels


def _count_levels(record: PropertyRecord, asked: Counter[int], wrong: Counter[int]) -> None:
    for facet, number in record.facets.items():
        asked[level_of_facet(facet)] += number
    for key, number in record.wrong.items():
        level, _, facet = key.partition(" ")
        wrong[int(level)] += number
        if int(level) != level_of_facet(facet):
            # A part of the facet, which is a fact of another level.
            asked[int(level)] += number


def _surface(records: Sequence[PropertyRecord]) -> dict[str, Any] | None:
    """Return the counts of torch's public names in the subject, or None if they were not tested."""
    for record in records:
        if record.id == "surface.names":
            missing = (divergence.missing or "" for divergence in record.divergences)
            return public_surface.counts(record.coverage.size or 0, missing)
    return None


def _schemas(records: Sequence[PropertyRecord]) -> dict[str, Any] | None:
    """Return the overloads of operators that were asked, and the others by their reasons.

    None if they were not tested.
    """
    by_id = {record.id: record for record in records}
    asked, unasked = by_id.get("schemas.calls"), by_id.get("schemas.unasked")
    if asked is None or unasked is None:
        return None
    reasons: dict[str, list[str]] = {}
    for row in unasked.axes["row"]:
        overload, _, reason = row.partition(": ")
        reasons.setdefault(reason, []).append(overload)
    return {
        "asked": asked.coverage.visited,
        "not_asked": [
            {"reason": reason, "overloads": overloads} for reason, overloads in reasons.items()
        ],
    }


def _counted(names: tuple[str, str], tallies: Mapping[str, ElementCounts]) -> list[dict[str, Any]]:
    """Return element counts as rows; a key has the values of two names."""
    return [
        {**dict(zip(names, key.rsplit(" ", 1), strict=True)), **tally.as_data()}
        for key, tally in tallies.items()
    ]


def _elements(tallies: Mapping[str, ElementCounts]) -> dict[str, Any]:
    total = sum(tallies.values(), ElementCounts())
    return {
        "compared": total.compared,
        "differing": total.differing,
        "pairs": _counted(("source", "target"), tallies),
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


def _unwritten(records: Sequence[PropertyRecord]) -> list[dict[str, Any]]:
    """Return the numbers of compared elements of each area, and of those that nothing wrote."""
    rows: dict[str, dict[str, Any]] = {}
    for record in records:
        area = record.prop.area
        row = rows.setdefault(area, {"area": area, "compared": 0, "forgiven": 0})
        row["compared"] += record.elements
        row["forgiven"] += record.unwritten
    return list(rows.values())


def _verdict(record: PropertyRecord, judgement: Judgement) -> str:
    if any(judgement.status[each.id] != "expected" for each in record.divergences):
        return "diverges"
    return "holds" if record.complete else "not run"


def _reason(expectation: Expectation | None) -> str | None:
    return expectation.reason if expectation else None


def _divergence(
    divergence: Divergence, judgement: Judgement, clauses: Sequence[Clause]
) -> dict[str, Any]:
    expectation = judgement.reasons.get(divergence.id)
    name, found = divergence.property_id, divergence.origin
    return {
        "id": divergence.id,
        "property": name,
        "clause": [clause.id for clause in clauses if clause.is_about(name, found.case)],
        "facet": divergence.facet,
        "case": divergence.case,
        "drawn": found.case if divergence.drawn else None,
        "expected": divergence.expected,
        "observed": divergence.observed,
        "missing": divergence.missing,
        "level": divergence.level,
        "fingerprint": divergence.fingerprint,
        "status": judgement.status[divergence.id],
        "reason": expectation.reason if expectation else None,
        "link": (expectation.link or None) if expectation else None,
        "messages": list(divergence.messages),
        "third_party_results": divergence.third_party_results,
        "outlier": divergence.outlier,
        "reproduction": divergence.reproduction,
        **({"accepted": True} if judgement.is_accepted(divergence) else {}),
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
    for area in dict.fromkeys(record.prop.area for record in records):
        inside = [record for record in records if record.prop.area == area]
        ids = {record.id for record in inside}
        states = {verdicts[name] for name in ids}
        verdict = next((state for state in ("diverges", "not run") if state in states), "holds")
        area_rows = [row for row in rows if row["property"] in ids]
        areas.append(
            {
                "area": area,
                "verdict": verdict,
                "properties": len(inside),
                **_totals(sum(record.comparisons for record in inside), area_rows),
                "facets": _facets(inside, area_rows),
            }
        )
    return areas


def _facets(
    records: Sequence[PropertyRecord], rows: Sequence[Mapping[str, Any]]
) -> dict[str, dict[str, int]]:
    compared = sum((record.facets for record in records), Counter())
    return {
        facet: _totals(compared[facet], [row for row in rows if row["facet"] == facet])
        for facet in sorted(compared)
    }
