"""Loads a library from its spec: ``module[:attribute][@device]``."""

import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..core.errors import CouldNotRun
from .library import Library


def load(spec: str, names: Iterable[str] | None = None) -> Library:
    """Load the library that a spec names, or raise `CouldNotRun`.

    The current folder is searched too, as ``python -m`` does.
    """
    path, _, device = spec.partition("@")
    module, _, attribute = path.partition(":")
    if not module.strip():
        raise CouldNotRun(f"{spec!r} names no module")
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
    library = Library(spec, root, names)
    if device:
        library.has_been_set()
    return library


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # it may even try to end the process
        why = str(error).partition("\n")[0]
        raise CouldNotRun(f"{module!r} cannot be imported: {type(error).__name__}: {why}") from None


def _use_device(spec: str, root: Any, device: str) -> None:
    """Make a device the default one, through torch's own function; where there is no GPU, one that is simulated."""
    try:
        if device.startswith("cuda") and not root.cuda.is_available():
            root.testing.simulated_cuda(2).__enter__()
        root.set_default_device(device)
        root.empty(0)  # a device that is only named does not fail before
    except AttributeError:
        raise CouldNotRun(f"{spec!r}: the library has no set_default_device or no empty") from None
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise CouldNotRun(f"{spec!r}: {type(error).__name__}: {why}") from error


LOADED = "loaded"


def try_to_load(spec: str) -> None:
    """Load a library in a process of its own, which it may end; raise `CouldNotRun` if it cannot be.

    The process that reports a run's status never loads a subject.
    """
    done = subprocess.run(
        [sys.executable, "-m", f"{__package__}.loading", spec],
        capture_output=True,
        text=True,
        check=False,
    )
    last = (done.stdout.splitlines() or [""])[-1]
    if done.returncode != 0 or last != LOADED:
        said = done.stdout.removeprefix("conformance: ").strip().splitlines()
        raise CouldNotRun(said[-1] if said else f"{spec!r} ends the process that imports it")


if __name__ == "__main__":
    try:
        load(sys.argv[1], names=())
    except CouldNotRun as error:
        print(error)
        sys.exit(2)
    print(LOADED)
