"""Several whole reports as one matrix: a column for each run, a row for each property.

Plain data, as a report is, of which `matrix_markdown` and `matrix_html` are made.  Nothing is averaged,
and no share of anything is given: what differs is named.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.errors import CouldNotRun
from ..text import Report, verdict_line

SCHEMA = "torch-attributes-conformance-matrix/1"

Matrix = dict[str, Any]

COUNTS = ("unexpected", "missing", "expected")
AGREES, NOT_SEEN = "agrees", "not seen"
"""What a column is to a divergence that it has not.  It agrees where it was asked the same, all of it,
and lacks no name; elsewhere the case may not have been asked, or not answered."""


def of_reports(reports: Sequence[Report], names: Sequence[str]) -> Matrix:
    """Make a matrix of reports, with its columns in the order of the reports.

    ``names`` are what refusals call the reports.  Raises `CouldNotRun` if they cannot stand side by side:
    made by different suites, asked for differently, the same twice, or not to be told apart.
    """
    _check_asked_alike(reports, names)
    labels = _labels(reports)
    _check_told_apart(reports, names, labels)
    first = reports[0]
    return {
        "schema": SCHEMA,
        "suite": first["code"]["suite"],
        "profile": first["profile"],
        "seed": first["seed"],
        "partial": first["partial"],
        "verdict": _verdict([each["verdict"] for each in reports]),
        "columns": [_column(*each) for each in zip(labels, reports, strict=True)],
        "areas": _areas(reports),
        "divergences": _divergences(reports),
        "clauses": _clauses(reports),
    }


def _verdict(verdicts: Sequence[str]) -> str:
    return "conforms" if set(verdicts) == {"conforms"} else "fails"


def _check_asked_alike(reports: Sequence[Report], names: Sequence[str]) -> None:
    for report, name in zip(reports, names, strict=True):
        if not (report.get("code") or {}).get("suite"):
            raise CouldNotRun(f"{name} does not say which suite made it")
    asked = [
        {
            "the code of the suite": report["code"]["suite"],
            "profile": report["profile"],
            "seed": report["seed"],
            "area": report["partial"] or "all",
            "list of properties": [each["id"] for each in report["properties"]],
        }
        for report in reports
    ]
    for name, other in zip(names, asked, strict=True):
        for what, value in other.items():
            if value != asked[0][what]:
                values = (
                    ""
                    if isinstance(value, list)
                    else f": {asked[0][what]} in one, {value} in the other"
                )
                raise CouldNotRun(f"{names[0]} and {name} differ in {what}{values}")


def _labels(reports: Sequence[Report]) -> list[str]:
    """Return what each column is called: its subject, and what else tells it from the others."""
    told = [_identity(report) for report in reports]
    labels = [each["subject"] for each in told]
    for what in dict.fromkeys(name for each in told for name in each):
        values = [each.get(what, "none") for each in told]
        needed = what in _ALWAYS_TOLD or len(set(labels)) < len(labels)
        if what != "subject" and needed and len(set(values)) > 1:
            labels = [
                f"{label}, {what} {value}" for label, value in zip(labels, values, strict=True)
            ]
    return labels


_ALWAYS_TOLD = ("oracle", "torch", "platform", "machine")
"""What is part of a column's name wherever columns differ in it."""


def _identity(report: Report) -> dict[str, str]:
    """Return by what a run is told from others; when it ran, and on how many cores, is nothing of it."""
    where = {name: str(value) for name, value in report["environment"].items() if name != "cores"}
    code = {"code": str(report["code"].get("subject"))}
    return {"subject": report["subject"], "oracle": report["oracle"], **where, **code}


def _check_told_apart(
    reports: Sequence[Report], names: Sequence[str], labels: Sequence[str]
) -> None:
    first: dict[str, int] = {}
    for index, label in enumerate(labels):
        if (other := first.setdefault(label, index)) == index:
            continue
        which = f"{names[other]} and {names[index]}"
        if _content(reports[other]) == _content(reports[index]):
            raise CouldNotRun(f"{which} are the same run of {label}, twice")
        raise CouldNotRun(
            f"nobody could tell {which} apart: both are {label} in the same environment,"
            " and what they hold differs"
        )


def _content(report: Report) -> dict[str, Any]:
    passing = ("started", "duration_s", "environment", "baseline")
    return {name: value for name, value in report.items() if name not in passing}


def _column(label: str, report: Report) -> dict[str, Any]:
    environment = report["environment"]
    return {
        "name": label,
        "summary": verdict_line(report),
        "verdict": report["verdict"],
        "subject": report["subject"],
        "oracle": report["oracle"],
        "oracle_version": environment.get(report["oracle"].partition("@")[0]),
        "device": report["subject"].partition("@")[2] or "cpu",
        "platform": f"{environment.get('platform')} {environment.get('machine')}",
        "environment": dict(environment),
        "code": report["code"].get("subject"),
        "started": report.get("started"),
        "duration_s": report["duration_s"],
        "totals": dict(report["totals"]),
        "controls": {
            kind: {"run": len(found), "caught": sum(each["caught"] for each in found)}
            for kind in ("fault", "itself")
            for found in [[each for each in report["controls"] if each["kind"] == kind]]
        },
        "problems": [each for each in report["problems"] if each["kind"] != "divergence"],
    }


