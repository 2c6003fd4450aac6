"""The matrix of several runs as Markdown for a pull request."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...core.formatting import format_sides
from ..markdown import table
from ..text import divergence_counts, fenced, plural
from . import text
from .model import Matrix

MAX_GROUPS = 30
"""The number of kinds of divergences that are shown."""

MAX_WIDTH = 400
"""The number of characters of an answer that are shown, around the first difference."""

MAX_PROBLEMS = 10
"""The number of problems of each run that are shown."""


def write(matrix: Matrix) -> str:
    """Return the matrix as Markdown."""
    names = [column["name"] for column in matrix["columns"]]
    clauses = [
        [f"`{clause['id']}`", clause["grade"], *clause["states"], clause["text"]]
        for clause in matrix["clauses"]
    ]
    problems = ["run", "what", "property", "how"], text.first_problems(matrix, MAX_PROBLEMS)
    parts = [
        f"# {text.title(matrix)}",
        f"{text.basis(matrix)}.",
        table(text.RUNS, text.runs(matrix)),
        *_section("Where the runs differ:", ["", *names], text.environments(matrix)),
        *_section("## Facts that are right, in percent", ["area", *names], _percents(matrix)),
        *_section("## What to mend first in each run", text.CAUSES, text.causes(matrix)),
        *_section("## What fails a run beside divergences", *problems),
        "## Areas",
        table(
            ["area", *names],
            ([f"**{area['area']}**", *map(_cell, area["cells"])] for area in matrix["areas"]),
        ),
        *_divergences(matrix, names),
        *_missing(matrix, names),
        *_section(
            "## Clauses in different states", ["clause", "grade", *names, "what it says"], clauses
        ),
        "## Properties",
        *_properties(matrix, names),
    ]
    return "\n\n".join(parts) + "\n"


def _cell(cell: Any) -> str:
    counts = divergence_counts(cell)
    verdict = cell["verdict"] if cell["verdict"] == "holds" else f"**{cell['verdict']}**"
    return f"{verdict}{': ' if counts else ''}{counts}<br>{text.basis_of_cell(cell)}"


def _missing(matrix: Matrix, names: list[str]) -> list[str]:
    rows = text.missing(matrix)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, *states in rows:
        alike.setdefault(tuple(states), []).append(f"`{name}`")
    table_rows = [[f"{len(group):,}", *states, ", ".join(group)] for states, group in alike.items()]
    heads = ["names", *names, "which"]
    return _section(f"## Missing: {plural(len(rows), 'name')}", heads, table_rows)


def _percents(matrix: Matrix) -> list[list[str]]:
    return [["<br>".join(lines) for lines in row] for row in text.percents(matrix)]


def _section(title: str, headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return a title and a table, or nothing without rows."""
    return [title, table(headers, rows)] if rows else []


def _divergences(matrix: Matrix, names: list[str]) -> list[str]:
    all_groups = text.groups(matrix)
    if not all_groups:
        return []
    parts = [
        "## Divergences",
        f"Those of one property that differ alike in every run are shown once. {text.HOW_TO_READ}",
    ]
    for row, size in all_groups[:MAX_GROUPS]:
        alike = f", one of {size:,} alike" if size > 1 else ""
        parts += [
            f"### `{row['id']}` {row['property']}: {row['facet']}{alike}",
            table(names, [text.cell_states(row)]),
            fenced(row["reproduction"], "python"),
        ]
        for number, answer in enumerate(row["answers"], 1):
            which = f"Answer {number}, of {text.names_of(matrix, answer['columns'])}:"
            expected, observed = format_sides({"facet": row["facet"], **answer}, MAX_WIDTH)
            parts += [which] if len(row["answers"]) > 1 else []
            parts.append(fenced(f"expected  {expected}\nobserved  {observed}"))
    if len(all_groups) > MAX_GROUPS:
        parts.append(f"And {len(all_groups) - MAX_GROUPS:,} more kinds in matrix.json.")
    return parts


def _properties(matrix: Matrix, names: list[str]) -> Iterable[str]:
    for area in matrix["areas"]:
        rows = table(
            ["property", *names, "what it claims"],
            (
                [f"`{prop['id']}`", *map(_cell, prop["cells"]), prop["summary"]]
                for prop in area["properties"]
            ),
        )
        yield f"<details><summary>{area['area']}</summary>\n\n{rows}\n\n</details>"
