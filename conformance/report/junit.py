"""The report as JUnit XML, for Jenkins (schema junit-10.xsd), GitLab and GitHub.

A suite is an area, and a test case is a property.  The controls are one more suite.  The
properties of a suite have the states of the clauses of its area.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from xml.etree import ElementTree

from .ci_outcomes import Outcome, outcomes
from .text import Report, sanitize

_ELEMENTS = {"failed": "failure", "error": "error"}


def write(report: Report) -> str:
    """Return the report as JUnit XML; the same report gives the same bytes."""
    tests = outcomes(report)
    top = ElementTree.Element(
        "testsuites",
        {
            "name": sanitize(f"{report['subject']} against {report['oracle']}"),
            **_counts(tests),
            "time": f"{report['duration_s']:.3f}",
        },
    )
    for name, group in groupby(tests, key=lambda test: test.suite):
        _suite(top, report, name, list(group))
    ElementTree.indent(top)
    text = ElementTree.tostring(top, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(tests: Iterable[Outcome]) -> dict[str, str]:
    results = [test.result for test in tests]
    return {
        "tests": str(len(results)),
        "failures": str(results.count("failed")),
        "errors": str(results.count("error")),
    }


def _suite(top: ElementTree.Element, report: Report, name: str, tests: Sequence[Outcome]) -> None:
    seconds = f"{sum(test.seconds for test in tests):.3f}"
    head = {**_counts(tests), "skipped": "0", "time": seconds, "timestamp": report["started"]}
    suite = ElementTree.SubElement(top, "testsuite", {"name": name, **head})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in _properties(report, name).items():
        ElementTree.SubElement(properties, "property", {"name": key, "value": sanitize(value)})
    for test in tests:
        attributes = {
            "name": test.id, "classname": f"conformance.{name}", "time": f"{test.seconds:.3f}"
        }  # fmt: skip
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if test.result in _ELEMENTS:
            failure = {"type": test.kind, "message": test.message}
            ElementTree.SubElement(case, _ELEMENTS[test.result], failure).text = test.details
        ElementTree.SubElement(case, "system-out").text = test.output


def _properties(report: Report, name: str) -> Mapping[str, str]:
    """Return the settings, the environment, and the states of the clauses of a suite."""
    return {
        **{key: str(report[key]) for key in ("subject", "oracle", "profile", "seed")},
        **report["environment"],
        **{
            f"clause {clause['id']}": clause["state"]
            for clause in report["clauses"]
            if clause["id"].partition(".")[0].replace("-", "_") == name
        },
    }
