"""The sentences, cells and order of rows that the writers of a matrix share."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from .. import levels
from ..text import WORST_FIRST, divergence_counts, domain_text, plural
from .model import AGREES, NOT_SEEN, Matrix

HOW_TO_READ = (
    f"A run that does not have a divergence {AGREES} with its oracle if it was asked the same"
    f" cells, all of them, and its subject had every name. Otherwise the divergence is {NOT_SEEN}:"
    " its case may not have been asked there, or not answered."
)


def title(matrix: Matrix) -> str:
    """Return a line with the number of conforming runs."""
    verdicts = [column["verdict"] for column in matrix["columns"]]
    conforming = verdicts.count("conforms")
    part = f" in {matrix['partial']}" if matrix["partial"] else ""
    if conforming == len(verdicts):
        return f"All {plural(conforming, 'run')} conform{part}"
    return f"{conforming} of {plural(len(verdicts), 'run')} conform{part}"


def basis(matrix: Matrix) -> str:
    """Return a line with the settings that all columns share."""
    return f"Profile {matrix['profile']}, seed {matrix['seed']}, suite {matrix['suite']}"


def basis_of_cell(cell: Mapping[str, Any]) -> str:
    """Return the comparisons and the state of the domains of a cell as text."""
    domains = cell.get("domains")
    if domains is None:
        domain = cell["domain"]
        is_finite = domain["kind"] == "finite"
        visited = domain_text(domain) if is_finite else f"{domain['visited']:,} drawn"
        return f"{cell['comparisons']:,} compared; {visited}"
    parts = []
    if domains["finite"]:
        parts.append(f"{domains['complete']} of {plural(domains['finite'], 'domain')} complete")
    if domains["drawn"]:
        parts.append(f"{domains['drawn']:,} drawn")
    return f"{cell['comparisons']:,} compared; {', '.join(parts) or 'nothing visited'}"


def controls(column: Mapping[str, Any]) -> str:
    """Return the results of a column's controls as text."""
    faults, itself = column["controls"]["fault"], column["controls"]["itself"]
    if not faults["run"] and not itself["run"]:
        return "none"
    return (
        f"{faults['caught']} of {faults['run']} faults caught,"
        f" {itself['caught']} of {itself['run']} clean"
    )


_ABOUT_RUN = ("run", "verdict", "subject", "oracle", "device", "platform", "comparisons")
RUNS = (
    *_ABOUT_RUN, "domains complete", "binding clauses that hold", "unexpected", "missing names",
    "expected", "controls",
)  # fmt: skip
"""The headers of the table of runs."""


def runs(matrix: Matrix) -> list[list[str]]:
    """Return a row for each run, with the columns of `RUNS`."""
    return [
        [
            column["name"], column["verdict"],
            f"{column['subject']}, code {column['code']}" if column["code"] else column["subject"],
            f"{column['oracle']} {column['oracle_version'] or ''}".strip(),
            column["device"], column["platform"], f"{column['totals']['comparisons']:,}",
            "{complete} of {finite}".format_map(column["domains"]),
            f"{column['clauses'].get('holds', 0)} of {sum(column['clauses'].values())}",
            f"{column['totals']['unexpected']:,}", f"{column['missing_names']:,}",
            f"{column['totals']['expected']:,}",
            controls(column),
        ]
        for column in matrix["columns"]
    ]  # fmt: skip


def percents(matrix: Matrix) -> list[list[list[str]]]:
    """Return a row for the whole of each run, then for each area, with the lines of its cells.

    The first cell of a row is its name. A run that asked no fact of an area has an empty cell.
    """
    rows = [("all", [column["levels"] for column in matrix["columns"]])]
    rows += [(area["area"], [cell["levels"] for cell in area["cells"]]) for area in matrix["areas"]]
    table = [[[name], *map(_percent_lines, cells)] for name, cells in rows]
    return [row for row in table if any(row[1:])]


def _percent_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{levels.NAMES[row['level']]} {levels.percent(row)} of {row['asked']:,}"
        for row in rows
        if row["asked"]
    ]


CAUSES = ("run", "level", "divergences", "cells blocked", "how it differs", "calls, and one")
"""The headers of the table of causes."""


def causes(matrix: Matrix) -> list[list[str]]:
    """Return a row for each of the first causes of each run."""
    return [
        [
            column["name"], str(cause["level"]), f"{cause['divergences']:,}",
            f"{cause['blocked']:,}", cause["title"], f"{cause['calls']} ({cause['example']})",
        ]
        for column in matrix["columns"]
        for cause in column["causes"]
    ]  # fmt: skip


