"""Torch's public names: the required ones, and the ones out of scope with their reasons.

The names are read from torch; ``public_surface.toml`` lists the ones out of scope.
"""

import tomllib
from collections import Counter
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
    "torch", "torch.accelerator", "torch.autograd", "torch.autograd.grad_mode",
    "torch.backends.cpu", "torch.backends.cuda", "torch.backends.mps", "torch.cpu", "torch.cuda",
    "torch.fft", "torch.linalg", "torch.mps", "torch.mtia", "torch.nn", "torch.nn.functional",
    "torch.nn.init", "torch.nn.modules.container", "torch.nn.modules.module", "torch.nn.parameter",
    "torch.overrides", "torch.random", "torch.return_types", "torch.serialization", "torch.sparse",
    "torch.storage", "torch.testing", "torch.torch_version", "torch.types", "torch.utils",
    "torch.utils.deterministic", "torch.utils.dlpack", "torch.utils.hooks", "torch.version",
    "torch.xpu",
)  # fmt: skip
"""The modules whose names count. Other modules of torch.backends tell what a build has."""
OWNERS = (*MODULES, *CLASSES)
"""The modules and classes whose public names count."""


class Group(NamedTuple):
    """Names that are not required of a subject, with the reason.

    name: the heading of the group
    reason: why the names are not required
    planned: whether impl is going to have them
    names: the names with their owners
    """

    name: str
    reason: str
    planned: bool
    names: tuple[str, ...]


@cache
def groups() -> tuple[Group, ...]:
    """Return the groups of names out of scope; raise ValueError if a name is listed twice."""
    rows = tomllib.loads(PATH.read_text(encoding="utf-8"))["group"]
    result = tuple(
        Group(
            row["name"],
            row["reason"],
            row.get("planned", False),
            tuple(f"{owner}.{name}" for owner in OWNERS for name in row.get(owner, "").split()),
        )
        for row in rows
    )
    if name := repeated(name for group in result for name in group.names):
        raise ValueError(f"{PATH.name} has {name} twice")
    return result


def repeated(names: Iterable[str]) -> str:
    """Return the first name that is listed twice, or an empty string."""
    return next((name for name, count in Counter(names).items() if count > 1), "")


def names_of(torch: Any, owner: str) -> list[str]:
    """Return the public names of a module or class.

    Of the modules in torch's namespace only torch's own count. The public names of other modules
    are those in ``__all__``, or else the functions and classes that they define, in Python or in
    the module of C for them, such as torch._C._linalg.
    """
    holder = resolve_name(torch, owner)
    public = [name for name in dir(holder) if not name.startswith("_")]
    if owner in CLASSES:
        return public
    values = {name: getattr(holder, name, None) for name in public}
    if owner == "torch":
        return [
            name
            for name, value in values.items()
            if not isinstance(value, ModuleType) or value.__name__.startswith("torch.")
        ]
    if (listed := getattr(holder, "__all__", None)) is not None:
        return [name for name in public if name in listed]
    in_c = f"torch._C._{owner.rpartition('.')[2]}"
    modules = {name: getattr(value, "__module__", "") for name, value in values.items()}
    return [name for name in public if f"{modules[name]}.".startswith((f"{owner}.", f"{in_c}."))]


@cache
def additions() -> tuple[str, ...]:
    """Return the names that impl adds to torch's."""
    rows = tomllib.loads(PATH.read_text(encoding="utf-8"))["addition"]
    return tuple(row["name"] for row in rows)


def resolve_name(torch: Any, path: str) -> Any:
    """Return the object at a path ``torch.name``; raise AttributeError if there is none."""
    _, _, name = path.partition(".")
    return attrgetter(name)(torch) if name else torch


def in_scope(torch: Any) -> list[str]:
    """Return the names, with their owners, that are required of a subject."""
    excluded = {name for group in groups() for name in group.names}
    public = (f"{owner}.{name}" for owner in OWNERS for name in names_of(torch, owner))
    return [name for name in public if name not in excluded]


def question(name: str) -> str:
    """Return the expression for whether a name exists.

    A missing attribute of a class gives False, a missing name of a module raises.

    >>> question("torch.add"), question("torch.Size.numel")
    ('torch.add is not None', "'numel' in dir(getattr(torch, 'Size', None))")
    """
    _, *owner, last = name.split(".")
    if len(owner) == 1:
        return f"{last!r} in dir(getattr(torch, {owner[0]!r}, None))"
    return f"{name} is not None"


def counts(asked: int, lacking: Iterable[str]) -> dict[str, Any]:
    """Return the numbers and lists of public names as plain data.

    ``asked`` is the number of required names, ``lacking`` are those that the subject does not have.
    """
    planned = [name for group in groups() if group.planned for name in group.names]
    excluded = [group for group in groups() if not group.planned]
    missing = sorted(lacking)
    return {
        "public": asked + sum(len(group.names) for group in groups()),
        "in_scope": asked + len(planned),
        "present": asked - len(missing),
        "missing": missing,
        "planned": planned,
        "out_of_scope": [
            {"group": group.name, "reason": group.reason, "names": list(group.names)}
            for group in excluded
        ],
    }
