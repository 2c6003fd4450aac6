"""The sentences about a run that several writers of reports need."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.formatting import WIDTH, blocked_text, format_sides, refused_text, truncate

Report = Mapping[str, Any]


def version_of(report: Report) -> str:
    """Return the version of the oracle, or an empty string if it has none."""
    return str(report["environment"].get(report["oracle"].partition("@")[0]) or "")


def oracle_text(report: Report) -> str:
    """Return the oracle with its version, and whether its answers were recorded."""
    text = f"{report['oracle']} {version_of(report)}".strip()
    return f"{text} (recorded)" if report.get("recorded") else text


def verdict_line(report: Report) -> str:
    """Return a line with the verdict."""
    totals = report["totals"]
    subject = report["subject"]
    against = oracle_text(report)
    part = f" in {report['partial']}" if report["partial"] else ""
    part += f" up to level {gate(report)}" if gate(report) < 3 else ""
    if interrupted := report.get("interrupted"):
        parts = f"{interrupted['parts']:,} of {interrupted['of']:,} parts"
        return f"{subject} against {against}: interrupted after {parts}"
    if report["verdict"] == "conforms":
        expected = f", {totals['expected']:,} expected divergences" if totals["expected"] else ""
        domains = domain_counts(prop["domain"] for prop in report["properties"])
        if left := domains["finite"] - domains["complete"]:
            expected += f", {plural(left, 'incomplete domain')} accepted"
        return f"{subject} conforms to {against}{part}{expected}"
    failures = ", ".join(plural(number, noun) for number, noun in reasons(report))
    return f"{subject} does not conform to {against}{part}: {failures}"


def not_begun_line(report: Report) -> str:
    """Return a line with the areas that an interrupted run never began, or an empty text."""
    areas = (report.get("interrupted") or {}).get("not_begun")
    return f"not begun: {', '.join(areas)}" if areas else ""


def reasons(report: Report) -> list[tuple[int, str]]:
    """Return why a subject does not conform, as counts with nouns."""
    kinds = {prop["id"]: prop["domain"]["kind"] for prop in report["properties"]}
    incomplete = Counter(
        kinds[problem["property"]]
        for problem in report["problems"]
        if problem["kind"] in ("incomplete", "blocked")
    )
    counts = [
        (unexpected_at_level(report), "unexpected divergence"),
        (len(missing_names(report)), "missing name"),
        (incomplete["finite"], "incomplete domain"),
        (incomplete["sampled"], "incomplete drawn property"),
        (count(report, "stale") + count(report, "changed"), "expectation that no longer fits"),
        (len(lacking_facts(report)), "fact that no adapter declares"),
        (sum(not control["caught"] for control in report["controls"]), "failed control"),
    ]
    return [(number, noun) for number, noun in counts if number]


def unexpected_at_level(report: Report) -> int:
    """Return the number of unexpected divergences up to the level that the run gates."""
    rows = (row for row in report["divergences"] if row["status"] in ("unexpected", "changed"))
    return sum(is_gated(report, row) for row in rows)


def is_gated(report: Report, row: Mapping[str, Any]) -> bool:
    """Return whether a divergence, or a fact, is of a level that the run fails on."""
    return bool(row.get("level", 1) <= gate(report))


def gate(report: Report) -> int:
    """Return the level up to which a run fails; reports of earlier versions have all levels."""
    return int(report.get("level", 3))


def times(used: int | None) -> str:
    """Return the number of times a rule was needed, as text."""
    return "not counted, as it depends on chance" if used is None else f"{used:,}"


def plural(number: int, name: str) -> str:
    """Return a number with a noun in singular or plural.

    >>> plural(1, "name"), plural(1200, "property"), plural(2, "expectation that fits")
    ('1 name', '1,200 properties', '2 expectations that fit')
    """
    if number == 1:
        return f"1 {name}"
    noun, _, rest = name.partition(" that ")
    many = f"{noun.removesuffix('y')}ies" if noun.endswith("ty") else f"{noun}s"
    return f"{number:,} {many}" + (f" that {rest.removesuffix('s')}" if rest else "")


def count(report: Report, kind: str) -> int:
    """Return the number of problems of a kind."""
    return sum(problem["kind"] == kind for problem in report["problems"])


def basis_line(report: Report) -> str:
    """Return a line with the comparisons and domains behind the verdict."""
    domains = domain_counts(prop["domain"] for prop in report["properties"])
    refused = sum(prop["domain"].get("refused", 0) for prop in report["properties"])
    return (
        f"{report['totals']['comparisons']:,} comparisons,"
        f" {domains['complete']} of {domains['finite']} finite domains complete,"
        f" {domains['drawn']:,} distinct drawn cases"
        + (f", {plural(refused, 'cell')} refused before their question" if refused else "")
    )


COUNTS = ("unexpected", "missing", "expected")
"""The kinds of divergences that are counted."""

KIND_TEXTS = {kind: "of missing names" if kind == "missing" else kind for kind in COUNTS}
"""The kinds in words; one missing name causes many divergences."""


def divergence_counts(counts: Mapping[str, int]) -> str:
    """Return the number of divergences of each kind as text, without zeros.

    >>> divergence_counts({"unexpected": 1200, "missing": 4, "expected": 0})
    '1,200 unexpected, 4 of missing names'
    """
    return ", ".join(f"{counts[kind]:,} {KIND_TEXTS[kind]}" for kind in COUNTS if counts[kind])


def domain_counts(domains: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the numbers of finite domains, of complete ones, and of drawn cases."""
    of_kind: dict[str, list[Mapping[str, Any]]] = {"finite": [], "sampled": []}
    for domain in domains:
        of_kind[domain["kind"]].append(domain)
    return {
        "finite": len(of_kind["finite"]),
        "complete": sum(domain["complete"] for domain in of_kind["finite"]),
        "drawn": sum(domain["visited"] for domain in of_kind["sampled"]),
    }


