"""``import torch`` that gives this package: a finder on ``sys.meta_path``, and `as_torch`.

``sys.modules["torch"]`` is this package, ``sys.modules["torch.utils"]`` its module ``utils``, and
so on.  Meanwhile the name of this package is "torch", as libraries tell by it whose functions they
call.  Without the finder, Python's own would load the files of this package a second time.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec as _find_spec
from threading import RLock
from types import ModuleType

from .c_types import PACKAGE
from .lazy_exports import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import Distribution
    from typing import Any

TORCH = "torch"


def _is_torch(name: str) -> bool:
    return name == TORCH or name.startswith(f"{TORCH}.")


def _own_name(name: str) -> str:
    """Return the name in this package of a module of torch."""
    return PACKAGE + name.removeprefix(TORCH)


def _is_private(name: str) -> bool:
    """Return whether a module is private; private modules of this package are not torch's."""
    return any(part.startswith("_") for part in name.split("."))


def _is_asked_for_spec_alone() -> bool:
    """Return whether importlib.util.find_spec called the finder, which expects None."""
    return sys._getframe(3).f_globals.get("__name__") == _find_spec.__module__


class _Finder:
    """The finder and loader of ``torch`` and its submodules (importlib.abc)."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> "ModuleSpec | None":
        if not _is_torch(name):
            return None
        own = None if _is_private(name) else _find_spec(_own_name(name))
        if own is not None:
            spec = ModuleSpec(name, self, origin=own.origin)  # type: ignore[arg-type]  # duck-typed
            spec.submodule_search_locations = own.submodule_search_locations
            return spec
        if not _is_private(name) and _is_asked_for_spec_alone():
            return None
        # After None, Python's finder would search the folder of this package.
        raise ModuleNotFoundError(
            f"No module named {name!r} ({PACKAGE} stands in for torch and has no {name})", name=name
        )

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(_own_name(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # importlib has just set the spec of torch's name, whose loader_state is the module's own.
        spec: Any = module.__spec__
        if spec.loader is self:
            module.__spec__ = spec.loader_state

    def find_distributions(self, context: "Any" = None) -> "Iterable[Distribution]":
        """Return the distribution ``torch``, if ``context`` asks for it (importlib.metadata)."""
        found: Iterable[Distribution] = load("_runtime.distribution").find(context)
        return found


_FINDER = _Finder()
_LOCK = RLock()
_holders = 0
_hidden: "dict[str, Any]" = {}
"""The former entries of sys.modules: None, which blocks an import, or this package's modules."""


def _acquire() -> None:
    global _holders
    with _LOCK:
        if not _holders:
            _install()
        _holders += 1


def _release() -> None:
    global _holders
    with _LOCK:
        _holders -= 1
        if not _holders:
            _uninstall()


def _loaded() -> "dict[str, Any]":
    return {name: sys.modules[name] for name in [*sys.modules] if _is_torch(name)}


def _install() -> None:
    loaded = _loaded()
    real = [
        name
        for name, module in loaded.items()
        if module is not None and module is not sys.modules.get(_own_name(name))
    ]
    if real:
        raise RuntimeError(
            f"{PACKAGE} cannot stand in for torch, because this process has imported {min(real)!r}"
            " from elsewhere. Call as_torch() before the first import of torch."
        )
    for name in loaded:
        _hidden[name] = sys.modules.pop(name)
    sys.modules[TORCH] = package = sys.modules[PACKAGE]
    package.__name__ = TORCH
    sys.meta_path.insert(0, _FINDER)


def _uninstall() -> None:
    # By identity, and in place: the program may have added finders of its own.
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not _FINDER]
    for name in _loaded():
        del sys.modules[name]
    sys.modules.update(_hidden)
    sys.modules[PACKAGE].__name__ = PACKAGE
    _hidden.clear()


class as_torch:
    """as_torch(): let ``import torch`` give this package, from now on or in a ``with`` block.

    Submodules such as ``torch.utils.dlpack`` are this package's own, and its ``__name__`` is
    "torch".  Raises RuntimeError if the
    process has imported another torch.  At the end of the outermost block, sys.modules and
    sys.meta_path are as they were before; modules that the block imported keep this package as
    their torch.

    >>> import sys, impl
    >>> with impl.as_torch():
    ...     import torch.utils.dlpack
    ...     torch is impl, torch.utils.dlpack is impl.utils.dlpack, torch.__name__
    (True, True, 'torch')
    >>> "torch" in sys.modules
    False
    """

    __slots__ = ("_is_pending",)

    def __init__(self) -> None:
        _acquire()
        self._is_pending = True  # the first block ends what the call began

    def __enter__(self) -> ModuleType:
        with _LOCK:
            if not self._is_pending:
                _acquire()
            self._is_pending = False
        return sys.modules[PACKAGE]

    def __exit__(self, *exc_info: object) -> None:
        _release()
