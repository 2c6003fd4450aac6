"""Loads a library from its spec: ``module[:attribute][@device]``."""

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from .errors import CouldNotRun
from .library import Library


def load(spec: str, names: Iterable[str] | None = None) -> Library:
    """Load the library that a spec names, or raise `CouldNotRun`.

    The current folder is searched too, as ``python -m`` does.
    """
    path, _, device = spec.partition("@")
    module, _, attribute = path.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    root = _import(module)
    for name in filter(None, attribute.split(".")):
        try:
            root = getattr(root, name)
        except AttributeError:
            raise CouldNotRun(f"{spec!r}: {module!r} has no attribute {attribute!r}") from None
    if device:
        _use_device(spec, root, device)
    if isinstance(root, Library):
        return root
    return Library(spec, root, names)


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise CouldNotRun(
            f"{module!r} cannot be imported: {type(error).__name__}: {why}"
        ) from error


def _use_device(spec: str, root: Any, device: str) -> None:
    """Make a device the default one, through torch's own function."""
    try:
        root.set_default_device(device)
    except AttributeError:
        raise CouldNotRun(f"{spec!r}: the library has no set_default_device") from None
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise CouldNotRun(f"{spec!r}: {type(error).__name__}: {why}") from error
