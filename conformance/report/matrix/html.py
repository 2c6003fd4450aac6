"""The matrix of several runs as one HTML file without external resources or scripts."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ...core.formatting import format_sides
from ..text import divergence_counts, plural
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
"""The style of a matrix, in addition to the style of a report's page."""

MAX_GROUPS = 200


def write(matrix: Matrix) -> str:
    """Return the page as HTML."""
    title = escape(text.title(matrix))
    sections = [
        ("runs", "Runs", _runs(matrix)),
        ("percents", "Facts that are right", _percents(matrix)),
        ("causes", "What to mend first", _first_causes(matrix)),
        ("problems", "What fails a run beside divergences", _problems(matrix)),
        ("areas", "Areas and their properties", _areas(matrix)),
        ("divergences", "Divergences", _divergences(matrix)),
        ("missing", "Missing names", _missing(matrix)),
        ("clauses", "Clauses in different states", _clauses(matrix)),
    ]
    sections = [section for section in sections if section[2]]
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, _ in sections)
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
            f'<section aria-labelledby="{name}">\n<h2 id="{name}">{heading}</h2>\n'
            f"{content}</section>\n"
            for name, heading, content in sections
        )
        + "</main>\n</body>\n</html>\n"
    )


def _runs(matrix: Matrix) -> str:
    heads = [_head(name) for name in text.RUNS]
    rows = [
        [_row_head(row[0]), f"<td>{_badge(row[1])}</td>", *map(_plain, row[2:])]
        for row in text.runs(matrix)
    ]
    summaries = "".join(
        f"<li><b>{escape(column['name'])}</b>: {escape(column['summary'])}</li>"
        for column in matrix["columns"]
    )
    differing = [_row(*row) for row in text.environments(matrix)]
    return (
        f"<ul>{summaries}</ul>\n"
        + _table("What was held against what, where, and what came out", heads, rows)
        + _table("Where the runs differ", [_head("fact"), *_names(matrix)], differing)
    )


def _percents(matrix: Matrix) -> str:
    rows = [
        [_row_head(name), *(f"<td>{'<br>'.join(map(escape, lines))}</td>" for lines in cells)]
        for (name,), *cells in text.percents(matrix)
    ]
    caption = "Facts that are right, in percent, by area and level"
    return _table(caption, [_head("area"), *_names(matrix)], rows)


def _first_causes(matrix: Matrix) -> str:
    rows = [_row(*row) for row in text.causes(matrix)]
    caption = "The causes of divergences of each run, that which blocks most first"
    return _table(caption, [_head(name) for name in text.CAUSES], rows)


def _problems(matrix: Matrix) -> str:
    rows = [_row(*row) for row in text.problems(matrix)]
    heads = [_head(name) for name in ("run", "what", "property", "how")]
    caption = "Incomplete domains, expectations that no longer fit, failed controls"
    return _table(caption, heads, rows)


def _areas(matrix: Matrix) -> str:
    heads = [_head("area"), *_names(matrix)]
    rows = [[_row_head(area["area"]), *map(_cell, area["cells"])] for area in matrix["areas"]]
    parts = [_table("Each area in each run", heads, rows)]
    for area in matrix["areas"]:
        verdicts = {cell["verdict"] for cell in area["cells"]}
        rows = [
            [_row_head(prop["id"], prop["summary"]), *map(_cell, prop["cells"])]
            for prop in area["properties"]
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
            f" {plural(len(rows), 'property')}{verdict}</summary>\n"
            f'<div class="inside">{table}</div></details>\n'
        )
    return "".join(parts)


def _divergences(matrix: Matrix) -> str:
    all_groups = text.groups(matrix)
    if not all_groups:
        return "" if matrix["divergences"] else "<p>There are none in any run.</p>\n"
    parts = [
        "<p>Those of one property that differ alike in every run are shown once."
        f" {escape(text.HOW_TO_READ)}</p>\n"
    ]
    parts += [_divergence(matrix, *group) for group in all_groups[:MAX_GROUPS]]
    if len(all_groups) > MAX_GROUPS:
        parts.append(f"<p>And {len(all_groups) - MAX_GROUPS:,} more kinds in matrix.json.</p>\n")
    return "".join(parts)


