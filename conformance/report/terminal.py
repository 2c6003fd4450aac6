"""The terminal output: the summary of a run, one divergence, and the controls."""

from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from ..core.formatting import format_sides, truncate
from . import causes, element_tables, levels, public_names, unwritten_elements
from .text import (
    Report,
    area_rows,
    baseline_line,
    basis_line,
    blocked_lines,
    clause_line,
    controls_line,
    divergence_lines,
    first_of_each,
    groups,
    missing_names,
    not_begun_line,
    plural,
    third_party_text,
    verdict_line,
)

MAX_DIVERGENCES = 5
MAX_BLOCKERS = 5
MAX_CAUSES = 12


def summary(report: Report, paths: Sequence[str] = ()) -> list[str]:
    """Return the summary of a run as lines of text."""
    lines = ["", *areas(report), *_levels(report), "", verdict_line(report)]
    lines += [*filter(None, [not_begun_line(report)]), basis_line(report)]
    lines += filter(
        None,
        [element_tables.line(report), unwritten_elements.line(report), public_names.line(report)],
    )
    lines += [controls_line(report), clause_line(report), *filter(None, [baseline_line(report)])]
    settings = f"profile {report['profile']}, seed {report['seed']}"
    lines += [*_problems(report), "", f"{report['duration_s']:.1f} s, {settings}"]
    return lines + [f"wrote {path}" for path in paths] + _next_command(report, paths)


def _next_command(report: Report, paths: Sequence[str]) -> list[str]:
    """Return the command that shows the worst unexpected divergence; none without its file."""
    rows = [group.first for group in groups(report) if group.first["status"] != "expected"]
    folders = [Path(path).parent for path in paths if path.endswith("report.json")]
    if not rows or not folders:
        return []
    identity = rows[0]["id"]
    return [f"next: python -m conformance show {folders[0].as_posix()} --divergence {identity}"]


def areas(report: Report) -> list[str]:
    """Return a table with a row for each area."""
    headers, rows = area_rows(report)
    aligned = ["left", "left", *["right"] * 5]
    return tabulate(rows, headers, disable_numparse=True, colalign=aligned).splitlines()


def _levels(report: Report) -> list[str]:
    """Return a table of the facts by level, and the facts that were not asked."""
    rows = levels.total_rows(report)
    aligned = ["left", *["right"] * 4]
    table = tabulate(rows, levels.HEADERS[1:], disable_numparse=True, colalign=aligned)
    lines = ["", *table.splitlines()] if rows else []
    return lines + [f"  {truncate(line, 0, 116)}" for line in levels.not_asked_lines(report)]


def controls(report: Report, paths: Sequence[object] = ()) -> list[str]:
    """Return a table of the planted faults with their results."""
    rows = [
        [row["id"], row["fault"], row["property"], "caught" if row["caught"] else "NOT CAUGHT"]
        for row in report["controls"]
        if row["kind"] == "fault"
    ]
    return [
        *tabulate(rows, ["control", "fault", "must be caught by", ""]).splitlines(),
        "",
        controls_line(report),
        *_failed_controls(report),
        *(f"wrote {path}" for path in paths),
    ]


def _failed_controls(report: Report) -> list[str]:
    return [
        f"  failed control: {row['id']} ({row['fault']});"
        f" found: {', '.join(row['found']) or 'nothing'}"
        for row in report["controls"]
        if not row["caught"]
    ]


def _problems(report: Report) -> list[str]:
    lines = _failed_controls(report)
    blocked = blocked_lines(report)
    lines += [f"  {truncate(line, 0, 116)}" for line in blocked[:MAX_BLOCKERS]]
    if left := len(blocked) - MAX_BLOCKERS if len(blocked) > MAX_BLOCKERS else 0:
        lines.append(f"  and {left:,} more that block")
    for problem in report["problems"]:
        if problem["kind"] not in ("divergence", "blocked"):
            lines.append(f"  {problem['kind']}: {problem['property']}: {problem['text']}")
    if names := missing_names(report):
        lines += [
            "",
            truncate(f"  missing: {plural(len(names), 'name')}: {', '.join(names)}", 0, 116),
        ]
    unexpected = [group for group in groups(report) if group.first["status"] != "expected"]
    shown = first_of_each(unexpected)[:MAX_DIVERGENCES]
    for group in shown:
        lines += ["", *divergence_lines(group.first, group.size)]
    if left := len(unexpected) - len(shown):
        lines += ["", f"  and {left:,} more kinds of unexpected divergence in the report:"]
        lines += ["", *_causes(report)]
    return lines


def _causes(report: Report) -> list[str]:
    """Return a table of the groups of causes, the one to mend first first."""
    rows = causes.rows(report)
    aligned = ["left", *["right"] * 3, "left", "left"]
    table = tabulate(rows[:MAX_CAUSES], causes.HEADERS, disable_numparse=True, colalign=aligned)
    more = [f"and {len(rows) - MAX_CAUSES} more"] if len(rows) > MAX_CAUSES else []
    return [f"  {line}" for line in (*table.splitlines(), *more)]


def one_divergence(report: Report, identity: str) -> list[str]:
    """Return the lines for the one divergence whose id begins so; empty if not exactly one."""
    matching = [row for row in report["divergences"] if row["id"].startswith(identity)]
    if len(matching) != 1:
        return []
    (row,) = matching
    expected, observed = format_sides(row, None)
    return [
        f"{row['id']}  {row['property']}  ({row['status']})",
        f"clauses      {', '.join(row['clause']) or 'none'}",
        f"facet        {row['facet']}",
        f"expected     {expected}",
        f"observed     {observed}",
        f"fingerprint  {row['fingerprint']}",
        *([f"others       {others}"] if (others := third_party_text(row)) else []),
        *([f"reason       {row['reason']}  {row['link']}"] if row["reason"] else []),
        "",
        row["reproduction"],
    ]
