"""Writes a report's files so that a folder never holds half of one, and reads them back."""

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
LONGEST = 200
"""About how long the message may be that says why a report cannot be read."""


def as_json(report: Report) -> str:
    """Write a report as it is read again."""
    return json.dumps(report, indent=1) + "\n"


WRITERS: Mapping[str, Callable[[Report], str]] = {
    MARKDOWN: markdown.write,
    "report.html": html.write,
    "junit.xml": junit.write,
    "ctrf.json": ctrf.write,
    "badge.svg": badge.write,
    JSON: as_json,
}
"""The files of a report, and the pure functions that write them.

What is read again comes last, when all else is there.
"""


def begin(folder: Path) -> str:
    """Make sure that a report can be written, and mark the folder until it is.

    Returns the mark, by which `end` knows its own run from a later one.
    Raises `CouldNotRun` where a report cannot be written.
    """
    mark = f"A run was begun here and has not written its report: {uuid4()}\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / MARK, mark)
    except OSError as error:
        raise CouldNotRun(f"cannot write reports to {folder}: {error.strerror}") from error
    return mark


def end(folder: Path, mark: str) -> None:
    """Take the mark of a run away; that of a run begun later stays."""
    path = folder / MARK
    if path.exists() and path.read_text(encoding="utf-8") == mark:
        path.unlink()


def was_left_incomplete(folder: Path) -> bool:
    """Tell whether a run was begun in a folder and did not come to its end."""
    return (folder / MARK).exists()


def write(folder: Path, report: Report) -> list[Path]:
    """Write all files of a report; each is whole or is not there.

    It is not held against the schema, as a run must not lose its result by a flaw in its form.  The
    tests hold every report against it, and so does `load`.
    """
    texts = {name: write_one(report) for name, write_one in WRITERS.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            replace_file(folder / name, text)
    except OSError as error:
        raise CouldNotRun(f"cannot write reports to {folder}: {error.strerror}") from error
    return [folder / name for name in texts]


def replace_file(path: Path, text: str) -> None:
    """Write a file in one step: it is the old one or the new one, whole."""
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
    """Read a report, given its file or its folder.

    Raises `CouldNotRun`, with the reason in one line, if there is none, if it is of another version
    of the schema, or if it contradicts the schema or itself.
    """
    path = path / JSON if path.is_dir() else path
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CouldNotRun(f"cannot read {_one_line(path)}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"is not JSON: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("schema"), str):
        raise _refused(path, "is not a conformance report")
    report = upgraded(report, schema.version())
    if report["schema"] != schema.version():
        raise _refused(path, f"has the schema {report['schema']!r}, which is not known here")
    if found := schema.problems(report):
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise _refused(path, f"is not a whole report: {truncate(found[0], 0, LONGEST // 2)}{more}")
    return report


def _one_line(path: Path) -> str:
    """Write a path in a line; of a long one, its end."""
    line = " ".join(str(path).split())
    return line if len(line) <= LONGEST // 2 else "\N{HORIZONTAL ELLIPSIS}" + line[-LONGEST // 2 :]


def _refused(path: Path, why: str) -> CouldNotRun:
    where = _one_line(path)
    return CouldNotRun(f"{where} {truncate(why, 0, max(LONGEST // 2, LONGEST - len(where)))}")
