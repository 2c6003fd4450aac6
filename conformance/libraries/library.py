"""A torch-like library: a namespace that runs programs.

Both sides of a comparison are a `Library`: torch as the oracle, and the subject. Programs are
written for ``torch`` and run with that name bound to either. Singletons (dtypes, classes) are
identified by identity and written by their public name.
"""

import ast
import builtins
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache, lru_cache, reduce
from importlib import import_module
from mmap import MAP_PRIVATE
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ..adapter import Adapter
from ..core import case
from ..core.errors import NoProgram
from ..spec.public_surface import CLASSES, MODULES
from .operator_methods import methods_in

CASE = "<case>"
"""The file name under which programs are compiled."""

HEAP_TYPE = 1 << 9
"""CPython's flag of classes created at run time, whose names are arbitrary."""

SINGLETON_TYPES = ("dtype", "layout", "memory_format")
"""The public classes of torch whose instances are singletons."""


_NO_CONTEXT = nullcontext()

_ACTIVE: dict[int, "Library"] = {}
"""The library that last ran a program in a namespace, which torch and ``torch@meta`` share."""


class Library:
    """A namespace that runs programs.

    ``names`` are the public names of singletons: the oracle's, so that both sides use the same.
    ``fill_memory(byte)`` is a context in which uninitialized memory has this byte, if there is one.
    ``repr_settings()`` are all settings on which the texts of tensors depend, if they are known.
    ``not_asked`` are the facts of tensors that it lacks, by its adapter or as it was found.
    ``recorder`` keeps its answers, if they are recorded; ``known`` has them, if they are read from
    a recording, so that no program runs (`conformance.recording`).
    """

    recorder: Any = None
    known: Any = None
    fill_memory: Callable[[int], AbstractContextManager[None]] | None = None
    repr_settings: Callable[[], Hashable] | None = None

    def __init__(
        self,
        spec: str,
        root: Any,
        names: Iterable[str] | None = None,
        adapter: Adapter | None = None,
    ) -> None:
        adapter = adapter or Adapter(root)
        self.adapter = adapter
        self.not_asked = frozenset(adapter.not_asked)
        self.context = adapter.context() if adapter.context else _NO_CONTEXT
        self.spec = spec
        self.root = root
        self._package = attribute_or_none(root, "__name__")
        self.names = tuple(singleton_names(root) if names is None else names)
        self._singletons = [(name, attribute_or_none(root, name)) for name in self.names]
        self._name_by_id = {
            id(value): name for name, value in self._singletons if value is not None
        }
        self._tensor_classes = adapter.tensor_classes()
        self._name_by_id |= {id(cls): "Tensor" for cls in self._tensor_classes}
        self._equal_dtypes: dict[Any, str] = {}
        self._class_of_equal_dtypes: type | None = None
        # Caches by type, as these are called for each value of each step.
        self._instances: defaultdict[str, dict[type, bool]] = defaultdict(dict)
        self._with_elements: dict[type, bool] = {}
        self._class_names: dict[type, str] = {}
        self._entered_modes: list[Any] = []
        self.default_device = adapter.device or spec.partition("@")[2] or None
        device_type = (self.default_device or "cpu").partition(":")[0]
        self.device_type = None if device_type == "cpu" else device_type
        self._may_have_changed_device = False
        self._may_have_changed_printing = True
        self._may_have_changed_files = True
        self.call_sites = frozenset({CASE, *_files_of(adapter.frames)})
        self._threads = self._number_of_threads()
        with suppress(Exception):
            # A warning once per process would depend on earlier cases.
            root.set_warn_always(True)

    def is_a(self, value: object, name: str) -> bool:
        """Return whether a value is an instance of one of the library's classes, by its type."""
        return self._is_subclass(type(value), name)

    def _is_subclass(self, cls: type, name: str) -> bool:
        results = self._instances[name]
        result = results.get(cls)
        if result is None:
            expected = attribute_or_none(self.root, name)
            # A missing class has no instances.
            result = isinstance(expected, type) and issubclass(cls, expected)
            result = result or (name == "Tensor" and issubclass(cls, self._tensor_classes))
            results[cls] = result
        return result

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is a tensor of the library."""
        return self.is_a(value, "Tensor")

    def variables_in(self, scope: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tensors and storages of the library, and the NumPy arrays, by their names."""
        known = self._with_elements
        for cls in {*map(type, scope.values())}.difference(known):
            is_own = any(self._is_subclass(cls, name) for name in ("Tensor", "UntypedStorage"))
            known[cls] = is_own or issubclass(cls, np.ndarray)
        return {name: value for name, value in scope.items() if known[type(value)]}

    def name_of(self, value: object) -> str | None:
        """Return the public name of a singleton, or None."""
        name = self._name_by_id.get(id(value))
        if name is None and type(value) is self._class_of_equal_dtypes:
            return self._equal_dtypes.get(value)
        return name

    def use_equal_dtypes(self, dtype: object) -> None:
        """Name dtypes by equality if the dtype of a tensor only equals a public one."""
        cls = type(dtype)
        equals = {value: name for name, value in self._singletons if type(value) is cls}
        if self.name_of(dtype) is None and dtype in equals:
            self._equal_dtypes, self._class_of_equal_dtypes = equals, cls

    def class_name(self, cls: type) -> str:
        """Return the public name of a class, or its module and name if it is not the library's."""
        name = self._class_names.get(cls)
        if name is None:
            name = self._class_names[cls] = self._find_class_name(cls)
        return name

    def _find_class_name(self, cls: type) -> str:
        if getattr(builtins, cls.__name__, None) is cls:
            return str(cls.__name__)
        if (name := self.name_of(cls)) is not None:
            return f"torch.{name}"
        if attribute_or_none(attribute_or_none(self.root, "return_types"), cls.__name__) is cls:
            return f"torch.return_types.{cls.__name__}"
        if not cls.__flags__ & HEAP_TYPE and cls.__module__ == builtins.__name__:
            return cls.__qualname__
        path = f"{cls.__module__}.{cls.__qualname__}"
        is_real = attribute_or_none(sys.modules.get(cls.__module__), cls.__qualname__) is cls
        module = f"torch{cls.__module__.removeprefix(str(self._package))}"
        is_public = any(f"{module}.".startswith(f"{name}.") for name in MODULES[1:])
        if is_real and cls.__module__ != module and is_public:
            return f"{module}.{cls.__qualname__}"
        is_own = path.startswith(f"{self._package}.") and not is_public
        if is_real and is_own and (name := self._public_name_of(cls)) is not None:
            return name
        return path if is_real else f"a class that calls itself {path}"

    def _public_name_of(self, cls: type) -> str | None:
        """Return a name that one of torch's public modules has for a class of a private one."""
        for name in MODULES[1:]:
            module = reduce(attribute_or_none, name.split(".")[1:], self.root)
            for key, value in getattr(module, "__dict__", {}).items():
                if value is cls and not key.startswith("_"):
                    return f"{name}.{key}"
        return None

    def missing(self, source: str) -> str | None:
        """Return the first public name in ``source`` that the library lacks, or None."""
        names = public_names_in(source)
        return next(
            (f"torch.{name}" for name in names if attribute_or_none(self.root, name) is None), None
        )

    def missing_member(self, step: str, error: AttributeError) -> str | None:
        """Return the member of a public class that a step reads and the library lacks, or None.

        ``error`` is that of the step.
        """
        name: object = error.name
        if type(name) is not str or not name or not re.search(rf"\.{re.escape(name)}\b", step):
            return None
        cls: Any = type(error.obj)
        if issubclass(cls, type):
            cls = error.obj
        owners = (path for path in CLASSES if self._is_subclass(cls, path.removeprefix("torch.")))
        return next((f"{owner}.{name}" for owner in owners), None)

    def missing_operator(self, error: TypeError) -> str | None:
        """Return the method of Tensor whose lack made CPython raise an error, or None."""
        classes = [cls for cls in self._with_elements if self._is_subclass(cls, "Tensor")]
        tensors = {cls.__name__: cls for cls in classes}
        for name, method in methods_in(str(error)):
            of_object = getattr(object, method, None)  # of comparisons, which raise
            if name in tensors and getattr(tensors[name], method, None) is of_object:
                return f"torch.Tensor.{method}"
        return None

    def activate(self) -> None:
        """Set this library's default device, if another library in the same namespace ran last."""
        active = _ACTIVE.get(id(self.root))
        if active is not self:
            if (active and active.default_device) != self.default_device:
                with suppress(Exception, SystemExit):
                    self.root.set_default_device(self.default_device)
            self.mark_active()

    def seed(self) -> None:
        """Set the seed of random numbers, so that no part depends on what ran before."""
        with suppress(Exception, SystemExit):
            self.root.manual_seed(0)

    def scope(self) -> dict[str, Any]:
        """Return fresh globals for one program, and set this library's default device."""
        self.activate()
        return {"__name__": "case", "torch": self.root, **_modules()}

    def run(self, source: str, scope: dict[str, Any]) -> Any:
        """Run one step, and return its value if it is an expression."""
        code, is_expression = self.compiled(source)
        if "default_device" in source or "__enter__" in source:
            self._may_have_changed_device = True
        if "printoptions" in source:
            self._may_have_changed_printing = True
        if "serialization" in source:
            self._may_have_changed_files = True
        with self.context:
            if is_expression:
                return eval(code, scope)
            exec(code, scope)
        return None

    def compiled(self, source: str) -> tuple[CodeType, bool]:
        """Return the code of one step, and whether it is an expression."""
        return compiled(source)

    def repr(self, value: Any) -> str:
        """Return the ``repr`` of a value, in which torch names the package.

        The names of local functions are private.
        """
        if type(value) is FunctionType and "<locals>" in value.__qualname__:
            return "<a local function>"
        text = repr(value)
        has_own = getattr(type(value), "__repr__", None) is not object.__repr__
        return text if has_own else text.replace(f"<{self._package}.", "<torch.", 1)

    def mark_active(self) -> None:
        """Record that the default device is this library's."""
        _ACTIVE[id(self.root)] = self

    def _exit_devices(self) -> None:
        with suppress(Exception, SystemExit):
            device = self.root.device("cpu")
            for _ in range(100):
                device.__exit__(None, None, None)

    def _number_of_threads(self) -> int | None:
        """Return the number of threads of a kernel, or None if the library does not tell it."""
        try:
            return int(self.root.get_num_threads())
        except Exception:  # noqa: BLE001  # A subject may lack the function, or raise anything.
            return None

    def reset(self) -> None:
        """Restore the settings that the library was loaded with."""
        if self._may_have_changed_device:
            self._may_have_changed_device = False
            self._exit_devices()
            with suppress(Exception, SystemExit):
                self.root.set_default_device(None)
            self._exit_devices()  # contexts under the former default reappear
            with suppress(Exception, SystemExit):
                self.root.set_default_device(self.default_device)
        if self._may_have_changed_printing:
            self._may_have_changed_printing = False
            with suppress(Exception):
                self.root.set_printoptions(profile="default", sci_mode=None)
        if self._may_have_changed_files:
            self._may_have_changed_files = False
            with suppress(Exception):
                _restore_files(self.root)
        if self._threads is not None and self._number_of_threads() != self._threads:
            # With several threads, a kernel whose result is in its operand's memory is a race.
            with suppress(Exception):
                self.root.set_num_threads(self._threads)
        for restore in _RESTORED:
            try:
                restore(self.root, self._entered_modes)
            except Exception:  # noqa: BLE001  # No program can have changed what the subject lacks.
                continue


def _restore_dtype(root: Any, entered: list[Any]) -> None:
    if root.get_default_dtype() is not root.float32:
        root.set_default_dtype(root.float32)


def _restore_determinism(root: Any, entered: list[Any]) -> None:
    if root.are_deterministic_algorithms_enabled():
        root.use_deterministic_algorithms(False)


def _restore_filling(root: Any, entered: list[Any]) -> None:
    deterministic = root.utils.deterministic
    if not deterministic.fill_uninitialized_memory:
        deterministic.fill_uninitialized_memory = True


def _restore_modes(root: Any, entered: list[Any]) -> None:
    if not root.is_warn_always_enabled():
        root.set_warn_always(True)
    if root.is_inference_mode_enabled():
        # An entered manager that is garbage collected restores the former mode.
        entered.append(root.inference_mode(mode=False))
        entered[-1].__enter__()


def _restore_grad_mode(root: Any, entered: list[Any]) -> None:
    if not root.is_grad_enabled():
        root.set_grad_enabled(True)


def _restore_denormals(root: Any, entered: list[Any]) -> None:
    root.set_flush_denormal(False)  # No function tells it.


def _restore_invariants(root: Any, entered: list[Any]) -> None:
    checks = root.sparse.check_sparse_tensor_invariants
    if checks.is_enabled():
        checks.disable()


def _restore_files(root: Any) -> None:
    files = root.serialization
    if files.get_default_load_endianness() is not None:
        files.set_default_load_endianness(None)
    if files.get_crc32_options() is not True:
        files.set_crc32_options(True)
    if files.get_default_mmap_options() != MAP_PRIVATE:
        files.set_default_mmap_options(MAP_PRIVATE)
    if files.get_safe_globals():
        files.clear_safe_globals()


_RESTORED = (
    _restore_dtype, _restore_determinism, _restore_filling, _restore_modes, _restore_grad_mode,
    _restore_invariants, _restore_denormals,
)  # fmt: skip


def _files_of(modules: Iterable[str]) -> Iterator[str]:
    """Yield the file names of modules that are loaded."""
    for name in modules:
        if file := getattr(sys.modules.get(name), "__file__", None):
            yield file


def attribute_or_none(owner: Any, name: str) -> Any:
    """Return an attribute of an object, or None if it raises any exception."""
    try:
        return getattr(owner, name, None)
    except Exception:  # noqa: BLE001  # a module's __getattr__ may raise anything
        return None


def singleton_names(root: Any) -> list[str]:
    """Return one public name for each singleton of a library, preferably that of its ``repr``."""
    singletons = tuple(
        cls for name in SINGLETON_TYPES if isinstance(cls := attribute_or_none(root, name), type)
    )
    names_by_id: dict[int, list[str]] = {}
    # dir() also has the names of lazily created singletons.
    values = {name: attribute_or_none(root, name) for name in sorted(dir(root))}
    for name, value in values.items():
        if isinstance(value, (type, *singletons)) and not name.startswith("_"):
            names_by_id.setdefault(id(value), []).append(name)
    return [_preferred(names, values) for names in names_by_id.values()]


def _preferred(names: list[str], values: Mapping[str, Any]) -> str:
    text = repr(values[names[0]]).removeprefix("torch.")
    return text if text in names else names[0]


@cache
def _modules() -> dict[str, Any]:
    for name in case.MODULES:
        import_module(name)
    names = {name.partition(".")[0] for name in case.MODULES}
    return {name: sys.modules[name] for name in sorted(names)}


_STATEMENT = re.compile(
    r"[A-Za-z_][\w.\[\]:, -]* [-+*/%&|^@]*= |(?:del|import|from|for|if|with|def|class) |try:"
)
"""The beginning of a step that is no expression; others are found by compiling them."""


@lru_cache(maxsize=4096)
def compiled(source: str) -> tuple[CodeType, bool]:
    """Return the code of one step, and whether it is an expression.

    Raise `NoProgram` for a step that is no Python: every library would answer it alike.
    """
    # Warnings of the compiler are about the text, which both sides share.
    with warnings.catch_warnings(action="ignore"):
        if not _STATEMENT.match(source):
            with suppress(SyntaxError):
                return compile(source, CASE, "eval"), True
        try:
            return compile(source, CASE, "exec"), False
        except SyntaxError as error:
            raise NoProgram(f"a step is no Python: {source!r}") from error


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