def _areas(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Write a row for each area, and in it one for each of its properties, with a cell for each column."""
    by_area = [{each["area"]: each for each in report["areas"]} for report in reports]
    cells = [_cells(report) for report in reports]
    areas = []
    for area in by_area[0]:
        inside = [each for each in reports[0]["properties"] if each["area"] == area]
        areas.append(
            {
                "area": area,
                "cells": [
                    {
                        "verdict": areas_of_one[area]["verdict"],
                        "comparisons": areas_of_one[area]["comparisons"],
                        **{kind: areas_of_one[area][kind] for kind in COUNTS},
                        "domains": _domains([of_one[each["id"]] for each in inside]),
                    }
                    for areas_of_one, of_one in zip(by_area, cells, strict=True)
                ],
                "properties": [
                    {
                        "id": each["id"],
                        "summary": each["summary"],
                        "cells": [of_one[each["id"]] for of_one in cells],
                    }
                    for each in inside
                ],
            }
        )
    return areas


def _cells(report: Report) -> dict[str, dict[str, Any]]:
    """Return the cell of each property of a run."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for each in report["divergences"]:
        known = each["status"] if each["status"] in COUNTS else "unexpected"
        found[each["property"]][known] += 1
    return {
        each["id"]: {
            "verdict": each["verdict"],
            "comparisons": each["comparisons"],
            **{kind: found[each["id"]][kind] for kind in COUNTS},
            "domain": dict(each["domain"]),
        }
        for each in report["properties"]
    }


def _domains(cells: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Count the domains of an area: finite ones, those of them that are complete, and drawn cases."""
    domains = [each["domain"] for each in cells]
    finite = [each for each in domains if each["kind"] == "finite"]
    return {
        "finite": len(finite),
        "complete": sum(each["complete"] for each in finite),
        "drawn": sum(each["visited"] for each in domains if each["kind"] != "finite"),
    }


def _divergences(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Write every divergence once, by its identity: which columns have it, and who answers what."""
    by_id = [{each["id"]: each for each in report["divergences"]} for report in reports]
    answered = [_answered(report) for report in reports]
    order = {each["id"]: index for index, each in enumerate(reports[0]["properties"])}
    shown = {key: each for found in reversed(by_id) for key, each in found.items()}
    every = dict.fromkeys(key for found in by_id for key in found)
    rows = []
    for key in sorted(every, key=lambda key: order[shown[key]["property"]]):
        each = shown[key]
        met = [found.get(key) for found in by_id]
        domains = [found[each["property"]] for found in answered]
        rows.append(
            {
                **{name: each[name] for name in ("id", "property", "facet", "case", "missing")},
                "cells": [*_divergence_cells(met, domains)],
                "answers": _answers(met),
                "reproduction": each["reproduction"],
            }
        )
    return rows


def _answered(report: Report) -> dict[str, tuple[str, bool]]:
    """Return for each property the digest of its domain, and whether every cell of it was answered.

    Where names are missing, nobody knows what would have been answered.
    """
    lacking = {each["property"] for each in report["divergences"] if each["missing"]}
    return {
        each["id"]: (
            each["domain"]["digest"],
            each["domain"]["kind"] == "finite"
            and each["domain"]["complete"]
            and each["id"] not in lacking,
        )
        for each in report["properties"]
    }


def _divergence_cells(
    met: Sequence[Mapping[str, Any] | None], domains: Sequence[tuple[str, bool]]
) -> Iterator[dict[str, Any]]:
    """Say of each column what it is to a divergence: its status there, or that it has it not."""
    theirs = {digest for (digest, _), found in zip(domains, met, strict=True) if found}
    for found, (digest, answered) in zip(met, domains, strict=True):
        if found:
            yield {"state": found["status"], "fingerprint": found["fingerprint"]}
        else:
            state = AGREES if answered and digest in theirs else NOT_SEEN
            yield {"state": state, "fingerprint": None}


def _answers(met: Sequence[Mapping[str, Any] | None]) -> list[dict[str, Any]]:
    """Tell apart what is expected and observed, and in which columns, by their places."""
    answers: dict[str, dict[str, Any]] = {}
    for index, each in enumerate(met):
        if each:
            said = {
                name: each[name] for name in ("fingerprint", "expected", "observed", "messages")
            }
            answers.setdefault(each["fingerprint"], {**said, "columns": []})["columns"].append(
                index
            )
    return [*answers.values()]


def _clauses(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Write the clauses whose state differs between columns."""
    states = [{each["id"]: each["state"] for each in report["clauses"]} for report in reports]
    return [
        {
            **{name: each[name] for name in ("id", "grade", "text")},
            "states": [found.get(each["id"], "not run") for found in states],
        }
        for each in reports[0]["clauses"]
        if len({found.get(each["id"]) for found in states}) > 1
    ]
