"""The places at which two observations differ, as paths into their plain data."""

from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def differences(expected: Any, observed: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Yield the path to each difference of two unequal observations, and both ends of it.

    >>> [*differences({"x": {"shape": [2], "offset": 1}}, {"x": {"shape": [3], "offset": 0}})]
    [(('x', 'shape', 0), 2, 3), (('x', 'offset'), 1, 0)]
    """
    match expected, observed:
        case dict(), dict() if expected.keys() == observed.keys():
            keys: list[str | int] = [*expected]
        case list(), list() if len(expected) == len(observed):
            keys = [*range(len(expected))]
        case _:
            yield path, expected, observed
            return
    for key in keys:
        if expected[key] != observed[key]:
            yield from differences(expected[key], observed[key], (*path, key))


def path_text(path: Path) -> str:
    """Return a path as Python would write it.

    >>> path_text(("x", "shape", 0))
    'x.shape[0]'
    """
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]
