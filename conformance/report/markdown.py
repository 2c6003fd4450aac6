"""The report as Markdown for a pull request."""

from collections.abc import Iterable, Mapping
from typing import Any

from tabulate import tabulate

from ..core.formatting import format_sides
from . import causes, element_tables, levels, public_names, unwritten_elements
from .text import (
    ON_META,
    Report,
    area_rows,
    baseline_line,
    basis_line,
    blocked_lines,
    clause_line,
    controls_line,
    domain_text,
    fenced,
    first_of_each,
    groups,
    missing_names,
    not_begun_line,
    on_meta,
    plural,
    third_party_text,
    times,
    verdict_line,
)

MAX_GROUPS, MAX_GROUPS_OF_PART = 60, 8
"""The number of kinds of divergences that are shown, of a whole run and of a part of one."""


def write(report: Report) -> str:
    """Return the report as Markdown."""
    env = ", ".join(f"{key} {value}" for key, value in report["environment"].items())
    parts = [
        f"# {verdict_line(report)}",
        *filter(None, [not_begun_line(report)]),
        f"{basis_line(report)}; {controls_line(report)}; {clause_line(report)}.",
        *filter(None, [baseline_line(report)]),
        f"Profile {report['profile']}, seed {report['seed']}, {report['duration_s']} s; {env}.",
        "## Areas",
        table(*area_rows(report)),
        *_levels(report),
        *_blocked(report),
        *_problems(report),
        *_missing(report),
        *_divergences(report),
        "## Properties",
        table(
            ["property", "verdict", "what it claims", "comparisons", "seconds", "domain"],
            (
                [
                    f"`{prop['id']}`", prop["verdict"], prop["summary"],
                    f"{prop['comparisons']:,}", _seconds(prop), domain_text(prop["domain"]),
                ]
                for prop in report["properties"]
            ),
        ),
        "## The specification",
        table(
            ["clause", "grade", "state", "what it says"],
            (
                [f"`{clause['id']}`", clause["grade"], clause["state"], clause["text"]]
                for clause in report["clauses"]
                if report["partial"] is None or clause["state"] != "not run"
            ),
        ),
        *_controls(report),
        *_on_meta(report),
        *_surface(report),
        *_schemas(report),
        *_elements(report),
        *_unwritten(report),
        "## Normalizations",
        "What counts as equal although it differs, because torch leaves it undefined:",
        table(
            ["rule", "facets", "why", "times it was needed"],
            (
                [rule["name"], ", ".join(rule["facets"]), rule["why"], times(rule["used"])]
                for rule in report["normalisations"]
                if report["partial"] is None or rule["used"]
            ),
        ),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _seconds(prop: Mapping[str, Any]) -> str:
    """Return how long the parts of a property ran; reports of earlier versions do not say it."""
    return f"{prop['seconds']:.1f}" if "seconds" in prop else ""


def _levels(report: Report) -> list[str]:
    rows = levels.rows(report)
    if not rows:
        return []
    lines = "\n".join(f"- {line}" for line in levels.not_asked_lines(report))
    return ["## Levels", table(levels.HEADERS, rows), *filter(None, [lines])]


def _blocked(report: Report) -> list[str]:
    lines = blocked_lines(report)
    if not lines:
        return []
    return [
        "## Blocked",
        "A step before the question differs, so the question was not asked:",
        "\n".join(f"- {line}" for line in lines),
    ]


def _problems(report: Report) -> list[str]:
    rows = [problem for problem in report["problems"] if problem["kind"] != "divergence"]
    lines = [f"- {problem['kind']}: `{problem['property']}`: {problem['text']}" for problem in rows]
    return ["## What fails the run beside divergences", "\n".join(lines)] if lines else []


def _missing(report: Report) -> list[str]:
    names = missing_names(report)
    if not names:
        return []
    return [
        f"## Missing: {plural(len(names), 'name')}",
        ", ".join(f"`{name}`" for name in names),
    ]


def _divergences(report: Report) -> list[str]:
    found = groups(report)
    all_groups = [*(first := first_of_each(found)), *(each for each in found if each not in first)]
    if not all_groups:
        return []
    parts = [
        "## Causes",
        "Divergences that differ alike but for dtypes, numbers and names; first what blocks most.",
        table(causes.HEADERS, causes.rows(report)),
        "## Divergences",
        "Divergences of one property that differ alike are shown once. The worst of each property"
        " come first.",
    ]
    shown = MAX_GROUPS_OF_PART if report["partial"] else MAX_GROUPS
    for row, count in all_groups[:shown]:
        more = f", one of {count:,} alike" if count > 1 else ""
        parts.append(f"### `{row['id']}` {row['property']}: {row['facet']} ({row['status']}{more})")
        if row["reason"]:
            parts.append(f"Expected: {row['reason']} ({row['link']})")
        expected, observed = format_sides(row, None)
        parts.append(fenced(f"expected  {expected}\nobserved  {observed}"))
        if others := third_party_text(row):
            parts.append(f"Of others, {others}.")
        parts.append(fenced(row["reproduction"], "python"))
    if len(all_groups) > shown:
        parts.append(f"And {len(all_groups) - shown:,} more kinds in report.html and report.json.")
    return parts


def _surface(report: Report) -> list[str]:
    line = public_names.line(report)
    if not line:
        return []
    return [
        f"## Public names\n\n{line}.",
        *public_names.lists(report),
        table(["out of scope", "names", "why", "which"], public_names.rows(report)),
    ]


def _schemas(report: Report) -> list[str]:
    schemas = report["schemas"]
    if schemas is None:
        return []
    rows = [
        [row["reason"], f"{len(row['overloads']):,}", ", ".join(row["overloads"])]
        for row in schemas["not_asked"]
    ]
    return [
        f"## Overloads\n\nCalls were made for {schemas['asked']:,} overloads of torch's operators.",
        table(["no calls, because", "overloads", "which"], rows),
    ]


def _elements(report: Report) -> list[str]:
    line = element_tables.line(report)
    parts = [f"## Elements\n\n{line}."] if line else []
    for title, headers, rows in element_tables.tables(report):
        parts += [f"{title}:", table(headers, rows)]
    if operators := element_tables.operators(report):
        parts += [
            "Operators, by the dtype of the result: the largest distance seen, in units in the last"
            " place, / the one that is accepted, which is what was measured and one more. Wide is a"
            " bound that this run did not come near. By the other kernel is what torch itself gives"
            " only if the operand lies otherwise:",
            table(*operators),
        ]
    return parts


def _unwritten(report: Report) -> list[str]:
    line = unwritten_elements.line(report)
    if not line:
        return []
    return [
        "## Unwritten elements",
        f"An element that nothing wrote differs if torch runs over other memory. {line}.",
        table(unwritten_elements.HEADERS, unwritten_elements.rows(report)),
    ]


def _controls(report: Report) -> list[str]:
    if not report["controls"]:
        return []
    return [
        "## Controls",
        f"Faults planted to see whether the property that is named for each catches it:"
        f" {controls_line(report)}.",
        table(
            ["control", "fault", "property", "caught"],
            (
                [
                    control["id"], control["fault"], f"`{control['property']}`",
                    "yes" if control["caught"] else "**no**",
                ]
                for control in report["controls"]
                if control["kind"] == "fault" or not control["caught"]
            ),
        ),
    ]  # fmt: skip


def _on_meta(report: Report) -> list[str]:
    sentence, rows = on_meta(report)
    if not sentence:
        return []
    cells = (
        [f"`{name}`", differences, f"`{' ↲ '.join(case.splitlines()[-2:])}`", *sides]
        for name, differences, case, *sides in rows
    )
    return ["## Torch itself on meta", f"{sentence}:", table(ON_META, cells)]


def table(headers: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table in GitHub's Markdown, each cell in one line."""
    cells = [[*map(_in_one_line, row)] for row in rows]
    return tabulate(cells, [*map(_in_one_line, headers)], "github", disable_numparse=True)


def _in_one_line(cell: object) -> str:
    return " ".join(str(cell).replace("|", r"\|").split())
