"""Loading of a library from its spec ``module[:attribute][@device]``.

A module, or the attribute, may be an adapter or have one as ``adapter``.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

from ..adapter import Adapter, Namespace
from ..core.errors import CouldNotRun
from .build import build_of
from .device_elements import elements_of_copy, why_unreadable
from .library import Library, attribute_or_none

TESTED_WITH = "2.13.0"
"""The version of torch that the committed reports use."""

NO_TORCH = (
    f"torch is not installed; try: python -m pip install torch=={TESTED_WITH}, or judge a subject"
    " by run --oracle recorded:FILE"
)


def load(spec: str, names: Iterable[str] | None = None) -> Library:
    """Return the library of a spec, or raise `CouldNotRun`.

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
    if isinstance(root, Library):
        return root
    adapter = root if isinstance(root, Adapter) else attribute_or_none(root, "adapter")
    if not isinstance(adapter, Adapter):
        adapter = Adapter(root)
    return _adapted(spec, adapter, device or adapter.device, names)


def _adapted(spec: str, adapter: Adapter, device: str, names: Iterable[str] | None) -> Library:
    """Return the library of an adapter, with a default device."""
    for name in adapter.imports:
        _import(name)
    root = _import(adapter.module) if isinstance(adapter.module, str) else adapter.module
    names_of_library = dict(adapter.names)
    if adapter.tensor is not None and attribute_or_none(root, "Tensor") is None:
        names_of_library.setdefault("Tensor", adapter.tensor_classes()[0])
    if names_of_library:
        root = Namespace(root, **names_of_library)
    if adapter.setup is not None:
        _call(spec, adapter.setup)
    if device:
        _use_device(spec, root, device)
        adapter = _with_elements(root, adapter)
    library = Library(spec, root, names, replace(adapter, device=device))
    if device:
        library.mark_active()
    return library


def _call(spec: str, setup: Callable[[], Any]) -> None:
    try:
        setup()
    except Exception as error:
        raise CouldNotRun(f"{spec!r}: its setup raises {_in_one_line(error)}") from error


def _in_one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # it may even try to end the process
        if module == "torch" and isinstance(error, ModuleNotFoundError) and error.name == "torch":
            raise CouldNotRun(NO_TORCH) from None
        raise CouldNotRun(f"{module!r} cannot be imported: {_in_one_line(error)}") from None


def _use_device(spec: str, root: Any, device: str) -> None:
    """Set the default device, simulated if there is no GPU, or raise `CouldNotRun`."""
    try:
        if device.startswith("cuda") and not root.cuda.is_available():
            _simulate_cuda(spec, root)
        _initialize(root, device)
        root.set_default_device(device)
        root.empty(0)  # an unavailable device raises only here
    except AttributeError:
        raise CouldNotRun(f"{spec!r}: the library has no set_default_device or no empty") from None
    except Exception as error:
        raise CouldNotRun(f"{spec!r}: {_in_one_line(error)}") from error


def _with_elements(root: Any, adapter: Adapter) -> Adapter:
    """Return an adapter that reads copies if the storages of the device cannot be read."""
    tensor = root.empty(1)
    is_read = adapter.elements is not None or tensor.device.type in ("cpu", "meta")
    if is_read or not why_unreadable(tensor):
        return adapter
    return replace(adapter, elements=elements_of_copy)


_INITIALIZERS = {"lazy": ("_lazy.ts_backend", "init")}
"""The submodule and the function that a backend of torch is initialized by, by device type."""


def _initialize(root: Any, device: str) -> None:
    """Initialize the backend of a device, where the library asks for that."""
    backend = _INITIALIZERS.get(device.partition(":")[0])
    if backend is None:
        return
    submodule, function = backend
    with suppress(ImportError):  # then the device has its own error
        getattr(import_module(f"{root.__name__}.{submodule}"), function)()


def _simulate_cuda(spec: str, root: Any) -> None:
    try:
        simulated = root.testing.simulated_cuda
    except AttributeError:
        raise CouldNotRun(
            f"{spec!r}: no CUDA device is available, and the library has no testing.simulated_cuda"
        ) from None
    simulated(2).__enter__()


LOADED = "loaded"


def try_to_load(spec: str) -> dict[str, str] | None:
    """Return the build of a library (see `build_of`), which is loaded in a subprocess.

    Raises `CouldNotRun` if it cannot be loaded.  The process that reports the status of a run
    never loads a subject.
    """
    process = subprocess.run(
        [sys.executable, "-m", f"{__package__}.loading", spec],
        capture_output=True,
        text=True,
        check=False,
    )
    word, _, build = (process.stdout.splitlines() or [""])[-1].partition(" ")
    if process.returncode != 0 or word != LOADED:
        lines = process.stdout.removeprefix("conformance: ").strip().splitlines()
        raise CouldNotRun(lines[-1] if lines else f"{spec!r} ends the process that imports it")
    return json.loads(build) if build else None


if __name__ == "__main__":
    try:
        library = load(sys.argv[1], names=())
    except CouldNotRun as error:
        print(error)
        sys.exit(2)
    print(LOADED, json.dumps(build_of(library.root)))