def domain_text(domain: Mapping[str, Any]) -> str:
    """Return the visited part of a domain as text."""
    if domain["kind"] == "finite":
        done = "complete" if domain["complete"] else "incomplete"
        text = f"{domain['visited']:,} of {domain['size']:,} cells, {done}"
        if domain.get("one_in", 1) > 1:
            text += f" (one in {domain['one_in']}, by the seed)"
    else:
        text = f"{domain['visited']:,} distinct cases, {domain['rejected']:,} rejected"
    if died := domain.get("died"):
        text += f"; nothing is known of {plural(died, 'part')}"
    text += refused_text(domain.get("refused", 0), domain.get("refused_by", {}))
    text += blocked_text(domain["blocked"], domain["blocked_by"])
    if instead := domain.get("instead"):
        text += f", {plural(instead, 'other')} asked instead"
    return sanitize(text)


def blocked_lines(report: Report) -> list[str]:
    """Return a line for each call that blocks questions, the one to mend first first."""
    lines = []
    for index, row in enumerate(report["blocked"]):
        counts = [(row["cells"], "cell"), (row["cases"], "drawn case")]
        amount = " and ".join(plural(number, noun) for number, noun in counts if number)
        properties = plural(len(row["properties"]), "property")
        first = "" if index else "; mend it first"
        lines.append(f"blocked by {sanitize(row['by'])}: {amount} of {properties}{first}")
    return lines


def area_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    """Return headers and a row for each area."""
    counts = ["comparisons", *COUNTS]
    rows = [
        [area["area"], _in_words(area), area["properties"], *(f"{area[key]:,}" for key in counts)]
        for area in report["areas"]
    ]
    headers = [KIND_TEXTS.get(key, key) for key in counts]
    return ["area", "verdict", "properties", *headers], rows


def _in_words(area: Mapping[str, Any]) -> str:
    """Return the verdict of an area, of which a part may have run."""
    verdict: str = area["verdict"]
    return "in part" if verdict == "not run" and area["comparisons"] else verdict


