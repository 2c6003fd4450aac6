"""The report of a mutation run as data, as Markdown and as lines for a terminal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tabulate import tabulate

from conformance.core.errors import CouldNotRun

from . import ledger as ledgers
from .ledger import Entry
from .running import Result
from .sources import Mutant

FLOORS = {"quick": 0.90, "standard": 0.97, "deep": 0.97}
"""The least score for each profile."""

EXACT = (
    "_dtypes/", "_geometry/", "_numerics/promotion.py", "_numerics/type_info.py",
    "_numerics/cast.py", "_numerics/float_formats.py", "_numerics/rounding.py",
)  # fmt: skip
"""The files with dtypes, promotion, limits, casting and geometry: every mutant must be killed."""

EXEMPT = ("equivalent", "unobservable")
"""The verdicts of survivors that do not lower the score."""


def as_report(
    drawn: Sequence[tuple[Mutant, str]],
    results: Mapping[str, Result],
    ledger: Mapping[str, Entry],
    existing: Iterable[str],
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the report of the drawn mutants, each with its diff, as plain data."""
    rows = [
        _row(mutant, diff, results[mutant.id], ledger.get(mutant.id))
        for mutant, diff in drawn
        if mutant.id in results
    ]
    survivors = [row for row in rows if row["outcome"] != "killed"]
    exact = [row for row in rows if row["path"].startswith(EXACT)]
    total = _numbers(rows)
    floor = FLOORS[facts["profile"]]
    open_exact = [row["id"] for row in exact if _counts_against(row)]
    contradicted = [
        row["id"] for row in rows if row["outcome"] == "killed" and row["verdict"] in EXEMPT
    ]
    kept = total["score"] >= floor and not open_exact and not contradicted
    return {
        "schema": 1,
        **facts,
        **total,
        "floor": floor,
        "exact": {**_numbers(exact), "open": open_exact},
        "kept": kept and len(rows) == len(drawn),
        "missing": len(drawn) - len(rows),
        "packages": _by("package", rows),
        "operators": _by("operator", rows),
        "killers": dict(Counter(row["by"] for row in rows if row["by"]).most_common()),
        "survivors": survivors,
        "contradicted": contradicted,
        "stale": ledgers.stale(ledger.values(), existing),
    }


def killed_in(report: Mapping[str, Any], drawn: Sequence[str]) -> list[str]:
    """Return which of the drawn mutants a report says are killed.

    It lists the others alone, so raise `CouldNotRun` if it is not about exactly as many.
    """
    if report["missing"] or report["drawn"] != len(drawn):
        raise CouldNotRun(f"the report is about {report['drawn']:,} mutants, not {len(drawn):,}")
    left = {row["id"] for row in report["survivors"]}
    return [name for name in drawn if name not in left]


def _row(mutant: Mutant, diff: str, result: Result, entry: Entry | None) -> dict[str, Any]:
    return {
        "id": mutant.id,
        "path": mutant.path,
        "line": mutant.line,
        "package": mutant.package,
        "scope": mutant.scope,
        "operator": mutant.operator,
        "outcome": result.outcome,
        "by": result.by,
        "diff": diff,
        "verdict": entry.verdict if entry else "",
        "reason": entry.reason if entry else "",
        "property": entry.property if entry else "",
    }


def _counts_against(row: Mapping[str, Any]) -> bool:
    return row["outcome"] != "killed" and row["verdict"] not in EXEMPT


def _numbers(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the numbers of some mutants. The score is of those without an exempting verdict."""
    killed = sum(row["outcome"] == "killed" for row in rows)
    counts = Counter(row["verdict"] for row in rows if row["outcome"] != "killed")
    against = sum(map(_counts_against, rows))
    return {
        "drawn": len(rows),
        "killed": killed,
        "survived": len(rows) - killed,
        "judged": sum(row["outcome"] == "judged" for row in rows),
        "not_executed": sum(row["outcome"] == "not executed" for row in rows),
        **{verdict: counts[verdict] for verdict in ledgers.VERDICTS},
        "unjudged": counts[""],
        "score": round(killed / (killed + against), 4) if killed + against else 1.0,
    }


def _by(key: str, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = sorted({row[key] for row in rows})
    return [{key: name, **_numbers([row for row in rows if row[key] == name])} for name in names]


def summary(report: Mapping[str, Any]) -> list[str]:
    """Return the lines for a terminal."""
    exact = report["exact"]
    lines = [
        f"{report['killed']} of {report['drawn']} mutants killed by the suite alone"
        f" (profile {report['profile']}, seed {report['seed']})",
        f"{report['survived']} survived: {report['equivalent']} equivalent,"
        f" {report['unobservable']} unobservable, {report['hole']} holes,"
        f" {report['unjudged']} not judged; no property executes {report['not_executed']} of them",
        f"score {report['score']:.1%} of the mutants that are not equivalent;"
        f" at least {report['floor']:.0%} is required",
        f"dtypes, promotion, limits, casting, geometry: {exact['killed']} of {exact['drawn']}"
        f" killed, score {exact['score']:.1%}; 100% is required",
    ]
    if report.get("after"):
        lines.append(f"those that {report['after']} kills count as killed and did not run again")
    if report["judged"]:
        lines.append(f"{report['judged']} of them did not run, as the ledger exempts them")
    if report["missing"]:
        lines.append(f"{report['missing']} mutants did not run")
    if report.get("errors"):
        raised = report["errors"] - len(report["unraised"])
        lines.append(f"properties raise {raised} of {report['errors']} errors of impl")
    for name, text in (
        ("contradicted", "killed, although the ledger calls them equivalent"),
        ("stale", "in the ledger, but the mutant no longer exists"),
    ):
        if report[name]:
            lines.append(f"{text}: {', '.join(report[name])}")
    return lines


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown."""
    parts = ["# Mutation", "\n".join(f"- {line}" for line in summary(report))]
    for key in ("package", "operator"):
        parts += [f"## By {key}", _table(key, report[f"{key}s"])]
    parts.append("## Survivors")
    order = ["", "hole", "unobservable", "equivalent"]
    for row in sorted(report["survivors"], key=lambda row: order.index(row["verdict"])):
        verdict = row["verdict"] or "not judged"
        reason = f": {row['reason']}" if row["reason"] else ""
        closes = f" Closed by `{row['property']}`." if row["property"] else ""
        parts += [
            f"### {row['id']} ({verdict})",
            f"{row['operator']} in `{row['scope'] or row['path']}`,"
            f" {row['outcome']}{reason}{closes}",
            f"```diff\n{row['diff']}\n```",
        ]
    if rows := report.get("unraised"):
        parts += ["## Errors that no property raises", _errors(rows)]
    return "\n\n".join(parts) + "\n"


def _errors(rows: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"- `{row['path']}:{row['line']}` `{row['text']}`" for row in rows)


def _table(key: str, rows: Sequence[Mapping[str, Any]]) -> str:
    columns = ("drawn", "killed", "equivalent", "unobservable", "hole", "unjudged")
    cells = [[row[key], *(row[name] for name in columns), f"{row['score']:.1%}"] for row in rows]
    return tabulate(cells, [key, *columns, "score"], tablefmt="github")
