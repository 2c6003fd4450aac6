"""The report as one HTML file without external resources, server or framework.

The verdict and the tables of areas are static text.  The script draws long lists and pictures of
domains from data in the file, when they scroll into view.
"""

import json
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ...core.formatting import format_sides
from ..text import KIND_TEXTS, Report, clause_line, plural, third_party_text, verdict_line
from . import parts

PAGE = Path(__file__).parent


def write(report: Report) -> str:
    """Return the page as HTML."""
    totals = report["totals"]
    kinds = [f"{totals[kind]:,} {text}" for kind, text in KIND_TEXTS.items()]
    return Template(file("page.html")).substitute(
        title=escape(f"{verdict_line(report)}: tensor attributes"),
        style=file("style.css"),
        header=parts.header(report),
        first=parts.first_divergence(report),
        levels=parts.levels_table(report),
        areas=parts.areas(report),
        clauses=escape(clause_line(report)) + ".",
        divergences=f"{plural(totals['divergences'], 'divergence')}: {', '.join(kinds)}.",
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
    """Return the text of a file of this package."""
    return (PAGE / name).read_text(encoding="utf-8")


def embedded(data: Any) -> str:
    """Return data as JSON that is safe inside a script element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _data(report: Report) -> dict[str, Any]:
    """Return the data for the script: parts of the report, with answers as readable text."""
    reasons: dict[tuple[Any, Any], int] = {}
    rows = []
    for divergence in report["divergences"]:
        expected, observed = format_sides(divergence, None)
        reason = (divergence["reason"], divergence["link"])
        rows.append(
            {
                **{
                    key: divergence[key]
                    for key in ("id", "property", "clause", "facet", "case", "status")
                },
                "expected": expected,
                "observed": observed,
                "level": divergence.get("level", 1),
                "why": reasons.setdefault(reason, len(reasons)) if divergence["reason"] else None,
                "others": third_party_text(divergence),
                "reproduction": divergence["reproduction"],
            }
        )
    order = {"unexpected": 0, "missing": 1, "changed": 0}
    rows.sort(key=lambda row: order.get(row["status"], 2))
    return {
        "subject": report["subject"],
        "divergences": rows,
        "reasons": [{"reason": reason, "link": link} for reason, link in reasons],
        "documents": report["documents"],
        "clauses": report["clauses"],
        "properties": [
            {
                key: prop[key]
                for key in ("id", "area", "summary", "verdict", "comparisons", "domain")
            }
            for prop in report["properties"]
        ],
        "pictures": {picture["property"]: picture for picture in report["pictures"]},
        "pairs": report["elements"]["pairs"],
    }
