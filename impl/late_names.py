"""What modules make for the namespace and for classes, so that others find it when they are loaded.

`contents` says which module makes what.  A module puts what it makes into `PUBLIC`, or into
what `late_members` returned for a class.  Others find it when all of the module is loaded, so
that no thread meets half of one; from then on it is found without a detour.
"""

from importlib import import_module

from .contents import MEMBERS
from .torch_class import PACKAGE

TYPE_CHECKING = False  # the module typing takes long to load
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PUBLIC: "dict[str, Any]" = {}
"""What modules made for torch's namespace, by name; what is not there yet is in a module to come."""

MADE: "dict[str, dict[str, Any]]" = {}
"""What modules made for classes, by the names of the class and the attribute."""


def load(home: str) -> "Any":
    """Load a module of this package, all of it, and return it."""
    return import_module(f"{PACKAGE}.{home}")


class LateMember:
    """Stands for an attribute of a class until somebody asks for it."""

    __slots__ = ("_load", "_name")

    def __init__(self, name: str, load: "Callable[[], dict[str, Any]]") -> None:
        self._name, self._load = name, load

    def __get__(self, instance: object, owner: type | None = None) -> "Any":
        return self._load()[self._name].__get__(instance, owner)

    def __set__(self, instance: object, value: object) -> None:
        self._load()
        setattr(instance, self._name, value)

    def __delete__(self, instance: object) -> None:
        self._load()
        delattr(instance, self._name)


def late_members(owner: type) -> "dict[str, Any]":
    """Let a class have what modules make for it, and return the dict that they put it into."""
    made = MADE[owner.__name__] = {}
    for home, names in MEMBERS.get(owner.__name__, {}).items():
        loaded = _loader(owner, home, names.split(), made)
        for name in names.split():
            setattr(owner, name, LateMember(name, loaded))
    return made


def _loader(
    owner: type, home: str, names: list[str], made: "dict[str, Any]"
) -> "Callable[[], dict[str, Any]]":
    def load_members() -> "dict[str, Any]":
        load(home)
        # All at once: each change of a class costs the next look-ups their caches.
        for name in names:
            if type(vars(owner).get(name)) is LateMember:
                setattr(owner, name, made[name])
        return made

    return load_members
