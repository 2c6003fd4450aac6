"""The matrix of several runs as Markdown, to be read in a pull request."""

from collections.abc import Iterable
from typing import Any

from tabulate import tabulate

from ...core.formatting import format_sides
from ..text import fenced, several
from . import text
from .model import Matrix

MOST = 100


def write(matrix: Matrix) -> str:
    """Write the whole matrix."""
    names = [each["name"] for each in matrix["columns"]]
    parts = [
        f"# {text.title(matrix)}",
        f"{text.basis(matrix)}.",
        _table(text.RUNS, text.runs(matrix)),
        *_where(matrix, names),
        *_problems(matrix),
        "## Areas",
        _table(
            ["area", *names],
            ([f"**{each['area']}**", *map(_cell, each["cells"])] for each in matrix["areas"]),
        ),
        *_divergences(matrix, names),
        *_missing(matrix, names),
        *_clauses(matrix, names),
        "## Properties",
        *_properties(matrix, names),
    ]
    return "\n\n".join(parts) + "\n"


def _cell(cell: Any) -> str:
    found = text.counts(cell)
    verdict = cell["verdict"] if cell["verdict"] == "holds" else f"**{cell['verdict']}**"
    return f"{verdict}{': ' if found else ''}{found}<br>{text.basis_of_cell(cell)}"


def _where(matrix: Matrix, names: list[str]) -> list[str]:
    rows = text.environments(matrix)
    return ["Where the runs differ:", _table(["", *names], rows)] if rows else []


def _problems(matrix: Matrix) -> list[str]:
    rows = text.problems(matrix)
    if not rows:
        return []
    return [
        "## What fails a run beside divergences",
        _table(["run", "what", "property", "how"], rows),
    ]


def _divergences(matrix: Matrix, names: list[str]) -> list[str]:
    found = text.groups(matrix)
    if not found:
        return []
    parts = [
        "## Divergences",
        f"Those of one property that differ alike in every run are shown once. {text.HOW_TO_READ}",
    ]
    for each, size in found[:MOST]:
        alike = f", one of {size:,} alike" if size > 1 else ""
        parts += [
            f"### `{each['id']}` {each['property']}: {each['facet']}{alike}",
            _table(names, [text.places(each)]),
            fenced(each["reproduction"], "python"),
        ]
        for number, answer in enumerate(each["answers"], 1):
            which = f"Answer {number}, of {text.names_of(matrix, answer['columns'])}:"
            expected, observed = format_sides({"facet": each["facet"], **answer}, None)
            parts += [which] if len(each["answers"]) > 1 else []
            parts.append(fenced(f"expected  {expected}\nobserved  {observed}"))
    if len(found) > MOST:
        parts.append(f"And {len(found) - MOST:,} more kinds in matrix.json.")
    return parts


def _missing(matrix: Matrix, names: list[str]) -> list[str]:
    rows = text.missing(matrix)
    if not rows:
        return []
    return [
        f"## Missing: {several(len(rows), 'name')}",
        _table(["name", *names], ([f"`{row[0]}`", *row[1:]] for row in rows)),
    ]


def _clauses(matrix: Matrix, names: list[str]) -> list[str]:
    if not matrix["clauses"]:
        return []
    return [
        "## Clauses in different states",
        _table(
            ["clause", "grade", *names, "what it says"],
            (
                [f"`{each['id']}`", each["grade"], *each["states"], each["text"]]
                for each in matrix["clauses"]
            ),
        ),
    ]


def _properties(matrix: Matrix, names: list[str]) -> Iterable[str]:
    for area in matrix["areas"]:
        table = _table(
            ["property", *names, "what it claims"],
            (
                [f"`{each['id']}`", *map(_cell, each["cells"]), each["summary"]]
                for each in area["properties"]
            ),
        )
        yield f"<details><summary>{area['area']}</summary>\n\n{table}\n\n</details>"


def _table(headers: Iterable[str], rows: Iterable[list[Any]]) -> str:
    cells = [[_written(cell) for cell in row] for row in rows]
    return tabulate(cells, [_written(each) for each in headers], "github", disable_numparse=True)


def _written(cell: Any) -> str:
    return " ".join(str(cell).replace("|", r"\|").split())
