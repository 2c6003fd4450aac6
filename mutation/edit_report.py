"""The report of the edits by hand as data, as Markdown and as lines for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate

from .edits import HandEdit
from .running import Result


def as_report(
    edits: Sequence[tuple[HandEdit, str, str]],
    results: Mapping[str, Result],
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the report of edits, each with the id and the diff of its mutant, as plain data."""
    rows = [_row(edit, diff, results[name]) for edit, name, diff in edits if name in results]
    caught = sum(row["outcome"] == "killed" for row in rows)
    kinds = sorted({edit.kind for edit, _, _ in edits})
    return {
        "schema": 1,
        **facts,
        "edits": len(edits),
        "caught": caught,
        "missing": len(edits) - len(rows),
        "kept": caught == len(edits),
        "kinds": [_kind(kind, rows) for kind in kinds],
        "rows": rows,
    }


def _row(edit: HandEdit, diff: str, result: Result) -> dict[str, Any]:
    return {
        "kind": edit.kind,
        "name": edit.name,
        "path": edit.path,
        "outcome": result.outcome,
        "by": result.by,
        "text": result.text,
        "seconds": result.seconds,
        "diff": diff,
    }


def _kind(kind: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    own = [row for row in rows if row["kind"] == kind]
    caught = sum(row["outcome"] == "killed" for row in own)
    return {"kind": kind, "edits": len(own), "caught": caught, "survived": len(own) - caught}


def summary(report: Mapping[str, Any]) -> list[str]:
    """Return the lines for a terminal."""
    lines = [
        f"{report['caught']} of {report['edits']} edits by hand are caught by the suite alone"
        f" (profile {report['profile']})"
    ]
    for kind in report["kinds"]:
        lines.append(f"  {kind['kind']}: {kind['caught']} of {kind['edits']}")
    survivors = [row["name"] for row in report["rows"] if row["outcome"] != "killed"]
    lines += [f"survived: {name}" for name in survivors]
    if report["missing"]:
        lines.append(f"{report['missing']} edits did not run")
    return lines


def markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown."""
    columns = ("kind", "edits", "caught", "survived")
    kinds = [[row[name] for name in columns] for row in report["kinds"]]
    parts = [
        "# Edits by hand",
        f"{report['caught']} of {report['edits']} edits are caught (profile {report['profile']}).",
        tabulate(kinds, columns, tablefmt="github"),
    ]
    for kind in report["kinds"]:
        rows = [row for row in report["rows"] if row["kind"] == kind["kind"]]
        cells = [[row["name"], f"`{row['path']}`", _answer(row)] for row in rows]
        parts += [
            f"## {kind['kind'].capitalize()}",
            tabulate(cells, ["edit", "file", "caught by"], tablefmt="github"),
        ]
    survivors = [row for row in report["rows"] if row["outcome"] != "killed"]
    if survivors:
        parts.append("## Survivors")
    for row in survivors:
        parts += [f"### {row['name']}", f"```diff\n{row['diff']}\n```"]
    return "\n\n".join(parts) + "\n"


def _answer(row: Mapping[str, Any]) -> str:
    return f"`{row['by']}`" if row["by"] else f"**{row['outcome']}**"