ON_META = ("property", "differences", "one of them", "on the CPU", "on meta")
"""The headers of the rows of `on_meta`."""


def on_meta(report: Report) -> tuple[str, list[list[str]]]:
    """Return a sentence and rows for the differences between torch on meta and on the CPU.

    The sentence is empty for a subject that is not on meta.
    """
    checked = [control for control in report["controls"] if "on_meta" in control]
    differing = [control for control in checked if control["on_meta"]["differences"]]
    if not checked:
        return "", []
    sentence = (
        "The subject is held against torch on the CPU. Torch on meta differs from that in"
        f" {len(differing)} of {len(checked)} properties, in the cells that the controls look at"
    )
    rows = []
    for control in differing:
        example, counts = control["on_meta"]["example"], control["on_meta"]["differences"]
        differences = ", ".join(f"{facet} {number:,}" for facet, number in counts.items())
        sides = format_sides({**example, "messages": (None, None)}, 100)
        rows.append([control["property"], differences, example["case"], *sides])
    return sentence, rows


def controls_line(report: Report) -> str:
    """Return a line with the results of the controls."""
    rows = report["controls"]
    if not rows:
        return "no controls ran; `python -m conformance controls` shows that faults are caught"
    faults, itself = (
        [row["caught"] for row in rows if row["kind"] == kind] for kind in ("fault", "itself")
    )
    return (
        f"{sum(faults)} of {len(faults)} planted faults caught,"
        f" torch against itself clean in {sum(itself)} of {len(itself)} properties"
        f"{_certified(report)}"
    )


def _certified(report: Report) -> str:
    """Return when the controls were certified, or an empty string if they ran with the rest."""
    certificate = report["certificate"]
    if certificate is None:
        return ""
    day, name = certificate["made"].partition("T")[0], certificate["file"].rpartition("/")[2]
    return f", certified on {day} by {name}"


def clause_line(report: Report) -> str:
    """Return a line with the states of the binding clauses."""
    must = [clause["state"] for clause in report["clauses"] if clause["grade"] == "must"]
    parts = [f"{must.count(state)} {text}" for state, text in _STATES.items() if state in must]
    return f"of {len(must)} clauses that bind: {', '.join(parts)}"


_STATES = {
    "holds": "hold",
    "diverges": "diverge",
    "not run": "not run",
    "unchecked": "not checked yet",
    "unobservable": "shown only by an accelerator",
    "superseded": "superseded by a newer one",
}


KINDS = ("new", "changed", "accepted", "drawn", "gone", "not run", "not drawn")
"""The kinds of change of a divergence between two reports; `diff.changes` defines them."""


def baseline_line(report: Report) -> str:
    """Return a line with the changes since the baseline, or an empty string without one."""
    baseline = report["baseline"]
    if baseline is None:
        return ""
    if baseline["why_not"]:
        return f"not compared with {baseline['path']}: {baseline['why_not']}"
    kinds = [change["kind"] for change in baseline["changes"]]
    counts = [f"{kinds.count(kind):,} {kind}" for kind in KINDS if kind in kinds]
    if baseline["not_run"]:
        counts.append(f"{plural(len(baseline['not_run']), 'property')} not run")
    if weaker := baseline.get("weaker"):
        counts.append(f"{len(weaker):,} weaker ({truncate(weaker[0])})")
    changed = ", ".join(counts) or "nothing new, gone, changed or not run"
    return f"since {baseline['path']}: {changed}"


_UNSAFE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
"""Control characters, bidirectional marks, and characters that are invalid in XML."""


def sanitize(text: str) -> str:
    r"""Return text with control characters and invalid characters as Python escapes.

    >>> sanitize("a\tb\x1b\ud800c\r")
    'a\tb\\x1b\\ud800c\\r'
    """
    return _UNSAFE.sub(lambda match: ascii(match[0])[1:-1], text)


_PACKAGES = re.compile(r"(?<![\w.])(?:/[^/\s:'\"]+)+/site-packages/")


