"""Levels: 1 what a program computes, 2 how it is laid out, 3 the words for it."""

from collections import Counter

import pytest

from conformance.engine.expectations import JudgedProperty, judge
from conformance.engine.records import Divergence
from conformance.observation.facets import FACETS
from conformance.observation.levels import LEVELS, is_name_alone, level_of, level_of_facet
from conformance.report import levels, schema
from conformance.report.text import verdict_line
from conformance.report.upgrade import upgraded

from .making_reports import divergence, record, report

TENSOR = {"x": {"tensor": "torch.Tensor", "dtype": "int8", "stride": [1], "elements": ["01"]}}


def with_x(**changes):
    return {"x": {**TENSOR["x"], **changes}}


@pytest.mark.parametrize(
    ("facet", "expected", "observed", "level"),
    [
        ("raises", None, "ValueError", 1),
        ("raises", "ValueError", "TypeError", 2),
        ("message", "a", "b", 3),
        ("value", {"int": "1"}, {"int": "2"}, 1),
        ("value", {"tensor": "torch.Tensor"}, {"tensor": "A"}, 2),
        ("state", TENSOR, with_x(tensor="A"), 2),
        ("state", TENSOR, with_x(stride=[2]), 2),
        ("state", TENSOR, with_x(stride=[2], elements=["02"]), 1),
        ("state", TENSOR, {}, 1),
        ("verdict", "apart", "alike", 1),
    ],
)
def test_a_difference_has_a_level(facet, expected, observed, level):
    assert level_of(facet, expected, observed) == level


def test_every_facet_has_a_level():
    assert {facet.level for facet in FACETS} == {*LEVELS}
    assert [level_of_facet(name) for name in ("elements", "stride", "repr")] == [1, 2, 3]


def test_another_dtype_is_no_name():
    assert not is_name_alone("dtype", "int8", "int16")
    assert not is_name_alone("state", TENSOR, with_x(dtype="int16"))
    assert is_name_alone("state", TENSOR, with_x(dtype=None, tensor="A"))


WORDS = Divergence("a.p", "message", "torch.f()", "a", "b")
VALUE = Divergence("a.p", "value", "torch.g()", {"int": "1"}, {"int": "2"})


@pytest.mark.parametrize(("level", "number"), [(3, 2), (2, 1), (1, 1)])
def test_divergences_above_the_level_are_no_problems(level, number):
    judged = JudgedProperty("a.p", True, "", [WORDS, VALUE])
    judgement = judge([judged], level=level)
    assert len(judgement.problems) == number
    assert {*judgement.status.values()} == {"unexpected"}


def test_a_report_counts_the_facts_of_each_level():
    facets = Counter(raises=10, message=4, stride=5, value=3)
    wrong = Counter({"2 raises": 2, "3 message": 1, "1 value": 1})
    data = report(divergence("one"), records=[record(facets=facets, wrong=wrong)])
    schema.check(data)
    rows = {row["level"]: row for row in data["levels"]}
    assert (rows[1]["asked"], rows[1]["wrong"], rows[1]["unexpected"]) == (14, 1, 1)
    assert (rows[2]["asked"], rows[2]["wrong"]) == (7, 2)  # the classes are facts of their own
    assert (rows[3]["asked"], rows[3]["wrong"]) == (4, 1)
    assert levels.total_rows(data)[1] == ["2 layout", "7", "5", "71.42", "0"]


def test_facts_of_the_suite_are_no_facts_of_the_subject():
    suite = record("engine.e", wrong=Counter({"1 value": 1}))
    data = report(divergence("f", "engine.e"), records=[record(), suite])
    assert {row["area"] for row in data["levels"]} == {"a"}
    assert [row["asked"] for row in levels.totals(data)] == [7, 0, 2]
    assert [row["unexpected"] for row in levels.totals(data)] == [0, 0, 0]
    of_suite = {"area": "engine", "level": 1, "asked": 9, "wrong": 0, "unexpected": 0}
    earlier = {**data, "levels": [*data["levels"], of_suite]}
    assert [*schema.problems(earlier)]
    assert upgraded(earlier, data["schema"])["levels"] == data["levels"]


def test_a_report_without_levels_is_one_of_an_earlier_version():
    data = {key: value for key, value in report().items() if key not in ("levels", "not_asked")}
    schema.check(data)
    assert levels.rows(data) == levels.not_asked_lines(data) == []


def test_what_no_adapter_declares_fails_the_run():
    facts = record(not_asked=Counter({"stride": 3, "repr": 2}))
    assert report(records=[facts])["verdict"] == "conforms"
    lacking = {"stride": "AttributeError: stride"}
    data = report(records=[facts], lacking=lacking)
    assert data["verdict"] == "fails"
    assert [row["level"] for row in data["not_asked"]] == [2, 3]
    assert "1 fact that no adapter declares" in verdict_line(data)
    assert report(records=[facts], lacking=lacking, level=1)["verdict"] == "conforms"
    assert [row["fact"] for row in data["not_asked"]] == ["stride", "repr"]
    assert levels.not_asked_lines(data) == [
        "stride not asked 3 times: AttributeError: stride",
        "not asked 2 times, as the adapter declares: repr",
    ]
