"""The files of a report: each is written in one step, and ``report.json`` is read again."""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..core.errors import CouldNotRun
from ..core.formatting import truncate
from . import badge, ctrf, junit, markdown, schema
from .page import html
from .text import Report
from .upgrade import upgraded

JSON = "report.json"
MARKDOWN = "report.md"
MARK = "incomplete"
MAX_MESSAGE = 200
"""The approximate largest length of a message about an unreadable report."""


def as_json(report: Report) -> str:
    """Return a report as JSON, the form that `load` reads."""
    return json.dumps(report, indent=1) + "\n"


WRITERS: Mapping[str, Callable[[Report], str]] = {
    MARKDOWN: markdown.write,
    "report.html": html.write,
    "junit.xml": junit.write,
    "ctrf.json": ctrf.write,
    "badge.svg": badge.write,
    JSON: as_json,
}
"""The writers of the files of a report: pure functions from a report to text.

The file that `load` reads is written last, after all others exist.
"""


def mark_incomplete(folder: Path) -> str:
    """Mark a folder as incomplete until its report is written; return the mark.

    `remove_mark` needs the mark to tell its run from a later one.
    Raises `CouldNotRun` if a report cannot be written.
    """
    mark = f"A run was begun here and has not ended: {uuid4()}\n"
    write_all(folder, {MARK: mark})
    return mark


def remove_mark(folder: Path, mark: str) -> None:
    """Remove the mark of a run, but not the mark of a later run."""
    path = folder / MARK
    if path.exists() and path.read_text(encoding="utf-8") == mark:
        path.unlink()


def is_incomplete(folder: Path) -> bool:
    """Return whether a run in a folder began and did not finish."""
    return (folder / MARK).exists()


def write(folder: Path, report: Report) -> list[Path]:
    """Write all files of a report, each in one step; return their paths.

    The report is not validated here, as a run must not lose its result for an error in its form.
    The tests and `load` validate it.
    """
    return write_all(folder, {name: write_one(report) for name, write_one in WRITERS.items()})


def write_all(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write files by their names into a folder; return their paths, or raise `CouldNotRun`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            replace_file(folder / name, text)
    except OSError as error:
        raise CouldNotRun(f"cannot write reports to {folder}: {error.strerror}") from error
    return [folder / name for name in texts]


def replace_file(path: Path, text: str) -> None:
    """Replace a file in one step, so that it is never partly written."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: Path) -> dict[str, Any]:
    """Return the report in a file or a folder.

    Raises `CouldNotRun`, with the reason in one line, if it is missing, has an unknown version of
    the schema, or contradicts the schema or itself.
    """
    path = path / JSON if path.is_dir() else path
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        others = ", ".join(_one_line(file.parent) for file in sorted(path.parent.glob(f"*/{JSON}")))
        hint = f"; there is a report in {others}" if others and path.name == JSON else ""
        raise CouldNotRun(f"cannot read {_one_line(path)}: {error.strerror}{hint}") from error
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, f"is not JSON: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("schema"), str):
        raise _unreadable(path, "is not a conformance report")
    report = upgraded(report, schema.version())
    if report["schema"] != schema.version():
        raise _unreadable(path, f"has the schema {report['schema']!r}, which is not known here")
    if problems := schema.problems(report):
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        first = truncate(problems[0], 0, MAX_MESSAGE // 2)
        raise _unreadable(path, f"is not a whole report: {first}{more}")
    return report


def _one_line(path: Path) -> str:
    """Return a path in one line; a long path is cut at the beginning."""
    line = " ".join(str(path).split())
    width = MAX_MESSAGE // 2
    return line if len(line) <= width else "\N{HORIZONTAL ELLIPSIS}" + line[-width:]


def _unreadable(path: Path, reason: str) -> CouldNotRun:
    name = _one_line(path)
    return CouldNotRun(
        f"{name} {truncate(reason, 0, max(MAX_MESSAGE // 2, MAX_MESSAGE - len(name)))}"
    )
