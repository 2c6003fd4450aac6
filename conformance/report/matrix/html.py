"""The matrix of several runs as one HTML file that needs nothing else: no network, no script."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ...core.formatting import format_sides
from ..text import several
from . import text
from .model import AGREES, NOT_SEEN, Matrix

STYLE = Path(__file__).parents[1] / "page" / "style.css"
OWN_STYLE = """
td small { display: block; color: var(--quiet); }
th small { font-weight: 400; }
.scroll { margin: 0.5rem 0; }
td .badge { margin-right: 0.3em; }
tbody th { background: var(--ground); text-align: left; }
thead th:first-child { left: 0; z-index: 3; }
"""
"""What a matrix needs beyond the style of a report's page."""

MOST = 200


def write(matrix: Matrix) -> str:
    """Write the whole page."""
    title = escape(text.title(matrix))
    sections = [
        _section("runs", "Runs", _runs(matrix)),
        _section("problems", "What fails a run beside divergences", _problems(matrix)),
        _section("areas", "Areas and their properties", _areas(matrix)),
        _section("divergences", "Divergences", _divergences(matrix)),
        _section("missing", "Missing names", _missing(matrix)),
        _section("clauses", "Clauses in different states", _clauses(matrix)),
    ]
    links = "".join(
        f'<li><a href="#{name}">{heading}</a></li>' for name, heading, inside in sections if inside
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}: tensor attributes</title>\n"
        f"<style>\n{STYLE.read_text(encoding='utf-8')}{OWN_STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#runs">Skip to the runs</a>\n'
        f'<header class="top">\n<h1 class="verdict {matrix["verdict"]}">{title}</h1>\n'
        f"<p>{escape(text.basis(matrix))}.</p>\n</header>\n"
        f'<nav class="sections" aria-label="Sections"><ul>{links}</ul></nav>\n<main>\n'
        + "".join(
            f'<section aria-labelledby="{name}">\n<h2 id="{name}">{heading}</h2>\n{inside}</section>\n'
            for name, heading, inside in sections
            if inside
        )
        + "</main>\n</body>\n</html>\n"
    )


def _section(name: str, heading: str, inside: str) -> tuple[str, str, str]:
    return name, heading, inside


def _runs(matrix: Matrix) -> str:
    heads = [_head(each) for each in text.RUNS]
    rows = [
        [_row_head(row[0]), f"<td>{_badge(row[1])}</td>", *map(_plain, row[2:])]
        for row in text.runs(matrix)
    ]
    said = "".join(
        f"<li><b>{escape(each['name'])}</b>: {escape(each['summary'])}</li>"
        for each in matrix["columns"]
    )
    differing = [[_row_head(row[0]), *map(_plain, row[1:])] for row in text.environments(matrix)]
    return (
        f"<ul>{said}</ul>\n"
        + _table("What was held against what, where, and what came out", heads, rows)
        + (
            _table("Where the runs differ", [_head("fact"), *_names(matrix)], differing)
            if differing
            else ""
        )
    )


def _problems(matrix: Matrix) -> str:
    rows = [[_row_head(row[0]), *map(_plain, row[1:])] for row in text.problems(matrix)]
    heads = [_head(each) for each in ("run", "what", "property", "how")]
    caption = "Incomplete domains, expectations that no longer fit, failed controls"
    return _table(caption, heads, rows) if rows else ""


def _areas(matrix: Matrix) -> str:
    heads = [_head("area"), *_names(matrix)]
    rows = [[_row_head(each["area"]), *map(_cell, each["cells"])] for each in matrix["areas"]]
    parts = [_table("Each area in each run", heads, rows)]
    for area in matrix["areas"]:
        verdicts = {cell["verdict"] for cell in area["cells"]}
        rows = [
            [_row_head(each["id"], each["summary"]), *map(_cell, each["cells"])]
            for each in area["properties"]
        ]
        verdict = "" if verdicts == {"holds"} else f" {_badge('diverges in a run')}"
        verdict = f" {_badge('not run')}" if verdicts == {"holds", "not run"} else verdict
        table = _table(
            f"Each property of {area['area']} in each run",
            [_head("property"), *_names(matrix)],
            rows,
        )
        parts.append(
            f'<details class="item"><summary>{escape(area["area"])}:'
            f" {several(len(rows), 'property')}{verdict}</summary>\n"
            f'<div class="inside">{table}</div></details>\n'
        )
    return "".join(parts)


