"""The difference of two reports."""

import copy
from collections import Counter

import pytest

from conformance.core.formatting import format_sides
from conformance.report import baseline as history, diff, files, schema
from conformance.report.text import baseline_line

from .making_reports import (
    ENVIRONMENT,
    NOT_CAUGHT,
    changed,
    clause,
    control,
    divergence,
    name_of,
    record,
    report,
)

ONE, TWO = divergence("one"), divergence("two", facet="repr")
OTHER_ANSWER = divergence("one", observed={"int": "2"})
EXPECTED = divergence("one", status="expected")
ELSEWHERE = [record("b.q")]
STALE = "expectation 'old': nothing instead of 1, 000000000000; no longer there: value of nothing"


def kinds_of(old, new):
    return [(change.kind, name_of(change.divergence)) for change in diff.changes(old, new)]


def of_area_a(*divergences, **changes):
    return report(
        *divergences, clauses=[clause("a.c", "a.p", "b.q")], controls=[], partial="a", **changes
    )


def test_equal_reports_have_no_difference():
    assert kinds_of(report(ONE), report(copy.deepcopy(ONE))) == []
    assert not diff.is_worse(report(ONE), report(ONE))
    assert diff.lines(report(), report()) == ["no difference"]


def test_as_many_divergences_are_not_the_same_divergences():
    assert kinds_of(report(ONE), report(TWO)) == [("new", "two"), ("gone", "one")]
    assert diff.is_worse(report(ONE), report(TWO))
    assert diff.lines(report(ONE), report(TWO))[0] == "new: 1"


def with_other_cells(**fields):
    return changed(report(records=[record(**fields)]), "properties.0.domain.digest", "0" * 32)


def test_what_is_gone_was_asked_again():
    assert kinds_of(report(ONE), report()) == [("gone", "one")]
    assert kinds_of(report(ONE), report(records=[record(visited=1)])) == [("not run", "one")]
    assert kinds_of(report(ONE), with_other_cells()) == [("not run", "one")]
    assert kinds_of(report(ONE), with_other_cells(size=3, visited=3)) == [("not run", "one")]


@pytest.mark.parametrize("changes", [{"profile": "deep"}, {"seed": 1}])
def test_of_another_draw_no_case_is_new(changes):
    sampled, finite = record(size=None), record("b.q")
    old = report(records=[sampled, finite])
    new = report(ONE, divergence("far", "b.q"), records=[sampled, finite], **changes)
    assert kinds_of(old, new) == [("drawn", "one"), ("new", "far")]
    only_sampled = report(EXPECTED, records=[sampled], **changes)
    assert kinds_of(report(records=[sampled]), only_sampled) == [("drawn", "one")]
    assert not diff.is_worse(report(records=[sampled]), only_sampled)
    assert kinds_of(report(records=[sampled]), report(ONE, records=[sampled])) == [("new", "one")]


def test_cells_that_a_seed_chooses_are_drawn():
    first, second = (record(one_in=3, digest=digest) for digest in (7, 8))
    old = report(ONE, records=[first])
    new = report(divergence("far"), records=[second], seed=1)
    assert kinds_of(old, new) == [("drawn", "far"), ("not drawn", "one")]
    assert diff.facts(old, new) == []
    same_seed = report(divergence("far"), records=[second])
    assert kinds_of(old, same_seed) == [("new", "far"), ("not drawn", "one")]
    (fact,) = diff.facts(old, same_seed)
    assert (fact.text, fact.weaker) == (
        "domain of a.p: 2 cells (one in 3) as before, but others", True,
    )  # fmt: skip


def test_fewer_chosen_cells_are_weaker():
    old, new = report(records=[record(size=4, visited=4)]), report(records=[record(one_in=2)])
    (fact,) = diff.facts(old, new)
    assert (fact.text, fact.weaker) == (
        "domain of a.p: 4 cells → 2 cells (one in 2)", True,
    )  # fmt: skip
    assert [fact.weaker for fact in diff.facts(new, old)] == [False]