def environments(matrix: Matrix) -> list[list[str]]:
    """Return a row for each fact of the environments that differs between runs."""
    by_column = [column["environment"] for column in matrix["columns"]]
    names = dict.fromkeys(name for environment in by_column for name in environment)
    rows = [[name, *(environment.get(name, "none") for environment in by_column)] for name in names]
    return [row for row in rows if len(set(row[1:])) > 1]


class Group(NamedTuple):
    """Divergences of one property that differ alike in all columns: the first, and their number."""

    first: Mapping[str, Any]
    size: int


def groups(matrix: Matrix) -> list[Group]:
    """Return the groups of divergences that differ alike: by severity of the facet, then by size.

    Missing names are left out; `missing` returns them.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for row in matrix["divergences"]:
        if row["missing"] is None:
            key = json.dumps([row["property"], row["facet"], row["cells"]])
            alike.setdefault(key, []).append(row)
    return sorted(
        (Group(same[0], len(same)) for same in alike.values()),
        key=lambda group: (
            all(cell["state"] in ("expected", AGREES, NOT_SEEN) for cell in group.first["cells"]),
            WORST_FIRST.index(group.first["facet"]),
            -group.size,
        ),
    )


def missing(matrix: Matrix) -> list[list[str]]:
    """Return a row for each name that a subject lacks: the name, and its state in each column."""
    states: dict[str, list[list[str]]] = {}
    for row in matrix["divergences"]:
        if row["missing"]:
            states.setdefault(row["missing"], []).append([cell["state"] for cell in row["cells"]])
    return [
        [name, *map(_presence, zip(*rows, strict=True))] for name, rows in sorted(states.items())
    ]


def _presence(states: Sequence[str]) -> str:
    """Return the state of a name in a column; it is known only if all its cases were run."""
    if {*states} <= {AGREES, NOT_SEEN}:
        return NOT_SEEN if NOT_SEEN in states else "there"
    return "missing"


def cell_states(row: Mapping[str, Any]) -> list[str]:
    """Return the state of a divergence in each column, with numbers if answers differ."""
    number = {
        column: index
        for index, answer in enumerate(row["answers"], 1)
        for column in answer["columns"]
    }
    several_answers = len(row["answers"]) > 1
    return [
        f"{cell['state']} ({number[index]})"
        if several_answers and index in number
        else cell["state"]
        for index, cell in enumerate(row["cells"])
    ]


def names_of(matrix: Matrix, columns: Sequence[int]) -> str:
    """Return the names of columns, given their indices."""
    return "; ".join(matrix["columns"][index]["name"] for index in columns)


def problems(matrix: Matrix) -> list[list[str]]:
    """Return the other failures of the runs: column, kind, property, text."""
    rows = []
    for column in matrix["columns"]:
        rows += [
            [column["name"], problem["kind"], problem["property"], problem["text"]]
            for problem in column["problems"]
        ]
        for kind, numbers in column["controls"].items():
            if left := numbers["run"] - numbers["caught"]:
                noun = "planted fault" if kind == "fault" else "property"
                outcome = "not caught" if kind == "fault" else "in which torch differs from itself"
                rows.append([column["name"], "control", "", f"{plural(left, noun)} {outcome}"])
    return rows


def first_problems(matrix: Matrix, most: int) -> list[list[str]]:
    """Return at most so many rows of `problems` for each run, and one for the others."""
    rows: list[list[str]] = []
    for name, of_run in groupby(problems(matrix), key=itemgetter(0)):
        found = [*of_run]
        rows += found[:most]
        if len(found) > most:
            rows.append([name, "", "", f"and {len(found) - most:,} more in matrix.json"])
    return rows


def lines(matrix: Matrix, paths: Sequence[Path] = ()) -> list[str]:
    """Return the summary for a terminal: a row for each area, a line for each run."""
    rows = [
        [area["area"], *(divergence_counts(cell) or cell["verdict"] for cell in area["cells"])]
        for area in matrix["areas"]
    ]
    names = [column["name"] for column in matrix["columns"]]
    table = tabulate(rows, ["area", *names], disable_numparse=True)
    return [
        "",
        *table.splitlines(),
        "",
        *(f"{column['name']}: {column['summary']}" for column in matrix["columns"]),
        f"{title(matrix)}; {plural(len(matrix['divergences']), 'divergence')} by identity,"
        f" {plural(len(matrix['clauses']), 'clause')} in different states",
        *(f"wrote {path}" for path in paths),
    ]
