"""The reader of zip archives of records (PyTorchStreamReader).

The checks and messages are those of caffe2/serialize/inline_container.cc and of miniz.  As there,
the checksums of records are not compared with their contents.
"""

import re
from struct import calcsize, unpack, unpack_from
from typing import Any, NamedTuple
from zlib import decompressobj, error as zlib_error

from .._arrays.numpy_bridge import np
from .._runtime.errors import check
from .files import read_into
from .zip_writer import (
    CENTRAL_HEADER,
    END,
    END64,
    END_SIGNATURES,
    LOCATOR64,
    SERIALIZATION_ID,
    SIGNATURES,
    UINT16_MAX,
    UINT32_MAX,
    content_start,
)

_END, _END64, _LOCATOR64 = calcsize(END), calcsize(END64), calcsize(LOCATOR64)
_CENTRAL, _LOCAL = calcsize(CENTRAL_HEADER), 30

_ENCRYPTED, _PATCH, _STRONG, _MASKED = 1, 32, 64, 8192
"""The flags of records that the reader refuses."""

_DEFLATED = 8

_MAX_VERSION = 10


_NO_FOLDER = (
    b"[enforce fail at inline_container.cc:%d] . file in archive is not in a subdirectory%b: %b"
)


def _text(message: bytes) -> str:
    """Return a C string as text."""
    return message.partition(b"\0")[0].decode()


class _ZipError(Exception):
    """An error of miniz."""


class _Entry(NamedTuple):
    """A record in the central directory."""

    name: bytes
    flags: int
    method: int
    compressed: int
    size: int
    offset: int
    is_directory: bool


