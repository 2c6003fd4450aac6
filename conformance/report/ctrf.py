"""The report in the Common Test Report Format (ctrf.io), version 1.0.0.

A test is a property or a control.  The format has no status for a test that did not finish.  Its
status is "failed", and its raw status is "not run".
"""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from .ci_outcomes import Outcome, outcomes
from .text import Report, oracle_text, sanitize, verdict_line

VERSION = "1.0.0"
STATUSES = ("passed", "failed", "skipped", "pending", "other")


def write(report: Report) -> str:
    """Return the report as CTRF JSON; the same report gives the same bytes."""
    start = datetime.fromisoformat(report["started"])
    stop = start + timedelta(seconds=report["duration_s"])
    tests = [_test(outcome) for outcome in outcomes(report)]
    data = {
        "reportFormat": "CTRF",
        "specVersion": VERSION,
        "timestamp": stop.astimezone(UTC).isoformat(timespec="seconds"),
        "generatedBy": report["schema"],
        "results": {
            "tool": {"name": "torch-attributes conformance", "version": report["code"]["suite"]},
            "summary": _summary(tests, start, stop),
            "tests": tests,
            "environment": _environment(report),
            "extra": {"verdict": report["verdict"], "totals": report["totals"]},
        },
    }
    return json.dumps(data, indent=1) + "\n"


def _test(outcome: Outcome) -> dict[str, Any]:
    failed = outcome.result != "passed"
    failure = {"message": outcome.message, "trace": outcome.details} if failed else {}
    return {
        "id": str(uuid5(NAMESPACE_URL, f"urn:torch-attributes-conformance:{outcome.id}")),
        "name": outcome.id,
        "status": "failed" if failed else "passed",
        "duration": round(outcome.seconds * 1000),
        "rawStatus": "not run" if outcome.result == "error" else outcome.result,
        "suite": [outcome.suite],
        "type": "conformance",
        **failure,
        **({"snippet": outcome.snippet} if outcome.snippet else {}),
        "stdout": outcome.output.splitlines(),
        "extra": dict(outcome.counts),
    }


def _summary(tests: list[dict[str, Any]], start: datetime, stop: datetime) -> dict[str, int]:
    counts = Counter(test["status"] for test in tests)
    return {
        "tests": len(tests),
        **{status: counts[status] for status in STATUSES},
        "suites": len({test["suite"][0] for test in tests}),
        "start": round(start.timestamp() * 1000),
        "stop": round(stop.timestamp() * 1000),
    }


def _environment(report: Report) -> dict[str, Any]:
    environment = {name: sanitize(value) for name, value in report["environment"].items()}
    return {
        "reportName": sanitize(verdict_line(report)),
        "appName": sanitize(report["subject"]),
        "testEnvironment": sanitize(oracle_text(report)),
        "osPlatform": environment["platform"],
        "healthy": report["verdict"] == "conforms",
        "extra": {
            **environment, "profile": report["profile"], "seed": report["seed"],
            "code": report["code"], "partial": report["partial"],
        },
    }  # fmt: skip
