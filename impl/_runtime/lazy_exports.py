"""What modules make for the namespace and for classes, so that others find it when they are loaded.

`contents` says which module makes what.  A module puts what it makes into `PUBLIC`, or into
what `lazy_members` returned for a class.  Others find it when all of the module is loaded, so
that no thread meets half of one; from then on it is found without a detour.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType

from .c_types import PACKAGE
from .export_table import MEMBERS

TYPE_CHECKING = False  # the module typing takes long to load
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

PUBLIC: "dict[str, Any]" = {}
"""What modules made for torch's namespace, by name; what is not there yet is in a module to come."""

MEMBERS_BY_CLASS: "dict[str, dict[str, Any]]" = {}
"""What modules made for classes, by the names of the class and the attribute."""


def load(home: str) -> "Any":
    """Load a module of this package, all of it, and return it."""
    return import_module(f"{PACKAGE}.{home}")


class LazyMember:
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


def lazy_members(owner: type) -> "dict[str, Any]":
    """Let a class have what modules make for it, and return the dict that they put it into."""
    made = MEMBERS_BY_CLASS[owner.__name__] = {}
    for home, names in MEMBERS.get(owner.__name__, {}).items():
        loaded = _loader(owner, home, names.split(), made)
        for name in names.split():
            setattr(owner, name, LazyMember(name, loaded))
    return made


def _loader(
    owner: type, home: str, names: list[str], made: "dict[str, Any]"
) -> "Callable[[], dict[str, Any]]":
    def load_members() -> "dict[str, Any]":
        load(home)
        # All at once: each change of a class costs the next look-ups their caches.
        for name in names:
            if type(made[name]) is FunctionType:  # pickles find methods by their class
                made[name].__module__ = PACKAGE
            if type(vars(owner).get(name)) is LazyMember:
                setattr(owner, name, made[name])
        return made

    return load_members


def public_in(module: str) -> "Callable[[Function], Function]":
    """Set `__module__` of a function to one of torch's modules, where pickles find it."""

    def decorate(function: "Function") -> "Function":
        function.__module__ = f"{PACKAGE}.{module}"
        return function

    return decorate


def set_module(module: str, namespace: "dict[str, Any]", names: "Iterable[str]") -> None:
    """Set `__module__` of functions and classes to one of torch's modules."""
    for name in names:
        if namespace[name].__class__ in (FunctionType, type):
            namespace[name].__module__ = f"{PACKAGE}.{module}"


class _FormerModule(ModuleType):
    """A module of version 0.1, for its pickles: the names that they ask it for."""

    def __getattr__(self, name: str) -> "Any":
        if name not in _FORMER_NAMES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home, _, new = _FORMER_NAMES[name].rpartition(".")
        return getattr(load(home), new)


class _FormerModules:
    """Finds and loads the modules that pickles of version 0.1 name (importlib.abc)."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> "ModuleSpec | None":
        package, _, module = name.partition(".")
        if package == PACKAGE and module in _FORMER_MODULES:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]  # of no class of importlib
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _FormerModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


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
"""What those pickles ask for, and where it is now."""

_FORMER_MODULES = frozenset(
    [
        "dtypes",
        "generators",
        "layouts",
        "legacy",
        "legacy_storage",
        "sizes",
        "storage_conversions",
        "storage_methods",
        "tensors",
        "typed_storage",
        "ops",
        "ops.arithmetic",
        "ops.attributes",
        "ops.autograd",
        "ops.choices",
        "ops.conversions",
        "ops.data",
        "ops.heeding",
        "ops.indexing",
        "ops.installing",
        "ops.interop",
        "ops.python_functions",
        "ops.rows",
        "ops.short_ways",
        "ops.short_ways_of_one",
    ]
)

sys.meta_path.append(_FormerModules())
