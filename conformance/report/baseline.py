"""The comparison with the baseline report, as a part of a run's own report."""

from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from . import diff, files
from .text import Report


def compare(path: Path, report: Report, folder: Path) -> dict[str, Any] | None:
    """Return the differences between a report and the baseline at a path, by identity.

    Returns None if there is no baseline, or if the report will replace it.  If the two cannot be
    compared, the result has the reason in ``why_not``.
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
    """Return the reason why reports cannot be compared, if any; profile and seed may differ."""
    for key in ("subject", "oracle"):
        if old[key] != new[key]:
            return f"its {key} is {old[key]}, not {new[key]}"
    if old["partial"] not in (None, new["partial"]):
        return f"it is of {old['partial']} alone"
    return None
