"""What the writers of reports share: sentences about a run."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

Report = Mapping[str, Any]


def verdict_line(report: Report) -> str:
    """Say in a line what came out."""
    totals = report["totals"]
    subject, oracle = report["subject"], report["oracle"]
    version = report["environment"].get(oracle.partition("@")[0]) or ""
    against = f"{oracle} {version}".strip()
    part = f" in {report['partial']}" if report["partial"] else ""
    if report["verdict"] == "conforms":
        known = f", {totals['expected']:,} expected divergences" if totals["expected"] else ""
        return f"{subject} conforms to {against}{part}{known}"
    reasons = [
        (totals["unexpected"], "unexpected divergence"),
        (len(missing_names(report)), "missing name"),
        (count(report, "incomplete"), "incomplete domain"),
        (count(report, "stale") + count(report, "changed"), "expectation that no longer fits"),
        (sum(not each["caught"] for each in report["controls"]), "failed control"),
    ]
    found = ", ".join(several(number, what) for number, what in reasons if number)
    return f"{subject} does not conform to {against}{part}: {found}"


def several(number: int, what: str) -> str:
    """Write a number of things.

    >>> several(1, "name"), several(1200, "name"), several(2, "expectation that fits")
    ('1 name', '1,200 names', '2 expectations that fit')
    """
    if number == 1:
        return f"1 {what}"
    noun, _, rest = what.partition(" that ")
    return f"{number:,} {noun}s" + (f" that {rest.removesuffix('s')}" if rest else "")


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


class Group(NamedTuple):
    """Divergences of one property that differ in the same way, and the first of them."""

    first: Mapping[str, Any]
    size: int


WORST_FIRST = (
    "verdict", "value", "raises", "dtype", "shape", "elements", "aliasing", "left", "state", "stride",
    "offset", "lazy", "memory", "autograd", "device", "layout", "message", "chain", "warnings", "repr",
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
