"""Writes a report's files so that a folder never holds half of one, and reads them back."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..errors import CouldNotRun
from . import markdown

JSON = "report.json"
MARKDOWN = "report.md"
MARK = "incomplete"


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


def write(folder: Path, report: dict[str, Any]) -> list[Path]:
    """Write all files of a report; each is whole or is not there."""
    texts = {
        MARKDOWN: markdown.write(report),
        JSON: json.dumps(report, indent=1) + "\n",
    }
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
    """Read a report, given its file or its folder, or raise `CouldNotRun` if it is none."""
    path = path / JSON if path.is_dir() else path
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CouldNotRun(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise CouldNotRun(f"{path} is not JSON: {error}") from error
    needed = {"schema", "totals", "properties", "divergences"}
    if not isinstance(report, dict) or not needed <= report.keys():
        raise CouldNotRun(f"{path} is not a conformance report")
    if not str(report["schema"]).startswith("torch-attributes-conformance/1"):
        raise CouldNotRun(f"{path} has the schema {report['schema']!r}, which is not known here")
    return report
