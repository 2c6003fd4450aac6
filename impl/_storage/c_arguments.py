"""The arguments of C functions that PyArg_ParseTupleAndKeywords binds."""

import sys
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

from .._geometry.extents import INT64_END
from .._runtime.errors import check, type_name


def bind_arguments(
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    names: Sequence[str],
    convert: Callable[[int, str, Any], Any],
) -> dict[str, Any]:
    """Return the arguments by name, each converted by its position; the first one is required."""
    count = len(args) + len(keywords)
    if count > len(names):
        adjective = "" if args else "keyword "
        raise TypeError(f"function takes at most {len(names)} {adjective}arguments ({count} given)")
    given = {**keywords, **dict(zip(names, args, strict=False))}
    if names[0] not in given:
        raise TypeError(f"function missing required argument '{names[0]}' (pos 1)")
    positions = enumerate(names, 1)
    bound = {name: convert(pos, name, given[name]) for pos, name in positions if name in given}
    for position, name in enumerate(names[: len(args)], 1):
        if name in keywords:
            raise TypeError(
                f"argument for function given by name ('{name}') and position ({position})"
            )
    for name in keywords:
        if name not in names:
            if sys.version_info >= (3, 13):
                raise TypeError(f"this function got an unexpected keyword argument '{name}'")
            raise TypeError(f"'{name}' is an invalid keyword argument for this function")
    return bound


def c_string(position: int, value: Any) -> str:
    """Return the argument of a parameter "s"."""
    if not isinstance(value, str):
        type_text = "None" if value is None else type_name(value)
        raise TypeError(f"argument {position} must be str, not {type_text}")
    check("\0" not in value, lambda: "embedded null character", ValueError)
    return value


def c_ssize(value: Any) -> int:
    """Return the argument of a parameter "n"."""
    value = index(value)
    if not -INT64_END <= value < INT64_END:
        raise OverflowError("Python int too large to convert to C ssize_t")
    return int(value)
