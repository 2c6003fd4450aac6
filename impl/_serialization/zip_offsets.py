"""The positions of storages in an archive, computed without reads (_get_offset in torch.load)."""

from typing import Any

from .zip_reader import ZipReader
from .zip_writer import UINT32_MAX


class Offsets:
    """The positions of the storages of an archive, in the order in which a pickle names them.

    The archive has the storages in this order, each aligned, and before each a local header.
    """

    def __init__(self, reader: ZipReader, alignment: int) -> None:
        self._reader, self._alignment = reader, alignment
        self._next_header: int | None = None
        self._known: dict[str, int] = {}

    def of(self, key: Any, name: str, size: Any) -> int:
        """Return the position of a storage of ``size`` bytes in the record ``name``."""
        if name in self._known:
            return self._known[name]
        if self._next_header is None:
            if key != "0":
                raise AssertionError(f"expected key '0', got {key!r}")
            position = self._reader.record_offset(name)
            header = self._reader.header_offset(name)
        else:
            header = self._next_header
            position = self._reader.record_offset_no_read(header, name, size, self._alignment)
        self._known[name] = position
        self._next_header = position + size
        if size > 0:
            is_large = header >= UINT32_MAX or size >= UINT32_MAX
            self._next_header += 24 if is_large else 16  # the data descriptor
        return position
