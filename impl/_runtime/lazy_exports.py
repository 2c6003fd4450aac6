"""Lazily resolved public names and class members.

`export_table` maps each module to the names that it defines.  A module puts public names into
`PUBLIC`, and members of a class into the dict from `lazy_members`.  Both become visible when the
whole module is loaded, so no thread sees a half-loaded module.  Later lookups are direct.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType

from .c_types import PACKAGE, mapping_class, set_class_attribute
from .export_table import MEMBERS

TYPE_CHECKING = False  # the module typing takes long to load
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

PUBLIC: "dict[str, Any]" = {}
"""Public names of torch's namespace and their values, from the modules loaded so far."""

MEMBERS_BY_CLASS: "dict[str, dict[str, Any]]" = {}
"""Lazy class members, by the name of the class and of the attribute."""


def load(module: str) -> "Any":
    """Import a module of this package and return it."""
    return import_module(f"{PACKAGE}.{module}")


class LazyMember:
    """A placeholder for a class attribute, which loads its module on first use."""

    __slots__ = ("_module", "_name", "_owner")

    def __init__(self, name: str, owner: type, module: str) -> None:
        self._name, self._owner, self._module = name, owner, module

    def _load(self) -> "dict[str, Any]":
        return _load_members(self._owner, self._module)

    def __get__(self, instance: object, owner: type | None = None) -> "Any":
        return self._load()[self._name].__get__(instance, owner)

    def __set__(self, instance: object, value: object) -> None:
        self._load()
        setattr(instance, self._name, value)

    def __delete__(self, instance: object) -> None:
        self._load()
        delattr(instance, self._name)


class _Members(dict):  # type: ignore[type-arg]
    """The members of a class by their names; to look for one loads the module that defines it."""

    __slots__ = ("_owner",)

    def __init__(self, owner: type) -> None:
        self._owner = owner.__name__

    def __missing__(self, name: str) -> "Any":
        for module, names in MEMBERS.get(self._owner, {}).items():
            if name in names.split():
                load(module)
                if name in self:
                    return self[name]
        raise KeyError(name)


def lazy_members(owner: type) -> "dict[str, Any]":
    """Set placeholders for the lazy members of a class, and return the dict for their values.

    A lazy ``__getitem__`` is that of a mapping.
    """
    members = MEMBERS_BY_CLASS[owner.__name__] = _Members(owner)
    for module, names in MEMBERS.get(owner.__name__, {}).items():
        for name in names.split():
            placeholder = LazyMember(name, owner, module)
            if name == "__getitem__":
                mapping_class(owner, placeholder)
            else:
                setattr(owner, name, placeholder)
    return members


def _public_module(owner: type) -> str:
    """Return the module in which pickles find a class."""
    module = owner.__module__
    return PACKAGE if module.startswith(f"{PACKAGE}._") else module


_CALLED = {"__pow__": "pow", "__ipow__": "pow_"}
"""The special methods with the name of another method, as in torch."""


def _load_members(owner: type, module: str) -> "dict[str, Any]":
    load(module)
    names = MEMBERS[owner.__name__][module].split()
    members = MEMBERS_BY_CLASS[owner.__name__]
    # All at once: each change of a class invalidates CPython's lookup caches.
    for name in names:
        if type(members[name]) is FunctionType:  # pickles find methods by their class
            members[name].__module__ = _public_module(owner)
            called = members[name].__name__
            if name in _CALLED or members.get(called) is not members[name]:
                members[name].__name__ = _CALLED.get(name, name)
        if type(vars(owner).get(name)) is LazyMember:
            set_class_attribute(owner, name, members[name])
    return members


def public_in(module: str) -> "Callable[[Function], Function]":
    """Set `__module__` of the function to one of torch's modules, where pickles find it."""

    def decorate(function: "Function") -> "Function":
        function.__module__ = f"{PACKAGE}.{module}"
        return function

    return decorate


def set_module(module: str, namespace: "dict[str, Any]", names: "Iterable[str]") -> None:
    """Set `__module__` of functions and classes to one of torch's modules."""
    for name in names:
        if namespace[name].__class__ in (FunctionType, type):
            namespace[name].__module__ = f"{PACKAGE}.{module}"


def _former_attribute(former: str, name: str) -> "Any":
    """Return an attribute that pickles of version 0.1 read from one of its modules."""
    if name not in _FORMER_NAMES:
        raise AttributeError(f"module {former!r} has no attribute {name!r}")
    module, _, new_name = _FORMER_NAMES[name].rpartition(".")
    return getattr(load(module), new_name)


class _FormerModules:
    """The finder and loader of the modules in pickles of version 0.1 (importlib.abc)."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> "ModuleSpec | None":
        package, _, module = name.partition(".")
        if package != PACKAGE or module not in _FORMER_MODULES.split():
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]  # duck-typed

    def create_module(self, spec: ModuleSpec) -> None:
        pass

    def exec_module(self, module: ModuleType) -> None:
        former = module.__name__
        module.__getattr__ = lambda name: _former_attribute(former, name)  # type: ignore[method-assign]


_FORMER_NAMES = {
    "Generator": "_random.generator.Generator",
    "Size": "_geometry.size.Size",
    "Tensor": "_tensor.tensor.Tensor",
    "TypedStorage": "storage.TypedStorage",
    "_StorageBase": "storage._StorageBase",
    "_load_from_bytes": "storage._load_from_bytes",
    "dtype": "_dtypes.table.dtype",
    "fork_rng": "random.fork_rng",
    "layout_named": "serialization._get_layout",
    "memory_format_named": "serialization._get_memory_format",
}
"""The names in pickles of version 0.1, and their present paths."""

_FORMER_MODULES = (
    "dtypes generators layouts legacy legacy_storage sizes storage_conversions storage_methods"
    " tensors typed_storage ops ops.arithmetic ops.attributes ops.autograd ops.choices"
    " ops.conversions ops.data ops.heeding ops.indexing ops.installing ops.interop"
    " ops.python_functions ops.rows ops.short_ways ops.short_ways_of_one"
)
"""The modules in pickles of version 0.1."""

sys.meta_path.append(_FormerModules())
