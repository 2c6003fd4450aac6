"""The parts of the page that stand in it as text: pure functions of the report that write HTML."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ...core.formatting import format_sides
from .. import element_tables, public_names
from ..text import (
    WORST_FIRST,
    Report,
    baseline_line,
    clause_line,
    controls_line,
    groups,
    missing_names,
    several,
    times,
    verdict_line,
)


def header(report: Report) -> str:
    """Write the verdict and what it rests on."""
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(what)}{_small(more)}</dd></div>"
        for name, what, more in basis(report)
    )
    sign = "\N{CHECK MARK}" if report["verdict"] == "conforms" else "\N{MULTIPLICATION SIGN}"
    return (
        f'<h1 class="verdict {report["verdict"]}"><span aria-hidden="true">{sign} </span>'
        f"{escape(verdict_line(report))}</h1>\n"
        f'<dl class="basis">{facts}</dl>\n{_not_run(report)}'
    )


def basis(report: Report) -> list[tuple[str, str, str]]:
    """Return what a verdict rests on: a name, a figure, and what there is to say of it."""
    domains = [each["domain"] for each in report["properties"]]
    finite = [each for each in domains if each["kind"] == "finite"]
    complete = sum(each["complete"] for each in finite)
    drawn = sum(each["visited"] for each in domains if each["kind"] == "sampled")
    rejected = sum(each["rejected"] for each in domains)
    faults, _, itself = controls_line(report).partition(", ")
    where = report["environment"]
    versions = [f"{name} {where[name]}" for name in ("numpy", "hypothesis") if name in where]
    return [
        ("Comparisons", f"{report['totals']['comparisons']:,}", "single facts, each on its own"),
        (
            "Finite domains",
            f"{complete} of {len(finite)} complete",
            f"and {drawn:,} distinct drawn cases, {rejected:,} rejected",
        ),
        ("Controls", faults, itself),
        ("Specification", clause_line(report).partition(": ")[2], clause_line(report).partition(":")[0]),
        (
            "Oracle",
            f"{report['oracle']} {where.get(report['oracle'].partition('@')[0], '')}".strip(),
            f"CUDA: {where['cuda']}" if "cuda" in where else "",
        ),
        (
            "Run",
            f"profile {report['profile']}, seed {report['seed']}",
            f"{report['started'][:16].replace('T', ' ')} UTC, {report['duration_s']:,.0f} s",
        ),
        (
            "Platform",
            " ".join(where[name] for name in ("platform", "machine") if name in where),
            ", ".join([f"Python {where['python']}" if "python" in where else "", *versions]).strip(", "),
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
    "not run": "a property of it did not run",
}


def _not_run(report: Report) -> str:
    """Say what the verdict does not rest on."""
    found = []
    if report["partial"]:
        found.append(f"only the area {report['partial']} was run")
    if idle := [each["id"] for each in report["properties"] if each["verdict"] == "not run"]:
        found.append(f"not finished: {', '.join(idle)}")
    states = [each["state"] for each in report["clauses"] if each["grade"] == "must"]
    for state, what in _NOT_CHECKED.items():
        if number := states.count(state):
            found.append(f"{several(number, 'binding clause')}: {what}")
    if report["environment"].get("cuda") == "FakeTensorMode":
        found.append(
            "no GPU: what CUDA does is asked of torch's FakeTensorMode, which has no memory"
        )
    if names := (report["surface"] or {}).get("planned"):
        found.append(f"{several(len(names), 'public name')} of torch planned, and not there yet")
    if not found:
        return ""
    items = "".join(f"<li>{escape(each)}</li>" for each in found)
    return f'<p id="not-run"><strong>What was not run or checked</strong></p><ul>{items}</ul>'


def first_divergence(report: Report) -> str:
    """Show at once what fails a run: problems, what is missing, and the worst divergence with its snippet."""
    parts = []
    problems = [each for each in report["problems"] if each["kind"] != "divergence"]
    problems += [
        {"kind": "not caught", "property": each["property"], "text": each["fault"]}
        for each in report["controls"]
        if not each["caught"]
    ]
    if problems:
        rows = (
            f"<li>{escape(each['kind'])}: <code>{escape(each['property'])}</code>:"
            f" {escape(each['text'])}</li>"
            for each in problems
        )
        parts.append(f"<h3>What fails the run beside divergences</h3><ul>{''.join(rows)}</ul>")
    if names := missing_names(report):
        listed = ", ".join(f"<code>{escape(name)}</code>" for name in names[:40])
        more = f" and {len(names) - 40:,} more" if len(names) > 40 else ""
        parts.append(f"<h3>Missing: {several(len(names), 'name')}</h3><p>{listed}{more}</p>")
    wrong = [each for each in groups(report) if each.first["status"] != "expected"]
    if wrong:
        first, size = wrong[0]
        expected, observed = format_sides(first, None)
        parts.append(
            f'<h3>The worst first: <a href="#{first["id"]}">{escape(first["property"])},'
            f" {escape(first['facet'])}</a>{f', one of {size:,} alike' if size > 1 else ''}</h3>"
            f"<pre tabindex='0'>torch gives    {escape(expected)}\nsubject gives  {escape(observed)}</pre>"
            f'<div class="snippet"><pre tabindex="0">{escape(first["reproduction"])}</pre></div>'
        )
    inside = "\n".join(parts)
    return f'<section id="first" aria-label="What fails">{inside}</section>' if parts else ""


def areas(report: Report) -> str:
    """Write areas by facets: how much was compared, and how much of it differs."""
    used = {facet for area in report["areas"] for facet in area["facets"]}
    facets = [facet for facet in WORST_FIRST if facet in used] + sorted(used - {*WORST_FIRST})
    rows = []
    for area in report["areas"]:
        name = escape(area["area"])
        cells = "".join(_area_cell(area, facet) for facet in facets)
        rows.append(
            f'<tr><th scope="row">{name}</th><td>{_badge(area["verdict"])}</td>'
            f'<td class="number">{area["properties"]}</td><td class="number">{area["comparisons"]:,}</td>'
            f"{cells}</tr>"
        )
    heads = ["verdict", "properties", "comparisons", *facets]
    return _scrolled(
        "Comparisons by area and facet; of those that differ, how many are unexpected, missing or expected",
        f'<tr><th scope="col">area</th>{"".join(_head(each) for each in heads)}</tr>',
        rows,
    )


def _area_cell(area: Any, facet: str) -> str:
    found = area["facets"].get(facet)
    if found is None:
        return "<td></td>"
    differing = [
        f"{found[kind]:,} {kind}" for kind in ("unexpected", "missing", "expected") if found[kind]
    ]
    compared = f"{found['comparisons']:,}"
    if not differing:
        return f'<td class="number">{compared}</td>'
    kind = "unexpected" if found["unexpected"] or found["missing"] else "expected"
    where = f"#divergences?area={area['area']}&amp;facet={facet}"
    return (
        f'<td class="number {kind}">{compared}<br><a href="{where}">{", ".join(differing)}</a></td>'
    )


def properties(report: Report) -> str:
    """Write a row for each property."""
    rows = []
    for each in report["properties"]:
        found = each["divergences"]
        differing = (
            f'<a href="#divergences?property={each["id"]}">{found:,}</a>' if found else "none"
        )
        rows.append(
            f'<tr id="property-{each["id"]}"><th scope="row"><code>{escape(each["id"])}</code></th>'
            f"<td>{_badge(each['verdict'])}</td><td>{escape(each['summary'])}</td>"
            f'<td class="number">{each["comparisons"]:,}</td><td>{escape(domain(each["domain"]))}</td>'
            f'<td class="number">{differing}</td></tr>'
        )
    heads = ["verdict", "what it claims", "comparisons", "domain", "divergences"]
    return _scrolled(
        "What was put to the test, and how much of its domain",
        f'<tr><th scope="col">property</th>{"".join(_head(each) for each in heads)}</tr>',
        rows,
    )


def domain(found: Any) -> str:
    """Write how much of its domain a property has seen."""
    if found["kind"] == "finite":
        done = "complete" if found["complete"] else "incomplete"
        return f"{found['visited']:,} of {found['size']:,} cells, {done}"
    return f"{found['visited']:,} distinct cases, {found['rejected']:,} rejected"


def controls(report: Report) -> str:
    """Write what became of the planted faults."""
    shown = [each for each in report["controls"] if each["kind"] == "fault" or not each["caught"]]
    rows = [
        f'<tr><th scope="row"><code>{escape(each["id"])}</code></th>'
        f"<td>{_badge('caught' if each['caught'] else 'uncaught')}</td><td>{escape(each['fault'])}</td>"
        f"<td><code>{escape(each['property'])}</code></td><td>{escape(each['caught_as'])}</td></tr>"
        for each in sorted(shown, key=lambda each: bool(each["caught"]))
    ]
    heads = ["state", "fault that was planted", "property that must notice", "as"]
    about = f"<p>{escape(controls_line(report))}.</p>{_on_meta(report)}"
    if not rows:
        return about
    return about + _scrolled(
        "Faults planted to see whether the suite notices",
        f'<tr><th scope="col">control</th>{"".join(_head(each) for each in heads)}</tr>',
        rows,
    )


def _on_meta(report: Report) -> str:
    """Write where the oracle on meta differs from itself on the CPU, if the subject was on meta."""
    asked = [each for each in report["controls"] if "on_meta" in each]
    differing = [each for each in asked if each["on_meta"]["differences"]]
    if not asked:
        return ""
    rows = []
    for each in differing:
        example = each["on_meta"]["example"]
        counts = each["on_meta"]["differences"].items()
        sides = format_sides({**example, "messages": (None, None)}, 100)
        rows.append((each["property"], ", ".join(f"{facet} {n:,}" for facet, n in counts),
                     example["case"].splitlines()[-1], *sides))  # fmt: skip
    said = (
        "The subject is held against torch on the CPU. Torch on meta differs from that in"
        f" {len(differing)} of {len(asked)} properties, in the cells that the controls look at."
    )
    heads = ("property", "differences", "one of them", "on the CPU", "on meta")
    return f"<h3>Torch itself on meta</h3><p>{said}</p>{_rules('Where torch on meta differs from torch on the CPU', rows, heads)}"


def undefined(report: Report) -> str:
    """Write which rules count things as equal that differ, and which names of torch are out of scope."""
    parts = [
        _rules(
            "Counts as equal although it differs, as torch leaves it undefined",
            [(each["name"], ", ".join(each["facets"]), each["why"], times(each["used"]))
             for each in report["normalisations"]],
            ("rule", "facets", "why", "times it was needed"),
        )
    ]  # fmt: skip
    if said := element_tables.line(report):
        covered = [
            (each["name"], each["why"], f"{each['undefined']:,}", f"{each['forgiven']:,}")
            for each in report["elements"]["rules"]
        ]
        heads = ("rule", "why", "elements covered", "that did differ")
        parts.append(f"<h3>Elements</h3><p>{escape(said)}.</p>{_rules('Elements that torch leaves undefined', covered, heads)}")  # fmt: skip
    if said := public_names.line(report):
        out = [
            (each["group"], f"{len(each['names']):,}", each["reason"])
            for each in report["surface"]["out_of_scope"]
        ]
        parts.append(
            f"<h3>Public names</h3><p>{escape(said)}.</p>"
            + _rules("Names that are out of scope", out, ("group", "names", "why"))
        )
    return "\n".join(parts)


def _rules(caption: str, rows: Iterable[Sequence[str]], heads: Sequence[str]) -> str:
    first, *others = heads
    written = [
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    ]
    head = f'<tr><th scope="col">{first}</th>{"".join(map(_head, others))}</tr>'
    return _scrolled(caption, head, written)


def footer(report: Report) -> str:
    """Say what made the page, and of which code."""
    code = report["code"]
    return escape(
        f"Made by torch-attributes, schema {report['schema']}; suite {code['suite']},"
        f" subject {code['subject'] or 'unknown'};"
        f" {', '.join(f'{name} {value}' for name, value in report['environment'].items())}."
    )


def _scrolled(caption: str, head: str, rows: Iterable[str]) -> str:
    """Put a table into a frame that scrolls, by keyboard too."""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead>{head}</thead><tbody>\n"
        + "\n".join(rows)
        + "\n</tbody></table></div>"
    )


def _head(name: str) -> str:
    number = ' class="number"' if name in ("comparisons", "properties", *WORST_FIRST) else ""
    return f'<th scope="col"{number}>{escape(name)}</th>'


def _badge(state: str) -> str:
    return f'<span class="badge {state.replace(" ", "-")}">{escape(state)}</span>'
