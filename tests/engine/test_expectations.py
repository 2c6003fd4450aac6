"""Judgement: unexpected divergences and stale or changed expectations fail the run."""

from dataclasses import replace

import pytest

from conformance.engine import expectations
from conformance.engine.expectations import (
    Expectation,
    JudgedProperty,
    fingerprint_of,
    judge,
    load_expectations,
    sample_of,
)
from conformance.engine.records import Divergence
from conformance.properties import all_properties

FOUND = [
    Divergence("area.name", "value", f"torch.f({number})", {"int": "1"}, {"int": "2"})
    for number in range(3)
]
RECORD = JudgedProperty("area.name", True, "3 of 3 cells visited", FOUND)
KNOWN = Expectation(
    "known", "area.name", "value", "torch.f(*)", 3, fingerprint_of(FOUND), "a reason", "a link"
)


def kinds_of(judgement):
    return [problem.kind for problem in judgement.problems]


def test_an_expectation_is_of_the_drawn_divergence_whatever_its_simplest_form():
    simple = replace(FOUND[0], case="torch.g()", observed={"int": "7"}, drawn=FOUND[0])
    row = replace(KNOWN, case=FOUND[0].case, count="any", fingerprint=FOUND[0].fingerprint)
    for found in (FOUND[0], simple):
        judgement = judge([JudgedProperty("area.name", True, "", [found])], [row])
        assert (judgement.problems, [*judgement.status.values()]) == ([], ["expected"])
    other = replace(simple, drawn=None)
    assert judge([JudgedProperty("area.name", True, "", [other])], [row]).problems


def test_a_divergence_without_an_expectation_is_unexpected():
    judgement = judge([RECORD])
    assert set(judgement.status.values()) == {"unexpected"}
    assert kinds_of(judgement) == ["divergence"] * 3


def test_what_is_expected_is_no_problem():
    judgement = judge([RECORD], [KNOWN])
    assert set(judgement.status.values()) == {"expected"}
    assert list(judgement.reasons.values()) == [KNOWN] * 3
    assert kinds_of(judgement) == []


@pytest.mark.parametrize(
    "change",
    [{"count": 2}, {"count": 4}, {"fingerprint": "0" * 12}, {"case": "torch.f([01])"}],
)
def test_an_expectation_that_fits_only_nearly_has_changed(change):
    judgement = judge([RECORD], [replace(KNOWN, **change)])
    assert "changed" in kinds_of(judgement)
    assert "expected" not in judgement.status.values()


@pytest.mark.parametrize("change", [{"case": "torch.g(*)"}, {"facet": "repr"}])
def test_an_expectation_that_matches_nothing_is_stale(change):
    assert kinds_of(judge([RECORD], [replace(KNOWN, **change)])) == ["stale"] + ["divergence"] * 3


def test_answers_that_changed_places_are_noticed():
    one, other = FOUND[0], replace(FOUND[1], observed={"int": "3"})
    expectation = replace(KNOWN, count=2, fingerprint=fingerprint_of([one, other]))
    swapped = [replace(one, case=other.case), replace(other, case=one.case)]
    assert kinds_of(judge([replace(RECORD, divergences=[one, other])], [expectation])) == []
    assert kinds_of(judge([replace(RECORD, divergences=swapped)], [expectation])) == ["changed"]


def test_a_fix_is_noticed():
    fixed = replace(RECORD, divergences=FOUND[:2])
    assert kinds_of(judge([fixed], [KNOWN])) == ["changed"]
    assert kinds_of(judge([replace(RECORD, divergences=[])], [KNOWN])) == ["stale"]


def test_an_expectation_about_what_did_not_run_says_nothing():
    assert kinds_of(judge([RECORD], [KNOWN, replace(KNOWN, property="area.other")])) == []


@pytest.mark.parametrize(
    ("facts", "applies"),
    [
        ({"torch": "2.13.0+cpu", "subject": "impl"}, True),
        ({"torch": "2.11.0", "subject": "impl"}, False),
        ({"torch": "2.13.0", "subject": "other"}, False),
        ({"torch": "2.13.0"}, False),
    ],
)
def test_a_condition_has_to_hold(facts, applies):
    narrow = replace(KNOWN, condition={"torch": "2.13.*", "subject": "impl"})
    assert narrow.applies(facts) is applies
    assert (kinds_of(judge([RECORD], [narrow], facts)) == []) is applies


def test_what_is_missing_is_never_expected():
    missing = replace(FOUND[0], missing="torch.f")
    judgement = judge([replace(RECORD, divergences=[missing])], [KNOWN])
    assert judgement.status == {missing.id: "missing"}
    assert kinds_of(judgement) == ["stale", "divergence"]


def test_an_incomplete_domain_is_a_problem():
    judgement = judge([JudgedProperty("area.name", False, "2 of 3 cells visited", [])])
    assert kinds_of(judgement) == ["incomplete"]


