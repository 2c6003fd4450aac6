"""Files of the oracle: as they are, written otherwise, and damaged."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from .objects import PAIRS


def saved_by(torch: Any, pair: str) -> bytes:
    """Return a file that the oracle wrote, of a pair of tensors."""
    first, second = PAIRS[pair]
    scope = {"torch": torch, "numpy": np}
    scope["a"] = eval(first, scope)
    file = io.BytesIO()
    torch.save((scope["a"], eval(second, scope)), file)
    return file.getvalue()


def rewritten(data: bytes, **changes: Any) -> bytes:
    """Return an archive that another program wrote, with the changed records or without them."""
    compression = changes.pop("compression", zipfile.ZIP_STORED)
    folder = changes.pop("folder", "archive")
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(result, "w", compression) as target,
    ):
        for path in source.namelist():
            name = path.partition("/")[2]
            content = changes.get(name.replace(".", "_").replace("/", "_"), source.read(path))
            if content is not None:
                info = zipfile.ZipInfo(f"{folder}/{name}")  # without the time of day
                info.compress_type = compression
                target.writestr(info, content)
    return result.getvalue()


OTHER_ARCHIVES: dict[str, dict[str, Any]] = {
    "deflated": {"compression": zipfile.ZIP_DEFLATED},
    "folder": {"folder": "some.model"},
    "without byte order": {"byteorder": None},
    "big-endian": {"byteorder": b"big"},
    "other byte order": {"byteorder": b"middle"},
    "without format version": {"_format_version": None, "_storage_alignment": None},
    "other alignment": {"_storage_alignment": b"4096"},
    "alignment in words": {"_storage_alignment": b"wide"},
    "without id": {"_data_serialization_id": None},
    "without version": {"version": None},
    "version 0": {"version": b"0"},
    "version 10": {"version": b"10\n"},
    "version 11": {"version": b"11\n"},
    "version in words": {"version": b"three"},
    "without pickle": {"data_pkl": None},
    "without storage": {"data_0": None},
    "short storage": {"data_0": b"123"},
    "long storage": {"data_0": bytes(100)},
    "script": {"data_pkl": b"", "version": b"3\n"},
}
"""Other ways to write an archive: the options of `rewritten`."""


def damages(data: bytes) -> Iterator[str]:
    """Yield expressions for what is left of a file ``d`` after damages."""
    sizes = {*range(30), *range(30, len(data), 37), *range(len(data) - 25, len(data))}
    for size in sorted(sizes):
        yield f"d[:{size}]"
    record_attributes = _attributes_of_records(data)
    for position in range(0, len(data), 5):
        for bits in (1, 0x80):
            if position not in record_attributes:
                yield f"d[:{position}] + bytes([d[{position}] ^ {bits}]) + d[{position + 1} :]"
    yield from ("b'xx' + d", "d + b'xx'", "d + d", "d + bytes(70000)", "b''", "bytes(5000)")
    yield "d[:200] + bytes(9000)"


def _attributes_of_records(data: bytes) -> set[int]:
    """Return the positions of the attributes by which a record may be a folder.

    Of a folder torch returns as many uninitialized bytes as the record has.
    """
    starts, found = set(), data.find(b"PK\x01\x02")
    while found >= 0:
        starts.add(found + 38)
        found = data.find(b"PK\x01\x02", found + 1)
    return starts