def _divergence(matrix: Matrix, row: Any, size: int) -> str:
    labels = text.cell_states(row)
    heads = [_head(name["name"]) for name in matrix["columns"]]
    cells = [
        f"<td>{_badge(label, cell['state'])}</td>"
        for label, cell in zip(labels, row["cells"], strict=True)
    ]
    have = [index for index, cell in enumerate(row["cells"]) if cell["fingerprint"]]
    whose = "every run" if len(have) == len(heads) else text.names_of(matrix, have)
    alike = f", one of {size:,} alike" if size > 1 else ""
    apart = ", with different answers" if len(row["answers"]) > 1 else ""
    return (
        f'<details class="item" id="divergence-{row["id"]}"><summary>'
        f"<b>{escape(row['property'])}</b>: {escape(row['facet'])}"
        f" in {escape(whose)}{apart}{alike}<br>"
        f'<span class="code">{escape(row["case"].splitlines()[-1] if row["case"] else "")}</span>'
        '</summary>\n<div class="inside">\n'
        + _table(f"{row['id']}: what it is in each run", heads, [cells])
        + _answers(matrix, row)
        + f"<pre>{escape(row['reproduction'])}</pre>\n</div></details>\n"
    )


def _answers(matrix: Matrix, row: Any) -> str:
    rows = []
    for number, answer in enumerate(row["answers"], 1):
        sides = format_sides({"facet": row["facet"], **answer}, None)
        whose = text.names_of(matrix, answer["columns"])
        cells = [f"<td><code>{escape(side)}</code></td>" for side in sides]
        rows.append([_row_head(f"{number}", whose), *cells])
    heads = [_head(name) for name in ("answer", "expected", "observed")]
    return _table("What was expected and observed", heads, rows)


def _missing(matrix: Matrix) -> str:
    rows = [
        [_row_head(row[0]), *(f"<td>{_badge(state, state)}</td>" for state in row[1:])]
        for row in text.missing(matrix)
    ]
    caption = "Names of torch that a subject has not"
    return _table(caption, [_head("name"), *_names(matrix)], rows)


def _clauses(matrix: Matrix) -> str:
    rows = [
        [
            _row_head(clause["id"], clause["text"]),
            _plain(clause["grade"]),
            *(f"<td>{_badge(state)}</td>" for state in clause["states"]),
        ]
        for clause in matrix["clauses"]
    ]
    heads = [_head("clause"), _head("grade"), *_names(matrix)]
    return _table("The same clause in each run", heads, rows)


def _cell(cell: Any) -> str:
    counts = divergence_counts(cell)
    return (
        f"<td>{_badge(cell['verdict'])}{escape(counts)}"
        f"<small>{escape(text.basis_of_cell(cell))}</small></td>"
    )


_STATES = ("holds", "conforms", "diverges", "fails", "unexpected", "missing", "expected")
_COLORED_AS = {AGREES: "holds", "there": "holds", "changed": "unexpected", NOT_SEEN: ""}
"""The state whose color is used, for states without a color."""


def _badge(text: str, state: str | None = None) -> str:
    """Return a state as a colored word; the color is redundant to the word."""
    state = text if state is None else state
    first = _COLORED_AS.get(state, state.partition(" in ")[0])
    class_name = f" {first}" if first in _STATES else ""
    return f'<span class="badge{class_name}">{escape(text)}</span>'


def _names(matrix: Matrix) -> list[str]:
    return [_head(column["name"]) for column in matrix["columns"]]


def _head(text: str) -> str:
    return f'<th scope="col">{escape(text)}</th>'


def _row_head(text: str, more: str = "") -> str:
    under = f'<br><small class="quiet">{escape(more)}</small>' if more else ""
    return f'<th scope="row">{escape(text)}{under}</th>'


def _plain(text: str) -> str:
    return f"<td>{escape(text)}</td>"


def _row(head: str, *cells: str) -> list[str]:
    return [_row_head(head), *map(_plain, cells)]


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in a frame that scrolls, also by keyboard; an empty string without rows."""
    if not rows:
        return ""
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">\n'
        f"<table>\n<caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )
