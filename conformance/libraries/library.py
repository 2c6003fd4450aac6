"""A torch-like library as the suite sees it: a namespace, and the names of what it holds.

Both sides of every comparison are a `Library`: real torch as the oracle, and
the subject.  Code is written for ``torch`` and run with that name bound to
either.  Objects that exist once (dtypes, classes) are told apart by identity:
they are called by the public name under which the library holds them.
"""

import ast
import builtins
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from types import CodeType
from typing import Any

import numpy as np

from ..core.case import MODULES

CASE = "<case>"
"""The name under which the text of a case is compiled."""

HEAP_TYPE = 1 << 9
"""The flag of classes made at run time, which can say of themselves what they like."""

SINGLETON_TYPES = ("dtype", "layout", "memory_format")
"""The public classes of torch whose instances exist once each."""


_LAST: dict[int, "Library"] = {}
"""Which library ran a program last in a namespace: torch and ``torch@meta`` are two in one."""


class Library:
    """A namespace to run code against.

    ``names`` are the public names by which singletons are called; they are
    the oracle's, so that both sides of a comparison use the same.
    """

    def __init__(self, spec: str, root: Any, names: Iterable[str] | None = None) -> None:
        self.spec = spec
        self.root = root
        self.names = tuple(singleton_names(root) if names is None else names)
        self._held = [(name, held(root, name)) for name in self.names]
        self._name_by_id = {id(value): name for name, value in self._held if value is not None}
        # What is so of a value is so of all of its type, and asked of each value of each step.
        self._instances: defaultdict[str, dict[type, bool]] = defaultdict(dict)
        self._with_elements: dict[type, bool] = {}
        self._kept: list[Any] = []
        self._default_device = spec.partition("@")[2] or None
        kind = (self._default_device or "").partition(":")[0]
        self.device_type = kind if kind in ("cuda", "meta") else None
        self._may_have_moved = False
        self.call_sites = frozenset({CASE})
        with suppress(Exception):
            # What is warned of once in a process would depend on what was asked before.
            root.set_warn_always(True)

    def is_a(self, value: object, name: str) -> bool:
        """Tell whether a value is an instance of one of the library's classes, by its type."""
        known, cls = self._instances[name], type(value)
        answer = known.get(cls)
        if answer is None:
            found = held(self.root, name)
            # A class that is not there has no instances.
            answer = known[cls] = isinstance(found, type) and issubclass(cls, found)
        return answer

    def is_tensor(self, value: object) -> bool:
        """Tell whether a value is one of the library's tensors."""
        return self.is_a(value, "Tensor")

    def is_storage(self, value: object) -> bool:
        """Tell whether a value is one of the library's storages of bytes."""
        return self.is_a(value, "UntypedStorage")

    def has_elements(self, value: object) -> bool:
        """Tell whether a value is a tensor or a storage of the library, or an array of NumPy."""
        cls = type(value)
        answer = self._with_elements.get(cls)
        if answer is None:
            answer = self._with_elements[cls] = (
                self.is_tensor(value) or self.is_storage(value) or isinstance(value, np.ndarray)
            )
        return answer

    def name_of(self, value: object) -> str | None:
        """Return the public name of a singleton, or None."""
        return self._name_by_id.get(id(value))

    def class_name(self, cls: type) -> str:
        """Return the public name of a class; with its module if the library does not hold it."""
        if getattr(builtins, cls.__name__, None) is cls:
            return str(cls.__name__)
        if (name := self.name_of(cls)) is not None:
            return f"torch.{name}"
        if held(held(self.root, "return_types"), cls.__name__) is cls:
            return f"torch.return_types.{cls.__name__}"
        if not cls.__flags__ & HEAP_TYPE and cls.__module__ == builtins.__name__:
            return cls.__qualname__
        path = f"{cls.__module__}.{cls.__qualname__}"
        real = held(sys.modules.get(cls.__module__), cls.__qualname__) is cls
        return path if real else f"a class that calls itself {path}"

    def missing(self, source: str) -> str | None:
        """Return the first public name that ``source`` uses and this library lacks, or None."""
        for name in public_names_in(source):
            if held(self.root, name) is None:
                return f"torch.{name}"
        return None

    def scope(self) -> dict[str, Any]:
        """Return fresh globals for one program; the default device is this library's from now on."""
        if _LAST.get(id(self.root)) is not self:
            self._take_over()
        return {"__name__": "case", "torch": self.root, **_modules()}

    def run(self, source: str, scope: dict[str, Any]) -> Any:
        """Run one step; return its value if it is an expression."""
        code, is_expression = self.compiled(source)
        if "default_device" in source or "__enter__" in source:
            self._may_have_moved = True
        if is_expression:
            return eval(code, scope)
        exec(code, scope)
        return None

    def compiled(self, source: str) -> tuple[CodeType, bool]:
        """Compile one step, and tell whether it is an expression."""
        return _compile(source)

    def repr(self, value: Any) -> str:
        """Write a value, as facets do."""
        return repr(value)

    def has_been_set(self) -> None:
        """Note that the default device is this library's already."""
        _LAST[id(self.root)] = self

    def _take_over(self) -> None:
        """Put the default device to this library's own, if another used the same namespace."""
        last = _LAST.get(id(self.root))
        if (last and last._default_device) != self._default_device:
            with suppress(Exception, SystemExit):
                self.root.set_default_device(self._default_device)
        _LAST[id(self.root)] = self

    def _leave_devices(self) -> None:
        """Leave the devices that programs entered, until there is none."""
        with suppress(Exception, SystemExit):
            device = self.root.device("cpu")
            for _ in range(100):
                device.__exit__(None, None, None)

    def reset(self) -> None:
        """Put the library's settings back to what they were when it was loaded."""
        if self._may_have_moved:
            self._may_have_moved = False
            self._leave_devices()
            with suppress(Exception, SystemExit):
                self.root.set_default_device(None)
            self._leave_devices()  # those that another default took the place of come back
            with suppress(Exception, SystemExit):
                self.root.set_default_device(self._default_device)
        # What a subject has not, or cannot do, no program has changed.
        with suppress(Exception):
            if self.root.get_default_dtype() is not self.root.float32:
                self.root.set_default_dtype(self.root.float32)
        with suppress(Exception):
            if self.root.are_deterministic_algorithms_enabled():
                self.root.use_deterministic_algorithms(False)
        with suppress(Exception):
            if not self.root.utils.deterministic.fill_uninitialized_memory:
                self.root.utils.deterministic.fill_uninitialized_memory = True
        with suppress(Exception):
            self.root.set_printoptions(profile="default", sci_mode=None)
        with suppress(Exception):
            if not self.root.is_warn_always_enabled():
                self.root.set_warn_always(True)
            if self.root.is_inference_mode_enabled():
                # A manager that is dropped while it is entered puts back what it found.
                self._kept.append(self.root.inference_mode(mode=False))
                self._kept[-1].__enter__()
        with suppress(Exception):
            if not self.root.is_grad_enabled():
                self.root.set_grad_enabled(True)