def fenced(text: str, kind: str = "") -> str:
    """Return a text in a Markdown fence that is longer than any fence in the text.

    A file of an installed package, which errors of torch may name, has no folder of this machine.

    >>> print(fenced("at /home/me/lib/site-packages/torch/a.py:54"))
    ```
    at torch/a.py:54
    ```
    """
    text = _PACKAGES.sub("", text)
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{kind}\n{sanitize(text)}\n{fence}"


class Group(NamedTuple):
    """Divergences of one property that differ in the same way: the first, and their number."""

    first: Mapping[str, Any]
    size: int


WORST_FIRST = (
    "verdict", "value", "raises", "dtype", "shape", "elements", "aliasing", "rollback", "state",
    "stride", "offset", "conj_neg", "storage", "autograd", "device", "layout", "message", "cause",
    "warnings", "repr",
)  # fmt: skip


def groups(report: Report) -> list[Group]:
    """Return the groups of divergences that differ alike: by severity of the facet, then by size.

    Missing names are left out; `missing_names` returns them. Answers that tell of a missing name,
    whose error a program may catch, come last.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for row in report["divergences"]:
        if row["missing"] is None:
            sides = row["expected"], row["observed"]
            answers = json.dumps([row["property"], row["facet"], *sides])
            alike.setdefault(answers, []).append(row)
    return sorted(
        (Group(same[0], len(same)) for same in alike.values()),
        key=lambda group: (
            group.first["status"] == "expected",
            _TELLS_OF_MISSING.search(str(group.first["observed"])) is not None,
            WORST_FIRST.index(group.first["facet"]),
            -group.size,
        ),
    )


def first_of_each(found: Sequence[Group]) -> list[Group]:
    """Return the first group of each property, in order."""
    first = {group.first["property"]: group for group in reversed(found)}
    return [group for group in found if first[group.first["property"]] is group]


_TELLS_OF_MISSING = re.compile(
    r"AttributeError\b.*\bhas no attribute\b|TypeError\b.*\bunsupported operand type"
)


def missing_names(report: Report) -> list[str]:
    """Return the names that the subject lacks, sorted."""
    rows = report["divergences"]
    return sorted({row["missing"] for row in rows if row["status"] == "missing"})


def divergence_lines(row: Mapping[str, Any], count: int = 1) -> list[str]:
    """Return the lines for a divergence that stands for ``count`` alike."""
    expected, observed = format_sides(row)
    kind = f", one of {count:,} alike" if count > 1 else ""
    return [
        f"  {row['id']}  {row['property']}  {row['facet']}  ({row['status']}{kind})",
        f"    {_short_case(row['case'])}",
        f"    expected  {expected}",
        f"    observed  {observed}",
        *([f"    others    {others}"] if (others := third_party_text(row)) else []),
    ]


def _short_case(case: str) -> str:
    """Return a program on one line; the last step, which was compared, is kept if one is cut."""
    before, _, last = case.rpartition("\n")
    room = WIDTH - len(last) - 3
    if not before or len(truncate(case, 0, len(case) * 3)) <= WIDTH or room < 8:
        return truncate(last if room < 8 else case)
    return f"{truncate(before, 0, room)} \N{DOWNWARDS ARROW WITH TIP LEFTWARDS} {last}"


def third_party_text(divergence: Mapping[str, Any]) -> str:
    """Return a line with the third-party results for an element, and the outlier."""
    results = divergence.get("third_party_results")
    if results is None:
        return ""
    if not results:
        return "no voter has an answer"
    answers = ", ".join(f"{name} gives {answer}" for name, answer in results.items())
    alone = {
        "oracle": "the oracle stands alone",
        "subject": "the subject stands alone",
        "voters": "the voters stand alone",
    }
    return f"{answers}: {alone.get(divergence['outlier'], 'nobody stands alone')}"


def lacking_facts(report: Report) -> list[Mapping[str, Any]]:
    """Return the facts that were not asked and fail the run, as no adapter declares them."""
    rows = report.get("not_asked", [])
    return [row for row in rows if not row["is_declared"] and is_gated(report, row)]
