"""Arrays of bytes over memory-mapped files (aten/src/ATen/MapAllocator.cpp)."""

import os
from mmap import ACCESS_COPY, ACCESS_WRITE, mmap
from typing import Any

from .._runtime.errors import check
from .foreign_memory import shared_bytes
from .numpy_bridge import np


def mapped_bytes(filename: str, size: int, *, shared: bool) -> Any:
    """Return the first bytes of a file as a writable array.

    A shared array writes to the file, which is created or stretched if needed.  The writes to
    another array stay in memory.
    """
    if not size:
        return shared_bytes(0)
    flags = os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY
    try:
        file = os.open(filename.partition("\0")[0], flags, 0o600)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        message = f"unable to open file <{filename}> in {mode} mode: {_text(error)}"
        raise RuntimeError(message.partition("\0")[0]) from None
    try:
        _check_size(file, filename, size, shared)
        access = ACCESS_WRITE if shared else ACCESS_COPY
        return np.ndarray((size,), np.uint8, mmap(file, size, access=access))
    except (OSError, OverflowError, ValueError) as error:
        reason = _text(error) if isinstance(error, OSError) else "Cannot allocate memory (12)"
        raise RuntimeError(
            f"unable to mmap {size} bytes from file <{filename}>: {reason}"
        ) from None
    finally:
        os.close(file)


def _check_size(file: int, filename: str, size: int, shared: bool) -> None:
    """Stretch a shared file to a size; raise if another file is smaller."""
    file_size = os.fstat(file).st_size
    if size <= file_size:
        return
    check(
        shared,
        lambda: (
            f"file <{filename}> size <{file_size}> is smaller than the required mapping size"
            f" <{size}>"
        ),
    )
    try:
        os.ftruncate(file, size)
    except OSError as error:
        raise RuntimeError(
            f"unable to resize file <{filename}> to the right size: {_text(error)}"
        ) from None


def _text(error: OSError) -> str:
    return f"{error.strerror} ({error.errno})"
