"""The summary that ends a run: what fits a screen."""

from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate

from .text import Report, basis_line, clause_line, controls_line, shorten, verdict_line

SHOWN = 5


def summary(report: Report, written: Sequence[str] = ()) -> list[str]:
    """Write the summary of a run."""
    lines = ["", *areas(report), "", verdict_line(report)]
    lines += [basis_line(report), controls_line(report), clause_line(report)]
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
            f"{each['expected']:,}",
        ]
        for each in report["areas"]
    ]
    headers = ["area", "verdict", "properties", "comparisons", "unexpected", "expected"]
    return tabulate(
        rows, headers, disable_numparse=True, colalign=["left", "left", *["right"] * 4]
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
    for each in _first_of_each_property(report):
        lines += ["", *divergence_lines(each)]
    left = report["totals"]["unexpected"] - len(_first_of_each_property(report))
    if left > 0:
        lines += ["", f"  and {left:,} more unexpected divergences in the report"]
    return lines


def _first_of_each_property(report: Report) -> list[Any]:
    first: dict[str, Any] = {}
    for each in report["divergences"]:
        if each["status"] != "expected":
            first.setdefault(each["property"], each)
    return list(first.values())[:SHOWN]


def divergence_lines(each: Any) -> list[str]:
    """Write a divergence in a few lines."""
    return [
        f"  {each['id']}  {each['property']}  {each['facet']}  ({each['status']})",
        f"    {shorten(each['case'])}",
        f"    expected  {shorten(shown(each, 'expected'))}",
        f"    observed  {shorten(shown(each, 'observed'))}",
    ]


def shown(each: Mapping[str, Any], side: str) -> str:
    """Write what was expected or observed in a divergence, for people.

    >>> shown({"facet": "value", "expected": {"torch": "int8"}}, "expected")
    'torch.int8'
    >>> shown({"facet": "raises", "expected": None}, "expected")
    'no error'
    """
    match each["facet"], each[side]:
        case "raises", None:
            return "no error"
        case _, {"absent": True}:
            return "nothing to look at"
        case _, {"torch": name}:
            return f"torch.{name}"
        case _, {"int": text} | {"float": text}:
            return str(text)
        case "warnings", []:
            return "no warnings"
        case _, str() as text:
            return text
        case _, value:
            return str(value)


def one_divergence(report: Report, identity: str) -> list[str]:
    """Write everything about one divergence, or nothing if there is none of that identity."""
    for each in report["divergences"]:
        if each["id"] == identity:
            return [
                f"{each['id']}  {each['property']}  ({each['status']})",
                f"clauses      {', '.join(each['clause']) or 'none'}",
                f"facet        {each['facet']}",
                f"expected     {shown(each, 'expected')}",
                f"observed     {shown(each, 'observed')}",
                f"fingerprint  {each['fingerprint']}",
                *([f"reason       {each['reason']}  {each['link']}"] if each["reason"] else []),
                "",
                each["reproduction"],
            ]
    return []
