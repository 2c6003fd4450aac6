"""Uninitialized memory of a library, filled with one of two byte patterns.

An element that nothing wrote differs between the fills; every other element is equal.

The CPU allocator of torch fills each allocation if a flag is set (`alloc_cpu` in
c10/core/impl/alloc_cpu.cpp): with zeros, or with junk that has no zero byte. The flags are exported
by torch's library c10 and change nothing else. `Library.fill_memory` is a hook for other libraries.
Without both, and on CUDA, there is a weaker scheme: blocks of many sizes are allocated, filled and
freed, so that the allocator returns filled memory. Memory that a program frees itself is not filled
by it.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from .library import Library, attribute_or_none

JUNK, ZEROS = "junk", "zeros"
"""The fills. `fill_by_default` sets the first one."""

_LIBRARIES = ("libc10.so", "libc10.dylib", "c10.dll")
_FLAG = "FLAGS_caffe2_cpu_allocator_do_{}_fill"
_FREED_BYTES = 1024
_FREED_BLOCKS = 8
_CUDA_SIZES = range(2**9, 2**14 + 1, 2**9)
"""The sizes that torch rounds those of small CUDA blocks to (c10/cuda/CUDACachingAllocator.cpp)."""

_BYTES = {JUNK: 0xEF, ZEROS: 0}

Flags = dict[str, ctypes.c_bool]


def fill_by_default(library: Library) -> None:
    """Fill all uninitialized memory of a library with junk from now on, if it has the flags."""
    if flags := _flags_of(library):
        _set(flags, JUNK)


def other_fills(library: Library) -> tuple[str, ...]:
    """Return the fills that differ from the default one of a library."""
    flags = _flags_of(library)
    is_filled = flags and flags[JUNK].value and not _has_cuda(library)
    return (ZEROS,) if is_filled else (JUNK, ZEROS)


def can_fill(library: Library) -> bool:
    """Return whether all uninitialized memory of a library can be filled."""
    return library.fill_memory is not None or bool(_flags_of(library))


@contextmanager
def filled(library: Library, fill: str) -> Iterator[None]:
    """Fill the uninitialized memory of a library inside the context."""
    if library.fill_memory is not None:
        with library.fill_memory(_BYTES[fill]):
            yield
        return
    if _has_cuda(library):
        _fill_freed_cuda_memory(library.root, _BYTES[fill])
    flags = _flags_of(library)
    if not flags:
        _fill_freed_memory(library.root, _BYTES[fill])
        yield
        return
    before = {name: flag.value for name, flag in flags.items()}
    _set(flags, fill)
    try:
        yield
    finally:
        for name, value in before.items():
            flags[name].value = value


def _set(flags: Flags, fill: str) -> None:
    for name, flag in flags.items():
        flag.value = name == fill


def _flags_of(library: Library) -> Flags:
    path = attribute_or_none(library.root, "__file__")
    return _load_flags(path) if isinstance(path, str) else {}


@cache
def _load_flags(path: str) -> Flags:
    folder = Path(path).parent / "lib"
    for name in _LIBRARIES:
        if (folder / name).exists():
            with suppress(OSError, ValueError):
                c10 = ctypes.CDLL(str(folder / name))
                names = {JUNK: "junk", ZEROS: "zero"}
                return {
                    fill: ctypes.c_bool.in_dll(c10, _FLAG.format(word))
                    for fill, word in names.items()
                }
    return {}


def _fill_freed_memory(root: Any, byte: int) -> None:
    blocks = []
    with suppress(Exception):
        for size in range(1, _FREED_BYTES):
            block = [root.UntypedStorage(size) for _ in range(_FREED_BLOCKS)]
            for storage in block:
                storage.fill_(byte)
            blocks.append(block)


def _has_cuda(library: Library) -> bool:
    """Return whether a library has CUDA devices of its own."""
    try:
        return bool(library.root.cuda.is_available())
    except Exception:  # noqa: BLE001  # a library may have anything there
        return False


def _fill_freed_cuda_memory(root: Any, byte: int) -> None:
    blocks = []
    with suppress(Exception):
        for size in _CUDA_SIZES:
            blocks += [root.empty(size, dtype=root.uint8, device="cuda") for _ in range(4)]
        for block in blocks:
            block.fill_(byte)