def holdings(root: Any) -> dict[str, int]:
    """Return what a library and the modules that cases use hold, by identity.

    A subject that puts something else in their place would decide what is right.
    """
    owners = {"torch": root, **_modules()}
    return {
        f"{owner}.{name}": id(value)
        for owner, module in owners.items()
        for name, value in dict(getattr(module, "__dict__", {})).items()
        if callable(value)
    }


def held(owner: Any, name: str) -> Any:
    """Return what an object holds under a name, or None, however it says that it has nothing."""
    try:
        return getattr(owner, name, None)
    except Exception:  # noqa: BLE001  # a module's __getattr__ may raise anything
        return None


def singleton_names(root: Any) -> list[str]:
    """Return one public name for each singleton of a library: the one it prints, if it does."""
    singletons = tuple(
        kind for name in SINGLETON_TYPES if isinstance(kind := held(root, name), type)
    )
    named: dict[int, list[str]] = {}
    # Those that are made when they are first asked for have names, too.
    values = {name: held(root, name) for name in sorted(dir(root))}
    for name in values:
        if isinstance(values[name], (type, *singletons)) and not name.startswith("_"):
            named.setdefault(id(values[name]), []).append(name)
    return [_preferred(names, values) for names in named.values()]


def _preferred(names: list[str], values: Mapping[str, Any]) -> str:
    printed = repr(values[names[0]]).removeprefix("torch.")
    return printed if printed in names else names[0]


@cache
def _modules() -> dict[str, Any]:
    for name in MODULES:
        import_module(name)
    names = {name.partition(".")[0] for name in MODULES}
    return {name: sys.modules[name] for name in sorted(names)}


@lru_cache(maxsize=4096)
def _compile(source: str) -> tuple[CodeType, bool]:
    # What the compiler warns about is the text, which both sides share.
    with warnings.catch_warnings(action="ignore"):
        try:
            return compile(source, CASE, "eval"), True
        except SyntaxError:
            return compile(source, CASE, "exec"), False


@lru_cache(maxsize=4096)
def public_names_in(source: str) -> tuple[str, ...]:
    """Return the names that follow ``torch.`` in a program."""
    return tuple(
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "torch"
    )
