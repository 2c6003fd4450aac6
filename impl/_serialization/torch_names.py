"""The names of classes and functions in torch's files, and those of this package.

A file has the names of torch, so that torch can read it.  They differ from those of this package
in the name of the package, and in a few modules.
"""

import pickle
import re
import sys
from importlib import import_module
from io import BytesIO
from struct import unpack_from
from types import FunctionType
from typing import Any

from .._geometry.layout import memory_format
from .._runtime.c_types import PACKAGE
from . import rebuilding

_REBUILD = {
    "_rebuild_from_type_v2": "torch._tensor",
    **dict.fromkeys(
        (
            "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3",
            "_rebuild_sparse_tensor", "_rebuild_meta_tensor_no_storage", "_rebuild_parameter",
            "_rebuild_parameter_with_state",
        ),
        "torch._utils",
    ),
}  # fmt: skip
"""The functions that rebuild tensors, and torch's modules of them."""

REBUILD_FUNCTIONS: dict[str, Any] = {
    f"{module}.{name}": getattr(rebuilding, name) for name, module in _REBUILD.items()
}
"""The functions that rebuild tensors, by their names in torch."""

_SPECIAL = {
    (PACKAGE, "Generator"): ("torch._C", "Generator"),
    **{
        (getattr(rebuilding, name).__module__, name): (module, name)
        for name, module in _REBUILD.items()
    },
}


def torch_name(module: str, name: str) -> tuple[str, str]:
    """Return torch's module and name for a global of this package; others stay as they are."""
    special = _SPECIAL.get((module, name))
    if special is not None:
        return special
    if module == PACKAGE or module.startswith(f"{PACKAGE}."):
        return sys.intern("torch" + module.removeprefix(PACKAGE)), name
    return module, name


_C_OWNERS = {"_VariableFunctionsClass": PACKAGE, "TensorBase": f"{PACKAGE}.Tensor"}
"""The classes of torch._C in pickled functions and methods, and what has these here."""


def find_torch_global(module: str, name: str) -> Any:
    """Return the object of this package for a name of torch; torch itself is never imported."""
    found = REBUILD_FUNCTIONS.get(f"{module}.{name}")
    if found is not None:
        return found
    if module in ("torch._C", "torch._utils", "torch._tensor"):
        name = name.removeprefix("torch.")  # as memory formats are written
        path = _C_OWNERS.get(name, f"{PACKAGE}.{name}").split(".")
    else:
        path = [PACKAGE, *module.split(".")[1:], *name.split(".")]
    return _attribute(path, module, name)


def _attribute(path: list[str], module: str, name: str) -> Any:
    value: Any = import_module(PACKAGE)
    modules = len(path) - name.count(".") - 1
    for depth, part in enumerate(path[1:], 2):
        missing = ".".join(["torch", *path[1:depth]])
        if part.startswith("_") and depth < len(path):
            raise ModuleNotFoundError(f"No module named '{missing}'")
        try:
            value = getattr(value, part)
        except AttributeError:
            if depth <= modules:
                raise ModuleNotFoundError(f"No module named '{missing}'") from None
            raise AttributeError(f"Can't get attribute {name!r} on <module '{module}'>") from None
    return value


def is_of_torch(module: str) -> bool:
    """Return whether a module is torch or one of its modules."""
    return module == "torch" or module.startswith("torch.")


_TORCH = "".join([*"torch"])
"""The module of dtypes: torch finds it in sys.modules, and a pickle has another string for it."""


_PYTHON_PICKLER: Any = pickle._Pickler


class TorchPickler(_PYTHON_PICKLER):  # type: ignore[misc]
    """A pickler that writes torch's names, for protocols 4 and 5."""

    def save_global(self, obj: Any, name: Any = None) -> None:
        """Write the name of a class or function."""
        qualname = name or getattr(obj, "__qualname__", None) or obj.__name__
        module = pickle.whichmodule(obj, qualname)  # type: ignore[attr-defined]
        renamed = torch_name(module, qualname)
        if renamed == (module, qualname):
            super().save_global(obj, name)
            return
        is_found = not isinstance(obj, type | FunctionType)
        self._write_global(obj, _TORCH if is_found else renamed[0], renamed[1])

    def save_memory_format(self, obj: memory_format) -> None:
        """Write the name of a memory format, as it is in torch's files."""
        self._write_global(obj, "torch._utils", str(obj))

    def _write_global(self, obj: Any, module: str, name: str) -> None:
        self.save(module)
        self.save(name)
        self.write(pickle.STACK_GLOBAL)
        self.memoize(obj)

    dispatch = _PYTHON_PICKLER.dispatch | {
        FunctionType: save_global,
        memory_format: save_memory_format,
    }


def pickled(obj: Any, pickle_module: Any, protocol: int, persistent_id: Any) -> bytes:
    """Return the pickle of an object with torch's names."""
    is_new = isinstance(protocol, int) and not 0 <= protocol <= 3
    by_python = pickle_module is pickle and is_new
    base: Any = TorchPickler if by_python else pickle_module.Pickler
    if by_python:
        pickle.Pickler(BytesIO(), protocol)  # raises for a number that is no protocol

    class Pickler(base):  # type: ignore[misc]
        def persistent_id(self, obj: Any) -> Any:
            return persistent_id(obj)

    buffer = BytesIO()
    Pickler(buffer, protocol=protocol).dump(obj)
    data = buffer.getvalue()
    return data if by_python else _renamed(data)


_FIXED = re.compile(
    rb"(?s:[()\].}012NQRabdelostu\x81\x85\x86\x87\x88\x89]|[Khq\x80].|M..|[Jjr]....|G.{8}"
    rb"|[ILFSVPgp][^\n]*\n){0,4096}+"
)
"""Opcodes of protocols 0 to 3, up to one with a length or the name of a global."""

_SIZED = {ord("U"): "<B", ord("T"): "<i", ord("X"): "<I", ord("C"): "<B", ord("B"): "<I",
          0x8A: "<B", 0x8B: "<i"}  # fmt: skip
"""The opcodes with a length, and its format."""


def _renamed(data: bytes) -> bytes:
    """Return a pickle of protocol 0 to 3 with torch's names for globals of this package."""
    if b"c" + PACKAGE.encode() not in data:
        return data
    parts: list[bytes] = []
    copied = position = 0
    while position < len(data):
        found = _FIXED.match(data, position)
        end = position if found is None else found.end()
        if end < len(data) and data[end] in _SIZED:
            form = _SIZED[data[end]]
            (length,) = unpack_from(form, data, end + 1)
            end += 1 + (1 if form == "<B" else 4) + length
        elif data[end : end + 1] == b"c":
            after = data.index(b"\n", data.index(b"\n", end) + 1) + 1
            module, name = data[end + 1 : after - 1].decode().split("\n")
            parts += data[copied:end], "c{}\n{}\n".format(*torch_name(module, name)).encode()
            copied = end = after
        elif end == position:
            return data  # of another protocol
        position = end
    return b"".join([*parts, data[copied:]])