def test_a_drawn_case_that_is_not_drawn_again_is_not_gone():
    assert kinds_of(report(ONE), report(records=[record(size=None)])) == [("not drawn", "one")]


def test_what_is_gone_is_not_worse():
    assert kinds_of(report(ONE, TWO), report(ONE)) == [("gone", "two")]
    assert not diff.is_worse(report(ONE, TWO), report(ONE))


@pytest.mark.parametrize(("one", "other"), [(ONE, OTHER_ANSWER), (EXPECTED, ONE)])
def test_another_answer_or_status_of_the_same_question_is_a_change(one, other):
    assert kinds_of(report(one), report(other)) == [("changed", "one")]
    assert diff.is_worse(report(one), report(other))


def test_what_a_list_has_now_is_accepted_and_not_worse():
    assert kinds_of(report(ONE), report(EXPECTED)) == [("accepted", "one")]
    assert not diff.is_worse(report(ONE), report(EXPECTED))


def test_what_is_mended_among_cells_that_are_blocked_is_gone():
    partly = record(visited=1, digest=1)
    assert kinds_of(report(ONE, records=[partly]), report(records=[partly])) == [("gone", "one")]
    other = record(visited=1, digest=2)
    assert kinds_of(report(ONE, records=[partly]), report(records=[other])) == [("not run", "one")]


def test_what_did_not_run_is_not_gone():
    assert kinds_of(report(ONE), report(records=ELSEWHERE)) == [("not run", "one")]
    assert diff.properties_not_run(report(), report(records=ELSEWHERE)) == ["a.p"]
    assert diff.is_worse(report(), report(records=ELSEWHERE))
    assert diff.lines(report(), report(records=ELSEWHERE)) == [
        "not run: property a.p", "stronger: 1", "  property b.q is there now: 2 cells",
    ]  # fmt: skip


def test_a_run_of_one_area_is_compared_in_that_area_alone():
    whole = report(ONE, divergence("far", "b.q"), records=[record(), *ELSEWHERE])
    assert kinds_of(whole, of_area_a(ONE)) == []
    assert kinds_of(whole, of_area_a()) == [("gone", "one")]
    assert not diff.is_worse(whole, of_area_a())
    assert diff.properties_not_run(whole, of_area_a()) == []
    assert kinds_of(of_area_a(ONE), whole) == []
    assert kinds_of(of_area_a(), whole) == [("new", "one")]
    assert diff.facts(of_area_a(ONE), whole) == diff.facts(whole, of_area_a(ONE)) == []
    assert not diff.is_worse(of_area_a(ONE), whole)


def test_runs_of_different_areas_have_nothing_in_common():
    other = report(records=ELSEWHERE, controls=[], partial="b")
    lines = diff.lines(of_area_a(ONE), other)
    assert lines == ["compared although these differ: area: a → b", "nothing to compare"]
    assert diff.markdown(of_area_a(ONE), other).startswith("## theirs against torch: nothing to")


# Differences other than divergences.

