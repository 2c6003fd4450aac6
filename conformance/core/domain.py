"""Finite domains, and the coverage of a property.

A finite domain is the product of its axes. The engine visits its cells, not the property. A cell
counts as visited only if the property made at least one comparison in it, and if no program of it
was blocked before its question. So a property that returns early, and a subject that cannot be set
up, leave the coverage incomplete, and the run fails. So does a property of which the oracle refuses
a program in every cell before it comes to its question; fewer such cells are counted as refused.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from itertools import count, islice, product
from math import gcd, prod
from operator import xor
from typing import Any, TypeVar
from zlib import crc32

Cell = tuple[str, ...]

T = TypeVar("T")


class Domain:
    """A finite domain: named axes, each a list of labels, which are source text."""

    _step = 1
    _scattered = False
    _first: Cell | None = None
    _divisor, _remainder = 1, 0

    def __init__(self, **axes: Iterable[str]) -> None:
        self.axes: Mapping[str, tuple[str, ...]] = {
            name: tuple(labels) for name, labels in axes.items()
        }
        for name, labels in self.axes.items():
            if len(set(labels)) != len(labels):
                raise ValueError(f"axis {name!r} names a label twice")

    @property
    def size(self) -> int:
        """The number of cells."""
        if self._divisor > 1:
            return sum(1 for _ in self._ordered_cells())
        return -(-prod(map(len, self.axes.values())) // self._step)

    def cells(self, part: int = 0, parts: int = 1) -> Iterator[Cell]:
        """Iterate over the cells of one part of the domain, in order."""
        return islice(self._ordered_cells(), part, None, parts)

    def scattered(self) -> "Domain":
        """Return the same cells in an order in which all labels of all axes come soon.

        >>> [*Domain(a="xy", b="123").scattered().cells()]
        [('x', '1'), ('y', '3'), ('y', '2'), ('y', '1'), ('x', '3'), ('x', '2')]
        """
        domain = copy(self)
        domain._scattered = True
        return domain

    def starting_with(self, cell: Cell) -> "Domain":
        """Return the same cells in an order that starts with ``cell``, if it is one of them.

        >>> [*map("".join, Domain(a="xy", b="12").starting_with(("x", "2")).cells())]
        ['x2', 'y1', 'y2', 'x1']
        """
        domain = copy(self)
        domain._first = cell
        return domain

    def _ordered_cells(self) -> Iterator[Cell]:
        ordered: Iterator[Cell] = product(*self.axes.values())
        if self._divisor > 1:
            places = product(*_weighted_places([*self.axes.values()], self._divisor))
            ordered = (
                cell
                for cell, place in zip(ordered, places, strict=True)
                if sum(place) % self._divisor == self._remainder
            )
        ordered = islice(ordered, 0, None, self._step)
        if not self._scattered and self._first is None:
            return ordered
        cells = list(ordered)
        if self._first in cells:
            start = cells.index(self._first)
            cells = cells[start:] + cells[:start]
        if not self._scattered:
            return iter(cells)
        size = len(cells)
        # A stride near the golden section that is coprime to the size reaches every cell.
        stride = next(n for n in count(max(1, int(size * 0.618))) if gcd(n, size) == 1)
        return (cells[index * stride % size] for index in range(size))

    def digest(self) -> int:
        """Return the digest of all cells."""
        return digest_of(self.cells())

    def thinned(self, max_cells: int) -> "Domain":
        """Return a domain of at most ``max_cells`` of the cells, evenly spaced.

        >>> [*Domain(a="wxyz").thinned(2).cells()]
        [('w',), ('y',)]
        """
        domain = copy(self)
        domain._step = max(1, -(-self.size // max_cells)) * self._step
        return domain

    def one_in(self, divisor: int, seed: int) -> "Domain":
        """Return a domain of about one in ``divisor`` of the cells, scattered over all axes.

        Every label has a cell if another axis has at least ``divisor`` labels. As many consecutive
        seeds share out all cells, about evenly.

        >>> [*map("".join, Domain(a="wxyz", b="12").one_in(2, seed=0).cells())]
        ['w2', 'x2', 'y1', 'z1']
        >>> [Domain(a="wxyz", b="wxyz").one_in(16, seed).size for seed in range(16)]
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
        """
        domain = copy(self)
        domain._divisor, domain._remainder = divisor, seed % divisor
        return domain


def _weighted_places(axes: Sequence[Sequence[str]], divisor: int) -> list[list[int]]:
    """Return the places of the labels of each axis, whose sums are about even modulo ``divisor``.

    They are if an axis has at least ``divisor`` labels. Else the longest axes are counted together
    like digits, until they have as many combinations.
    """
    weights, combinations = [1] * len(axes), 1
    for index in sorted(range(len(axes)), key=lambda index: -len(axes[index])):
        if combinations < divisor:
            weights[index] = combinations
            combinations *= len(axes[index])
    return [
        [place * weight for place in _places(axis)]
        for axis, weight in zip(axes, weights, strict=True)
    ]


def _places(labels: Sequence[str]) -> list[int]:
    """Return the place of each label in an order that does not follow the labels."""
    order = sorted(labels, key=lambda label: (crc32(label.encode()), label))
    place_of = {label: place for place, label in enumerate(order)}
    return [place_of[label] for label in labels]


def one_in_step(items: Sequence[T], step: int, key: str, seed: int) -> Sequence[T]:
    """Return one of ``step`` of the items, from a place that depends on a key and the seed.

    As many consecutive seeds share out all items.

    >>> sorted(one_in_step("uvwxyz", 3, "add", seed) for seed in range(3))
    ['ux', 'vy', 'wz']
    """
    return items[(crc32(key.encode()) + seed) % step :: step]


def digest_of(items: Iterable[Any]) -> int:
    """Return a digest that does not depend on order, so that the digests of parts combine by XOR.

    >>> digest_of("ab") == digest_of("ba") == digest_of("a") ^ digest_of("b")
    True
    """
    return reduce(xor, map(_hash, items), 0)


def _hash(item: Any) -> int:
    return int.from_bytes(sha256(repr(item).encode()).digest()[:16], "big")


@dataclass
class Visits:
    """The cells of a finite domain, or the distinct drawn cases, that a property visited.

    blocked: the items whose question was not asked, by the names of the calls that blocked it
    refused: the visited items with a program that the oracle ends before its question, by the names
        of the calls that raise there
    instead: the number of other cells that were asked instead of blocked ones
    """

    seen: set[int] = field(default_factory=set)
    rejected: int = 0
    blocked: dict[str, set[int]] = field(default_factory=dict)
    refused: dict[str, set[int]] = field(default_factory=dict)
    instead: int = 0

    def add(self, item: Any, refused_by: Iterable[str] = ()) -> None:
        """Count an item as visited, and as refused by calls."""
        self.seen.add(_hash(item))
        _add_to(self.refused, item, refused_by)

    def block(self, item: Any, blockers: Iterable[str]) -> None:
        """Count an item as blocked by calls."""
        _add_to(self.blocked, item, blockers)

    @property
    def digest(self) -> int:
        """The digest of the visited items, to compare with `Domain.digest`."""
        return reduce(xor, self.seen, 0)

    @classmethod
    def union(cls, visits: Iterable["Visits"]) -> "Visits":
        """Return the visits of several parts together."""
        visits = list(visits)
        return cls(
            set[int]().union(*(visit.seen for visit in visits)),
            sum(visit.rejected for visit in visits),
            _united(visit.blocked for visit in visits),
            _united(visit.refused for visit in visits),
            sum(visit.instead for visit in visits),
        )

    def coverage(
        self, kind: str, size: int | None, declared: int | None, one_in: int = 1
    ) -> "Coverage":
        """Return the coverage of a declared domain."""
        return Coverage(
            kind, size, declared, len(self.seen), self.rejected, self.digest,
            *_counted(self.blocked), one_in, 0, *_counted(self.refused), self.instead,
        )  # fmt: skip


def _add_to(items_by: dict[str, set[int]], item: Any, calls: Iterable[str]) -> None:
    for call in calls:
        items_by.setdefault(call, set()).add(_hash(item))


def _united(parts: Iterable[Mapping[str, set[int]]]) -> dict[str, set[int]]:
    """Return the items of each call in all parts."""
    united: dict[str, set[int]] = {}
    for part in parts:
        for call, items in part.items():
            united.setdefault(call, set()).update(items)
    return united


def _counted(items_by: Mapping[str, set[int]]) -> tuple[int, dict[str, int]]:
    """Return the number of different items, and that of each call, most first."""
    counts = {call: len(items) for call, items in items_by.items()}
    ordered = dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))
    return len(set[int]().union(*items_by.values())), ordered


def asks_nothing(visited: int, refused: int, one_in: int) -> bool:
    """Return whether the oracle refuses so many cells that the property asks nothing.

    A few cells of a larger domain may all be refused by chance.

    >>> asks_nothing(9, 9, 1), asks_nothing(9, 8, 1), asks_nothing(9, 9, 40)
    (True, False, False)
    """
    return 0 < visited == refused and (one_in == 1 or visited >= _MIN_SAMPLE)


_MIN_SAMPLE = 50
"""The number of cells of a larger domain that are not all refused by chance."""


@dataclass(frozen=True)
class Coverage:
    """The visited part of a declared domain.

    kind: "finite" or "sampled"
    size, declared: the number of cells and their digest; None if sampled
    visited, digest: the number of visited items and their digest
    rejected: the number of draws that Hypothesis rejected
    blocked: the number of items whose question was not asked, as a step before it differs
    blocked_by: the number of items that each call blocks, most first
    one_in: the cells are about one in so many of a larger domain, chosen by the seed
    died: the number of parts of which nothing is known: their process died or hung, or the run was
        interrupted
    refused: the number of visited items with a program that the oracle ends before its question
    refused_by: the number of items that each call refuses, most first
    instead: the number of other cells that were asked instead of blocked ones
    """

    kind: str
    size: int | None
    declared: int | None
    visited: int
    rejected: int
    digest: int
    blocked: int = 0
    blocked_by: Mapping[str, int] = field(default_factory=dict)
    one_in: int = 1
    died: int = 0
    refused: int = 0
    refused_by: Mapping[str, int] = field(default_factory=dict)
    instead: int = 0

    @property
    def complete(self) -> bool:
        """Whether all cells and no others were visited; if sampled, any case, and none blocked.

        The oracle refuses not all of them.
        """
        if self.died or asks_nothing(self.visited, self.refused, self.one_in):
            return False
        if self.size is None:
            return self.visited > 0 and not self.blocked
        return self.visited == self.size and self.digest == self.declared

    def as_data(self) -> dict[str, Any]:
        """Return the coverage as a report stores it."""
        data = {
            **vars(self),
            "blocked_by": dict(self.blocked_by),
            "refused_by": dict(self.refused_by),
            "digest": f"{self.digest:032x}",
            "complete": self.complete,
        }
        del data["declared"]
        return data
