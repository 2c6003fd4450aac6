"""Selections of properties: names of areas and of properties, separated by commas."""

from collections.abc import Iterable
from fnmatch import fnmatchcase


def includes(selection: str | None, property_id: str) -> bool:
    """Return whether a selection has a property, by its id or by its area; None has all.

    >>> includes("limits,casting.routes", "casting.routes"), includes("limits", "casting.routes")
    (True, False)
    """
    if selection is None:
        return True
    return not {property_id, property_id.partition(".")[0]}.isdisjoint(selection.split(","))


def matching(patterns: str, names: Iterable[str]) -> list[str]:
    """Return the names that match one of the patterns, which commas separate.

    Raise ValueError with the first pattern that no name matches.

    >>> matching("casting.*,limits.iinfo", ["casting.routes", "limits.finfo", "limits.iinfo"])
    ['casting.routes', 'limits.iinfo']
    """
    names, found = [*names], set()
    for pattern in patterns.split(","):
        matched = {name for name in names if fnmatchcase(name, pattern.strip())}
        if not matched:
            raise ValueError(pattern.strip())
        found |= matched
    return [name for name in names if name in found]
