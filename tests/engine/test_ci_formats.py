"""The formats for CI systems: JUnit XML, CTRF and a badge, with the facts of the report."""

import json
import re
import uuid
from collections import Counter
from datetime import datetime
from xml.etree import ElementTree

import pytest

from conformance.report import badge, ci_outcomes, ctrf, junit
from conformance.report.text import verdict_line

from .making_reports import NOT_CAUGHT, changed, clause, control, divergence, record, report

ONE = divergence("one")
EXPECTED = divergence("two", "b.q", status="expected", facet="repr")
HOSTILE = (
    "\"'<&>]]><![CDATA[</text>&amp;\x00\x08\x1b\x7f\x85\r\n\t\ufffe\ud800\U0001f600{}%s"
    + "x" * 50_000
)


def hostile():
    """Return a report with hostile text in every field that a subject can set."""
    fields = dict.fromkeys(("expected", "observed"), HOSTILE)
    data = report(
        divergence("one", messages=(HOSTILE, None), facet="message", **fields),
        divergence("two", facet="value", third_party_results={HOSTILE: HOSTILE}, **fields),
        divergence("three", status="expected", **fields),
        records=[record(), record("b.q", visited=1)],
        controls=[control(**NOT_CAUGHT)],
        subject=HOSTILE,
        environment={**report()["environment"], "machine": HOSTILE},
    )
    for path in (
        "divergences.0.case", "divergences.0.reproduction", "divergences.2.reason",
        "divergences.2.link", "problems.0.text", "properties.0.summary", "controls.0.fault",
        "controls.0.example",
    ):  # fmt: skip
        data = changed(data, path, HOSTILE)
    return data


WHOLE = report(
    ONE,
    divergence("lost", status="missing", missing="torch.lost"),
    divergence("other", "b.q", status="changed"),
    EXPECTED,
    *(divergence(f"more{number}") for number in range(7)),
    records=[record(), record("b.q"), record("b.short", visited=1), record("a.good")],
    clauses=[clause("a.c", "a.p"), clause("b.d", "b.q"), clause("memory-formats.e")],
    controls=[control(), control("blind", **NOT_CAUGHT)],
    stale=["a.good"],
)
REPORTS = {
    "conforms": report(), "one": report(ONE), "whole": WHOLE, "hostile": hostile(),
    "expected": report(EXPECTED, records=[record("b.q")]),
    "missing": report(divergence("lost", status="missing", missing="torch.lost")),
    "incomplete": report(records=[record(visited=1)]),
    "stale": report(stale=["a.p"]),
    "control": report(controls=[control(**NOT_CAUGHT)]),
    "partial": report(partial="a", controls=[]),
    "drawn": report(records=[record(size=None)]),
}  # fmt: skip

each_report = pytest.mark.parametrize("data", REPORTS.values(), ids=REPORTS)


# JUnit: the elements and attributes of Jenkins' junit-10.xsd.

CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "system-out"},
}
ATTRIBUTES = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set()),
    "testsuite": (
        {"name", "tests", "failures", "errors", "time", "skipped", "timestamp"},
        {"name", "tests", "failures", "errors"},
    ),
    "property": ({"name", "value"}, {"name", "value"}),
    "testcase": ({"name", "time", "classname"}, {"name"}),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def parsed(data):
    return ElementTree.fromstring(junit.write(data).encode())


@each_report
def test_junit_is_of_the_form_that_jenkins_reads(data):
    top = parsed(data)
    assert top.tag == "testsuites"
    for element in top.iter():
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        allowed, required = ATTRIBUTES.get(element.tag, (set(), set()))
        assert required <= {*element.keys()} <= allowed
        assert TIME.fullmatch(element.get("time", "0"))
        for count in ("tests", "failures", "errors", "skipped"):
            assert element.get(count, "0").isdecimal()


@each_report
def test_junit_counts_what_the_report_counts(data):
    top = parsed(data)
    cases = list(top.iter("testcase"))
    assert len(cases) == len(data["properties"]) + len(data["controls"])
    for holder in [top, *top]:
        test_cases = list(holder.iter("testcase"))
        assert holder.get("tests") == str(len(test_cases))
        for tag, count in (("failure", "failures"), ("error", "errors")):
            assert holder.get(count) == str(sum(case.find(tag) is not None for case in test_cases))
    assert [suite.get("name") for suite in top][: len(data["areas"])] == [
        area["area"] for area in data["areas"]
    ]
    bad = {case.get("name") for case in cases if case.find("failure") is not None}
    bad |= {case.get("name") for case in cases if case.find("error") is not None}
    wrong = {problem["property"] for problem in data["problems"]}
    assert bad == wrong | {control["id"] for control in data["controls"] if not control["caught"]}
    assert bool(bad) == (data["verdict"] == "fails")


