"""The command ``merge``: the shards of a run become its report, and several reports one matrix.

Nothing is run, and neither torch nor a subject is imported.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from ..report import files, terminal
from ..report.matrix import (
    html,
    markdown,
    model,
)
from ..report.matrix import (
    text as matrix_text,
)
from ..report.safe_print import say
from . import shards
from .run import Settings, of_shards
from .shards import Shard

MATRIX = "matrix"
"""What the files of a matrix are called, before their endings."""


def merge(paths: Sequence[Path], reports: str) -> int:
    """Make one report of all shards of a run, a matrix of several reports, or one report anew.

    Each path is a file, or a folder that holds shards or a report.  Returns 0 if all that was merged
    conforms and 1 if not; raises `CouldNotRun`, and leaves everything as it was, if it cannot be merged.
    """
    found = [(path, _read(path)) for path in _files(paths)]
    split = [(path, each) for path, each in found if isinstance(each, Shard)]
    whole = [(path, each) for path, each in found if isinstance(each, dict)]
    if split and whole:
        raise CouldNotRun(
            f"{split[0][0]} is a shard, and {whole[0][0]} is a whole report; shards go with shards,"
            " and reports with reports"
        )
    if split:
        return _as_one_run([shard for _, shard in split], reports)
    (first, report), *others = whole
    try:
        return _as_matrix(whole, reports) if others else _again(report, reports)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        where = f"one of {len(whole)} reports" if others else str(first)
        raise CouldNotRun(
            f"{where} does not hold what this suite's reports hold: {type(error).__name__}: {error}"
        ) from error


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """Go through the files that are meant: of a folder its shards, or else its report."""
    for path in paths:
        inside = shards.in_folder(path) if path.is_dir() else [path]
        if not inside and not (path / files.JSON).exists():
            raise CouldNotRun(f"{path} holds neither shards nor a report")
        yield from inside or [path / files.JSON]


def _read(path: Path) -> Shard | dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        data = None
    return shards.of_data(data, path) if shards.is_shard(data) else files.load(path)


def _as_one_run(found: list[Shard], reports: str) -> int:
    run = of_shards(found, reports)
    status = run.finish()
    say(run.lines)
    return status


def _again(report: dict[str, Any], reports: str) -> int:
    """Write all files of a report as they are written today."""
    written = files.write(_folder(report["partial"], reports), report)
    say(terminal.summary(report, [str(path) for path in written]))
    return _status(report["verdict"])


def _as_matrix(found: Sequence[tuple[Path, dict[str, Any]]], reports: str) -> int:
    made = model.of_reports([report for _, report in found], [str(path) for path, _ in found])
    texts = {
        ".md": markdown.write(made),
        ".html": html.write(made),
        ".json": json.dumps(made, indent=1) + "\n",
    }
    folder = _folder(made["partial"], reports)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for ending, text in texts.items():
            files.replace_file(folder / f"{MATRIX}{ending}", text)
    except OSError as error:
        raise CouldNotRun(f"cannot write reports to {folder}: {error.strerror}") from error
    written = [folder / f"{MATRIX}{ending}" for ending in texts]
    say(matrix_text.lines(made, written))
    return _status(made["verdict"])


def _folder(area: str | None, reports: str) -> Path:
    """Return where what is about one area, or about all, belongs."""
    if area is not None and not area.isidentifier():
        raise ValueError(f"no area is called {area!r}")
    return Settings(only=area, reports=reports).folder


def _status(verdict: str) -> int:
    return 0 if verdict == "conforms" else 1
