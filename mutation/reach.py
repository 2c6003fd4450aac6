"""The lines of impl that each property executes, and the properties likeliest to kill a mutant."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .sources import Mutant

Lines = Mapping[str, frozenset[int]]


@dataclass(frozen=True)
class Reach:
    """What one property executes: its seconds, the lines by file, the words of its programs."""

    seconds: float
    lines: Lines
    words: frozenset[str]

    def executes(self, mutant: Mutant) -> bool:
        """Return whether the property may execute a line of the mutant's statement.

        What it executes in a process that it starts is unknown.
        """
        lines = self.lines.get(mutant.path, frozenset())
        return "subprocess" in self.words or not lines.isdisjoint(mutant.lines)


@dataclass(frozen=True)
class ReachMap:
    """What every property executes, and what the import of impl does.

    likely: for ids of mutants, the beginnings of the names of properties that come first
    """

    at_import: Lines
    properties: Mapping[str, Reach]
    likely: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(word for reach in self.properties.values() for word in reach.words)

    def order(self, mutant: Mutant, *, by_file: bool = False) -> list[str]:
        """Return the properties that may kill a mutant, the likeliest and cheapest first.

        A statement that runs at import may concern all properties. Those are likelier that execute
        the statement or its file, or have its words in their programs.

        by_file: return all that execute any statement of the mutant's file
        """
        executing = {name for name, reach in self.properties.items() if reach.executes(mutant)}
        if by_file:
            rows = self.properties.items()
            in_file = {name for name, reach in rows if reach.lines.get(mutant.path)}
            names: Iterable[str] = in_file | executing
        elif self.at_import.get(mutant.path, frozenset()).isdisjoint(mutant.lines):
            names = executing
        else:
            names = self.properties

        likely = self.likely.get(mutant.id, ())

        def cost(name: str) -> tuple[bool, float, str]:
            reach = self.properties[name]
            by_file = bool(reach.lines.get(mutant.path))
            likelihood = 0.2 if name in executing else 0.06 if by_file else 0.02
            weight = likelihood + 0.5 * self._shared_words(mutant, reach)
            return not name.startswith(likely), reach.seconds / weight, name

        return sorted(names, key=cost)

    def seconds(self, names: Iterable[str]) -> float:
        """Return the seconds of some properties."""
        return sum(self.properties[name].seconds for name in names)

    def _shared_words(self, mutant: Mutant, reach: Reach) -> float:
        """Return the share of a mutant's words that the programs have, rare ones weighing more."""
        count = len(self.properties)
        weights = {
            word: math.log(count / self._frequency[word]) + 0.1
            for word in mutant.words
            if self._frequency[word]
        }
        shared = sum(weight for word, weight in weights.items() if word in reach.words)
        return shared / sum(weights.values()) if weights else 0.0


def read_map(at_import: Mapping[str, Any], properties: Mapping[str, Mapping[str, Any]]) -> ReachMap:
    """Return the map of what `tracing` has found, as data."""
    return ReachMap(
        _as_lines(at_import["lines"]),
        {
            name: Reach(max(0.01, row["seconds"]), _as_lines(row["lines"]), frozenset(row["words"]))
            for name, row in properties.items()
        },
    )


def _as_lines(data: Mapping[str, Sequence[int]]) -> Lines:
    return {file: frozenset(lines) for file, lines in data.items()}
