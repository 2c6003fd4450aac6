"""Objects of every class but tensors: used by syntax, and their members read, set and called."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe
from ...generators.calls import member_calls


@exhaustive(lambda torch: Domain(member=member_calls.members(torch)), parts=2)
def test_uses(ask: Probe, member: str) -> None:
    """Each public member of an object is read, set, deleted and called as torch's."""
    row = member_calls.members(ask.session.oracle.root)[member]
    for use in member_calls.uses(row):
        ask(f"x = {row.owner}", use, "x", question=1)


SHOWN = [label for label in member_calls.OBJECTS if label != "default generator"]
"""The objects whose text has no address that lasts."""


@exhaustive(lambda torch: Domain(owner=SHOWN, use=member_calls.SYNTAX))
def test_syntax(ask: Probe, owner: str, use: str) -> None:
    """Each object is indexed, compared, copied, called and printed as torch's."""
    ask(f"x = {member_calls.OBJECTS[owner]}", use, "x", question=1)


@exhaustive(lambda torch: Domain(owner=member_calls.CLASSES, use=member_calls.CLASS_USES))
def test_storage_classes(ask: Probe, owner: str, use: str) -> None:
    """Each class of storages is called, asked and subclassed as torch's."""
    ask(f"x = {owner}", use)
