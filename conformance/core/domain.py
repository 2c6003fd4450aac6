"""Domains: what a property has to visit, and the certificate that it did.

A finite domain is the product of its axes.  The engine, not the property,
walks through it, and a cell counts as visited only when at least one
comparison was made in it.  So a property that returns early, or asks nothing,
leaves its certificate incomplete, and the run fails.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from itertools import count, islice, product
from math import gcd, prod
from operator import xor
from typing import Any

Cell = tuple[str, ...]


class Domain:
    """A finite domain: named axes, each a list of labels, which are source text."""

    _step = 1
    _scattered = False

    def __init__(self, **axes: Iterable[str]) -> None:
        self.axes: Mapping[str, tuple[str, ...]] = {
            name: tuple(labels) for name, labels in axes.items()
        }
        for name, labels in self.axes.items():
            if len(set(labels)) != len(labels):
                raise ValueError(f"axis {name!r} names a label twice")

    @property
    def size(self) -> int:
        """The number of cells that the axes declare."""
        return -(-prod(map(len, self.axes.values())) // self._step)

    def cells(self, part: int = 0, parts: int = 1) -> Iterator[Cell]:
        """Go through the cells of one part of the domain, in order."""
        for index, cell in enumerate(self._every()):
            if index % parts == part:
                yield cell

    def scattered(self) -> "Domain":
        """Return the same cells in an order in which all labels of all axes come soon.

        >>> [*Domain(a="xy", b="123").scattered().cells()]
        [('x', '1'), ('y', '3'), ('y', '2'), ('y', '1'), ('x', '3'), ('x', '2')]
        """
        far = Domain(**self.axes)
        far._step, far._scattered = self._step, True
        return far

    def _every(self) -> Iterator[Cell]:
        in_order = islice(product(*self.axes.values()), 0, None, self._step)
        if not self._scattered:
            return in_order
        cells = list(in_order)
        # A step near the golden section of the whole, and prime to it, leads to every cell.
        stride = next(
            each for each in count(max(1, int(len(cells) * 0.618))) if gcd(each, len(cells)) == 1
        )
        return (cells[index * stride % len(cells)] for index in range(len(cells)))

    def digest(self) -> int:
        """Return the digest of all cells."""
        return digest_of(self.cells())

    def thinned(self, most: int) -> "Domain":
        """Return a domain of at most so many of the cells, spread evenly over them all.

        >>> [*Domain(a="wxyz").thinned(2).cells()]
        [('w',), ('y',)]
        """
        thin = Domain(**self.axes)
        thin._step = max(1, -(-self.size // most))
        return thin


def digest_of(items: Iterable[Any]) -> int:
    """Return a digest that does not depend on order, so that the parts of a domain add up.

    >>> digest_of("ab") == digest_of("ba") == digest_of("a") ^ digest_of("b")
    True
    """
    return reduce(xor, map(_hash, items), 0)


def _hash(item: Any) -> int:
    return int.from_bytes(sha256(repr(item).encode()).digest()[:16], "big")


@dataclass
class Visits:
    """What a property has visited: cells of a finite domain, or distinct drawn cases."""

    seen: set[int] = field(default_factory=set)
    rejected: int = 0

    def add(self, item: Any) -> None:
        """Count an item as visited."""
        self.seen.add(_hash(item))

    @property
    def digest(self) -> int:
        """The digest of what was visited, to be held against `Domain.digest`."""
        return reduce(xor, self.seen, 0)

    @classmethod
    def union(cls, visits: Iterable["Visits"]) -> "Visits":
        """Put together what several parts visited."""
        every = list(visits)
        return cls(
            set[int]().union(*(each.seen for each in every)),
            sum(each.rejected for each in every),
        )


@dataclass(frozen=True)
class Coverage:
    """What a property visited of what it declared.

    ``size`` and ``declared`` are None for a sampled property, whose domain
    cannot be finished: it has visited what it has visited.
    """

    kind: str
    size: int | None
    declared: int | None
    visited: int
    rejected: int
    digest: int

    @property
    def complete(self) -> bool:
        """Whether every cell was visited, and no other; of a sampled one, whether any was."""
        if self.size is None:
            return self.visited > 0
        return self.visited == self.size and self.digest == self.declared

    def as_data(self) -> dict[str, Any]:
        """Return the certificate as it stands in a report."""
        return {
            "kind": self.kind,
            "size": self.size,
            "visited": self.visited,
            "rejected": self.rejected,
            "digest": f"{self.digest:032x}",
            "complete": self.complete,
        }