BIG = {"size": 5, "visited": 5}
BLOCKED = report(records=[record(visited=1, blocked=1)])
CAUGHT_LATE = [control(**NOT_CAUGHT)]
WEAKER = {
    "control c fails: raises of x": (report(), report(controls=CAUGHT_LATE)),
    "control d fails: raises of x": (
        report(), report(controls=[control(), control("d", **NOT_CAUGHT)])),
    "control c is gone": (report(), report(controls=[])),
    f"a.p: stale {STALE}": (
        report(), report(stale=["a.p"])),
    "domain of a.p: 2 cells → 1 of 2 cells": (report(), report(records=[record(visited=1)])),
    "domain of a.p: 2 cells → 2 cells, not finished": (
        report(), with_other_cells(facets=Counter())),
    "domain of a.p: 3 of 5 cells → 2 of 5 cells": (
        report(records=[record(size=5, visited=3)]), report(records=[record(size=5, visited=2)])),
    "domain of a.p: 5 cells → 2 cells": (report(records=[record(**BIG)]), report()),
    "domain of a.p: 2 cells → drawn cases": (report(), report(records=[record(size=None)])),
    "domain of a.p: drawn cases → no cases": (
        report(records=[record(size=None)]), report(records=[record(size=None, visited=0)])),
    "domain of a.p: 2 cells as before, but others": (report(), with_other_cells()),
    "domain of a.p: 2 cells → 1 of 2 cells, 1 blocked by torch.f": (report(), BLOCKED),
    "domain of a.p: 1 of 2 cells, 1 blocked by torch.f → 1 of 3 cells, 2 blocked by torch.f": (
        BLOCKED, report(records=[record(size=3, visited=1, blocked=2)])),
    "domain of a.p: drawn cases → drawn cases, 3 blocked by torch.f": (
        report(records=[record(size=None)]), report(records=[record(size=None, blocked=3)])),
    "domain of a.p: 2 cells → 2 cells, 1 refused by torch.g before their question": (
        report(), report(records=[record(refused=1)])),
    "property b.q is there now: 1 of 2 cells": (
        report(), report(records=[record(), record("b.q", visited=1)])),
}  # fmt: skip
STRONGER = {
    "control c no longer fails": (report(controls=CAUGHT_LATE), report()),
    "control d is there now": (report(), report(controls=[control(), control("d")])),
    f"no longer a.p: stale {STALE}": (
        report(stale=["a.p"]), report()),
    "domain of a.p: 1 of 2 cells → 2 cells": (report(records=[record(visited=1)]), report()),
    "domain of a.p: 1 of 2 cells, 1 blocked by torch.f → 2 cells": (BLOCKED, report()),
    "domain of a.p: 2 cells → 5 cells": (report(), report(records=[record(**BIG)])),
    "domain of a.p: 2 cells, 1 refused by torch.g before their question → 2 cells": (
        report(records=[record(refused=1)]), report()),
    "property b.q is there now: 2 cells": (report(), report(records=[record(), *ELSEWHERE])),
}  # fmt: skip


@pytest.mark.parametrize("reason", WEAKER)
def test_a_report_may_be_weaker_without_a_new_divergence(reason, tmp_path):
    old, new = WEAKER[reason]
    assert kinds_of(old, new) == []
    assert diff.is_worse(old, new)
    lines = diff.lines(old, new)
    assert lines[-2:] == ["weaker: 1", f"  {reason}"]
    assert lines[:-2] == ([] if new["verdict"] == old["verdict"] else ["conforms → fails"])
    title, *_ = diff.markdown(old, new).splitlines()
    assert title == f"## theirs against torch: {', '.join([*lines[:-2], '1 weaker'])}"
    assert f"<details open><summary>weaker: 1</summary>\n\n- {reason}" in diff.markdown(old, new)
    files.write(tmp_path, old)
    comparison = history.compare(tmp_path, new, tmp_path / "new")
    assert comparison["weaker"] == [reason]
    whole = {**new, "baseline": comparison}
    schema.check(whole)
    assert baseline_line(whole) == f"since {tmp_path.as_posix()}: 1 weaker ({reason})"


@pytest.mark.parametrize("reason", STRONGER)
def test_a_report_that_is_stronger_is_not_worse(reason):
    old, new = STRONGER[reason]
    assert not diff.is_worse(old, new)
    assert diff.lines(old, new)[-2:] == ["stronger: 1", f"  {reason}"]
    assert f"<details><summary>stronger: 1</summary>\n\n- {reason}" in diff.markdown(old, new)


def test_many_controls_that_are_gone_are_cut():
    old = report(controls=[control(f"c{n}") for n in range(diff.MAX_ROWS + 5)])
    assert diff.lines(old, report(controls=[]))[-1] == "  and 5 more"
    assert "- and 5 more\n" in diff.markdown(old, report(controls=[]))


