"""The writer of zip archives of records (PyTorchStreamWriter).

The layout is that of caffe2/serialize/inline_container.cc and of miniz, byte for byte: records are
stored uncompressed, and a padding before each of them aligns its content.
"""

import os
import sys
from collections.abc import Callable
from struct import pack
from typing import Any
from zlib import crc32

from .._runtime.errors import check
from .serialization_id import serialization_id

UINT32_MAX = 2**32 - 1
UINT16_MAX = 2**16 - 1

LOCAL_HEADER = "<I5H3I2H"
CENTRAL_HEADER = "<I6H3I5H2I"
SIGNATURES = {"local": 0x04034B50, "descriptor": 0x08074B50, "central": 0x02014B50}
END64, LOCATOR64, END = "<IQ2H2I4Q", "<IIQI", "<I4H2IH"
END_SIGNATURES = {END64: 0x06064B50, LOCATOR64: 0x07064B50, END: 0x06054B50}

_FLAGS = 0x0808
"""The flags of a record: a data descriptor follows it, and its name is in UTF-8."""

_FLAGS_EMPTY = 0x0800
"""The flags of a record without content, which has no data descriptor."""

SERIALIZATION_ID = ".data/serialization_id"


class ZipWriter:
    """Writes records to a function that takes bytes.

    ``skip_bytes(size)`` advances the position in the file, for records without content.
    """

    def __init__(
        self,
        write: Callable[[Any], Any],
        skip_bytes: Callable[[int], Any],
        archive_name: str,
        *,
        compute_crc32: bool,
        alignment: int,
    ) -> None:
        self._write, self._skip_bytes = write, skip_bytes
        self._folder = f"{archive_name}/"
        self._compute_crc32, self._alignment = compute_crc32, alignment
        self._position = 0
        self._crc32s: dict[str, int | None] = {}
        self._central: list[bytes] = []

    def write_record(self, name: str, data: Any, size: int) -> None:
        """Write a record of ``size`` bytes; without ``data``, only the space for it."""
        if name in self._crc32s:
            raise RuntimeError(f"Tried to serialize file twice: {name}")
        start, full_name = self._position, f"{self._folder}{name}".encode()
        checksum = crc32(data) if self._compute_crc32 and data is not None and size else 0
        extra64 = _extra64(size, start)
        padding = self._padding(len(full_name) + len(extra64))
        lengths = len(full_name), len(extra64) + len(padding)
        flags = _FLAGS if size else _FLAGS_EMPTY
        self._emit(pack(LOCAL_HEADER, SIGNATURES["local"], 0, flags, 0, 0, 0, 0, 0, 0, *lengths))
        self._emit(full_name)
        if extra64:
            self._emit(_extra64(size, start, compressed=0))  # which is not known yet
        self._emit(padding)
        if size:
            if data is None:
                self._skip_bytes(size)
                self._position += size
            else:
                self._emit(data, size)
            sizes = "2Q" if extra64 else "2I"
            self._emit(pack(f"<2I{sizes}", SIGNATURES["descriptor"], checksum, size, size))
        self._crc32s[name] = checksum if size else None
        self._central.append(_central_header(full_name, checksum, size, start, extra64))

    def _padding(self, name_length: int) -> bytes:
        """Return the extra field after which the content is aligned."""
        length = -(self._position + 30 + name_length + 4) % self._alignment
        return b"FB" + pack("<H", length & UINT16_MAX) + b"Z" * length

    def _emit(self, data: Any, size: int | None = None) -> None:
        self._write(memoryview(data))
        self._position += len(data) if size is None else size

    def write_end_of_file(self) -> None:
        """Write the records that each archive has, and the central directory."""
        self.write_record("version", b"3\n", 2)
        if "byteorder" not in self._crc32s:
            self.write_record("byteorder", sys.byteorder.encode(), len(sys.byteorder))
        crc32s = [crc for crc in self._crc32s.values() if crc is not None]
        identifier = serialization_id(self._crc32s, crc32s).encode()
        self.write_record(SERIALIZATION_ID, identifier, len(identifier))
        start, count = self._position, len(self._central)
        directory = b"".join(self._central)
        self._emit(directory)
        end64, size = self._position, len(directory)
        counts = 0, 0, count, count
        self._emit(pack(END64, END_SIGNATURES[END64], 44, 0x031E, 45, *counts, size, start))
        self._emit(pack(LOCATOR64, END_SIGNATURES[LOCATOR64], 0, end64, 1))
        few = min(count, UINT16_MAX)
        ends = min(size, UINT32_MAX), min(start, UINT32_MAX)
        self._emit(pack(END, END_SIGNATURES[END], 0, 0, few, few, *ends, 0))


def _extra64(size: int, start: int, compressed: int | None = None) -> bytes:
    """Return the zip64 field of a record that is large, or far from the start of the file."""
    large = [size, size if compressed is None else compressed] if size >= UINT32_MAX else []
    values = [*large, *([start] if start >= UINT32_MAX else [])]
    return pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values) if values else b""


def content_start(position: int, name_length: int, size: int, alignment: int) -> int:
    """Return the position of the aligned content of a record that begins at a position."""
    header_end = position + 30 + name_length + len(_extra64(size, position)) + 4
    return header_end + -header_end % alignment


def _central_header(name: bytes, checksum: int, size: int, start: int, extra64: bytes) -> bytes:
    few = min(size, UINT32_MAX)
    flags = _FLAGS if size else _FLAGS_EMPTY
    header = pack(
        CENTRAL_HEADER, SIGNATURES["central"], 0, 0, flags, 0, 0, 0, checksum, few, few,
        len(name), len(extra64), 0, 0, 0, 0, min(start, UINT32_MAX),
    )  # fmt: skip
    return header + name + extra64


def archive_name(path: str) -> str:
    """Return the name of the folder in an archive: the file's name without its extension."""
    start = max(path.rfind("/"), path.rfind("\\")) + 1
    stem, dot, _ = path[start:].rpartition(".")
    name = stem if dot else path[start:]
    check(name, lambda: f"[enforce fail at inline_container.cc:720] . invalid file name: {path}")
    return name


def open_for_writing(path: str) -> Any:
    """Return a new file at a path; raise the writer's errors (setup in inline_container.cc)."""
    parent = path[: max(path.rfind("/"), path.rfind("\\"), 0)]
    if parent and not os.path.isdir(parent):
        raise RuntimeError(f"Parent directory {parent} does not exist.")
    try:
        return open(path, "wb")
    except OSError as error:
        raise RuntimeError(
            "[enforce fail at inline_container.cc:747] . open file failed with strerror:"
            f" {error.strerror}"
        ) from None
