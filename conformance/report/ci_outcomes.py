"""The outcome of each property and control, as the formats that CI systems read have it.

These formats know tests, which pass or fail.  A test fails if, and only if, the run fails for
what it is about; so a report without a failed test is of a subject that conforms.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.formatting import format_sides, truncate
from .text import Report, plain, several

SHOWN = 5
"""How many divergences of one property are written out."""
WIDTH = 1000
"""How much of an answer is written, around the first difference; and three times of a program."""
CONTROLS = "controls"
"""The suite that the controls are in, beside one for each area."""

Row = Mapping[str, Any]


class Outcome(NamedTuple):
    """What became of one test.

    ``result`` is "passed"; "failed" for an answer that is wrong; or "error" if it did not come to
    its end.  ``kind`` and ``message`` say why in a word and in a line, ``details`` at length;
    ``told`` is what there is to be said of any test.
    """

    suite: str
    id: str
    result: str
    kind: str
    message: str
    details: str
    told: str
    snippet: str
    counts: Mapping[str, Any]


def outcomes(report: Report) -> list[Outcome]:
    """Return the outcome of each property, by area, and then of each control."""
    found: dict[str, list[Row]] = defaultdict(list)
    problems: dict[str, list[Row]] = defaultdict(list)
    for each in report["divergences"]:
        found[each["property"]].append(each)
    for each in report["problems"]:
        problems[each["property"]].append(each)
    order = {each["area"]: at for at, each in enumerate(report["areas"])}
    properties = sorted(report["properties"], key=lambda each: order[each["area"]])
    return [
        *(_of_property(each, found[each["id"]], problems[each["id"]]) for each in properties),
        *map(_of_control, report["controls"]),
    ]


def _of_property(prop: Row, found: Sequence[Row], problems: Sequence[Row]) -> Outcome:
    failing = [each for each in found if each["status"] != "expected"]
    expected = [each for each in found if each["status"] == "expected"]
    kinds = [each["kind"] for each in problems]
    result = "passed"
    if problems:
        result = "error" if {*kinds} == {"incomplete"} else "failed"
    others = [each for each in problems if each["kind"] != "divergence"]
    said = [f"{each['kind']}: {each['text']}" for each in others]
    return Outcome(
        prop["area"],
        prop["id"],
        result,
        kinds[0] if kinds else "",
        plain(truncate(f"{prop['id']}: {_reasons(failing, others)}", 0, 200)) if problems else "",
        plain("\n\n".join([*said, *_written(failing)])),
        plain(_told(prop, expected)),
        plain(failing[0]["reproduction"]) if failing else "",
        {
            "comparisons": prop["comparisons"],
            "divergences": prop["divergences"],
            "expected": len(expected),
            "clauses": prop["clauses"],
        },
    )


def _reasons(failing: Sequence[Row], others: Sequence[Row]) -> str:
    status = Counter(each["status"] for each in failing)
    named = {
        "unexpected": "unexpected divergence",
        "missing": "missing name",
        "changed": "changed divergence",
    }
    said = [several(status[key], what) for key, what in named.items() if status[key]]
    return "; ".join([*said, *(each["text"] for each in others)])


def _written(found: Sequence[Row]) -> list[str]:
    """Write the first divergences, of what is missing one for each name."""
    first = {each["missing"] or each["id"]: each for each in reversed(found)}
    shown = [each for each in found if first[each["missing"] or each["id"]] is each]
    parts = []
    for each in shown[:SHOWN]:
        expected, observed = format_sides(each, WIDTH)
        parts.append(
            f"{each['id']}  {each['facet']}  ({each['status']})\n"
            f"expected  {expected}\nobserved  {observed}\n\n{_short(each['reproduction'])}"
        )
    if len(shown) > SHOWN:
        parts.append(f"and {len(shown) - SHOWN:,} more in the report")
    return parts


def _short(program: str) -> str:
    if len(program) <= 3 * WIDTH:
        return program
    return program[: 3 * WIDTH] + "\N{HORIZONTAL ELLIPSIS} (the report has all of it)"


def _told(prop: Row, expected: Sequence[Row]) -> str:
    domain = prop["domain"]
    visited = f"{domain['visited']:,} of {domain['size']:,} cells" if domain["size"] else ""
    visited = visited or f"{domain['visited']:,} distinct cases"
    lines = [prop["summary"], f"{prop['comparisons']:,} comparisons, {visited}."]
    if expected:
        lines.append(f"{several(len(expected), 'expected divergence')}:")
    for reason in dict.fromkeys(each["reason"] for each in expected):
        some = [each for each in expected if each["reason"] == reason]
        last = some[0]["case"].rpartition("\n")[2]
        lines.append(f"  {truncate(last)}: {reason} ({some[0]['link']})")
        if len(some) > 1:
            lines.append(f"  and {len(some) - 1:,} more for that reason")
    return "\n".join(lines)


def _of_control(control: Row) -> Outcome:
    found = ", ".join(control["found"]) or "nothing"
    wanted = f"wanted {control['caught_as']} in {control['property']}, found {found}"
    message = plain(truncate(f"{control['id']}: {wanted}", 0, 200))
    caught = control["caught"]
    return Outcome(
        CONTROLS,
        control["id"],
        "passed" if caught else "failed",
        "" if caught else "control",
        "" if caught else message,
        ""
        if caught
        else plain(f"{control['fault']}\n{wanted}\n{control['example'] or ''}".strip()),
        plain(f"{control['fault']}; {wanted}."),
        "",
        {"problems": control["problems"]},
    )