class ZipReader:
    """Reads records from a file with ``seek`` and ``read``, from its current position on."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._start = file.tell()
        self._size: int = file.seek(0, 2) - self._start
        file.seek(self._start)
        self._entries: list[_Entry] = _miniz("reading zip archive", self._read_central_directory)
        if not self._entries:
            raise RuntimeError(
                "[enforce fail at inline_container.cc:170] . archive does not contain any files"
            )
        first = self._entries[0].name
        folder, slash, _ = first.partition(b"/")
        if not slash:
            raise RuntimeError(_text(_NO_FOLDER % (180, b"", first)))
        self._folder: bytes = folder + slash
        self._by_name: dict[bytes, _Entry] = {}
        for entry in self._entries:
            self._by_name[entry.name.lower()] = entry
        has_id = self.has_record(SERIALIZATION_ID)
        self._serialization_id = self.get_record(SERIALIZATION_ID) if has_id else b""
        self._check_version()

    def _check_version(self) -> None:
        name = ".data/version" if self.has_record(".data/version") else "version"
        check(
            self.has_record(name),
            lambda: (
                'Expected hasRecord("version") to be true, but got false.  (Could this error'
                " message be improved?  If so, please report an enhancement request to PyTorch.)"
            ),
        )
        text = self.get_record(name)
        number = re.match(rb"[ \t\n\v\f\r]*([+-]?\d+)", text)
        if number is None or abs(int(number[1])) >= 2**63:
            prefix = b"[enforce fail at inline_container.cc:215] . Couldn't parse the version "
            raise RuntimeError(_text(prefix + text + b" as Long Long."))
        version = int(number[1])
        check(
            version >= 1,
            lambda: (
                "[enforce fail at inline_container.cc:219] . Attempted to read a PyTorch file with"
                f" version {version}, but the minimum supported version for reading is 1. Your"
                " PyTorch script module file is too old. Please regenerate it with latest version"
                " of PyTorch to mitigate this issue."
            ),
        )
        check(
            version <= _MAX_VERSION,
            lambda: (
                "[enforce fail at inline_container.cc:230] . Attempted to read a PyTorch file with"
                f" version {version}, but the maximum supported version for reading is"
                f" {_MAX_VERSION}. The version of your PyTorch installation may be too old, please"
                " upgrade PyTorch to latest version to mitigate this issue."
            ),
        )

    @property
    def serialization_id(self) -> str:
        """Return the id of the archive, or an empty string."""
        return self._serialization_id.decode()

    def has_record(self, name: str) -> bool:
        """Return whether there is a record of this name."""
        return self._key(name) in self._by_name

    def all_records(self) -> list[str]:
        """Return the names of all records."""
        names = [entry.name for entry in self._entries]
        for name in names:
            if not name.startswith(self._folder):
                raise RuntimeError(_text(_NO_FOLDER % (340, b" " + self._folder, name)))
        return [_text(name[len(self._folder) :]) for name in names]

    def get_record(self, name: str) -> bytes:
        """Return the content of a record."""
        entry = self._entry(name)
        content = _miniz(f"reading file {name}", self._extract, entry)
        return content.tobytes()  # type: ignore[no-any-return]

    def get_array(self, name: str, size: Any) -> Any:
        """Return the content of a record of ``size`` bytes as an array."""
        if not _is_size(size):
            raise _wrong_arguments(
                "get_storage_from_record(): incompatible function arguments. The following"
                " argument types are supported:\n    1. (self: torch._C.PyTorchFileReader, arg0:"
                " str, arg1: typing.SupportsInt | typing.SupportsIndex, arg2: object) ->"
                " torch.Tensor",
                f"{name!r}, {size!r}, <class 'torch.storage.UntypedStorage'>",
            )
        entry = self._entry(name)
        check(
            entry.size == size,
            lambda: (
                f"record size ({entry.size} bytes) does not match expected size ({size} bytes ="
                f" {size} elements * 1 bytes/element) for dtype Byte"
            ),
        )
        return _miniz(f"reading file {name}", self._extract, entry)

    def record_offset(self, name: str) -> int:
        """Return the position of the content of a record."""
        entry = self._entry(name)
        header = self._read(entry.offset, _LOCAL)
        check(len(header) == _LOCAL, lambda: "reading file header")
        return entry.offset + _LOCAL + _variable_length(header)

    def record_offset_no_read(self, position: int, name: str, size: Any, alignment: Any) -> int:
        """Return the position of the content of a record whose header begins at a position.

        It is computed from the alignment (getRecordOffsetNoRead), as the writer aligned it.
        """
        if not all(map(_is_size, (position, size, alignment))):
            raise _wrong_arguments(
                "get_record_offset_no_read(): incompatible function arguments. The following"
                " argument types are supported:\n    1. (self: torch._C.PyTorchFileReader, arg0:"
                " typing.SupportsInt | typing.SupportsIndex, arg1: str, arg2: typing.SupportsInt |"
                " typing.SupportsIndex, arg3: typing.SupportsInt | typing.SupportsIndex) -> int",
                f"{position}, {name!r}, {size!r}, {alignment}",
            )
        path = self._folder + name.encode()
        return content_start(position, len(path), size, alignment)

    def header_offset(self, name: str) -> int:
        """Return the position of the local header of a record."""
        return self._entry(name).offset

    def _key(self, name: str) -> bytes:
        return (self._folder + name.encode()).lower()  # names are compared without case

    def _entry(self, name: str) -> _Entry:
        entry = self._by_name.get(self._key(name))
        if entry is None:
            raise RuntimeError(_message(f"locating file {name}", "file not found"))
        reason = ""
        if entry.method not in (0, _DEFLATED):
            reason = "unsupported method"
        elif entry.flags & (_ENCRYPTED | _STRONG):
            reason = "unsupported encryption"
        elif entry.flags & _PATCH:
            reason = "unsupported feature"
        check(not reason, lambda: _message(f"retrieving file meta-data for {name}", reason))
        return entry

    def _read(self, position: int, size: int) -> bytes:
        self._file.seek(self._start + position)
        return self._file.read(size)  # type: ignore[no-any-return]

    def _read_into(self, position: int, size: int) -> Any:
        """Return bytes of the file as a new array."""
        array = np.empty(size, np.uint8)
        self._file.seek(self._start + position)
        _expect(read_into(self._file, array) == size, "file read failed")
        return array

    def _extract(self, entry: _Entry) -> Any:
        """Return the content of a record (mz_zip_reader_extract_to_mem)."""
        if entry.is_directory or not entry.compressed:
            return np.zeros(entry.size, np.uint8)
        header = self._read(entry.offset, _LOCAL)
        _expect(len(header) == _LOCAL, "file read failed")
        _expect(unpack_from("<I", header) == (SIGNATURES["local"],), _CORRUPTED)
        start = entry.offset + _LOCAL + _variable_length(header)
        _expect(start + entry.compressed <= self._size, _CORRUPTED)
        if entry.method:
            return _inflated(self._read_into(start, entry.compressed), entry.size)
        _expect(start + entry.size <= self._size, "file read failed")
        return self._read_into(start, entry.size)

    def _read_central_directory(self) -> list[_Entry]:
        """Return the entries of the central directory (mz_zip_reader_read_central_dir)."""
        _expect(self._size >= _END, "not a ZIP archive")
        end = self._locate_end()
        numbers = unpack(END, self._read(end, _END))[1:]
        disk, directory_disk, count_here, count, size, offset, _ = numbers
        locator = self._read(end - _LOCATOR64, _LOCATOR64) if end >= _LOCATOR64 + _END64 else b""
        if end64 := self._end64(locator):
            disk, directory_disk, count_here, count, size, offset = end64
        _expect(count == count_here, _MULTIDISK)
        _expect(not disk | directory_disk or disk == directory_disk == 1, _MULTIDISK)
        _expect(size >= count * _CENTRAL, _CORRUPTED)
        _expect(offset + size <= self._size, _CORRUPTED)
        data = self._read(offset, size)
        _expect(len(data) == size, "file read failed")
        entries, position = [], 0
        for _ in range(count):
            entry, position = self._central_entry(data, position, disk)
            entries.append(entry)
        return entries

    def _locate_end(self) -> int:
        """Return the position of the last end record in the last 64 KB, searched in blocks."""
        signature = END_SIGNATURES[END].to_bytes(4, "little")
        position = max(self._size - 4096, 0)
        while True:
            data = self._read(position, min(4096, self._size - position))
            found = data.rfind(signature, 0, self._size - position - _END + 4)
            if found >= 0:
                return position + found
            searched = self._size - position
            _expect(position and searched < UINT16_MAX + _END, "failed finding central directory")
            position -= 4093  # miniz's number may become negative, so that seek() raises

    def _end64(self, locator: bytes) -> tuple[int, ...] | None:
        """Return the numbers of the zip64 end record, or None if there is none."""
        if locator[:4] != END_SIGNATURES[LOCATOR64].to_bytes(4, "little"):
            return None
        _, _, position, disks = unpack(LOCATOR64, locator)
        _expect(position <= self._size - _END64, "not a ZIP archive")
        numbers = unpack(END64, self._read(position, _END64))
        if numbers[0] != END_SIGNATURES[END64]:
            return None
        _, record_size, _, _, disk, directory_disk, count_here, count, size, offset = numbers
        _expect(record_size >= _END64 - 12, _CORRUPTED)
        _expect(disks == 1, _MULTIDISK)
        _expect(max(count, count_here) <= UINT32_MAX, "too many files")
        _expect(size <= UINT32_MAX, "unsupported central directory size")
        return disk, directory_disk, count_here, count, size, offset

    def _central_entry(self, data: bytes, start: int, disk: int) -> tuple[_Entry, int]:
        """Return the entry at a position in the central directory, and the position after it."""
        _expect(start + _CENTRAL <= len(data), _CORRUPTED)
        fields = unpack_from(CENTRAL_HEADER, data, start)
        _expect(fields[0] == SIGNATURES["central"], _CORRUPTED)
        flags, method, time, _, _, compressed, size = fields[3:10]
        name_size, extra_size, comment_size, entry_disk, _, attributes, offset = fields[10:]
        name_start = start + _CENTRAL
        name = data[name_start : name_start + name_size]
        extra = data[name_start + name_size : name_start + name_size + extra_size]
        if UINT32_MAX not in (compressed, size):
            # Miniz reads the method together with the time.
            _expect(method or time or size == compressed, _CORRUPTED)
            _expect(compressed or not size, _CORRUPTED)
        _expect(entry_disk != UINT16_MAX and entry_disk in (disk, 1), _MULTIDISK)
        if compressed != UINT32_MAX:
            _expect(offset + _LOCAL + compressed <= self._size, _CORRUPTED)
        _expect(not flags & _MASKED, "unsupported encryption")
        end = name_start + name_size + extra_size + comment_size
        _expect(end <= len(data), _CORRUPTED)
        size, compressed, offset = _with_extra64((size, compressed, offset), extra)
        is_directory = name.endswith(b"/") or bool(attributes & 16)
        return _Entry(name, flags, method, compressed, size, offset, is_directory), end


def _variable_length(local_header: bytes) -> int:
    """Return the length of the name and the extra fields that follow a local header."""
    name_length, extra_length = unpack_from("<2H", local_header, 26)
    return int(name_length + extra_length)


def _with_extra64(values: tuple[int, int, int], extra: bytes) -> list[int]:
    """Return the sizes and the offset of an entry, with those that its zip64 field has."""
    if max(values) != UINT32_MAX:
        return [*values]
    position = 0
    while position < len(extra):
        _expect(position + 4 <= len(extra), _CORRUPTED)
        field, length = unpack_from("<2H", extra, position)
        position += 4
        _expect(position + length <= len(extra), _CORRUPTED)
        if field == 1:
            large = values.count(UINT32_MAX)
            _expect(length >= 8 * large, _CORRUPTED)
            numbers = iter(unpack_from(f"<{large}Q", extra, position))
            return [next(numbers) if value == UINT32_MAX else value for value in values]
        position += length
    return [*values]


def _is_size(value: Any) -> bool:
    """Return whether pybind11 converts a value to a ``size_t``."""
    is_number = hasattr(type(value), "__int__") or hasattr(type(value), "__index__")
    return is_number and not isinstance(value, float) and 0 <= int(value) < 2**64


def _wrong_arguments(signature: str, arguments: str) -> TypeError:
    """Return pybind11's error for arguments of a method of the reader."""
    reader = f"<torch.PyTorchFileReader object at {hex(id(signature))}>"
    return TypeError(f"{signature}\n\nInvoked with: {reader}, {arguments}")


