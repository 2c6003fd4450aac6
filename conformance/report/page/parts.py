"""The static parts of the page: pure functions from the report to HTML."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ...core.formatting import format_sides
from .. import causes, element_tables, levels, public_names, unwritten_elements
from ..text import (
    ON_META,
    WORST_FIRST,
    Report,
    baseline_line,
    blocked_lines,
    clause_line,
    controls_line,
    divergence_counts,
    domain_counts,
    domain_text,
    groups,
    missing_names,
    on_meta,
    oracle_text,
    plural,
    times,
    verdict_line,
)

MAX_BLOCKERS = 20


def header(report: Report) -> str:
    """Return the verdict, and the figures behind it."""
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}{_small(more)}</dd></div>"
        for name, figure, more in basis(report)
    )
    sign = "\N{CHECK MARK}" if report["verdict"] == "conforms" else "\N{MULTIPLICATION SIGN}"
    return (
        f'<h1 class="verdict {report["verdict"]}"><span aria-hidden="true">{sign} </span>'
        f"{escape(verdict_line(report))}</h1>\n"
        f'<dl class="basis">{facts}</dl>\n{_not_checked(report)}'
    )


def basis(report: Report) -> list[tuple[str, str, str]]:
    """Return the figures behind the verdict: a name, a figure, and a note."""
    domains = domain_counts(prop["domain"] for prop in report["properties"])
    rejected = sum(prop["domain"]["rejected"] for prop in report["properties"])
    faults, _, itself = controls_line(report).partition(", ")
    binding, _, states = clause_line(report).partition(": ")
    env = report["environment"]
    versions = [f"Python {env['python']}"] if "python" in env else []
    versions += [f"{name} {env[name]}" for name in ("numpy", "hypothesis") if name in env]
    return [
        ("Comparisons", f"{report['totals']['comparisons']:,}", "single facts, each on its own"),
        (
            "Finite domains",
            f"{domains['complete']} of {domains['finite']} complete",
            f"and {domains['drawn']:,} distinct drawn cases, {rejected:,} rejected",
        ),
        ("Controls", faults, itself),
        ("Specification", states, binding),
        (
            "Oracle",
            oracle_text(report),
            f"CUDA: {env['cuda']}" if "cuda" in env else "",
        ),
        (
            "Run",
            f"profile {report['profile']}, seed {report['seed']}",
            f"{report['started'][:16].replace('T', ' ')} UTC, {report['duration_s']:,.0f} s",
        ),
        (
            "Platform",
            " ".join(env[name] for name in ("platform", "machine") if name in env),
            ", ".join(versions),
        ),
        ("Since the baseline", *_since(report)),
    ]  # fmt: skip


def _since(report: Report) -> tuple[str, str]:
    before, _, after = baseline_line(report).partition(": ")
    return (after or "not compared", before.removeprefix("since "))


def _small(text: str) -> str:
    return f"<small>{escape(text)}</small>" if text else ""


_NOT_CHECKED = {
    "unchecked": "no property checks that yet",
    "unobservable": "no property can check that without an accelerator",
    "not run": "a property of it did not run",
}


def _not_checked(report: Report) -> str:
    """Return the list of checks that were not run, or an empty string."""
    notes = []
    if report["partial"]:
        notes.append(f"only {report['partial']} was run")
    if idle := [prop["id"] for prop in report["properties"] if prop["verdict"] == "not run"]:
        notes.append(f"not finished: {', '.join(idle)}")
    states = [clause["state"] for clause in report["clauses"] if clause["grade"] == "must"]
    for state, meaning in _NOT_CHECKED.items():
        if number := states.count(state):
            notes.append(f"{plural(number, 'binding clause')}: {meaning}")
    if report["environment"].get("cuda") == "FakeTensorMode":
        notes.append(
            "no GPU: what CUDA does is asked of torch's FakeTensorMode, which has no memory"
        )
    if names := (report["surface"] or {}).get("planned"):
        notes.append(f"{plural(len(names), 'public name')} of torch planned, and not there yet")
    if not notes:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<p id="not-run"><strong>What was not run or checked</strong></p><ul>{items}</ul>'


def first_divergence(report: Report) -> str:
    """Return the failures of a run: problems, missing names, and the worst divergence."""
    parts = []
    if lines := blocked_lines(report):
        rows = (f"<li>{escape(line)}</li>" for line in lines[:MAX_BLOCKERS])
        left = len(lines) - MAX_BLOCKERS
        parts.append(
            "<h2>Blocked: questions that were not asked, as a step before them differs</h2>"
            f"<ul>{''.join(rows)}</ul>{f'<p>and {left:,} more</p>' if left > 0 else ''}"
        )
    kinds = {"divergence", "blocked"}
    problems = [problem for problem in report["problems"] if problem["kind"] not in kinds]
    problems += [
        {"kind": "not caught", "property": control["property"], "text": control["fault"]}
        for control in report["controls"]
        if not control["caught"]
    ]
    if problems:
        rows = (
            f"<li>{escape(problem['kind'])}: <code>{escape(problem['property'])}</code>:"
            f" {escape(problem['text'])}</li>"
            for problem in problems
        )
        parts.append(f"<h2>What fails the run beside divergences</h2><ul>{''.join(rows)}</ul>")
    if names := missing_names(report):
        listed = ", ".join(f"<code>{escape(name)}</code>" for name in names[:40])
        more = f" and {len(names) - 40:,} more" if len(names) > 40 else ""
        parts.append(f"<h2>Missing: {plural(len(names), 'name')}</h2><p>{listed}{more}</p>")
    failing = [group for group in groups(report) if group.first["status"] != "expected"]
    if failing:
        first, size = failing[0]
        expected, observed = format_sides(first, None)
        parts.append(
            f'<h2>The worst first: <a href="#{first["id"]}">{escape(first["property"])},'
            f" {escape(first['facet'])}</a>{f', one of {size:,} alike' if size > 1 else ''}</h2>"
            f"<pre tabindex='0'>torch gives    {escape(expected)}\n"
            f"subject gives  {escape(observed)}</pre>"
            f'<div class="snippet"><pre tabindex="0">{escape(first["reproduction"])}</pre></div>'
        )
    if len(failing) > 1:
        parts.append(causes_table(report))
    content = "\n".join(parts)
    return f'<section id="first" aria-label="What fails">{content}</section>' if parts else ""


def causes_table(report: Report) -> str:
    """Return the table of the groups of causes, the one to mend first first."""
    rows = []
    for group in causes.groups_of_causes(report):
        example = group.causes[0].example
        names = list(dict.fromkeys(name for cause in group.causes for name in cause.calls))
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        rows.append(
            f'<tr><td class="number">{group.level}</td><td class="number">{group.size:,}</td>'
            f'<td class="number">{len(group.causes):,}</td>'
            f'<td class="number">{group.blocked:,}</td>'
            f'<th scope="row"><a href="#{example["id"]}">{escape(group.title)}</a></th>'
            f"<td>{escape(', '.join(names[:6]) + more)}</td></tr>"
        )
    heads = ["level", "divergences", "causes", "blocked", "how it differs", "calls"]
    caption = "Causes: divergences that differ alike; first what blocks most"
    return _table(caption, heads, rows)


def levels_table(report: Report) -> str:
    """Return the table of the facts by level, or a sentence about an earlier report."""
    totals = levels.total_rows(report)
    if not totals:
        return "<p>Reports of this version do not count facts by level.</p>"
    rows = [
        f'<tr><th scope="row">{escape(level)}</th>'
        + "".join(f'<td class="number">{cell}</td>' for cell in cells)
        + "</tr>"
        for level, *cells in totals
    ]
    notes = "".join(f"<li>{escape(line)}</li>" for line in levels.not_asked_lines(report))
    caption = "Facts by level: values, layout, words"
    return _table(caption, levels.HEADERS[1:], rows) + (f"<ul>{notes}</ul>" if notes else "")


def areas(report: Report) -> str:
    """Return the table of areas by facets: comparisons, and divergences."""
    used = {facet for area in report["areas"] for facet in area["facets"]}
    facets = [facet for facet in WORST_FIRST if facet in used] + sorted(used - {*WORST_FIRST})
    rows = []
    for area in report["areas"]:
        name = escape(area["area"])
        cells = "".join(_area_cell(area, facet) for facet in facets)
        rows.append(
            f'<tr><th scope="row">{name}</th><td>{_badge(area["verdict"])}</td>'
            f'<td class="number">{area["properties"]}</td>'
            f'<td class="number">{area["comparisons"]:,}</td>{cells}</tr>'
        )
    heads = ["area", "verdict", "properties", "comparisons", *facets]
    return _table(
        "Comparisons by area and facet;"
        " of those that differ, how many are unexpected, missing or expected",
        heads,
        rows,
    )


def _area_cell(area: Any, facet: str) -> str:
    counts = area["facets"].get(facet)
    if counts is None:
        return "<td></td>"
    differing = divergence_counts(counts)
    compared = f"{counts['comparisons']:,}"
    if not differing:
        return f'<td class="number">{compared}</td>'
    kind = "unexpected" if counts["unexpected"] or counts["missing"] else "expected"
    address = f"#divergences?area={area['area']}&amp;facet={facet}"
    link = f'<a href="{address}">{differing}</a>'
    return f'<td class="number {kind}">{compared}<br>{link}</td>'


def properties(report: Report) -> str:
    """Return the table of properties."""
    rows = []
    for prop in report["properties"]:
        count = prop["divergences"]
        differing = (
            f'<a href="#divergences?property={prop["id"]}">{count:,}</a>' if count else "none"
        )
        rows.append(
            f'<tr id="property-{prop["id"]}"><th scope="row"><code>{escape(prop["id"])}</code></th>'
            f"<td>{_badge(prop['verdict'])}</td><td>{escape(prop['summary'])}</td>"
            f'<td class="number">{prop["comparisons"]:,}</td>'
            f"<td>{escape(domain_text(prop['domain']))}</td>"
            f'<td class="number">{differing}</td></tr>'
        )
    heads = ["property", "verdict", "what it claims", "comparisons", "domain", "divergences"]
    return _table(
        "What was put to the test, and how much of its domain",
        heads,
        rows,
    )


def controls(report: Report) -> str:
    """Return the table of the controls."""
    shown = [row for row in report["controls"] if row["kind"] == "fault" or not row["caught"]]
    rows = [
        f'<tr><th scope="row"><code>{escape(row["id"])}</code></th>'
        f"<td>{_badge('caught' if row['caught'] else 'uncaught')}</td>"
        f"<td>{escape(row['fault'])}</td><td><code>{escape(row['property'])}</code></td>"
        f"<td>{escape(row['caught_as'])}</td></tr>"
        for row in sorted(shown, key=lambda row: bool(row["caught"]))
    ]
    heads = ["control", "state", "fault that was planted", "property that must notice", "as"]
    about = f"<p>{escape(controls_line(report))}.</p>{_on_meta(report)}"
    if not rows:
        return about
    return about + _table(
        "Faults planted to see whether the suite notices",
        heads,
        rows,
    )


def _on_meta(report: Report) -> str:
    sentence, rows = on_meta(report)
    if not sentence:
        return ""
    cells = [[name, many, case.splitlines()[-1], *sides] for name, many, case, *sides in rows]
    table = _rules("Where torch on meta differs from torch on the CPU", cells, ON_META)
    return f"<h3>Torch itself on meta</h3><p>{sentence}.</p>{table}"


def undefined(report: Report) -> str:
    """Return the tables of the normalizations and of the names that are out of scope."""
    parts = [
        _rules(
            "Counts as equal although it differs, as torch leaves it undefined",
            [(rule["name"], ", ".join(rule["facets"]), rule["why"], times(rule["used"]))
             for rule in report["normalisations"]],
            ("rule", "facets", "why", "times it was needed"),
        )
    ]  # fmt: skip
    if sentence := element_tables.line(report):
        covered = [
            (rule["name"], rule["why"], f"{rule['undefined']:,}", f"{rule['forgiven']:,}")
            for rule in report["elements"]["rules"]
        ]
        heads = ("rule", "why", "elements covered", "that did differ")
        table = _rules("Elements that torch leaves undefined", covered, heads)
        parts.append(f"<h3>Elements</h3><p>{escape(sentence)}.</p>{table}")
    if sentence := unwritten_elements.line(report):
        caption = "Elements that nothing wrote, which differ if torch runs over other memory"
        table = _rules(caption, unwritten_elements.rows(report), unwritten_elements.HEADERS)
        parts.append(f"<h3>Unwritten elements</h3><p>{escape(sentence)}.</p>{table}")
    if sentence := public_names.line(report):
        out = [
            (group["group"], f"{len(group['names']):,}", group["reason"])
            for group in report["surface"]["out_of_scope"]
        ]
        parts.append(
            f"<h3>Public names</h3><p>{escape(sentence)}.</p>"
            + _rules("Names that are out of scope", out, ("group", "names", "why"))
        )
    return "\n".join(parts)


def _rules(caption: str, rows: Iterable[Sequence[str]], heads: Sequence[str]) -> str:
    body = (
        f'<tr><th scope="row">{escape(name)}</th>'
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    return _table(caption, heads, body)


def footer(report: Report) -> str:
    """Return the versions of the suite, the subject and the environment."""
    code = report["code"]
    return escape(
        f"Made by torch-attributes, schema {report['schema']}; suite {code['suite']},"
        f" subject {code['subject'] or 'unknown'};"
        f" {', '.join(f'{name} {value}' for name, value in report['environment'].items())}."
    )


def _table(caption: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    """Return a table in a frame that scrolls, also by keyboard."""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption>"
        f"<thead><tr>{''.join(map(_head, heads))}</tr></thead><tbody>\n"
        + "\n".join(rows)
        + "\n</tbody></table></div>"
    )


def _head(name: str) -> str:
    number = ' class="number"' if name in ("comparisons", "properties", *WORST_FIRST) else ""
    return f'<th scope="col"{number}>{escape(name)}</th>'


def _badge(state: str) -> str:
    return f'<span class="badge {state.replace(" ", "-")}">{escape(state)}</span>'
