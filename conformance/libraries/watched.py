"""What a subject must not change: the oracle, the modules that cases use, and the suite.

They share the process of the subject, which could replace a function of them, and so change the
oracle's results or the suite's verdict.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from ..core.case import MODULES

_SUITE = __name__.partition(".")[0]


def watched_ids(root: Any) -> dict[str, object]:
    """Return the identities of callables by their names, and of the items of the suite's tables."""
    ids: dict[str, object] = {}
    modules = {name: import_module(name) for name in MODULES}
    for owner, module in {"torch": root, **modules}.items():
        for name, value in dict(getattr(module, "__dict__", {})).items():
            if callable(value):
                ids[f"{owner}.{name}"] = id(value)
    suite = [name for name in sys.modules if name == _SUITE or name.startswith(f"{_SUITE}.")]
    for owner in suite:
        if isinstance(module := sys.modules[owner], ModuleType):
            ids |= _ids_in_suite(owner, module)
    return ids


def _ids_in_suite(owner: str, module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the identities of a module's functions, of its classes' members, and of its tables."""
    for name, value in [*vars(module).items()]:
        path = f"{owner}.{name}"
        if isinstance(value, FunctionType):
            yield path, (id(value), id(value.__code__))
        elif isinstance(value, type):
            yield path, id(value)
            if value.__module__ == owner:
                yield from _members(path, value)
        elif name.isupper() and not name.startswith("_"):
            yield path, _items(value)


def _members(path: str, cls: type) -> Iterator[tuple[str, object]]:
    for name, member in [*vars(cls).items()]:
        if isinstance(member, FunctionType):
            yield f"{path}.{name}", (id(member), id(member.__code__))
        elif callable(getattr(member, "__get__", None)):
            yield f"{path}.{name}", id(member)


def _items(value: object) -> object:
    """Return the identities of the items of a table, or of any other value."""
    if isinstance(value, Mapping):
        return id(value), tuple(id(item) for pair in value.items() for item in pair)
    if isinstance(value, Sequence | Set) and not isinstance(value, str | range):
        return id(value), frozenset(map(id, value))
    return id(value)
