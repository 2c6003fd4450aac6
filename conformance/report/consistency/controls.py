"""The checks of the controls and their certificate."""

from collections.abc import Iterator

from ..text import Report
from .rows import by_id, mismatch

CERTIFIED_AS = {"smoke": "quick"}
"""The profiles whose controls are those of another one."""


def check_controls(report: Report) -> Iterator[str]:
    """Check whether each control was caught as it says."""
    properties = by_id(report["properties"])
    for index, control in enumerate(report["controls"]):
        path, found = f"controls[{index}]", control["found"]
        if control["property"] not in properties and report["partial"] is None:
            yield f"{path}.property: there is no property {control['property']!r}"
        if control["kind"] == "itself":
            yield from mismatch(f"{path}.caught_as", control["caught_as"], "nothing")
        caught = control["caught_as"] in found if control["kind"] == "fault" else not found
        yield from mismatch(f"{path}.caught", control["caught"], caught)
        if (control["problems"] == 0) != (not found):
            yield f"{path}.problems: are {control['problems']} where {len(found)} kinds were found"
        if (control["problems"] == 0) != (control["example"] is None):
            yield f"{path}.example: does not fit {control['problems']} problems"


def check_certified(report: Report) -> Iterator[str]:
    """Check that the certificate is of this suite, build and profile."""
    certificate, environment = report["certificate"], report["environment"]
    if certificate is None:
        return
    profile = CERTIFIED_AS.get(report["profile"], report["profile"])
    yield from mismatch("certificate.profile", certificate["profile"], profile)
    yield from mismatch("certificate.oracle", certificate["oracle"], report["oracle"])
    yield from mismatch("certificate.suite", certificate["suite"], report["code"]["suite"])
    build = {"version": environment.get(report["oracle"].partition("@")[0])}
    build |= {name: environment.get(name) for name in ("commit", "cpu_capability")}
    yield from mismatch("certificate.build", certificate["build"], build)
    if not report["controls"]:
        yield "certificate: has no results of controls"
