"""What CI systems read: JUnit XML, CTRF and a badge, which must tell what the report tells."""

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
    """Make a report in which every text that a library under test can bring is hostile."""
    fields = dict.fromkeys(("expected", "observed"), HOSTILE)
    made = report(
        divergence("one", messages=(HOSTILE, None), facet="message", **fields),
        divergence("two", facet="value", third_party_results={HOSTILE: HOSTILE}, **fields),
        divergence("three", status="expected", **fields),
        records=[record(), record("b.q", visited=1)],
        controls=[control(**NOT_CAUGHT)],
        subject=HOSTILE,
        environment={**report()["environment"], "machine": HOSTILE},
    )
    for place in (
        "divergences.0.case", "divergences.0.reproduction", "divergences.2.reason",
        "divergences.2.link", "problems.0.text", "properties.0.summary", "controls.0.fault",
        "controls.0.example",
    ):  # fmt: skip
        made = changed(made, place, HOSTILE)
    return made


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

each_report = pytest.mark.parametrize("made", REPORTS.values(), ids=REPORTS)


# JUnit.  What elements hold and which attributes they have is what Jenkins' junit-10.xsd says.

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


def parsed(made):
    return ElementTree.fromstring(junit.write(made).encode())


@each_report
def test_junit_is_of_the_form_that_jenkins_reads(made):
    top = parsed(made)
    assert top.tag == "testsuites"
    for each in top.iter():
        assert {child.tag for child in each} <= CHILDREN.get(each.tag, set())
        allowed, required = ATTRIBUTES.get(each.tag, (set(), set()))
        assert required <= {*each.keys()} <= allowed
        assert TIME.fullmatch(each.get("time", "0"))
        for count in ("tests", "failures", "errors", "skipped"):
            assert each.get(count, "0").isdecimal()


@each_report
def test_junit_counts_what_the_report_counts(made):
    top = parsed(made)
    cases = list(top.iter("testcase"))
    assert len(cases) == len(made["properties"]) + len(made["controls"])
    for holder in [top, *top]:
        own = list(holder.iter("testcase"))
        assert holder.get("tests") == str(len(own))
        for tag, count in (("failure", "failures"), ("error", "errors")):
            assert holder.get(count) == str(sum(each.find(tag) is not None for each in own))
    assert [each.get("name") for each in top][: len(made["areas"])] == [
        each["area"] for each in made["areas"]
    ]
    bad = {each.get("name") for each in cases if each.find("failure") is not None}
    bad |= {each.get("name") for each in cases if each.find("error") is not None}
    wrong = {each["property"] for each in made["problems"]}
    assert bad == wrong | {each["id"] for each in made["controls"] if not each["caught"]}
    assert bool(bad) == (made["verdict"] == "fails")


def case_of(name, made=WHOLE):
    (found,) = (each for each in parsed(made).iter("testcase") if each.get("name") == name)
    return found


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
    assert [each.tag for each in case] == ["system-out"]
    assert "1 expected divergence:\n  torch.g(): r (l)" in case.find("system-out").text


def test_junit_has_controls_and_clauses():
    suites = {each.get("name"): each for each in parsed(WHOLE)}
    assert list(suites) == ["a", "b", ci_outcomes.CONTROLS]
    blind = case_of("blind").find("failure")
    assert blind.get("message") == "blind: wanted value in a.p, found raises"
    assert "raises of x" in blind.text
    stand = {each.get("name"): each.get("value") for each in suites["a"].iter("property")}
    assert stand["clause a.c"] == "diverges"
    assert stand["torch"] == "2.13.0+cpu"
    assert "clause b.d" not in stand


# CTRF, by its schema: https://github.com/ctrf-io/ctrf, schema/ctrf.schema.json.

STATUSES = {"passed", "failed", "skipped", "pending", "other"}
OF_TEST = {
    "id": str, "name": str, "status": str, "duration": int, "rawStatus": str, "suite": list,
    "type": str, "message": str, "trace": str, "snippet": str, "stdout": list, "extra": dict,
}  # fmt: skip
OF_ENVIRONMENT = {"reportName", "appName", "testEnvironment", "osPlatform", "healthy", "extra"}


