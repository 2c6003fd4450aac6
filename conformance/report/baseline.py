"""What a run changed since the reviewed report, as part of its own."""

from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from . import diff, files
from .text import Report


def since(path: Path, report: Report, folder: Path) -> dict[str, Any] | None:
    """Compare a report with the baseline at a path, by identity.

    Returns None where there is no baseline, or where the report is going to be it.  A baseline that cannot
    be compared with is named, with the reason.
    """
    if not (path / files.JSON).exists() or path.resolve() == folder.resolve():
        return None
    try:
        old = files.load(path)
        why_not = _why_not(old, report)
    except CouldNotRun as error:
        why_not = str(error)
    if why_not:
        return {"path": path.as_posix(), "why_not": why_not, **_NOTHING}
    return {
        "path": path.as_posix(),
        "why_not": None,
        "changes": [
            {"kind": change.kind}
            | {key: change.divergence[key] for key in ("id", "property", "facet", "case")}
            for change in diff.changes(old, report)
        ],
        "not_run": diff.properties_not_run(old, report),
        "weaker": diff.weaker(old, report),
    }


_NOTHING: dict[str, list[Any]] = {"changes": [], "not_run": [], "weaker": []}


def _why_not(old: Report, new: Report) -> str | None:
    """Say why reports cannot be compared; another profile or seed only says less of what is drawn."""
    for what in ("subject", "oracle"):
        if old[what] != new[what]:
            return f"its {what} is {old[what]}, not {new[what]}"
    if old["partial"] not in (None, new["partial"]):
        return f"it is of the area {old['partial']} alone"
    return None