def test_a_verdict_that_fails_is_worse_whatever_it_is_for():
    sampled = [record(size=None)]
    old, new = report(records=sampled), report(ONE, records=sampled, seed=1)
    assert kinds_of(old, new) == [("drawn", "one")]
    assert diff.is_worse(old, new)
    assert diff.lines(old, new)[1] == "conforms → fails"


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"subject": "ours"}, "subject: theirs → ours"),
        ({"oracle": "torch@meta"}, "oracle: torch → torch@meta"),
        ({"partial": "a", "controls": []}, "area: all → a"),
        ({"environment": {**ENVIRONMENT, "torch": "2.14.0"}}, "torch: 2.13.0+cpu → 2.14.0"),
    ],
)
def test_runs_of_something_else_are_said_to_be(changes, difference):
    new = report(**changes)
    line = f"compared although these differ: {difference}"
    assert diff.lines(report(), new) == [line, "no difference"]
    assert f"no difference\n\n**{line}**\n\n| |" in diff.markdown(report(), new)
    assert not diff.is_worse(report(), new)


def test_another_draw_is_said_to_be_one_if_anything_was_drawn():
    sampled = {"records": [record(size=None)]}
    assert diff.lines(report(**sampled), report(**sampled, profile="deep", seed=3)) == [
        "compared although these differ: profile: quick → deep; seed: 0 → 3",
        "no difference",
    ]
    assert diff.lines(report(), report(profile="deep", seed=3)) == ["no difference"]


def test_who_was_compared_is_in_the_table():
    text = diff.markdown(report(), report(subject="ours", partial="a", controls=[]))
    assert "\n| subject | theirs | ours |\n| area | all | a |\n" in text
    assert "| oracle |" not in text


@pytest.mark.parametrize(
    ("one", "other", "line"),
    [(ONE, EXPECTED, "unexpected → expected"), (EXPECTED, ONE, "expected → unexpected")],
)
def test_of_a_status_that_changed_both_are_written(one, other, line):
    assert f"  {ONE.id}  a.p  value  ({line})" in diff.lines(report(one), report(other))
    assert f"`{ONE.id}` a.p: value ({line})\n" in diff.markdown(report(one), report(other))
    assert "(unexpected)" in "".join(diff.lines(report(ONE), report(OTHER_ANSWER)))


def test_statuses_that_changed_otherwise_are_shown_apart():
    old = report(ONE, divergence("two"), divergence("three"))
    new = report(*(divergence(name, status="expected") for name in ("one", "two", "three")))
    assert "(unexpected → expected, one of 3 alike)" in diff.markdown(old, new)
    mixed = report(EXPECTED, divergence("two"), divergence("three", status="expected"))
    back = diff.markdown(
        mixed, report(ONE, divergence("two", status="expected"), divergence("three"))
    )
    assert "(expected → unexpected, one of 2 alike)" in back
    assert "(unexpected → expected)" in back


LOOKS_ALIKE = [
    ("bad index", "bad index \n", "'bad index'", r"'bad index \n'"),
    ("a\nb", "a\rb", r"'a\nb'", r"'a\rb'"),
    ("a\nb", "a\u2028b", r"'a\nb'", r"'a\u2028b'"),
    ("a\u200bb", "ab", r"'a\u200bb'", "'ab'"),
    ("\n" * 60 + "x" * 60 + "a", "\n" * 60 + "x" * 60 + "b", None, None),
]


@pytest.mark.parametrize(("one", "other", "expected", "observed"), LOOKS_ALIKE)
def test_answers_that_look_alike_are_written_with_escapes(one, other, expected, observed):
    planned = divergence("one", facet="message", expected=one, observed=other)
    row = {"facet": "message", "expected": one, "observed": other}
    cut = format_sides(row)
    assert cut[0] != cut[1]
    if expected:
        assert cut == format_sides(row, None) == (expected, observed)
        lines = diff.lines(report(), report(planned))
        assert lines[-2:] == [f"    expected  {expected}", f"    observed  {observed}"]
        assert f"\n- {expected}\n+ {observed}\n" in diff.markdown(report(), report(planned))