def test_the_identity_is_that_of_the_question_and_the_fingerprint_that_of_the_answers():
    first = FOUND[0]
    assert replace(first, observed={"int": "3"}).id == first.id
    assert replace(first, observed={"int": "3"}).fingerprint != first.fingerprint
    assert replace(first, expected={"int": "3"}).fingerprint != first.fingerprint
    assert len({first.id, *(replace(first, **{k: "x"}).id for k in ("facet", "case"))}) == 3


ROW = """
[[expectation]]
id = "a"
property = "limits.finfo"
facet = "value"
case = "c"
count = 1
fingerprint = "f"
reason = "{reason}"
link = "{link}"
"""


def test_a_file_of_expectations_is_read(tmp_path):
    path = tmp_path / "expectations.toml"
    path.write_text(ROW.format(reason="r", link="l") + 'condition = { torch = "2.*" }\n')
    (expectation,) = load_expectations(all_properties(), path)
    assert expectation.condition == {"torch": "2.*"}


def test_the_list_of_the_suite_gives_links(tmp_path, monkeypatch):
    path = tmp_path / "expectations.toml"
    path.write_text(ROW.format(reason="r", link=""))
    (expectation,) = load_expectations(all_properties(), path)
    assert expectation.link == ""
    monkeypatch.setattr(expectations, "PATH", path)
    with pytest.raises(ValueError, match="gives no link"):
        load_expectations(all_properties(), path)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (ROW.format(reason=" ", link="l"), ValueError),
        (ROW.format(reason="r", link="l").replace("count = 1\n", ""), TypeError),
        (ROW.format(reason="r", link="l") + "more = 1\n", TypeError),
        (ROW.format(reason="r", link="l") + "is_own = false\n", TypeError),
        (ROW.format(reason="r", link="l").replace("limits.finfo", "limits.fino"), ValueError),
        (ROW.format(reason="r", link="l").replace('"value"', '"valu"'), ValueError),
        (ROW.format(reason="r", link="l") + 'condition = { subjct = "impl" }\n', ValueError),
        ("[[expectation", ValueError),
    ],
)
def test_a_bad_file_is_refused(text, error, tmp_path):
    path = tmp_path / "expectations.toml"
    path.write_text(text)
    with pytest.raises(error):
        load_expectations(all_properties(), path)


def test_the_expectations_of_the_suite_can_be_read():
    assert all(
        expectation.count == "any" or int(expectation.count) > 0
        for expectation in load_expectations(all_properties())
    )


def test_a_drawn_property_may_have_any_number_of_them_that_are_alike():
    expectation = replace(KNOWN, count="any", fingerprint=FOUND[0].fingerprint)
    assert kinds_of(judge([RECORD], [expectation])) == []
    assert kinds_of(judge([replace(RECORD, divergences=[])], [expectation])) == []
    other = replace(FOUND[1], observed={"int": "3"})
    judgement = judge([replace(RECORD, divergences=[FOUND[0], other])], [expectation])
    assert kinds_of(judgement) == ["changed"]
    assert "expected" not in judgement.status.values()


def test_a_part_of_a_domain_may_have_fewer_divergences_but_no_others():
    part = replace(RECORD, sample=sample_of(213, 0))
    assert kinds_of(judge([part], [KNOWN])) == []
    assert kinds_of(judge([replace(part, divergences=FOUND[:2])], [KNOWN])) == []
    assert kinds_of(judge([replace(RECORD, divergences=FOUND[:2])], [KNOWN])) == ["changed"]
    others = [*FOUND[:2], replace(FOUND[2], observed={"int": "3"})]
    assert kinds_of(judge([replace(part, divergences=others)], [KNOWN])) == ["changed"]
    more = [*FOUND, replace(FOUND[2], case="torch.f(9)")]
    assert kinds_of(judge([replace(part, divergences=more)], [KNOWN])) == ["changed"]


def test_a_property_that_was_interrupted_may_have_fewer_divergences():
    part = replace(RECORD, complete=False, died=True, divergences=FOUND[:2])
    assert kinds_of(judge([part], [KNOWN])) == ["incomplete"]
    assert kinds_of(judge([replace(part, died=False)], [KNOWN])) == ["incomplete", "changed"]


def test_what_was_found_in_the_same_part_of_a_domain_is_stale_when_it_is_mended():
    part = replace(RECORD, sample=sample_of(213, 0), divergences=FOUND[:2])
    found_there = replace(KNOWN, sample=part.sample)
    assert kinds_of(judge([part], [found_there])) == ["changed"]
    assert kinds_of(judge([replace(part, divergences=[])], [found_there])) == ["stale"]
    assert kinds_of(judge([part], [replace(KNOWN, sample=sample_of(213, 1))])) == []
    assert sample_of(1, 0) == ""
