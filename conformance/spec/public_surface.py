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

CLASSES = (
    "torch.Tensor", "torch.dtype", "torch.Size", "torch.device", "torch.UntypedStorage",
    "torch.Generator",
)  # fmt: skip
MODULES = (
    "torch", "torch.accelerator", "torch.autograd", "torch.autograd.grad_mode", "torch.cuda",
    "torch.random", "torch.return_types", "torch.serialization", "torch.sparse", "torch.storage",
    "torch.testing", "torch.utils", "torch.utils.deterministic", "torch.utils.dlpack",
)  # fmt: skip
OWNERS = (*MODULES, *CLASSES)
"""The modules and classes whose public names count."""


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
    """Return the public names of a module or of a class.

    Of the modules in torch's namespace its own count.  Other modules say in ``__all__`` what is public;
    where one does not, what it defines is.
    """
    holder = held(torch, owner)
    public = [name for name in dir(holder) if not name.startswith("_")]
    if owner == "torch":
        return [name for name in public if _is_own(getattr(holder, name, None), "torch.")]
    if owner in CLASSES:
        return public
    listed = getattr(holder, "__all__", None)
    return [
        name
        for name in public
        if (name in listed if listed is not None else _is_defined(getattr(holder, name), owner))
    ]


def _is_own(value: Any, prefix: str) -> bool:
    """Return whether a value is no module, or a module below a prefix."""
    return not isinstance(value, ModuleType) or value.__name__.startswith(prefix)


def _is_defined(value: Any, owner: str) -> bool:
    """Return whether a module, or one below it, defines a function or class."""
    return f"{getattr(value, '__module__', '')}.".startswith(f"{owner}.")


def additions() -> tuple[str, ...]:
    """Return the names that impl adds to torch's, each with a reason in the list."""
    rows = tomllib.loads(PATH.read_text(encoding="utf-8"))["addition"]
    return tuple(row["name"] for row in rows)


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
    if len(owner) == 1:
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
