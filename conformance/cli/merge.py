"""The command ``merge``: one report of all shards of a run, or one matrix of several reports.

It runs no test and imports neither torch nor a subject.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from ..report import files, terminal
from ..report.matrix import html, markdown, model, text as matrix_text
from ..report.safe_print import print_safely
from . import shards
from .run import run_from_shards
from .settings import Settings
from .shards import Shard

MATRIX = "matrix"
"""The name of a matrix's files, without the suffix."""


def merge(paths: Sequence[Path], reports: str, **judged: Any) -> int:
    """Write the report of a run's shards, the matrix of several reports, or one report again.

    Each path is a file, or a folder with shards or a report. ``judged`` are further settings of the
    report of shards: its level, and lists of known divergences. Return 0 if all inputs conform, and
    1 if not. Raise `CouldNotRun`, and write nothing, if the inputs cannot be merged.
    """
    inputs = [(path, _read(path)) for path in _files(paths)]
    split = [(path, content) for path, content in inputs if isinstance(content, Shard)]
    whole = [(path, content) for path, content in inputs if isinstance(content, dict)]
    if split and whole:
        raise CouldNotRun(
            f"{split[0][0]} is a shard, and {whole[0][0]} is a whole report; shards go with shards,"
            " and reports with reports"
        )
    if split:
        run = run_from_shards([shard for _, shard in split], reports=reports, **judged)
        status = run.finish()
        print_safely(run.lines)
        return status
    (first, report), *others = whole
    try:
        return _write_matrix(whole, reports) if others else _rewrite_report(report, reports)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        source = f"one of {len(whole)} reports" if others else str(first)
        raise CouldNotRun(
            f"{source} does not hold what this suite's reports hold:"
            f" {type(error).__name__}: {error}"
        ) from error


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the input files: for a folder its shards, or else its report."""
    for path in paths:
        shard_files = shards.in_folder(path) if path.is_dir() else [path]
        if not shard_files and not (path / files.JSON).exists():
            raise CouldNotRun(f"{path} holds neither shards nor a report")
        yield from shard_files or [path / files.JSON]


def _read(path: Path) -> Shard | dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        data = None
    return shards.shard_from_data(data, path) if shards.is_shard(data) else files.load(path)


def _rewrite_report(report: dict[str, Any], reports: str) -> int:
    """Write all files of a report with the present writers; return the exit status."""
    paths = files.write(_folder(report["partial"], reports), report)
    print_safely(terminal.summary(report, [str(path) for path in paths]))
    return _status(report["verdict"])


def _write_matrix(inputs: Sequence[tuple[Path, dict[str, Any]]], reports: str) -> int:
    matrix = model.matrix_from_reports(
        [report for _, report in inputs], [str(path) for path, _ in inputs]
    )
    texts = {
        f"{MATRIX}.md": markdown.write(matrix),
        f"{MATRIX}.html": html.write(matrix),
        f"{MATRIX}.json": json.dumps(matrix, indent=1) + "\n",
    }
    paths = files.write_all(_folder(matrix["partial"], reports), texts)
    print_safely(matrix_text.lines(matrix, paths))
    return _status(matrix["verdict"])


def _folder(area: str | None, reports: str) -> Path:
    """Return the folder for the reports of one area, or of all areas."""
    if area is not None and not area.replace(".", "").replace(",", "").isidentifier():
        raise ValueError(f"no area is called {area!r}")
    return Settings(only=area, reports=reports).folder


def _status(verdict: str) -> int:
    return 0 if verdict == "conforms" else 1
