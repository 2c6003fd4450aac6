"""The bytes of a buffer for UntypedStorage.from_buffer(), in native byte order.

The checks and messages are those of THPStorage_fromBuffer in torch/csrc/StorageMethods.cpp
and of PyArg_ParseTupleAndKeywords.
"""

import sys
from collections.abc import Mapping
from typing import Any

from .._arrays.numpy_bridge import np
from .._dtypes.constants import BOOL
from .._dtypes.table import DTYPES, dtype, spec_of
from .._runtime.errors import check
from .c_arguments import bind_arguments, c_ssize, c_string

_PARAMETERS = ("buffer", "byte_order", "count", "offset", "dtype")

_SINGLE_BYTE = frozenset(
    DTYPES[name]
    for name in (
        "uint8", "int8", "float8_e5m2", "float8_e5m2fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    )
)  # fmt: skip
"""The dtypes that need no byte order."""

_READABLE = _SINGLE_BYTE | {
    DTYPES[name]
    for name in (
        "bool", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
        "complex64", "complex128",
    )
}  # fmt: skip

_OFFSET_MESSAGE = "offset must be non-negative and no greater than buffer length ({}) , but got {}"


def read_buffer(args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Return a new array of bytes for the arguments of ``from_buffer``."""
    bound = bind_arguments(args, keywords, _PARAMETERS, _convert)
    dtype_arg: Any = bound.get("dtype")
    check("dtype" in bound, lambda: "argument 'dtype' cannot be None")
    check(type(dtype_arg) is dtype, lambda: "argument 'dtype' must be of type torch.dtype")
    byteswap = dtype_arg not in _SINGLE_BYTE and _needs_byteswap(bound.get("byte_order"))
    data = _as_bytes(bound["buffer"])
    itemsize = dtype_arg.itemsize
    start, stop = _byte_range(len(data), bound.get("offset", 0), bound.get("count", -1), itemsize)
    check(dtype_arg in _READABLE, lambda: f"Unknown type: {spec_of(dtype_arg).cpp_name}")
    array = np.frombuffer(data, np.uint8)[start:stop].copy()
    if dtype_arg is BOOL:
        return (array != 0).view(np.uint8)
    if byteswap:
        swapped = array.reshape(-1, dtype_arg.to_real().itemsize)[:, ::-1]
        return np.ascontiguousarray(swapped).reshape(-1)
    return array


def _convert(position: int, name: str, value: Any) -> Any:
    if name == "byte_order":
        return c_string(position, value)
    return c_ssize(value) if name in ("count", "offset") else value


def _needs_byteswap(byte_order: str | None) -> bool:
    """Return whether the bytes of each number must be reversed."""
    check(byte_order is not None, lambda: "function missing required argument 'byte_order' (pos 2)")
    if byte_order not in ("big", "little", "native"):
        raise ValueError(
            f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')"
        )
    return byte_order not in ("native", sys.byteorder)


def _as_bytes(source: Any) -> memoryview:
    b"".replace(source, b"")  # raises torch's TypeError unless PyBUF_SIMPLE works
    return memoryview(source).cast("B")


def _byte_range(length: int, offset: int, count: int, itemsize: int) -> tuple[int, int]:
    """Return the start and stop of the requested bytes."""
    check(0 <= offset <= length, lambda: _OFFSET_MESSAGE.format(offset, length), ValueError)
    if count < 0:
        if (length - offset) % itemsize:
            raise ValueError(
                f"buffer size ({length}) must be a multiple of element size ({itemsize})"
            )
        return offset, length
    stop = offset + count * itemsize
    if stop > length:
        raise ValueError(
            f"buffer has only {length - offset} elements after offset {offset},"
            f" but specified a size of {count}"
        )
    return offset, stop
