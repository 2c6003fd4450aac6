"""The errors of impl that no property raises: questions that the suite does not ask."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .reach import ReachMap
from .sources import Source


class Unraised(NamedTuple):
    """A statement that raises, or a message in a function of its own, which nothing executes."""

    path: str
    line: int
    text: str


def unraised(reach: ReachMap, sources: Mapping[str, Source]) -> tuple[list[Unraised], int]:
    """Return the errors that no property raises, and how many there are in all.

    A message that `check` makes only when it fails is a lambda, whose lines show whether it did.
    One on the line of its call is not counted.
    """
    rows, total = [], 0
    for path, source in sorted(sources.items()):
        executed = {
            line for each in reach.properties.values() for line in each.lines.get(path, frozenset())
        }
        lines = source.text.decode().splitlines()
        for first, last in _errors(source.tree):
            total += 1
            if executed.isdisjoint(range(first, last + 1)):
                rows.append(Unraised(path, first, lines[first - 1].strip()))
    return rows, total


def _errors(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the first and last line that tells whether an error was raised."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            yield node.lineno, node.lineno
        elif isinstance(node, ast.Lambda) and node.body.lineno > node.lineno:
            body: Any = node.body
            yield body.lineno, body.end_lineno
