"""The report as one HTML file that needs nothing else: no network, no server, no framework.

What everybody has to see stands in the file as text; the long lists and the pictures of domains are
drawn by its script, from data in the file, when somebody gets to them.
"""

import json
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ...core.formatting import format_sides
from ..text import Report, clause_line, several, third_party_text, verdict_line
from . import parts

PAGE = Path(__file__).parent


def write(report: Report) -> str:
    """Write the whole page."""
    return Template(file("page.html")).substitute(
        title=escape(f"{verdict_line(report)}: tensor attributes"),
        style=file("style.css"),
        header=parts.header(report),
        first=parts.first_divergence(report),
        areas=parts.areas(report),
        clauses=escape(clause_line(report)) + ".",
        divergences=_divergences_line(report),
        properties=parts.properties(report),
        controls=parts.controls(report),
        undefined=parts.undefined(report),
        reading=file("reading.html"),
        footer=parts.footer(report),
        data=embedded(_data(report)),
        script=file("script.js"),
    )


@cache
def file(name: str) -> str:
    """Return a file that every page is made of."""
    return (PAGE / name).read_text(encoding="utf-8")


def embedded(data: Any) -> str:
    """Write data so that it can stand inside a script element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _divergences_line(report: Report) -> str:
    totals = report["totals"]
    kinds = [f"{totals[kind]:,} {kind}" for kind in ("unexpected", "missing", "expected")]
    found = several(totals["divergences"], "divergence")
    return f"{found}: {', '.join(kinds)}."


def _data(report: Report) -> dict[str, Any]:
    """Return what the script draws from: the report, with answers as they are written for people."""
    reasons: dict[tuple[Any, Any], int] = {}
    rows = []
    for each in report["divergences"]:
        expected, observed = format_sides(each, None)
        why = (each["reason"], each["link"])
        rows.append(
            {
                **{
                    key: each[key]
                    for key in ("id", "property", "clause", "facet", "case", "status")
                },
                "expected": expected,
                "observed": observed,
                "why": reasons.setdefault(why, len(reasons)) if each["reason"] else None,
                "others": third_party_text(each),
                "reproduction": each["reproduction"],
            }
        )
    order = {"unexpected": 0, "missing": 1, "changed": 0}
    rows.sort(key=lambda row: order.get(row["status"], 2))
    return {
        "subject": report["subject"],
        "divergences": rows,
        "reasons": [{"reason": reason, "link": link} for reason, link in reasons],
        "clauses": report["clauses"],
        "properties": [
            {
                key: each[key]
                for key in ("id", "area", "summary", "verdict", "comparisons", "domain")
            }
            for each in report["properties"]
        ],
        "pictures": {each["property"]: each for each in report["pictures"]},
        "pairs": report["elements"]["pairs"],
    }