def _inflated(content: Any, size: int) -> Any:
    inflater = decompressobj(-15)
    try:
        data = inflater.decompress(content, size + 1)
    except zlib_error:
        raise _ZipError(_BAD_COMPRESSION) from None
    is_whole = len(data) == size and (inflater.eof or not inflater.decompress(b"", 1))
    _expect(inflater.eof and is_whole, "unexpected decompressed size")
    return np.frombuffer(bytearray(data), np.uint8)


_CORRUPTED = "invalid header or archive is corrupted"
_MULTIDISK = "unsupported multidisk archive"
_BAD_COMPRESSION = "decompression failed or archive is corrupted"


def _expect(condition: object, reason: str) -> None:
    if not condition:
        raise _ZipError(reason)


def _miniz(action: str, function: Any, *args: Any) -> Any:
    """Return the function's result; its errors become those of the reader."""
    try:
        return function(*args)
    except _ZipError as error:
        raise RuntimeError(_message(action, str(error))) from None


def _message(action: str, reason: str) -> str:
    return (
        f"PytorchStreamReader failed {action}: {reason}. This is an internal miniz error. If you"
        " are seeing this error, there is a high likelihood that your checkpoint file is"
        " corrupted. This can happen if the checkpoint was not saved properly, was transferred"
        " incorrectly, or the file was modified after saving."
    )
