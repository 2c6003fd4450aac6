"""The facts by level: 1 what a program computes, 2 how it is laid out, 3 the words for it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from .text import Report

NAMES = {1: "values", 2: "layout", 3: "words"}
WORDS = 3
HEADERS = ["area", "level", "facts asked", "right", "percent", "unexpected"]


def rows(report: Report) -> list[list[str]]:
    """Return a row for each level of the whole run, then for each area and level."""
    areas = report.get("levels", [])
    return [*(_row("all", row) for row in totals(report)), *(_row(r["area"], r) for r in areas)]


def total_rows(report: Report) -> list[list[str]]:
    """Return a row for each level of the whole run."""
    return [_row("all", row)[1:] for row in totals(report)]


def totals(report: Report) -> list[Mapping[str, Any]]:
    """Return the counts of each level over all areas; of earlier reports, none."""
    sums: dict[int, Counter[str]] = {}
    for row in report.get("levels", []):
        counts = {name: row[name] for name in _COUNTS}
        sums.setdefault(row["level"], Counter()).update(counts)
    return [{"level": level, **{n: c[n] for n in _COUNTS}} for level, c in sorted(sums.items())]


def by_area(report: Report) -> dict[str, list[Mapping[str, Any]]]:
    """Return the counts of each level, by area."""
    areas: dict[str, list[Mapping[str, Any]]] = {}
    for row in report.get("levels", []):
        areas.setdefault(row["area"], []).append({n: row[n] for n in ("level", *_COUNTS)})
    return areas


_COUNTS = ("asked", "wrong", "unexpected")


def percent(row: Mapping[str, Any]) -> str:
    """Return the percentage of right facts, rounded down, so that 100 means all of them.

    >>> percent({"asked": 30000, "wrong": 1}), percent({"asked": 5, "wrong": 0})
    ('99.99', '100')
    >>> percent({"asked": 0, "wrong": 0})
    '-'
    """
    if not row["asked"]:
        return "-"
    hundredths = (row["asked"] - row["wrong"]) * 10_000 // row["asked"]
    return "100" if hundredths == 10_000 else f"{hundredths / 100:.2f}"


def _row(area: str, row: Mapping[str, Any]) -> list[str]:
    level = f"{row['level']} {NAMES[row['level']]}"
    right = row["asked"] - row["wrong"]
    return [area, level, f"{row['asked']:,}", f"{right:,}", percent(row), f"{row['unexpected']:,}"]


def not_asked_lines(report: Report) -> list[str]:
    """Return a line for each fact that was not asked, and one for all that an adapter declares.

    Those that no adapter declares come first, as they fail the run.
    """
    rows = report.get("not_asked", [])
    lines = [
        f"{row['fact']} not asked {row['count']:,} times: {row['why']}"
        for row in rows
        if not row["is_declared"]
    ]
    if declared := [row for row in rows if row["is_declared"]]:
        names = ", ".join(row["fact"] for row in declared)
        count = max(row["count"] for row in declared)
        lines.append(f"not asked {count:,} times, as the adapter declares: {names}")
    return lines