def case_of(name, data=WHOLE):
    (test_case,) = (
        element for element in parsed(data).iter("testcase") if element.get("name") == name
    )
    return test_case


def test_junit_shows_the_first_divergences_and_how_to_run_them():
    failure = case_of("a.p").find("failure")
    assert failure.get("message") == "a.p: 8 unexpected divergences; 1 missing name"
    assert failure.get("type") == "divergence"
    for part in (ONE.id, "expected  torch.int8", "observed  1", "import torch\nprint(1)",
                 "and 4 more in the report"):  # fmt: skip
        assert part in failure.text


def test_junit_tells_what_did_not_come_to_its_end_from_what_is_wrong():
    error = case_of("b.short").find("error")
    assert error.get("type") == "incomplete"
    assert "1 of 2 cells visited" in error.get("message")
    assert case_of("b.short").find("failure") is None
    stale = case_of("a.good").find("failure")
    assert stale.get("type") == "stale"
    assert "nothing instead of 1" in stale.text


def test_junit_mentions_what_is_expected_and_does_not_fail_for_it():
    case = case_of("b.q", REPORTS["expected"])
    assert [element.tag for element in case] == ["system-out"]
    assert "1 expected divergence:\n  torch.g(): r (l)" in case.find("system-out").text


def test_junit_has_controls_and_clauses():
    suites = {suite.get("name"): suite for suite in parsed(WHOLE)}
    assert list(suites) == ["a", "b", ci_outcomes.CONTROLS]
    blind = case_of("blind").find("failure")
    assert blind.get("message") == "blind: wanted value in a.p, found raises"
    assert "raises of x" in blind.text
    stand = {item.get("name"): item.get("value") for item in suites["a"].iter("property")}
    assert stand["clause a.c"] == "diverges"
    assert stand["torch"] == "2.13.0+cpu"
    assert "clause b.d" not in stand


# CTRF, its schema: https://github.com/ctrf-io/ctrf, schema/ctrf.schema.json.

STATUSES = {"passed", "failed", "skipped", "pending", "other"}
OF_TEST = {
    "id": str, "name": str, "status": str, "duration": int, "rawStatus": str, "suite": list,
    "type": str, "message": str, "trace": str, "snippet": str, "stdout": list, "extra": dict,
}  # fmt: skip
OF_ENVIRONMENT = {"reportName", "appName", "testEnvironment", "osPlatform", "healthy", "extra"}


@each_report
def test_ctrf_is_of_the_form_that_is_specified(data):
    written = json.loads(ctrf.write(data))
    assert written["reportFormat"] == "CTRF"
    assert re.fullmatch(r"\d+\.\d+\.\d+", written["specVersion"])
    assert datetime.fromisoformat(written["timestamp"]).utcoffset() is not None
    assert written.keys() == {"reportFormat", "specVersion", "timestamp", "generatedBy", "results"}
    results = written["results"]
    assert results.keys() == {"tool", "summary", "tests", "environment", "extra"}
    assert results["tool"].keys() == {"name", "version"}
    assert results["summary"].keys() == STATUSES | {"tests", "suites", "start", "stop"}
    assert {type(value) for value in results["summary"].values()} == {int}
    assert results["environment"].keys() == OF_ENVIRONMENT
    for test in results["tests"]:
        assert {"name", "status", "duration"} <= test.keys() <= OF_TEST.keys()
        assert all(type(value) is OF_TEST[key] for key, value in test.items())
        assert test["status"] in STATUSES
        assert str(uuid.UUID(test["id"])) == test["id"]
        assert test["suite"]
        assert all(type(line) is str for line in test["stdout"])
    assert len({test["id"] for test in results["tests"]}) == len(results["tests"])


