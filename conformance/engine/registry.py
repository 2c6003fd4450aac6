"""The properties of the suite, by their ids."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis.strategies import SearchStrategy

from ..core.domain import Domain

Body = Callable[..., None]


@dataclass(frozen=True)
class Property:
    """A claim about the subject, and how it is put to the test.

    It has either a domain, made from the oracle's namespace, or strategies;
    of these it draws the fewer the more ``calls`` one draw makes.  ``cuda`` says that
    its programs name CUDA devices.  ``grid_step`` is the step of each cell's first program whose
    answer a report shows in a picture of the domain.
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

    @property
    def area(self) -> str:
        """The part of torch that it is about: the first word of its id."""
        return self.id.partition(".")[0]

    @property
    def stays_at_home(self) -> bool:
        """Whether its programs are asked without a default device.

        They name devices themselves, or make sparse tensors, which torch and subjects have on fewer devices.
        """
        return self.area in ("devices", "cuda", "layouts")


REGISTERED: dict[str, Property] = {}
"""Every property that was declared so far, by its id."""


def register(body: Body, *, parts: int, **how: Any) -> Property:
    """Make a property of a test function and remember it.

    Its id is the area, which the file is named for, and the function's name.
    """
    area = body.__module__.rpartition(".")[2].removeprefix("test_")
    name = body.__name__.removeprefix("test_")
    summary = " ".join((body.__doc__ or "").partition("\n\n")[0].split())
    if not summary:
        raise ValueError(f"{area}.{name} has no docstring to say what it claims")
    new = Property(f"{area}.{name}", summary, body, parts, **how)
    REGISTERED[new.id] = new
    return new
