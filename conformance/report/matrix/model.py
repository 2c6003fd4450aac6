"""The matrix of several complete reports: a column for each run, a row for each property.

It is plain data, as a report is; `matrix.markdown` and `matrix.html` write it.  It has no averages
over runs, and names each difference.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.errors import CouldNotRun
from .. import causes, levels
from ..text import COUNTS, Report, domain_counts, missing_names, verdict_line

SCHEMA = "torch-attributes-conformance-matrix/1"

Matrix = dict[str, Any]

MAX_CAUSES = 5
"""The number of groups of causes that are named for each run: those to mend first."""

AGREES, NOT_SEEN = "agrees", "not seen"
"""The states of a column without a certain divergence: it agrees if it visited the same whole
domain and lacks no name."""


def matrix_from_reports(reports: Sequence[Report], names: Sequence[str]) -> Matrix:
    """Return the matrix of reports, with its columns in the order of the reports.

    Error messages use ``names`` for the reports.  Raises `CouldNotRun` if the suites or settings
    differ, or if two reports are the same or cannot be distinguished.
    """
    _check_asked_alike(reports, names)
    labels = _labels(reports)
    _check_distinct(reports, names, labels)
    first = reports[0]
    return {
        "schema": SCHEMA,
        "suite": first["code"]["suite"],
        "profile": first["profile"],
        "seed": first["seed"],
        "partial": first["partial"],
        "verdict": (
            "conforms" if {report["verdict"] for report in reports} == {"conforms"} else "fails"
        ),
        "columns": [_column(*pair) for pair in zip(labels, reports, strict=True)],
        "areas": _areas(reports),
        "divergences": _divergences(reports),
        "clauses": _clauses(reports),
    }


def _check_asked_alike(reports: Sequence[Report], names: Sequence[str]) -> None:
    for report, name in zip(reports, names, strict=True):
        if not (report.get("code") or {}).get("suite"):
            raise CouldNotRun(f"{name} does not say which suite made it")
    settings = [
        {
            "the code of the suite": report["code"]["suite"],
            "profile": report["profile"],
            "seed": report["seed"],
            "area": report["partial"] or "all",
            "list of properties": [prop["id"] for prop in report["properties"]],
        }
        for report in reports
    ]
    for name, current in zip(names, settings, strict=True):
        for setting, value in current.items():
            if value != settings[0][setting]:
                values = (
                    ""
                    if isinstance(value, list)
                    else f": {settings[0][setting]} in one, {value} in the other"
                )
                raise CouldNotRun(f"{names[0]} and {name} differ in {setting}{values}")


def _labels(reports: Sequence[Report]) -> list[str]:
    """Return the name of each column: its subject, and the facts that distinguish it."""
    identities = [_identity(report) for report in reports]
    labels = [identity["subject"].removeprefix(_SHIPPED) for identity in identities]
    for key in dict.fromkeys(name for identity in identities for name in identity):
        values = [identity.get(key, "none") for identity in identities]
        needed = key in _ALWAYS_IN_LABEL or len(set(labels)) < len(labels)
        if key != "subject" and needed and len(set(values)) > 1:
            labels = [
                f"{label}, {key} {value}" for label, value in zip(labels, values, strict=True)
            ]
    return labels


_SHIPPED = "conformance.adapters."
"""The package of the adapters of the suite, which is no part of a column's name."""

_ALWAYS_IN_LABEL = ("oracle", "torch", "platform", "machine")
"""The facts that are in a column's name whenever columns differ in them."""


def _identity(report: Report) -> dict[str, str]:
    """Return the facts that distinguish a run; its time and number of cores are not among them."""
    env = {name: str(value) for name, value in report["environment"].items() if name != "cores"}
    code = {"code": str(report["code"].get("subject"))}
    return {"subject": report["subject"], "oracle": report["oracle"], **env, **code}


def _check_distinct(reports: Sequence[Report], names: Sequence[str], labels: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for index, label in enumerate(labels):
        if (other := first.setdefault(label, index)) == index:
            continue
        which = f"{names[other]} and {names[index]}"
        if _result_of(reports[other]) == _result_of(reports[index]):
            raise CouldNotRun(f"{which} are the same run of {label}, twice")
        raise CouldNotRun(
            f"nobody could tell {which} apart: both are {label} in the same environment,"
            " and what they hold differs"
        )


def _result_of(report: Report) -> dict[str, Any]:
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
        "missing_names": len(missing_names(report)),
        "levels": levels.totals(report),
        "clauses": Counter(
            clause["state"] for clause in report["clauses"] if clause["grade"] == "must"
        ),
        "domains": domain_counts(prop["domain"] for prop in report["properties"]),
        "causes": _first_causes(report),
        "controls": {
            kind: {"run": len(controls), "caught": sum(control["caught"] for control in controls)}
            for kind in ("fault", "itself")
            for controls in [[control for control in report["controls"] if control["kind"] == kind]]
        },
        "problems": [problem for problem in report["problems"] if problem["kind"] != "divergence"],
    }


