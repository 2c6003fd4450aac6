"""The summary that ends a run: what fits a screen."""

from collections.abc import Sequence

from tabulate import tabulate

from ..core.formatting import format_sides, truncate
from . import element_tables, public_names
from .text import (
    Group,
    Report,
    baseline_line,
    basis_line,
    clause_line,
    controls_line,
    divergence_lines,
    groups,
    missing_names,
    several,
    third_party_text,
    verdict_line,
)

SHOWN = 5


def summary(report: Report, written: Sequence[str] = ()) -> list[str]:
    """Write the summary of a run."""
    lines = ["", *areas(report), "", verdict_line(report)]
    lines += [
        basis_line(report),
        *filter(None, [element_tables.line(report), public_names.line(report)]),
    ]
    lines += [controls_line(report), clause_line(report), *filter(None, [baseline_line(report)])]
    lines += _problems(report)
    lines += [
        "",
        f"{report['duration_s']:.1f} s, profile {report['profile']}, seed {report['seed']}",
    ]
    return lines + [f"wrote {path}" for path in written]


def areas(report: Report) -> list[str]:
    """Write a table with a row for each area."""
    rows = [
        [
            each["area"],
            each["verdict"],
            each["properties"],
            f"{each['comparisons']:,}",
            f"{each['unexpected']:,}",
            f"{each['missing']:,}",
            f"{each['expected']:,}",
        ]
        for each in report["areas"]
    ]
    headers = ["area", "verdict", "properties", "comparisons", "unexpected", "missing", "expected"]
    return tabulate(
        rows, headers, disable_numparse=True, colalign=["left", "left", *["right"] * 5]
    ).splitlines()


def controls(report: Report) -> list[str]:
    """Write a table of the planted faults and what became of them."""
    rows = [
        [each["id"], each["fault"], each["property"], "caught" if each["caught"] else "NOT CAUGHT"]
        for each in report["controls"]
        if each["kind"] == "fault"
    ]
    return [
        *tabulate(rows, ["control", "fault", "must be caught by", ""]).splitlines(),
        "",
        controls_line(report),
        *_failed_controls(report),
    ]


def _failed_controls(report: Report) -> list[str]:
    return [
        f"  failed control: {each['id']} ({each['fault']});"
        f" found: {', '.join(each['found']) or 'nothing'}"
        for each in report["controls"]
        if not each["caught"]
    ]


def _problems(report: Report) -> list[str]:
    lines = _failed_controls(report)
    for problem in report["problems"]:
        if problem["kind"] != "divergence":
            lines.append(f"  {problem['kind']}: {problem['property']}: {problem['text']}")
    if names := missing_names(report):
        lines += [
            "",
            truncate(f"  missing: {several(len(names), 'name')}: {', '.join(names)}", 0, 116),
        ]
    unexpected = [each for each in groups(report) if each.first["status"] != "expected"]
    shown = _one_of_each_property(unexpected)[:SHOWN]
    for group in shown:
        lines += ["", *divergence_lines(group.first, group.size)]
    if left := len(unexpected) - len(shown):
        lines += ["", f"  and {left:,} more kinds of unexpected divergence in the report"]
    return lines


def _one_of_each_property(found: Sequence[Group]) -> list[Group]:
    first: dict[str, Group] = {}
    for group in found:
        first.setdefault(group.first["property"], group)
    return list(first.values())


def one_divergence(report: Report, identity: str) -> list[str]:
    """Write everything about one divergence, or nothing if not just one has an id that begins so."""
    found = [each for each in report["divergences"] if each["id"].startswith(identity)]
    if len(found) != 1:
        return []
    (each,) = found
    expected, observed = format_sides(each, None)
    return [
        f"{each['id']}  {each['property']}  ({each['status']})",
        f"clauses      {', '.join(each['clause']) or 'none'}",
        f"facet        {each['facet']}",
        f"expected     {expected}",
        f"observed     {observed}",
        f"fingerprint  {each['fingerprint']}",
        *([f"others       {cast}"] if (cast := third_party_text(each)) else []),
        *([f"reason       {each['reason']}  {each['link']}"] if each["reason"] else []),
        "",
        each["reproduction"],
    ]
