"""The outcome of each property and control, as a test for the formats of CI systems.

A test fails if and only if its property or control fails the run.  So a report without a failed
test is the report of a conforming subject.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.formatting import blocked_text, format_sides, refused_text, truncate
from .text import Report, plural, sanitize

MAX_DIVERGENCES = 5
"""The largest number of divergences shown for one property."""
WIDTH = 1000
"""The largest length of an answer, around the first difference; a program may be 3 times longer."""
CONTROLS = "controls"
"""The name of the test suite of the controls; each area is another one."""

Row = Mapping[str, Any]


class Outcome(NamedTuple):
    """The outcome of one test.

    result: "passed", "failed" for a wrong answer, or "error" if the test did not finish.
    kind, message, details: the cause in a word, in a line, and in full.
    output: the description of the test, whatever the result.
    seconds: how long it ran; controls are not timed.
    """

    suite: str
    id: str
    result: str
    kind: str
    message: str
    details: str
    output: str
    snippet: str
    counts: Mapping[str, Any]
    seconds: float = 0.0


def outcomes(report: Report) -> list[Outcome]:
    """Return the outcomes of all properties, by area, and then of all controls."""
    divergences: dict[str, list[Row]] = defaultdict(list)
    problems: dict[str, list[Row]] = defaultdict(list)
    for row in report["divergences"]:
        divergences[row["property"]].append(row)
    for problem in report["problems"]:
        problems[problem["property"]].append(problem)
    order = {area["area"]: index for index, area in enumerate(report["areas"])}
    properties = sorted(report["properties"], key=lambda prop: order[prop["area"]])
    return [
        *(_of_property(prop, divergences[prop["id"]], problems[prop["id"]]) for prop in properties),
        *map(_of_control, report["controls"]),
    ]


def _of_property(prop: Row, divergences: Sequence[Row], problems: Sequence[Row]) -> Outcome:
    failing = [row for row in divergences if row["status"] != "expected"]
    expected = [row for row in divergences if row["status"] == "expected"]
    kinds = [problem["kind"] for problem in problems]
    result = "passed"
    if problems:
        result = "error" if {*kinds} <= {"blocked", "incomplete"} else "failed"
    others = [problem for problem in problems if problem["kind"] != "divergence"]
    lines = [f"{problem['kind']}: {problem['text']}" for problem in others]
    return Outcome(
        prop["area"],
        prop["id"],
        result,
        kinds[0] if kinds else "",
        sanitize(truncate(f"{prop['id']}: {_reasons(failing, others)}", 0, 200))
        if problems
        else "",
        sanitize("\n\n".join([*lines, *_divergence_texts(failing)])),
        sanitize(_output(prop, expected)),
        sanitize(failing[0]["reproduction"]) if failing else "",
        {
            "comparisons": prop["comparisons"],
            "divergences": prop["divergences"],
            "expected": len(expected),
            "clauses": prop["clauses"],
        },
        prop.get("seconds", 0.0),
    )


def _reasons(failing: Sequence[Row], others: Sequence[Row]) -> str:
    status = Counter(row["status"] for row in failing)
    named = {
        "unexpected": "unexpected divergence",
        "missing": "missing name",
        "changed": "changed divergence",
    }
    parts = [plural(status[key], noun) for key, noun in named.items() if status[key]]
    return "; ".join([*parts, *(problem["text"] for problem in others)])


def _divergence_texts(divergences: Sequence[Row]) -> list[str]:
    """Return the texts of the first divergences; a missing name counts once."""
    first = {row["missing"] or row["id"]: row for row in reversed(divergences)}
    unique = [row for row in divergences if first[row["missing"] or row["id"]] is row]
    parts = []
    for row in unique[:MAX_DIVERGENCES]:
        expected, observed = format_sides(row, WIDTH)
        parts.append(
            f"{row['id']}  {row['facet']}  ({row['status']})\n"
            f"expected  {expected}\nobserved  {observed}\n\n{_shortened(row['reproduction'])}"
        )
    if len(unique) > MAX_DIVERGENCES:
        parts.append(f"and {len(unique) - MAX_DIVERGENCES:,} more in the report")
    return parts


def _shortened(program: str) -> str:
    if len(program) <= 3 * WIDTH:
        return program
    return program[: 3 * WIDTH] + "\N{HORIZONTAL ELLIPSIS} (the report has all of it)"


def _output(prop: Row, expected: Sequence[Row]) -> str:
    domain = prop["domain"]
    of = f"of {domain['size']:,} cells" if domain["size"] else "distinct cases"
    visited = f"{domain['visited']:,} {of}"
    visited += refused_text(domain.get("refused", 0), domain.get("refused_by", {}))
    blocked = blocked_text(domain["blocked"], domain["blocked_by"])
    lines = [prop["summary"], f"{prop['comparisons']:,} comparisons, {visited}{blocked}."]
    if expected:
        lines.append(f"{plural(len(expected), 'expected divergence')}:")
    for reason in dict.fromkeys(row["reason"] for row in expected):
        same = [row for row in expected if row["reason"] == reason]
        last = same[0]["case"].rpartition("\n")[2]
        lines.append(f"  {truncate(last)}: {reason} ({same[0]['link']})")
        if len(same) > 1:
            lines.append(f"  and {len(same) - 1:,} more for that reason")
    return "\n".join(lines)


def _of_control(control: Row) -> Outcome:
    found = ", ".join(control["found"]) or "nothing"
    wanted = f"wanted {control['caught_as']} in {control['property']}, found {found}"
    outcome = ("passed", "", "", "")
    if not control["caught"]:
        message = sanitize(truncate(f"{control['id']}: {wanted}", 0, 200))
        details = f"{control['fault']}\n{wanted}\n{control['example'] or ''}".strip()
        outcome = ("failed", "control", message, sanitize(details))
    return Outcome(
        CONTROLS,
        control["id"],
        *outcome,
        sanitize(f"{control['fault']}; {wanted}."),
        "",
        {"problems": control["problems"]},
    )
