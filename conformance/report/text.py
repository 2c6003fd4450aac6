"""What the writers of reports share: sentences about a run."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core.formatting import format_sides, truncate

Report = Mapping[str, Any]


def version_of(report: Report) -> str:
    """Return the version of the oracle; nothing if it has none."""
    return str(report["environment"].get(report["oracle"].partition("@")[0]) or "")


def verdict_line(report: Report) -> str:
    """Say in a line what came out."""
    totals = report["totals"]
    subject = report["subject"]
    against = f"{report['oracle']} {version_of(report)}".strip()
    part = f" in {report['partial']}" if report["partial"] else ""
    if report["verdict"] == "conforms":
        known = f", {totals['expected']:,} expected divergences" if totals["expected"] else ""
        return f"{subject} conforms to {against}{part}{known}"
    found = ", ".join(several(number, what) for number, what in reasons(report))
    return f"{subject} does not conform to {against}{part}: {found}"


def reasons(report: Report) -> list[tuple[int, str]]:
    """Return why a subject does not conform: how many there are of what."""
    found = [
        (report["totals"]["unexpected"], "unexpected divergence"),
        (len(missing_names(report)), "missing name"),
        (count(report, "incomplete"), "incomplete domain"),
        (count(report, "stale") + count(report, "changed"), "expectation that no longer fits"),
        (sum(not each["caught"] for each in report["controls"]), "failed control"),
    ]
    return [(number, what) for number, what in found if number]


def times(used: int | None) -> str:
    """Write how often a rule was needed."""
    return "not counted, as it depends on chance" if used is None else f"{used:,}"


def several(number: int, what: str) -> str:
    """Write a number of things.

    >>> several(1, "name"), several(1200, "property"), several(2, "expectation that fits")
    ('1 name', '1,200 properties', '2 expectations that fit')
    """
    if number == 1:
        return f"1 {what}"
    noun, _, rest = what.partition(" that ")
    many = f"{noun.removesuffix('y')}ies" if noun.endswith("ty") else f"{noun}s"
    return f"{number:,} {many}" + (f" that {rest.removesuffix('s')}" if rest else "")


def count(report: Report, kind: str) -> int:
    """Count the problems of a kind."""
    return sum(problem["kind"] == kind for problem in report["problems"])


def basis_line(report: Report) -> str:
    """Say in a line what the verdict rests on."""
    domains = [each["domain"] for each in report["properties"]]
    finite = [each for each in domains if each["kind"] == "finite"]
    complete = sum(each["complete"] for each in finite)
    drawn = sum(each["visited"] for each in domains if each["kind"] == "sampled")
    return (
        f"{report['totals']['comparisons']:,} comparisons,"
        f" {complete} of {len(finite)} finite domains complete, {drawn:,} distinct drawn cases"
    )


def controls_line(report: Report) -> str:
    """Say in a line what became of the controls."""
    rows = report["controls"]
    if not rows:
        return "no controls"
    faults = [each for each in rows if each["kind"] == "fault"]
    itself = [each for each in rows if each["kind"] == "itself"]
    clean = sum(each["caught"] for each in itself)
    return (
        f"{sum(each['caught'] for each in faults)} of {len(faults)} planted faults caught,"
        f" torch against itself clean in {clean} of {len(itself)} properties"
    )


def clause_line(report: Report) -> str:
    """Say in a line how the specification stands."""
    must = [each["state"] for each in report["clauses"] if each["grade"] == "must"]
    found = [
        f"{must.count(state)} {written}" for state, written in _STATES.items() if state in must
    ]
    return f"of {len(must)} clauses that bind: {', '.join(found)}"


_STATES = {
    "holds": "hold",
    "diverges": "diverge",
    "not run": "not run",
    "unchecked": "not checked yet",
    "superseded": "superseded by a newer one",
}


KINDS = ("new", "changed", "drawn", "gone", "not run", "not drawn")
"""How a divergence may differ between two reports; `diff.changes` tells them apart."""


def baseline_line(report: Report) -> str:
    """Say in a line what changed since the baseline, if there is one."""
    found = report["baseline"]
    if found is None:
        return ""
    if found["why_not"]:
        return f"not compared with {found['path']}: {found['why_not']}"
    kinds = [change["kind"] for change in found["changes"]]
    said = [f"{kinds.count(kind):,} {kind}" for kind in KINDS if kind in kinds]
    if found["not_run"]:
        said.append(f"{several(len(found['not_run']), 'property')} not run")
    if weaker := found.get("weaker"):
        said.append(f"{len(weaker):,} weaker ({truncate(weaker[0])})")
    return f"since {found['path']}: {', '.join(said) or 'nothing new, gone, changed or not run'}"


_NO_TEXT = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
"""Characters that act on a terminal, on the order of others, or on no text at all."""


def plain(text: str) -> str:
    r"""Write control characters, and what no XML and no Unicode text may hold, as Python escapes it.

    >>> plain("a\tb\x1b\ud800c\r")
    'a\tb\\x1b\\ud800c\\r'
    """
    return _NO_TEXT.sub(lambda found: ascii(found[0])[1:-1], text)


def fenced(text: str, kind: str = "") -> str:
    """Put a text in a fence of Markdown that is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{kind}\n{plain(text)}\n{fence}"


class Group(NamedTuple):
    """Divergences of one property that differ in the same way, and the first of them."""

    first: Mapping[str, Any]
    size: int


WORST_FIRST = (
    "verdict", "value", "raises", "dtype", "shape", "elements", "aliasing", "rollback", "state", "stride",
    "offset", "conj_neg", "storage", "autograd", "device", "layout", "message", "cause", "warnings", "repr",
)  # fmt: skip


def groups(report: Report) -> list[Group]:
    """Put divergences that differ alike together: wrong values first, then what is most frequent.

    What is missing is left out; `missing_names` tells it.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for each in report["divergences"]:
        if each["missing"] is None:
            answers = json.dumps([each["property"], each["facet"], each["fingerprint"]])
            alike.setdefault(answers, []).append(each)
    made = [Group(same[0], len(same)) for same in alike.values()]
    return sorted(
        made,
        key=lambda group: (
            group.first["status"] == "expected",
            WORST_FIRST.index(group.first["facet"]),
            -group.size,
        ),
    )


def missing_names(report: Report) -> list[str]:
    """Return what the subject has not, each once."""
    return sorted({each["missing"] for each in report["divergences"] if each["missing"]})


def divergence_lines(each: Mapping[str, Any], count: int = 1) -> list[str]:
    """Write a divergence, and of how many of its kind it is the first, in a few lines."""
    expected, observed = format_sides(each)
    kind = f", one of {count:,} alike" if count > 1 else ""
    return [
        f"  {each['id']}  {each['property']}  {each['facet']}  ({each['status']}{kind})",
        f"    {truncate(each['case'])}",
        f"    expected  {expected}",
        f"    observed  {observed}",
        *([f"    others    {cast}"] if (cast := third_party_text(each)) else []),
    ]


def third_party_text(divergence: Mapping[str, Any]) -> str:
    """Say what others make of an element that differs, and who stands alone."""
    cast = divergence.get("third_party_results")
    if cast is None:
        return ""
    if not cast:
        return "no voter has an answer"
    answers = ", ".join(f"{name} gives {answer}" for name, answer in cast.items())
    alone = {
        "oracle": "the oracle stands alone",
        "subject": "the subject stands alone",
        "voters": "the voters stand alone",
    }
    return f"{answers}: {alone.get(divergence['outlier'], 'nobody stands alone')}"
