"""What UntypedStorage.from_buffer() reads: the bytes of any buffer, in the order of this machine.

The order of the questions, and the words, are those of THPStorage_fromBuffer
in torch/csrc/StorageMethods.cpp, and of CPython's own reading of arguments.
"""

import sys
from collections.abc import Mapping
from operator import index
from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.constants import BOOL
from .._dtypes.table import DTYPES, dtype, spec_of
from .._runtime.errors import check, type_name

_NAMES = ("buffer", "byte_order", "count", "offset", "dtype")

_OF_SINGLE_BYTES = frozenset(
    DTYPES[name]
    for name in (
        "uint8", "int8", "float8_e5m2", "float8_e5m2fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    )
)  # fmt: skip
"""The dtypes that need no byte order."""

_READABLE = _OF_SINGLE_BYTES | {
    DTYPES[name]
    for name in (
        "bool", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
        "complex64", "complex128",
    )
}  # fmt: skip

_WRONG_OFFSET = "offset must be non-negative and no greater than buffer length ({}) , but got {}"


def read_buffer(args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Return a new array of the bytes that the arguments of ``from_buffer`` ask for."""
    given = _bound(args, keywords)
    kind = given.get("dtype")
    check("dtype" in given, lambda: "argument 'dtype' cannot be None")
    check(type(kind) is dtype, lambda: "argument 'dtype' must be of type torch.dtype")
    assert kind is not None
    swaps = kind not in _OF_SINGLE_BYTES and _swaps(given.get("byte_order"))
    content = _bytes_of(given["buffer"])
    size = kind.itemsize
    start, stop = _part(len(content), given.get("offset", 0), given.get("count", -1), size)
    check(kind in _READABLE, lambda: f"Unknown type: {spec_of(kind).cpp_name}")
    array = np.frombuffer(content, np.uint8)[start:stop].copy()
    if kind is BOOL:
        return (array != 0).view(np.uint8)
    if swaps:
        swapped = array.reshape(-1, kind.to_real().itemsize)[:, ::-1]
        return np.ascontiguousarray(swapped).reshape(-1)
    return array


def _bound(args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by name, as PyArg_ParseTupleAndKeywords reads "O|snnO"."""
    count = len(args) + len(keywords)
    if count > len(_NAMES):
        kind = "" if args else "keyword "
        raise TypeError(f"function takes at most 5 {kind}arguments ({count} given)")
    given: dict[str, Any] = {}
    for place, name in enumerate(_NAMES):
        if place < len(args):
            given[name] = _converted(name, args[place])
        elif name in keywords:
            given[name] = _converted(name, keywords[name])
        elif name == "buffer":
            raise TypeError("function missing required argument 'buffer' (pos 1)")
    for place, name in enumerate(_NAMES[: len(args)], 1):
        if name in keywords:
            raise TypeError(
                f"argument for function given by name ('{name}') and position ({place})"
            )
    for name in keywords:
        if name not in _NAMES:
            raise TypeError(_unknown(name))
    return given


def _unknown(name: str) -> str:
    if sys.version_info >= (3, 13):
        return f"this function got an unexpected keyword argument '{name}'"
    return f"'{name}' is an invalid keyword argument for this function"


def _converted(name: str, value: Any) -> Any:
    if name == "byte_order":
        if not isinstance(value, str):
            found = "None" if value is None else type_name(value)
            raise TypeError(f"argument 2 must be str, not {found}")
        check("\0" not in value, lambda: "embedded null character", ValueError)
    if name in ("count", "offset"):
        value = index(value)
        check(
            -(2**63) <= value < 2**63,
            lambda: "Python int too large to convert to C ssize_t",
            OverflowError,
        )
    return value


def _swaps(byte_order: str | None) -> bool:
    """Tell whether the bytes of each number are to be reversed."""
    check(byte_order is not None, lambda: "function missing required argument 'byte_order' (pos 2)")
    check(
        byte_order in ("big", "little", "native"),
        lambda: f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')",
        ValueError,
    )
    return byte_order not in ("native", sys.byteorder)


def _bytes_of(source: Any) -> memoryview:
    b"".replace(source, b"")  # asks for a simple buffer, and refuses all else in torch's words
    return memoryview(source).cast("B")


def _part(length: int, offset: int, count: int, size: int) -> tuple[int, int]:
    """Return where the wanted bytes start and stop."""
    check(0 <= offset <= length, lambda: _WRONG_OFFSET.format(offset, length), ValueError)
    if count < 0:
        check(
            (length - offset) % size == 0,
            lambda: f"buffer size ({length}) must be a multiple of element size ({size})",
            ValueError,
        )
        return offset, length
    stop = offset + count * size
    check(
        stop <= length,
        lambda: (
            f"buffer has only {length - offset} elements after offset {offset},"
            f" but specified a size of {count}"
        ),
        ValueError,
    )
    return offset, stop
