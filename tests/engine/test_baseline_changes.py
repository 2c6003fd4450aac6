"""The difference of a report to the baseline."""

import json

import pytest

from conformance.report import baseline as history, files, schema
from conformance.report.text import baseline_line

from .making_reports import clause, divergence, name_of, record, report

ONE, TWO = divergence("one"), divergence("two", facet="repr")
OTHER_ANSWER = divergence("one", observed={"int": "2"})
ELSEWHERE = [record("b.q")]


def of_area_a(*divergences, **changes):
    clauses = [clause("a.c", "a.p", "b.q")]
    return report(*divergences, clauses=clauses, controls=[], partial="a", **changes)


@pytest.fixture
def baseline(tmp_path):
    files.write(tmp_path / "base", report(ONE, TWO))
    return tmp_path / "base"


def test_without_a_baseline_there_is_nothing_to_tell(tmp_path):
    assert history.compare(tmp_path / "none", report(), tmp_path / "new") is None
    assert baseline_line(report()) == ""


def test_the_baseline_itself_is_not_compared_with_itself(baseline):
    assert history.compare(baseline, report(), baseline.parent / "x" / ".." / "base") is None


def test_what_changed_since_the_baseline_is_part_of_the_report(baseline, tmp_path):
    new = report(OTHER_ANSWER, divergence("three"))
    comparison = history.compare(baseline, new, tmp_path / "new")
    assert [(change["kind"], name_of(change)) for change in comparison["changes"]] == [
        ("new", "three"), ("changed", "one"), ("gone", "two"),
    ]  # fmt: skip
    assert (comparison["why_not"], comparison["not_run"]) == (None, [])
    whole = report(OTHER_ANSWER, divergence("three"), baseline=comparison)
    assert baseline_line(whole) == f"since {baseline.as_posix()}: 1 new, 1 changed, 1 gone"


def test_nothing_new_is_said_so(baseline, tmp_path):
    comparison = history.compare(baseline, report(ONE, TWO), tmp_path)
    line = baseline_line(report(ONE, TWO, baseline=comparison))
    assert line.endswith(": nothing new, gone, changed or not run")


@pytest.mark.parametrize(
    ("names", "line"), [(["a.p"], "1 property not run"), (["a.p", "a.q"], "2 properties not run")]
)
def test_properties_that_did_not_run_are_counted(tmp_path, names, line):
    files.write(tmp_path, report(records=[record(name) for name in names]))
    comparison = history.compare(tmp_path, report(records=ELSEWHERE), tmp_path / "new")
    assert comparison["not_run"] == names
    assert baseline_line(report(records=ELSEWHERE, baseline=comparison)).endswith(f": {line}")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"subject": "ours"}, "its subject is theirs, not ours"),
        ({"oracle": "torch@meta"}, "its oracle is torch, not torch@meta"),
    ],
)
def test_a_baseline_of_something_else_is_not_compared_with(baseline, tmp_path, changes, why):
    comparison = history.compare(baseline, report(**changes), tmp_path)
    nothing = {"changes": [], "not_run": [], "weaker": []}
    assert comparison == {"path": baseline.as_posix(), "why_not": why, **nothing}
    line = baseline_line(report(**changes, baseline=comparison))
    assert line == f"not compared with {baseline.as_posix()}: {why}"


def test_the_baseline_of_a_report_has_to_fit_it():
    comparison = {"path": "old", "why_not": None, "changes": [], "not_run": [], "weaker": ["so"]}
    assert not [*schema.problems({**report(), "baseline": comparison})]
    (problem,) = schema.problems({**report(), "baseline": {**comparison, "why_not": "because"}})
    assert "baseline.why_not: is given though it was compared with" in problem
    (one,) = report(ONE)["divergences"]
    sampled = {key: one[key] for key in ("id", "property", "facet", "case")} | {"kind": "drawn"}
    sampled = {**comparison, "changes": [sampled]}
    assert not [*schema.problems({**report(ONE), "baseline": sampled})]
    (problem,) = schema.problems({**report(), "baseline": sampled})
    assert "what is drawn is not among the divergences" in problem


def test_a_baseline_of_one_area_is_compared_with_in_that_area_alone(tmp_path):
    files.write(tmp_path, of_area_a(ONE))
    assert history.compare(tmp_path, report(ONE), tmp_path / "new")["why_not"] == (
        "it is of a alone"
    )
    assert history.compare(tmp_path, of_area_a(ONE), tmp_path / "new")["why_not"] is None


def test_a_case_of_another_draw_is_not_new_since_the_baseline(tmp_path):
    sampled = [record(size=None)]
    files.write(tmp_path, report(records=sampled))
    new = report(ONE, records=sampled, profile="deep")
    whole = {**new, "baseline": history.compare(tmp_path, new, tmp_path / "new")}
    schema.check(whole)
    assert baseline_line(whole) == f"since {tmp_path.as_posix()}: 1 drawn"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text[:-40], "is not JSON"),
        (lambda text: text.replace("conformance/4", "conformance/1"), "not known here"),
        (
            lambda text: json.dumps({**json.loads(text), "verdict": "conforms"}),
            "not a whole report",
        ),
    ],
)
def test_a_baseline_that_cannot_be_read_does_not_stop_a_run(baseline, tmp_path, change, why):
    path = baseline / files.JSON
    path.write_text(change(path.read_text()))
    comparison = history.compare(baseline, report(ONE), tmp_path)
    assert why in comparison["why_not"]
    assert len(baseline_line(report(ONE, baseline=comparison)).splitlines()) == 1