@each_report
def test_ctrf_counts_what_the_report_counts(data):
    results = json.loads(ctrf.write(data))["results"]
    counts = Counter(test["status"] for test in results["tests"])
    summary = results["summary"]
    assert summary["tests"] == len(data["properties"]) + len(data["controls"]) == counts.total()
    assert {status: summary[status] for status in STATUSES} == {
        status: counts[status] for status in STATUSES
    }
    assert (summary["failed"] > 0) == (data["verdict"] == "fails")
    assert results["environment"]["healthy"] == (data["verdict"] == "conforms")
    assert summary["stop"] - summary["start"] == round(data["duration_s"] * 1000)
    assert results["extra"]["totals"] == data["totals"]


def test_ctrf_tells_what_did_not_come_to_its_end():
    tests = {test["name"]: test for test in json.loads(ctrf.write(WHOLE))["results"]["tests"]}
    assert (tests["b.short"]["status"], tests["b.short"]["rawStatus"]) == ("failed", "not run")
    assert tests["a.p"]["snippet"] == "import torch\nprint(1)"
    assert tests["a.p"]["extra"]["clauses"] == ["a.c"]
    assert tests["c"]["suite"] == [ci_outcomes.CONTROLS]


# The badge.

SVG = "{http://www.w3.org/2000/svg}"


@each_report
def test_the_badge_can_be_read_by_everybody(data):
    top = ElementTree.fromstring(badge.write(data).encode())
    assert top.tag == f"{SVG}svg"
    left, right = (element.text for element in top.iter(f"{SVG}text"))
    assert top.get("role") == "img"
    assert top.get("aria-label") == f"{left}: {right}"
    title = top.find(f"{SVG}title").text
    if data["subject"] != HOSTILE:
        assert title == verdict_line(data)
    width = int(top.get("width"))
    assert width < 700
    assert sum(int(rect.get("width")) for rect in top.iter(f"{SVG}rect")) == width


@each_report
def test_the_badge_takes_nothing_from_elsewhere_and_shows_no_percentage(data):
    text = badge.write(data)
    assert "%" not in text.partition("<title>")[0] + text.partition("</title>")[2]
    assert re.findall(r"\w+://[^\"]*", text.partition("<title>")[0]) == [
        "http://www.w3.org/2000/svg"
    ]
    for part in ("href", "url(", "<script", "<image", "@import"):
        assert part not in text.partition("</title>")[2]


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in parts
    ]
    return sum(
        weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
    )


@pytest.mark.parametrize("colour", [badge.GREEN, badge.RED, badge.GREY])
def test_white_can_be_read_on_the_badge(colour):
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("conforms", ("torch 2.13", "conforms")),
        ("expected", ("torch 2.13", "conforms")),
        ("partial", ("torch 2.13 a", "conforms")),
        ("one", ("torch 2.13", "1 unexpected")),
        ("missing", ("torch 2.13", "1 missing name")),
        ("incomplete", ("torch 2.13", "1 incomplete domain")),
        ("stale", ("torch 2.13", "1 expectation that no longer fits")),
        ("control", ("torch 2.13", "1 failed control")),
        ("whole", ("torch 2.13", "9 unexpected, …")),
    ],
)
def test_the_badge_says_what_is_worst(name, texts):
    assert badge.texts(REPORTS[name]) == texts
    colour = badge.GREEN if texts[1] == "conforms" else badge.RED
    assert colour in badge.write(REPORTS[name])


def test_an_oracle_without_a_version_has_a_badge():
    data = report(oracle="impl", environment={
        key: value for key, value in WHOLE["environment"].items() if key != "torch"})  # fmt: skip
    assert badge.texts(data) == ("impl", "conforms")


# All formats.


@pytest.mark.parametrize("write", [junit.write, ctrf.write, badge.write])
def test_hostile_text_survives(write):
    text = write(REPORTS["hostile"])
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", text)
    assert len(text) < 100_000 + text.count("x") * 2


@pytest.mark.parametrize("write", [junit.write, ctrf.write, badge.write])
def test_of_long_text_only_what_differs_is_kept(write):
    long = report(*(divergence(f"f{n}", expected="y" * 10**6 + str(n), observed="y" * 10**6)
                    for n in range(3)))  # fmt: skip
    assert len(write(long)) < 30_000


def test_what_no_xml_holds_is_written_as_python_writes_it():
    assert ci_outcomes.sanitize("a\x00\x1b\ud800\ufffe]]>\U0001f600\n") == (
        r"a\x00\x1b\ud800\ufffe]]>" "\U0001f600\n"
    )
