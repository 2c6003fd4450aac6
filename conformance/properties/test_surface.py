"""The public surface: what torch has under a public name, the subject has, and nothing else."""

from string import ascii_letters

from ..comparison.comparator import Comparison, Difference
from ..core.case import Case
from ..core.domain import Domain
from ..engine.decorators import exhaustive
from ..engine.probe import Probe
from ..spec import public_surface


@exhaustive(lambda torch: Domain(name=public_surface.in_scope(torch)))
def test_names(ask: Probe, name: str) -> None:
    """Every public name of torch that is in scope is there: functions, methods, attributes."""
    ask(public_surface.question(name))


@exhaustive(lambda torch: Domain(owner=public_surface.OWNERS, letter=ascii_letters))
def test_beyond(ask: Probe, owner: str, letter: str) -> None:
    """There is no public name that torch has not."""
    torch = ask.session.oracle.root
    added = [name.removeprefix(f"{owner}.") for name in public_surface.additions()]
    known = [
        name
        for name in (*dir(public_surface.held(torch, owner)), *added)
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
    """What is listed as out of scope is something that torch has."""
    owner, _, last = name.rpartition(".")
    there = last in dir(public_surface.held(ask.session.oracle.root, owner))
    wrong = [] if there else [Difference("verdict", "a name of torch", "no name of torch")]
    ask.asked.append(name)
    ask.count(Comparison(("verdict",), wrong, []), Case((name,)))
