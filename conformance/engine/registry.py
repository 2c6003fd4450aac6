"""The registered properties of the suite."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from hypothesis.strategies import SearchStrategy

from ..core.domain import Domain
from ..core.profiles import Profile

Body = Callable[..., None]


@dataclass(frozen=True)
class Property:
    """A claim about the subject, and its inputs: a domain or strategies.

    about_subject: whether the claim is about the subject, not about the suite
    calls: the divisor of the number of draws
    cuda: whether its programs name CUDA devices
    grid_step: the index of the step of each cell's first program whose answer a grid shows
    lists_cells: whether a report lists its cells
    one_in: one in how many cells a quick run asks
    asks_part: whether a quick run asks only some programs of a cell, which change with the seed
    starts_processes: whether each program starts a process, so a smoke run asks one cell only, and
        what diverges is not repeated to be shortened
    """

    id: str
    summary: str
    body: Body
    parts: int
    domain: Callable[[Any], Domain] | None = None
    strategies: Mapping[str, SearchStrategy[Any]] | None = None
    about_subject: bool = True
    calls: int = 1
    cuda: bool = False
    grid_step: int | None = None
    lists_cells: bool = False
    one_in: int = 1
    asks_part: bool = False
    starts_processes: bool = False

    @property
    def is_drawn(self) -> bool:
        """Whether what a quick run asks depends on the seed."""
        return self.domain is None or self.one_in > 1 or self.asks_part

    def one_in_of(self, profile: Profile) -> int:
        """Return one in how many cells of its domain a profile asks."""
        return 1 if profile.asks_all else self.one_in

    def sample(self, domain: Domain, one_in: int, seed: int) -> Domain:
        """Return one in so many cells of its domain; properties with like domains ask others."""
        return domain.one_in(one_in, seed + crc32(self.id.encode()))

    def most_cells(self, profile: Profile) -> int | None:
        """Return how many cells of its domain a profile asks at most, or None for all."""
        if profile.cells is None or self.lists_cells:
            return None
        return 1 if self.starts_processes else profile.cells

    @property
    def area(self) -> str:
        """The part of torch that the property is about: the first word of its id."""
        return self.id.partition(".")[0]

    @property
    def names_devices(self) -> bool:
        """Whether its programs run without a default device.

        They name devices themselves, or create sparse tensors, which fewer devices support.
        """
        return self.area in ("devices", "mixed_devices", "cuda", "layouts", "sparse")


REGISTERED: dict[str, Property] = {}
"""The properties that have been declared, by their ids."""


def register(body: Body, *, parts: int, **options: Any) -> Property:
    """Return a new property for a test function and register it.

    Its id is the area, from the name of the file, and the name of the function. Raise ValueError if
    the function has no docstring.
    """
    area = body.__module__.rpartition(".")[2].removeprefix("test_")
    name = body.__name__.removeprefix("test_")
    summary = " ".join((body.__doc__ or "").partition("\n\n")[0].split())
    if not summary:
        raise ValueError(f"{area}.{name} has no docstring to say what it claims")
    prop = Property(f"{area}.{name}", summary, body, parts, **options)
    REGISTERED[prop.id] = prop
    return prop
