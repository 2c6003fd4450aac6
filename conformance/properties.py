"""Properties: what the suite checks, one function each.

A property asks questions through ``ask`` and never judges the answers itself.
`exhaustive` hands it every cell of a finite domain, `sampled` what Hypothesis
draws.  Both make a pytest test of it, in parts that workers can share.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis.strategies import SearchStrategy

from .domains import Domain

if TYPE_CHECKING:
    from .session import Session

Body = Callable[..., None]


@dataclass(frozen=True)
class Property:
    """A claim about the subject, and how it is put to the test."""

    id: str
    summary: str
    body: Body
    parts: int
    domain: Callable[[Any], Domain] | None = None
    strategies: Mapping[str, SearchStrategy[Any]] | None = None
    about_subject: bool = True

    @property
    def area(self) -> str:
        """The part of torch that it is about: the first word of its id."""
        return self.id.partition(".")[0]


_REGISTERED: dict[str, Property] = {}


def exhaustive(
    domain: Callable[[Any], Domain], *, parts: int = 1, about_subject: bool = True
) -> Callable[[Body], Callable[..., None]]:
    """Make a property that is asked about every cell of a domain.

    ``domain`` makes the domain from the oracle's namespace.
    """
    return lambda body: _register(body, parts=parts, domain=domain, about_subject=about_subject)


def sampled(
    *, parts: int = 4, **strategies: SearchStrategy[Any]
) -> Callable[[Body], Callable[..., None]]:
    """Make a property that is asked about what Hypothesis draws from the strategies."""
    return lambda body: _register(body, parts=parts, strategies=strategies)


def _register(body: Body, *, parts: int, **how: Any) -> Callable[..., None]:
    area = body.__module__.rpartition(".")[2].removeprefix("test_")
    name = body.__name__.removeprefix("test_")
    summary = " ".join((body.__doc__ or "").partition("\n\n")[0].split())
    if not summary:
        raise ValueError(f"{area}.{name} has no docstring to say what it claims")
    new = Property(f"{area}.{name}", summary, body, parts, **how)
    _REGISTERED[new.id] = new

    @pytest.mark.parametrize("part", range(parts))
    def test(session: "Session", request: pytest.FixtureRequest, part: int) -> None:
        record = session.run_part(new, part)
        request.node.conformance_record = record
        if problems := record.problems():
            pytest.fail(problems, pytrace=False)

    test.__name__ = test.__qualname__ = body.__name__
    test.__module__ = body.__module__
    test.__doc__ = body.__doc__
    test.conformance_property = new  # type: ignore[attr-defined]
    return test


def all_properties() -> dict[str, Property]:
    """Return every property of the suite by its id, in the order of the files."""
    for path in _files():
        import_module(f"{__package__}.{path.stem}")
    modules = [sys.modules[f"{__package__}.{path.stem}"] for path in _files()]
    names = [f"{m.__name__.rpartition('.')[2].removeprefix('test_')}." for m in modules]
    return {
        key: value for prefix in names for key, value in _REGISTERED.items()
        if key.startswith(prefix)
    }  # fmt: skip


def property_names() -> list[str]:
    """Return the ids of all properties without needing the file that asks to be whole."""
    return list(all_properties())


def _files() -> Iterator[Path]:
    yield from sorted(Path(__file__).parent.glob("test_*.py"))