def _first_causes(report: Report) -> list[dict[str, Any]]:
    """Return the groups of causes of a run that are to be mended first."""
    return [
        {
            "title": group.title,
            "level": group.level,
            "divergences": group.size,
            "blocked": group.blocked,
            "calls": group.calls,
            "example": group.causes[0].example["id"],
        }
        for group in causes.groups_of_causes(report)[:MAX_CAUSES]
    ]


def _areas(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Return a row for each area, with a row for each property; rows have a cell per column."""
    by_area = [{area["area"]: area for area in report["areas"]} for report in reports]
    levels_of = [levels.by_area(report) for report in reports]
    cells = [_cells(report) for report in reports]
    areas = []
    for area in by_area[0]:
        properties = [prop for prop in reports[0]["properties"] if prop["area"] == area]
        areas.append(
            {
                "area": area,
                "cells": [
                    {
                        "verdict": areas_of_one[area]["verdict"],
                        "comparisons": areas_of_one[area]["comparisons"],
                        **{kind: areas_of_one[area][kind] for kind in COUNTS},
                        "levels": level_of_area.get(area, []),
                        "domains": domain_counts(
                            of_one[prop["id"]]["domain"] for prop in properties
                        ),
                    }
                    for areas_of_one, level_of_area, of_one in zip(
                        by_area, levels_of, cells, strict=True
                    )
                ],
                "properties": [
                    {
                        "id": prop["id"],
                        "summary": prop["summary"],
                        "cells": [of_one[prop["id"]] for of_one in cells],
                    }
                    for prop in properties
                ],
            }
        )
    return areas


def _cells(report: Report) -> dict[str, dict[str, Any]]:
    """Return the cells of the properties of a run, by id."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in report["divergences"]:
        status = row["status"] if row["status"] in COUNTS else "unexpected"
        counts[row["property"]][status] += 1
    return {
        prop["id"]: {
            "verdict": prop["verdict"],
            "comparisons": prop["comparisons"],
            **{kind: counts[prop["id"]][kind] for kind in COUNTS},
            "domain": dict(prop["domain"]),
        }
        for prop in report["properties"]
    }


def _divergences(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Return a row for each divergence by id: its state in each column, and the answers.

    Where the simplest forms of a drawn one differ between columns, each form has a row.
    """
    by_id = [{_row_key(row): row for row in report["divergences"]} for report in reports]
    answered = [_answered(report) for report in reports]
    order = {prop["id"]: index for index, prop in enumerate(reports[0]["properties"])}
    first = {key: row for rows_by_id in reversed(by_id) for key, row in rows_by_id.items()}
    keys = dict.fromkeys(key for rows_by_id in by_id for key in rows_by_id)
    rows = []
    for key in sorted(keys, key=lambda key: order[first[key]["property"]]):
        row = first[key]
        per_report = [rows_by_id.get(key) for rows_by_id in by_id]
        domains = [domain_of[row["property"]] for domain_of in answered]
        rows.append(
            {
                **{name: row[name] for name in ("id", "property", "facet", "case", "missing")},
                "cells": [*_divergence_cells(per_report, domains)],
                "answers": _answers(per_report),
                "reproduction": row["reproduction"],
            }
        )
    return rows


def _row_key(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["id"], "" if row["missing"] else row["case"]


def _answered(report: Report) -> dict[str, tuple[str, bool]]:
    """Return for each property the digest of its domain, and whether every cell has an answer.

    A property with missing names has unknown answers.
    """
    with_missing = {row["property"] for row in report["divergences"] if row["missing"]}
    return {
        prop["id"]: (
            prop["domain"]["digest"],
            prop["domain"]["kind"] == "finite"
            and prop["domain"]["complete"]
            and prop["id"] not in with_missing,
        )
        for prop in report["properties"]
    }


def _divergence_cells(
    divergences: Sequence[Mapping[str, Any] | None], domains: Sequence[tuple[str, bool]]
) -> Iterator[dict[str, Any]]:
    """Yield the state of each column: the status of its divergence, or `AGREES` or `NOT_SEEN`."""
    theirs = {digest for (digest, _), row in zip(domains, divergences, strict=True) if row}
    for row, (digest, answered) in zip(divergences, domains, strict=True):
        if row:
            yield {"state": row["status"], "fingerprint": row["fingerprint"]}
        else:
            state = AGREES if answered and digest in theirs else NOT_SEEN
            yield {"state": state, "fingerprint": None}


def _answers(divergences: Sequence[Mapping[str, Any] | None]) -> list[dict[str, Any]]:
    """Return the distinct answers, each with the indices of its columns."""
    answers: dict[str, dict[str, Any]] = {}
    for index, row in enumerate(divergences):
        if row:
            names = ("fingerprint", "expected", "observed", "messages")
            answer = {**{name: row[name] for name in names}, "columns": []}
            answers.setdefault(row["fingerprint"], answer)["columns"].append(index)
    return [*answers.values()]


def _clauses(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """Return the clauses whose state differs between columns."""
    states = [{clause["id"]: clause["state"] for clause in report["clauses"]} for report in reports]
    return [
        {
            **{name: clause[name] for name in ("id", "grade", "text")},
            "states": [state_of.get(clause["id"], "not run") for state_of in states],
        }
        for clause in reports[0]["clauses"]
        if len({state_of.get(clause["id"]) for state_of in states}) > 1
    ]
