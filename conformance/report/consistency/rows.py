"""The helpers of the checks: rows by a field, and the lines for problems."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]


def mismatch(path: str, actual: object, expected: object) -> Iterator[str]:
    """Yield a line if a field is not what other fields imply."""
    if actual != expected:
        yield f"{path}: is {actual!r} where it must be {expected!r}"


def duplicates(path: str, names: Iterable[object]) -> Iterator[str]:
    """Yield a line for each name that is there before; ``path`` has a place for the index."""
    first: dict[object, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            yield f"{path.format(index)}: {name!r} is there twice"


def by_id(rows: Iterable[Row]) -> dict[str, Row]:
    """Return rows by their id."""
    return {row["id"]: row for row in rows}


def grouped(rows: Iterable[Row], key: Any) -> dict[str, list[Row]]:
    """Return rows by a key; a key without rows has an empty list."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def fails(row: Row) -> bool:
    """Return whether a divergence counts against its property."""
    return bool(row["status"] != "expected")


def is_complete(prop: Row) -> bool:
    """Return whether a property compared all that it had to."""
    return bool(prop["domain"]["complete"] and prop["comparisons"])
