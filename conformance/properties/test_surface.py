"""The public surface: the names of torch in scope, and no others."""

from string import ascii_letters
from typing import Any

from ..comparison.comparator import Comparison, Difference
from ..core.case import Case
from ..core.domain import Domain
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..spec import public_surface


@exhaustive(lambda torch: Domain(name=public_surface.in_scope(torch)))
def test_names(ask: Probe, name: str) -> None:
    """Every public name of torch in scope exists: functions, methods and attributes."""
    ask(public_surface.question(name))


def _exportable(torch: Any) -> list[str]:
    """Return the names in scope of the modules that have ``__all__``."""
    owners = [
        owner
        for owner in public_surface.MODULES
        if hasattr(public_surface.resolve_name(torch, owner), "__all__")
    ]
    names = public_surface.in_scope(torch)
    return [name for name in names if name.rpartition(".")[0] in owners]


@exhaustive(lambda torch: Domain(name=_exportable(torch)))
def test_exports(ask: Probe, name: str) -> None:
    """An asterisk imports the names in the module's ``__all__``, and no others."""
    owner, _, last = name.rpartition(".")
    ask(f"{last!r} in {owner}.__all__")


@exhaustive(lambda torch: Domain(owner=public_surface.OWNERS, letter=ascii_letters))
def test_beyond(ask: Probe, owner: str, letter: str) -> None:
    """The subject has no public name that torch lacks."""
    torch = ask.session.oracle.root
    added = [name.removeprefix(f"{owner}.") for name in public_surface.additions()]
    known = [
        name
        for name in (*dir(public_surface.resolve_name(torch, owner)), *added)
        if name.startswith(letter) and "." not in name
    ]
    ask(
        f"[name for name in dir({owner}) if name.startswith({letter!r})"
        f" and name not in {' '.join(known)!r}.split()"
        f" and type(getattr({owner}, name)).__name__ != 'module']"
    )


@exhaustive(
    lambda torch: Domain(name=[name for group in public_surface.groups() for name in group.names]),
    about_subject=False,
)
def test_listed(ask: Probe, name: str) -> None:
    """Every name that is listed as out of scope exists in torch."""
    owner, _, last = name.rpartition(".")
    exists = last in dir(public_surface.resolve_name(ask.session.oracle.root, owner))
    differences = [] if exists else [Difference("verdict", "a name of torch", "no name of torch")]
    ask.asked.append(name)
    ask.count(Comparison(("verdict",), differences, []), Case((name,)))
