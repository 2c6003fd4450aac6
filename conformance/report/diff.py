"""Compares two reports by the identity of what they hold, never by counts."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .terminal import divergence_lines
from .text import Report


class Change(NamedTuple):
    """One divergence that is not in both reports alike."""

    kind: str
    divergence: Mapping[str, Any]


WORSE = ("new", "changed")
MOST = 20


def changes(old: Report, new: Report) -> list[Change]:
    """Return what changed: new, gone, changed, not run, or not drawn in the new report.

    A drawn case may not be drawn again, which does not mean that it is mended.
    """
    before = {each["id"]: each for each in old["divergences"]}
    after = {each["id"]: each for each in new["divergences"]}
    ran = {each["id"]: each["domain"]["kind"] for each in new["properties"]}
    found = [Change("new", after[key]) for key in after if key not in before]
    for key, each in before.items():
        if key in after:
            if (each["fingerprint"], each["status"]) != _state(after[key]):
                found.append(Change("changed", after[key]))
        else:
            kind = {None: "not run", "sampled": "not drawn"}.get(ran.get(each["property"]), "gone")
            found.append(Change(kind, each))
    return found


def _state(each: Mapping[str, Any]) -> tuple[str, str]:
    return each["fingerprint"], each["status"]


def properties_not_run(old: Report, new: Report) -> list[str]:
    """Return the properties of the old report that the new one lacks."""
    ran = {each["id"] for each in new["properties"]}
    return [each["id"] for each in old["properties"] if each["id"] not in ran]


def lines(old: Report, new: Report) -> list[str]:
    """Write the difference of two reports."""
    written: list[str] = []
    found = changes(old, new)
    for kind in ("new", "changed", "gone", "not run", "not drawn"):
        some = [each.divergence for each in found if each.kind == kind]
        if some:
            written += [f"{kind}: {len(some)}"]
            for each in some[:MOST]:
                written += divergence_lines(each)
            if len(some) > MOST:
                written.append(f"  and {len(some) - MOST:,} more")
    for name in properties_not_run(old, new):
        written.append(f"not run: property {name}")
    return written or ["no difference"]


def is_worse(old: Report, new: Report) -> bool:
    """Tell whether anything is new or changed, or no longer runs."""
    return bool(properties_not_run(old, new)) or any(
        each.kind in WORSE for each in changes(old, new)
    )
