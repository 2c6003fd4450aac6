"""The public surface: the names of torch in scope, and no others."""

import inspect
from string import ascii_letters
from typing import Any

from ..comparison.comparator import Comparison, Difference
from ..core.case import Case
from ..core.domain import Domain
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..spec import public_surface


@exhaustive(lambda torch: Domain(name=public_surface.in_scope(torch)), lists_cells=True)
def test_names(ask: Probe, name: str) -> None:
    """Every public name of torch in scope exists: functions, methods and attributes."""
    ask(public_surface.question(name), name=name)


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


def _with_signature(torch: Any) -> list[str]:
    """Return the names in scope of functions whose parameters Python knows."""
    return [name for name in public_surface.in_scope(torch) if _has_signature(torch, name)]


def _has_signature(torch: Any, name: str) -> bool:
    value = public_surface.resolve_name(torch, name)
    if isinstance(value, type) or not callable(value):
        return False
    try:
        return inspect.signature(value) is not None
    except ValueError:
        return False


@exhaustive(lambda torch: Domain(name=_with_signature(torch)))
def test_signatures(ask: Probe, name: str) -> None:
    """Each function that is Python code has torch's parameters, their kinds and defaults."""
    ask(
        f"[(p.name, p.kind.name, p.default is p.empty or repr(p.default))"
        f" for p in inspect.signature({name}).parameters.values()]"
    )


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


@exhaustive(lambda torch: Domain(owner=public_surface.OWNERS))
def test_listings(ask: Probe, owner: str) -> None:
    """dir() of each module and class lists its public names."""
    names = _names_by_owner(ask.session.oracle.root)[owner]
    ask(
        f"[name for name in {' '.join(names)!r}.split()"
        f" if hasattr({owner}, name) and name not in dir({owner})]",
        f"isinstance({owner}, type) or type({owner}.__dir__()).__name__",
        question=0,
    )


def _names_by_owner(torch: Any) -> dict[str, list[str]]:
    """Return the names in scope of each module and class."""
    names: dict[str, list[str]] = {owner: [] for owner in public_surface.OWNERS}
    for path in public_surface.in_scope(torch):
        owner, _, name = path.rpartition(".")
        names[owner].append(name)
    return names


_LISTS = (
    "import sys; sys.path[:] = {{sys.path!r}}; import {{torch.__name__}} as torch;"
    " listed = dir(torch);"
    " print([name for name in {names!r}.split() if hasattr(torch, name) and name not in listed])"
)
"""A program that prints the names that dir() does not list before anything is used."""


@exhaustive(lambda torch: Domain(owner=["torch"]), starts_processes=True)
def test_first_listing(ask: Probe, owner: str) -> None:
    """dir() of the library lists its public names in a new process, before anything is used."""
    names = " ".join(_names_by_owner(ask.session.oracle.root)[owner])
    run = "subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)"
    ask(f"import subprocess, sys; program = f{_LISTS.format(names=names)!r}", f"{run}.stdout")
