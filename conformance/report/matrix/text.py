"""What the writers of a matrix share: sentences, cells, and the order of what differs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from ..text import WORST_FIRST, several
from .model import AGREES, COUNTS, NOT_SEEN, Matrix

HOW_TO_READ = (
    f"A run that does not have a divergence {AGREES} with its oracle if it was asked the same cells,"
    f" all of them, and its subject had every name. Otherwise the divergence is {NOT_SEEN}:"
    " its case may not have been asked there, or not answered."
)


def title(matrix: Matrix) -> str:
    """Say in a line what came out."""
    verdicts = [each["verdict"] for each in matrix["columns"]]
    conforming = verdicts.count("conforms")
    part = f" in {matrix['partial']}" if matrix["partial"] else ""
    if conforming == len(verdicts):
        return f"All {several(conforming, 'run')} conform{part}"
    return f"{conforming} of {several(len(verdicts), 'run')} conform{part}"


def basis(matrix: Matrix) -> str:
    """Say in a line what all columns have in common."""
    return f"Profile {matrix['profile']}, seed {matrix['seed']}, suite {matrix['suite']}"


def counts(cell: Mapping[str, Any]) -> str:
    """Write how many divergences there are of each kind; nothing where there are none.

    >>> counts({"unexpected": 1200, "missing": 0, "expected": 3})
    '1,200 unexpected, 3 expected'
    """
    return ", ".join(f"{cell[kind]:,} {kind}" for kind in COUNTS if cell[kind])


def basis_of_cell(cell: Mapping[str, Any]) -> str:
    """Write what the verdict of a cell rests on: comparisons, and the state of its domains."""
    domains = cell.get("domains")
    if domains is None:
        return f"{cell['comparisons']:,} compared; {domain(cell['domain'])}"
    said = []
    if domains["finite"]:
        said.append(f"{domains['complete']} of {several(domains['finite'], 'domain')} complete")
    if domains["drawn"]:
        said.append(f"{domains['drawn']:,} drawn")
    return f"{cell['comparisons']:,} compared; {', '.join(said) or 'nothing visited'}"


def domain(found: Mapping[str, Any]) -> str:
    """Write the state of a domain."""
    if found["kind"] != "finite":
        return f"{found['visited']:,} drawn"
    state = "complete" if found["complete"] else "incomplete"
    return f"{found['visited']:,} of {found['size']:,} cells, {state}"


def controls(column: Mapping[str, Any]) -> str:
    """Write what became of a column's controls."""
    faults, itself = column["controls"]["fault"], column["controls"]["itself"]
    if not faults["run"] and not itself["run"]:
        return "none"
    return (
        f"{faults['caught']} of {faults['run']} faults caught,"
        f" {itself['caught']} of {itself['run']} clean"
    )


RUNS = (
    "run",
    "verdict",
    "subject",
    "oracle",
    "device",
    "platform",
    "comparisons",
    *COUNTS,
    "controls",
)
"""What is told of each run."""


def runs(matrix: Matrix) -> list[list[str]]:
    """Write a row for each run, with what `RUNS` names."""
    return [
        [
            each["name"], each["verdict"],
            f"{each['subject']}, code {each['code']}" if each["code"] else each["subject"],
            f"{each['oracle']} {each['oracle_version'] or ''}".strip(),
            each["device"], each["platform"], f"{each['totals']['comparisons']:,}",
            *(f"{each['totals'][kind]:,}" for kind in COUNTS),
            controls(each),
        ]
        for each in matrix["columns"]
    ]  # fmt: skip


def environments(matrix: Matrix) -> list[list[str]]:
    """Write a row for each fact about where the runs took place in which they differ."""
    every = [each["environment"] for each in matrix["columns"]]
    names = dict.fromkeys(name for each in every for name in each)
    rows = [[name, *(each.get(name, "none") for each in every)] for name in names]
    return [row for row in rows if len(set(row[1:])) > 1]


class Group(NamedTuple):
    """Divergences of one property that differ alike in all columns, and the first of them."""

    first: Mapping[str, Any]
    size: int


def groups(matrix: Matrix) -> list[Group]:
    """Put divergences together that differ alike in every column: wrong values first, then the frequent.

    What is missing is left out; `missing` tells it.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for each in matrix["divergences"]:
        if each["missing"] is None:
            key = json.dumps([each["property"], each["facet"], each["cells"]])
            alike.setdefault(key, []).append(each)
    return sorted(
        (Group(same[0], len(same)) for same in alike.values()),
        key=lambda group: (
            all(each["state"] in ("expected", AGREES, NOT_SEEN) for each in group.first["cells"]),
            WORST_FIRST.index(group.first["facet"]),
            -group.size,
        ),
    )


def missing(matrix: Matrix) -> list[list[str]]:
    """Write a row for each name that some subject has not: the name, and what each column says of it."""
    names = sorted({each["missing"] for each in matrix["divergences"] if each["missing"]})
    return [[name, *_missing_in(matrix, name)] for name in names]


def _missing_in(matrix: Matrix, name: str) -> list[str]:
    rows = [each["cells"] for each in matrix["divergences"] if each["missing"] == name]
    return [_presence([each["state"] for each in cells]) for cells in zip(*rows, strict=True)]


def _presence(states: Sequence[str]) -> str:
    """Say of a name whether a column has it, which is known only if all that asks for it was asked."""
    if {*states} <= {AGREES, NOT_SEEN}:
        return NOT_SEEN if NOT_SEEN in states else "there"
    return "missing"


def places(each: Mapping[str, Any]) -> list[str]:
    """Say of a divergence what it is in each column; answers are numbered where there are several."""
    number = {
        place: index
        for index, answer in enumerate(each["answers"], 1)
        for place in answer["columns"]
    }
    several_answers = len(each["answers"]) > 1
    return [
        f"{cell['state']} ({number[index]})"
        if several_answers and index in number
        else cell["state"]
        for index, cell in enumerate(each["cells"])
    ]


def names_of(matrix: Matrix, columns: Sequence[int]) -> str:
    """Write the names of columns, given their places."""
    return "; ".join(matrix["columns"][place]["name"] for place in columns)


def problems(matrix: Matrix) -> list[list[str]]:
    """Write what fails a run beside divergences, and controls that failed: column, kind, property, text."""
    rows = []
    for column in matrix["columns"]:
        rows += [
            [column["name"], each["kind"], each["property"], each["text"]]
            for each in column["problems"]
        ]
        for kind, found in column["controls"].items():
            if left := found["run"] - found["caught"]:
                what = "planted fault" if kind == "fault" else "property"
                how = "not caught" if kind == "fault" else "in which torch differs from itself"
                rows.append([column["name"], "control", "", f"{several(left, what)} {how}"])
    return rows


def lines(matrix: Matrix, written: Sequence[Path] = ()) -> list[str]:
    """Write what fits a screen: a row for each area, a line for each run."""
    rows = [
        [each["area"], *(counts(cell) or cell["verdict"] for cell in each["cells"])]
        for each in matrix["areas"]
    ]
    names = [each["name"] for each in matrix["columns"]]
    table = tabulate(rows, ["area", *names], disable_numparse=True)
    return [
        "",
        *table.splitlines(),
        "",
        *(f"{each['name']}: {each['summary']}" for each in matrix["columns"]),
        f"{title(matrix)}; {several(len(matrix['divergences']), 'divergence')} by identity,"
        f" {several(len(matrix['clauses']), 'clause')} in different states",
        *(f"wrote {path}" for path in written),
    ]
