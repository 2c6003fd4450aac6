"""Storages over memory-mapped files (THPStorage_fromFile in torch/csrc/StorageMethods.cpp)."""

from collections.abc import Mapping
from operator import index
from typing import Any

from .._arrays.mapped_file import mapped_bytes
from .c_arguments import bind_arguments, c_ssize, c_string


def _convert(position: int, name: str, value: Any) -> Any:
    if name == "filename":
        return c_string(position, value)
    return c_ssize(value) if name == "nbytes" else bool(index(value))


def read_file(args: tuple[Any, ...], keywords: Mapping[str, Any]) -> tuple[Any, str | None]:
    """Return an array for the arguments of ``from_file``, and the name of a shared file."""
    bound = bind_arguments(args, keywords, ("filename", "shared", "nbytes"), _convert)
    filename, shared = bound["filename"], bound.get("shared", False)
    array = mapped_bytes(filename, bound.get("nbytes", 0), shared=shared)
    return array, filename if shared else None