def test_answers_that_are_written_alike_are_shown_as_data():
    row = {"facet": "warnings", "expected": ["a; b"], "observed": ["a", "b"]}
    assert format_sides(row) == format_sides(row, None) == ("['a; b']", "['a', 'b']")


def test_spaces_at_the_end_of_a_line_are_kept():
    row = divergence("one", facet="repr", expected="a \nb", observed="a \nc")
    assert "\n- a \n- b\n+ a \n+ c\n" in diff.markdown(report(), report(row))


# The difference for a pull request.


def test_no_difference_is_said_in_a_heading():
    text = diff.markdown(report(ONE), report(ONE))
    assert text.startswith("## theirs against torch: no difference\n\n| | before | after |\n")
    assert "<details" not in text
    assert text.endswith("|\n")


def test_each_kind_of_difference_is_listed():
    three = divergence("three", facet="raises")
    old = report(ONE, TWO, divergence("far", "b.q"), records=[record(), *ELSEWHERE])
    text = diff.markdown(old, report(OTHER_ANSWER, three))
    heading = "1 new, 1 changed, 1 gone, 1 not run, 1 property not run"
    assert text.startswith(f"## theirs against torch: {heading}\n")
    for kind, is_open in (("new", True), ("changed", True), ("gone", False), ("not run", False)):
        assert f"<details{' open' if is_open else ''}><summary>{kind}: 1</summary>" in text
    assert text.count("<details") == text.count("</details>") == 4
    assert f"`{three.id}` a.p: raises (unexpected)" in text
    assert "```diff\n  torch.one(1)\n  torch.g()\n- torch.int8\n+ 2\n```" in text
    assert "Not run: `b.q`." in text


def test_what_both_reports_rest_on_is_in_a_table():
    old = report(ONE)
    new = report(seed=7, environment={**ENVIRONMENT, "torch": "2.14.0", "numpy": "2.5.0"})
    text = diff.markdown(old, new)
    for row in ("| verdict | fails | conforms |", "| comparisons | 10 | 9 |",
                "| unexpected | 1 | 0 |", "| profile, seed | quick, 0 | quick, 7 |",
                "| torch | 2.13.0+cpu | 2.14.0 |", "| numpy | 2.4.6 | 2.5.0 |"):  # fmt: skip
        assert f"\n{row}\n" in text
    assert "| python |" not in text


def test_of_many_kinds_the_first_are_shown_and_of_each_one():
    many = [
        divergence(f"f{n}", observed={"int": str(n // 2)}) for n in range(2 * diff.MAX_ROWS + 10)
    ]
    text = diff.markdown(report(), report(*many))
    assert f"<summary>new: {len(many)}</summary>" in text
    assert text.count("```diff") == diff.MAX_ROWS
    assert text.count("one of 2 alike") == diff.MAX_ROWS
    assert "\n\nand 5 more kinds\n\n</details>" in text
    assert f"  and {len(many) - diff.MAX_ROWS} more" in diff.lines(report(), report(*many))


def test_what_is_missing_is_listed_by_name():
    lost = [divergence(f"f{n}", status="missing", missing=f"torch.lost{n}") for n in range(2)]
    text = diff.markdown(report(), report(*lost))
    assert "Missing: `torch.lost0`, `torch.lost1`." in text
    assert "```diff" not in text


@pytest.mark.parametrize("text", ["```\n<script>", "a\n```diff\nb", "````", "~~~\n|x|"])
def test_answers_stay_in_their_fence(text):
    written = diff.markdown(report(), report(divergence("one", facet="message", observed=text)))
    lines = written.splitlines()
    start = next(index for index, line in enumerate(lines) if line.endswith("diff") and "`" in line)
    fence = lines[start].removesuffix("diff")
    inside = lines[start + 1 : lines.index(fence, start + 1)]
    assert [line for line in inside if line[:1] not in "-+ "] == []
    assert lines[start + 1 + len(inside) + 2] == "</details>"
