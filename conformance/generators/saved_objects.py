"""Objects to save, and files of the oracle: as they are, written otherwise, and damaged."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

PAIRS = {
    "views": ("torch.arange(12.0).view(3, 4)", "a.t()[1:, ::2]"),
    "apart": ("torch.tensor([1.0, -0.0, float('nan')])", "torch.tensor([3, 4])"),
    "same": ("torch.ones(2)", "a"),
    "offset": ("torch.arange(6)[2:]", "a.view(2, 2)"),
    "expanded": ("torch.arange(3.0).expand(2, 3)", "a[0]"),
    "0-dim": ("torch.tensor(2.5)", "a.view(1)"),
    "empty": ("torch.zeros(0, 3)", "a.view(3, 0)"),
    "channels last": ("torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last)", "a.detach()"),
    "large offset": ("torch.zeros(1000)[999:]", "torch.zeros(1)"),
    "gradient": ("torch.ones(2, requires_grad=True)", "a * 2"),
    "conjugated": ("torch.tensor([1 + 2j, 3j]).conj()", "a.t()"),
    "negated": ("torch.tensor([1 + 2j, 3j]).conj().imag", "a"),
    "meta": ("torch.ones(2, 3, device='meta')", "a.t()"),
    "sparse": ("torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()", "a._values()"),
    "uncoalesced": (
        "torch.sparse_coo_tensor([[1, 1]], [2.0, 3.0], (3,), is_coalesced=False)", "a._indices()",
    ),
    "attribute": ("torch.ones(2)", "setattr(a, 'note', [1, 'x']) or a"),
    "storage": ("torch.arange(3).untyped_storage()", "torch.tensor(0)"),
    "typed storage": ("torch.ones(3)._typed_storage()", "torch.tensor(0)"),
    "other dtype": ("torch.ones(2)", "a.view(torch.int32)"),
    "of NumPy": ("torch.from_numpy(numpy.arange(3.0))", "a[1:]"),
    "uint16": ("torch.ones(3, dtype=torch.uint16)", "a[1:]"),
}  # fmt: skip
"""Pairs of tensors ``a`` and ``b``; of some both have the same storage."""

CONTAINERS = (
    "[a, (a, b), {'x': b}]", "collections.OrderedDict(x=a, y=b)", "{1: a, (2, 3): b, None: 2.5}",
    "[1, -1, 255, 256, 65536, -(2**31), 2**31, 2**63, 2**200]", "['', 'x', 'é', 'x' * 300, 'x']",
    "(True, False, None, 1.5, float('nan'), 1j)", "[b'x', bytearray(b'yz'), {1, 2}]",
    "[torch.float32, torch.bits8, torch.Size([2, 3]), torch.device('cpu'), torch.sparse_coo]",
    "torch.LongTensor", "torch.Tensor", "torch.FloatStorage", "[[], (), {}, set()]",
    "(lambda x: x.append(x) or x)([a])", "collections.Counter('aab')", "[*range(300)]",
    "[torch.zeros(i % 3) for i in range(30)]", "torch.max(torch.ones(2), 0)",
)  # fmt: skip
"""Objects with tensors ``a`` and ``b``, and objects without tensors."""

FORMATS = {
    "zip": "",
    "protocol 3": ", pickle_protocol=3",
    "protocol 4": ", pickle_protocol=4",
    "no byte order": ", _disable_byteorder_record=True",
    "pickle": ", pickle_module=pickle",
    "legacy": ", _use_new_zipfile_serialization=False",
}
"""Further arguments of torch.save."""


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
