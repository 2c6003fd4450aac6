"""What a subject must not change: the oracle, the modules that cases use, and the suite.

They share the process of the subject, which could replace a function of them, and so change the
oracle's results or the suite's verdict.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter, is_
from types import FunctionType, ModuleType
from typing import Any

from ..core.case import MODULES

_SUITE = __name__.partition(".")[0]

_code_of = attrgetter("__code__")


class Watched:
    """The callables of the oracle and of the modules, and the suite's callables and tables."""

    def __init__(self, root: Any) -> None:
        modules = {name: import_module(name) for name in MODULES}
        self._namespaces = [
            *(_of_callables(owner, value) for owner, value in {"torch": root, **modules}.items()),
            *_of_suite(),
        ]

    def changed(self) -> str | None:
        """Return the name of a value that is another one than it was, or None."""
        changed = (space.changed() for space in self._namespaces if not space.is_unchanged())
        return next(changed, None)


@dataclass(eq=False)
class _Namespace:
    """The values of some names in a module or a class, as they were.

    The values themselves are kept, not their identities, which another value could get.
    """

    owner: str
    now: Mapping[str, object]
    values: dict[str, object]
    tables: Mapping[str, object]

    def __post_init__(self) -> None:
        functions = [*self.values.values()]
        self._functions = [value for value in functions if isinstance(value, FunctionType)]
        self._codes = [*map(_code_of, self._functions)]
        self._items = {name: _items(table) for name, table in self.tables.items()}

    def is_unchanged(self) -> bool:
        """Return whether all values are what they were."""
        return (
            all(map(is_, map(self.now.get, self.values), self.values.values()))
            and all(map(_keeps_code, self._functions, self._codes))
            and all(_are_same(_items(self.tables[name]), self._items[name]) for name in self.tables)
        )

    def changed(self) -> str:
        """Return the name of the first value that is not what it was."""
        codes = dict(zip(map(id, self._functions), self._codes, strict=True))
        return next(
            f"{self.owner}.{name}"
            for name, value in self.values.items()
            if self.now.get(name) is not value
            or (isinstance(value, FunctionType) and not _keeps_code(value, codes[id(value)]))
            or (name in self.tables and not _are_same(_items(value), self._items[name]))
        )


def _keeps_code(function: FunctionType, code: object) -> bool:
    """Return whether a function has a code, or calls a copy of itself that has it.

    A library may have made its functions overridable in place, as impl does once a subclass of its
    Tensor has a ``__torch_function__``.
    """
    return function.__code__ is code or (
        _code_of(getattr(function, "__wrapped__", function)) is code
    )


def _of_callables(owner: str, module: Any) -> _Namespace:
    now = getattr(module, "__dict__", {})
    return _Namespace(owner, now, {name: now[name] for name in [*now] if callable(now[name])}, {})


def _of_suite() -> Iterator[_Namespace]:
    """Yield the functions, the classes, their members, and the tables of the suite's modules."""
    # Another thread may import modules meanwhile.
    loaded: dict[str, object] = {
        name: module for name, module in [*sys.modules.items()] if _is_in_suite(name)
    }
    yield _Namespace("sys.modules", sys.modules, {**loaded}, {})
    for owner, module in loaded.items():
        if not isinstance(module, ModuleType):
            continue
        now = vars(module)
        tables = {name: value for name, value in now.items() if _is_public_constant(name)}
        defined = {name: now[name] for name in now if isinstance(now[name], FunctionType | type)}
        yield _Namespace(owner, now, {**defined, **tables}, dict(_with_items(tables)))
        for name, value in defined.items():
            if isinstance(value, type) and value.__module__ == owner:
                members = {key: item for key, item in vars(value).items() if _is_member(item)}
                yield _Namespace(f"{owner}.{name}", vars(value), members, {})


def _is_in_suite(name: str) -> bool:
    return name == _SUITE or name.startswith(f"{_SUITE}.")


def _is_public_constant(name: str) -> bool:
    return name.isupper() and not name.startswith("_")


def _is_member(value: object) -> bool:
    return isinstance(value, FunctionType) or callable(getattr(value, "__get__", None))


def _with_items(values: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping | Sequence | Set) and not isinstance(value, str | range):
            yield name, value


def _items(table: Any) -> list[object]:
    return [*table, *table.values()] if isinstance(table, Mapping) else [*table]


def _are_same(items: Sequence[object], others: Sequence[object]) -> bool:
    return len(items) == len(others) and all(map(is_, items, others))