def _divergences(matrix: Matrix) -> str:
    found = text.groups(matrix)
    if not found:
        return "" if matrix["divergences"] else "<p>There are none in any run.</p>\n"
    parts = [
        "<p>Those of one property that differ alike in every run are shown once."
        f" {escape(text.HOW_TO_READ)}</p>\n"
    ]
    parts += [_divergence(matrix, *each) for each in found[:MOST]]
    if len(found) > MOST:
        parts.append(f"<p>And {len(found) - MOST:,} more kinds in matrix.json.</p>\n")
    return "".join(parts)


def _divergence(matrix: Matrix, each: Any, size: int) -> str:
    places = text.places(each)
    heads = [_head(name["name"]) for name in matrix["columns"]]
    cells = [
        f"<td>{_badge(place, cell['state'])}</td>"
        for place, cell in zip(places, each["cells"], strict=True)
    ]
    have = [index for index, cell in enumerate(each["cells"]) if cell["fingerprint"]]
    whose = "every run" if len(have) == len(heads) else text.names_of(matrix, have)
    alike = f", one of {size:,} alike" if size > 1 else ""
    apart = ", with different answers" if len(each["answers"]) > 1 else ""
    return (
        f'<details class="item" id="divergence-{each["id"]}"><summary>'
        f"<b>{escape(each['property'])}</b>: {escape(each['facet'])} in {escape(whose)}{apart}{alike}<br>"
        f'<span class="code">{escape(each["case"].splitlines()[-1] if each["case"] else "")}</span>'
        '</summary>\n<div class="inside">\n'
        + _table(f"{each['id']}: what it is in each run", heads, [cells])
        + _answers(matrix, each)
        + f"<pre>{escape(each['reproduction'])}</pre>\n</div></details>\n"
    )


def _answers(matrix: Matrix, each: Any) -> str:
    rows = []
    for number, answer in enumerate(each["answers"], 1):
        sides = format_sides({"facet": each["facet"], **answer}, None)
        whose = text.names_of(matrix, answer["columns"])
        rows.append([_row_head(f"{number}", whose), *(f"<td><code>{escape(side)}</code></td>" for side in sides)])  # fmt: skip
    heads = [_head(name) for name in ("answer", "expected", "observed")]
    return _table("What was expected and observed", heads, rows)


def _missing(matrix: Matrix) -> str:
    rows = [
        [_row_head(row[0]), *(f"<td>{_badge(each, each)}</td>" for each in row[1:])]
        for row in text.missing(matrix)
    ]
    caption = "Names of torch that a subject has not"
    return _table(caption, [_head("name"), *_names(matrix)], rows) if rows else ""


def _clauses(matrix: Matrix) -> str:
    rows = [
        [
            _row_head(each["id"], each["text"]),
            _plain(each["grade"]),
            *(f"<td>{_badge(state)}</td>" for state in each["states"]),
        ]
        for each in matrix["clauses"]
    ]
    heads = [_head("clause"), _head("grade"), *_names(matrix)]
    return _table("The same clause in each run", heads, rows) if rows else ""


def _cell(cell: Any) -> str:
    found = text.counts(cell)
    return (
        f"<td>{_badge(cell['verdict'])}{escape(found)}"
        f"<small>{escape(text.basis_of_cell(cell))}</small></td>"
    )


_STATES = ("holds", "conforms", "diverges", "fails", "unexpected", "missing", "expected")
_LOOKS_LIKE = {AGREES: "holds", "there": "holds", "changed": "unexpected", NOT_SEEN: ""}
"""Whose colour a state has that has none of its own."""


def _badge(text: str, state: str | None = None) -> str:
    """Write a state as a word with a colour; the word alone says it all."""
    state = text if state is None else state
    first = _LOOKS_LIKE.get(state, state.partition(" in ")[0])
    known = f" {first}" if first in _STATES else ""
    return f'<span class="badge{known}">{escape(text)}</span>'


def _names(matrix: Matrix) -> list[str]:
    return [_head(each["name"]) for each in matrix["columns"]]


def _head(text: str) -> str:
    return f'<th scope="col">{escape(text)}</th>'


def _row_head(text: str, more: str = "") -> str:
    under = f'<br><small class="quiet">{escape(more)}</small>' if more else ""
    return f'<th scope="row">{escape(text)}{under}</th>'


def _plain(text: str) -> str:
    return f"<td>{escape(text)}</td>"


def _table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table that scrolls by itself, also by keyboard."""
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">\n'
        f"<table>\n<caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )
