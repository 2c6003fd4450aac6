"""The report as JUnit XML, in the form that Jenkins' schema (junit-10.xsd), GitLab and GitHub read.

A suite is an area, and a test case is a property.  The controls are a suite of their own.  How
the clauses of an area stand is in the properties of its suite.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby
from xml.etree import ElementTree

from .ci_outcomes import Outcome, outcomes
from .text import Report, plain

_ELEMENTS = {"failed": "failure", "error": "error"}


def write(report: Report) -> str:
    """Write the whole report; the same report gives the same bytes."""
    found = outcomes(report)
    top = ElementTree.Element(
        "testsuites",
        {
            "name": plain(f"{report['subject']} against {report['oracle']}"),
            **_counts(found),
            "time": f"{report['duration_s']:.3f}",
        },
    )
    for name, group in groupby(found, key=lambda each: each.suite):
        _suite(top, report, name, list(group))
    ElementTree.indent(top)
    text = ElementTree.tostring(top, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(found: Iterable[Outcome]) -> dict[str, str]:
    results = [each.result for each in found]
    return {
        "tests": str(len(results)),
        "failures": str(results.count("failed")),
        "errors": str(results.count("error")),
    }


def _suite(top: ElementTree.Element, report: Report, name: str, found: Iterable[Outcome]) -> None:
    # Only the whole run is timed.  Readers expect a number in each suite and test case, too.
    head = {**_counts(found), "skipped": "0", "time": "0", "timestamp": report["started"]}
    suite = ElementTree.SubElement(top, "testsuite", {"name": name, **head})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in _properties(report, name).items():
        ElementTree.SubElement(properties, "property", {"name": key, "value": plain(value)})
    for each in found:
        about = {"name": each.id, "classname": f"conformance.{name}", "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", about)
        if each.result in _ELEMENTS:
            why = {"type": each.kind, "message": each.message}
            ElementTree.SubElement(case, _ELEMENTS[each.result], why).text = each.details
        ElementTree.SubElement(case, "system-out").text = each.told


def _properties(report: Report, name: str) -> Mapping[str, str]:
    """Return what was run and where, and how the clauses stand that have the name of a suite."""
    return {
        **{key: str(report[key]) for key in ("subject", "oracle", "profile", "seed")},
        **report["environment"],
        **{
            f"clause {each['id']}": each["state"]
            for each in report["clauses"]
            if each["id"].partition(".")[0].replace("-", "_") == name
        },
    }
