"""Torch's public names: which a subject has to have, and which are out of scope, and why.

What there is comes from torch itself; ``surface.toml`` says which of it is no
part of what is specified here.
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

PATH = Path(__file__).with_name("public_surface.toml")

OWNERS = (
    "torch", "torch.Tensor", "torch.dtype", "torch.Size", "torch.device", "torch.UntypedStorage",
    "torch.Generator",
)  # fmt: skip
"""Whose public names count."""


class Group(NamedTuple):
    """Names that a subject need not have, with the reason; they may be planned for impl."""

    name: str
    reason: str
    planned: bool
    names: tuple[str, ...]


@cache
def groups() -> tuple[Group, ...]:
    """Read what is out of scope; raise ValueError if a name stands there twice."""
    rows = tomllib.loads(PATH.read_text(encoding="utf-8"))["group"]
    found = tuple(
        Group(
            row["name"],
            row["reason"],
            row.get("planned", False),
            tuple(f"{owner}.{name}" for owner in OWNERS for name in row.get(owner, "").split()),
        )
        for row in rows
    )
    if twice := repeated(name for group in found for name in group.names):
        raise ValueError(f"{PATH.name} has {twice} twice")
    return found


def repeated(names: Iterable[str]) -> str:
    """Return the first name that comes twice; nothing if none does."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


def names_of(torch: Any, owner: str) -> list[str]:
    """Return the public names of the namespace or of a class; other modules in it do not count."""
    holder = held(torch, owner)
    return [
        name
        for name in dir(holder)
        if not name.startswith("_") and not isinstance(getattr(holder, name, None), ModuleType)
    ]


def held(torch: Any, path: str) -> Any:
    """Return what is called ``torch.something``; raise AttributeError if there is nothing."""
    _, _, name = path.partition(".")
    return attrgetter(name)(torch) if name else torch


def in_scope(torch: Any) -> list[str]:
    """Return the names, with their owners, that a subject has to have."""
    out = {name for group in groups() for name in group.names}
    public = (f"{owner}.{name}" for owner in OWNERS for name in names_of(torch, owner))
    return [name for name in public if name not in out]


def question(name: str) -> str:
    """Write what asks whether a name is there; an attribute of a class that is missing is, too.

    >>> question("torch.add"), question("torch.Size.numel")
    ('torch.add is not None', "'numel' in dir(getattr(torch, 'Size', None))")
    """
    _, *owner, last = name.split(".")
    if owner:
        return f"{last!r} in dir(getattr(torch, {owner[0]!r}, None))"
    return f"{name} is not None"


def name_in(text: str) -> str:
    """Return the name that a question asks about.

    >>> name_in(question("torch.add")), name_in(question("torch.Size.numel"))
    ('torch.add', 'torch.Size.numel')
    """
    quoted = re.findall(r"'(\w+)'", text)
    return ".".join(("torch", *reversed(quoted))) if quoted else text.partition(" ")[0]


def counts(asked: int, lacking: Iterable[str]) -> dict[str, Any]:
    """Write as plain data what became of all public names.

    ``asked`` names the subject has to have, and does not have those ``lacking``.
    """
    planned = [name for group in groups() if group.planned for name in group.names]
    out = [group for group in groups() if not group.planned]
    absent = sorted(lacking)
    return {
        "public": asked + sum(len(group.names) for group in groups()),
        "in_scope": asked + len(planned),
        "present": asked - len(absent),
        "missing": absent,
        "planned": planned,
        "out_of_scope": [
            {"group": group.name, "reason": group.reason, "names": list(group.names)}
            for group in out
        ],
    }
