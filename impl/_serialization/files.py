"""Files for saving and loading: paths and file-like objects (torch/serialization.py)."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._runtime.errors import check
from .options import SaveOptions
from .zip_writer import ZipWriter, archive_name, open_for_writing


def is_path(file: Any) -> bool:
    """Return whether a file is given by its name."""
    return isinstance(file, str | os.PathLike)


@contextmanager
def opened(file: Any, mode: str) -> Iterator[Any]:
    """Return a context with a file opened by its name, or with a file-like object."""
    if is_path(file):
        with open(file, mode) as real_file:
            yield real_file
        return
    if mode == "rb":
        check_seekable(file)
    yield file
    if mode == "wb":
        file.flush()


def check_seekable(file: Any) -> None:
    """Raise if a file-like object has no position."""
    try:
        file.seek(file.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if not any(name in str(error) for name in ("seek", "tell")):
            raise
        raise type(error)(  # noqa: B904  # torch's error has the first one as its context
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the"
            " data into a buffer like io.BytesIO and try to load from it instead."
        )


def has_descriptor(file: Any) -> bool:
    """Return whether a file is one of the operating system, and not compressed."""
    if getattr(file, "__module__", None) == "gzip":
        return False
    try:
        return bool(file.fileno() >= 0)
    except (io.UnsupportedOperation, AttributeError):
        return False


def read_into(file: Any, array: Any) -> int:
    """Fill an array of bytes from a file, and return the number of bytes that the file had."""
    view, count = memoryview(array), 0
    while count < len(view):
        if hasattr(file, "readinto"):
            step = file.readinto(view[count:])
        else:
            part = file.read(len(view) - count)
            step = len(part)
            view[count : count + step] = part
        if not step:
            break
        count += step
    return count


def is_zip(file: Any) -> bool:
    """Return whether the file begins, at its position, with a local header."""
    start = file.tell()
    header = file.read(4)
    file.seek(start)
    return bool(header == b"PK\x03\x04")


def check_saveable(file: Any) -> None:
    """Raise if the argument ``f`` of torch.save is neither a path nor a file."""
    check(
        is_path(file) or hasattr(file, "write"),
        lambda: "expected 'f' to be string, path, or a file-like object with a 'write' attribute",
        AttributeError,
    )


@contextmanager
def zip_writer(file: Any) -> Iterator[ZipWriter]:
    """Return a context with a writer of records; the archive is completed even after an error."""
    name = "archive"
    if is_path(file) and file.isascii():
        name = archive_name(file)
        target = open_for_writing(file)
    elif is_path(file):
        target = open(file, "wb")  # noqa: SIM115  # closed below
    else:
        _check_write(file)
        target = file
    writer = ZipWriter(
        target.write,
        lambda size: target.seek(size, os.SEEK_CUR),
        name,
        compute_crc32=SaveOptions.compute_crc32,
        alignment=SaveOptions.storage_alignment,
    )
    try:
        try:
            yield writer
        finally:
            writer.write_end_of_file()
            target.flush()
    finally:
        if target is not file:
            target.close()


def _check_write(file: Any) -> None:
    if not callable(getattr(file, "write", None)):
        message = f"Buffer of {str(type(file)).strip('<>')} has no callable attribute 'write'"
        raise TypeError(message) if hasattr(file, "write") else AttributeError(message)
