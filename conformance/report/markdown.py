"""The report as Markdown, to be read in a pull request."""

from collections.abc import Iterable
from typing import Any

from tabulate import tabulate

from ..core.formatting import format_sides
from . import element_tables, public_names
from .text import (
    Report,
    baseline_line,
    basis_line,
    clause_line,
    controls_line,
    fenced,
    groups,
    missing_names,
    several,
    third_party_text,
    times,
    verdict_line,
)

MOST = 200


def write(report: Report) -> str:
    """Write the whole report."""
    parts = [
        f"# {verdict_line(report)}",
        f"{basis_line(report)}; {controls_line(report)}; {clause_line(report)}.",
        *filter(None, [baseline_line(report)]),
        _run(report),
        "## Areas",
        _table(
            ["area", "verdict", "properties", "comparisons", "unexpected", "missing", "expected"],
            (
                [
                    each["area"], each["verdict"], each["properties"], f"{each['comparisons']:,}",
                    f"{each['unexpected']:,}", f"{each['missing']:,}", f"{each['expected']:,}",
                ]
                for each in report["areas"]
            ),
        ),
        *_problems(report),
        *_missing(report),
        *_divergences(report),
        "## Properties",
        _table(
            ["property", "verdict", "what it claims", "comparisons", "domain"],
            (
                [
                    f"`{each['id']}`", each["verdict"], each["summary"],
                    f"{each['comparisons']:,}", _domain(each["domain"]),
                ]
                for each in report["properties"]
            ),
        ),
        "## The specification",
        _table(
            ["clause", "grade", "state", "what it says"],
            (
                [f"`{each['id']}`", each["grade"], each["state"], each["text"]]
                for each in report["clauses"]
            ),
        ),
        *_controls(report),
        *_on_meta(report),
        *_surface(report),
        *_elements(report),
        "## Normalisations",
        "What counts as equal although it differs, because torch leaves it undefined:",
        _table(
            ["rule", "facets", "why", "times it was needed"],
            (
                [each["name"], ", ".join(each["facets"]), each["why"], times(each["used"])]
                for each in report["normalisations"]
            ),
        ),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _run(report: Report) -> str:
    where = ", ".join(f"{key} {value}" for key, value in report["environment"].items())
    return f"Profile {report['profile']}, seed {report['seed']}, {report['duration_s']} s; {where}."


def _problems(report: Report) -> list[str]:
    rows = [each for each in report["problems"] if each["kind"] != "divergence"]
    lines = [f"- {each['kind']}: `{each['property']}`: {each['text']}" for each in rows]
    return ["## What fails the run beside divergences", "\n".join(lines)] if lines else []


def _missing(report: Report) -> list[str]:
    names = missing_names(report)
    if not names:
        return []
    return [f"## Missing: {several(len(names), 'name')}", ", ".join(f"`{name}`" for name in names)]


def _divergences(report: Report) -> list[str]:
    found = groups(report)
    if not found:
        return []
    parts = ["## Divergences", "Divergences of one property that differ alike are shown once."]
    for each, count in found[:MOST]:
        more = f", one of {count:,} alike" if count > 1 else ""
        parts.append(
            f"### `{each['id']}` {each['property']}: {each['facet']} ({each['status']}{more})"
        )
        if each["reason"]:
            parts.append(f"Expected: {each['reason']} ({each['link']})")
        expected, observed = format_sides(each, None)
        parts.append(fenced(f"expected  {expected}\nobserved  {observed}"))
        if cast := third_party_text(each):
            parts.append(f"Of others, {cast}.")
        parts.append(fenced(each["reproduction"], "python"))
    if len(found) > MOST:
        parts.append(f"And {len(found) - MOST:,} more kinds in the JSON report.")
    return parts


def _surface(report: Report) -> list[str]:
    if not public_names.line(report):
        return []
    return [
        f"## Public names\n\n{public_names.line(report)}.",
        *public_names.lists(report),
        _table(["out of scope", "names", "why", "which"], public_names.rows(report)),
    ]


def _elements(report: Report) -> list[str]:
    parts = (
        [f"## Elements\n\n{element_tables.line(report)}."] if element_tables.line(report) else []
    )
    for title, headers, rows in element_tables.tables(report):
        parts += [f"{title}:", _table(headers, rows)]
    if table := element_tables.operators(report):
        parts += [
            "Operators, by the dtype of the result: the largest distance seen, in units in the last"
            " place, / the one that is accepted, which is what was measured and one more. Wide is a"
            " bound that this run did not come near. By the other kernel is what torch itself gives"
            " only if the operand lies otherwise:",
            _table(*table),
        ]
    return parts


def _domain(domain: Any) -> str:
    if domain["kind"] == "finite":
        done = "complete" if domain["complete"] else "incomplete"
        return f"{domain['visited']:,} of {domain['size']:,} cells, {done}"
    return f"{domain['visited']:,} distinct cases, {domain['rejected']:,} rejected"


def _controls(report: Report) -> list[str]:
    return [
        "## Controls",
        f"Faults planted to see whether the property that is named for each catches it:"
        f" {controls_line(report)}.",
        _table(
            ["control", "fault", "property", "caught"],
            (
                [
                    each["id"], each["fault"], f"`{each['property']}`",
                    "yes" if each["caught"] else "**no**",
                ]
                for each in report["controls"]
                if each["kind"] == "fault" or not each["caught"]
            ),
        ),
    ]  # fmt: skip


def _on_meta(report: Report) -> list[str]:
    """Show where the oracle on meta differs from itself on the CPU, if the subject was on meta."""
    asked = [each for each in report["controls"] if "on_meta" in each]
    differing = [each for each in asked if each["on_meta"]["differences"]]
    if not asked:
        return []
    return [
        "## Torch itself on meta",
        f"The subject is held against torch on the CPU. Torch on meta differs from that in"
        f" {len(differing)} of {len(asked)} properties, in the cells that the controls look at:",
        _table(
            ["property", "differences", "one of them", "on the CPU", "on meta"],
            (
                [
                    f"`{each['property']}`",
                    ", ".join(
                        f"{facet} {n:,}" for facet, n in each["on_meta"]["differences"].items()
                    ),
                    f"`{' ↲ '.join(each['on_meta']['example']['case'].splitlines()[-2:])}`",
                    *format_sides({**each["on_meta"]["example"], "messages": (None, None)}, 100),
                ]
                for each in differing
            ),
        ),
    ]


def _table(headers: list[str], rows: Iterable[list[Any]]) -> str:
    cells = [[str(cell).replace("|", r"\|") for cell in row] for row in rows]
    return tabulate(cells, headers, tablefmt="github", disable_numparse=True)