@each_report
def test_ctrf_is_of_the_form_that_is_specified(made):
    data = json.loads(ctrf.write(made))
    assert data["reportFormat"] == "CTRF"
    assert re.fullmatch(r"\d+\.\d+\.\d+", data["specVersion"])
    assert datetime.fromisoformat(data["timestamp"]).utcoffset() is not None
    assert data.keys() == {"reportFormat", "specVersion", "timestamp", "generatedBy", "results"}
    results = data["results"]
    assert results.keys() == {"tool", "summary", "tests", "environment", "extra"}
    assert results["tool"].keys() == {"name", "version"}
    assert results["summary"].keys() == STATUSES | {"tests", "suites", "start", "stop"}
    assert {type(each) for each in results["summary"].values()} == {int}
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
def test_ctrf_counts_what_the_report_counts(made):
    results = json.loads(ctrf.write(made))["results"]
    counts = Counter(each["status"] for each in results["tests"])
    summary = results["summary"]
    assert summary["tests"] == len(made["properties"]) + len(made["controls"]) == counts.total()
    assert {status: summary[status] for status in STATUSES} == {
        status: counts[status] for status in STATUSES
    }
    assert (summary["failed"] > 0) == (made["verdict"] == "fails")
    assert results["environment"]["healthy"] == (made["verdict"] == "conforms")
    assert summary["stop"] - summary["start"] == round(made["duration_s"] * 1000)
    assert results["extra"]["totals"] == made["totals"]


def test_ctrf_tells_what_did_not_come_to_its_end():
    tests = {each["name"]: each for each in json.loads(ctrf.write(WHOLE))["results"]["tests"]}
    assert (tests["b.short"]["status"], tests["b.short"]["rawStatus"]) == ("failed", "not run")
    assert tests["a.p"]["snippet"] == "import torch\nprint(1)"
    assert tests["a.p"]["extra"]["clauses"] == ["a.c"]
    assert tests["c"]["suite"] == [ci_outcomes.CONTROLS]


# The badge.

SVG = "{http://www.w3.org/2000/svg}"


@each_report
def test_the_badge_can_be_read_by_everybody(made):
    top = ElementTree.fromstring(badge.write(made).encode())
    assert top.tag == f"{SVG}svg"
    left, right = (each.text for each in top.iter(f"{SVG}text"))
    assert top.get("role") == "img"
    assert top.get("aria-label") == f"{left}: {right}"
    title = top.find(f"{SVG}title").text
    if made["subject"] != HOSTILE:
        assert title == verdict_line(made)
    width = int(top.get("width"))
    assert width < 700
    assert sum(int(each.get("width")) for each in top.iter(f"{SVG}rect")) == width


@each_report
def test_the_badge_takes_nothing_from_elsewhere_and_shows_no_percentage(made):
    written = badge.write(made)
    assert "%" not in written.partition("<title>")[0] + written.partition("</title>")[2]
    assert re.findall(r"\w+://[^\"]*", written.partition("<title>")[0]) == [
        "http://www.w3.org/2000/svg"
    ]
    for part in ("href", "url(", "<script", "<image", "@import"):
        assert part not in written.partition("</title>")[2]


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colour", [badge.GREEN, badge.RED, badge.GREY])
def test_white_can_be_read_on_the_badge(colour):
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("name", "said"),
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
def test_the_badge_says_what_is_worst(name, said):
    assert badge.texts(REPORTS[name]) == said
    colour = badge.GREEN if said[1] == "conforms" else badge.RED
    assert colour in badge.write(REPORTS[name])


def test_an_oracle_without_a_version_has_a_badge():
    found = report(oracle="impl", environment={
        key: value for key, value in WHOLE["environment"].items() if key != "torch"})  # fmt: skip
    assert badge.texts(found) == ("impl", "conforms")


# All of them.


@pytest.mark.parametrize("write", [junit.write, ctrf.write, badge.write])
def test_hostile_text_survives(write):
    written = write(REPORTS["hostile"])
    written.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", written)
    assert len(written) < 100_000 + written.count("x") * 2


@pytest.mark.parametrize("write", [junit.write, ctrf.write, badge.write])
def test_of_long_text_only_what_differs_is_kept(write):
    long = report(*(divergence(f"f{n}", expected="y" * 10**6 + str(n), observed="y" * 10**6)
                    for n in range(3)))  # fmt: skip
    assert len(write(long)) < 30_000


def test_what_no_xml_holds_is_written_as_python_writes_it():
    assert ci_outcomes.plain("a\x00\x1b\ud800\ufffe]]>\U0001f600\n") == (
        r"a\x00\x1b\ud800\ufffe]]>" "\U0001f600\n"
    )
