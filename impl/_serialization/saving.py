"""torch.save (torch/serialization.py)."""

import os
import pickle
import sys
from typing import Any

from .._dtypes.constants import UINT8
from .._legacy.storage_types import LEGACY_STORAGES, is_storage
from .._runtime.errors import check
from .._runtime.lazy_exports import public_in
from .._storage.untyped_storage import UntypedStorage, memory
from .._tensor.typed_storage import TypedStorage, pickled_name
from .files import check_saveable, opened, zip_writer
from .legacy_format import save_legacy
from .locations import location_tag
from .options import THREAD_OPTIONS, SaveOptions
from .torch_names import pickled
from .versions import check_dill_version
from .zip_writer import ZipWriter

_PROTOCOL = 2


@public_in("serialization")
def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = _PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Save an object to a file, which may be a path or a file-like object.

    Tensors that share a storage share it after loading, too. torch.load of PyTorch reads the file.
    """
    check_dill_version(pickle_module)
    check_saveable(f)
    if isinstance(f, os.PathLike):
        f = os.fspath(f)
    if _use_new_zipfile_serialization:
        with zip_writer(f) as writer:
            _write(obj, writer, pickle_module, pickle_protocol, not _disable_byteorder_record)
        return
    check(
        not THREAD_OPTIONS.skip_data,
        lambda: "Cannot use skip_data=True with _use_new_zipfile_serialization=False",
    )
    with opened(f, "wb") as file:
        save_legacy(obj, file, pickle_module, pickle_protocol, Storages(by_address=True))


class Storages:
    """The storages of one file, with their keys.

    ``by_address`` is whether the keys are identifiers in this process, as in legacy files.
    """

    def __init__(self, *, by_address: bool = False) -> None:
        self.by_key: dict[str, tuple[UntypedStorage, int]] = {}
        self._by_address = by_address
        self._keys: dict[int, str] = {}
        self._locations: dict[str, str] = {}
        self._dtypes: dict[int, Any] = {}

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        """Return what stands for a storage in the pickle, or None for other objects."""
        if isinstance(obj, TypedStorage):
            storage, dtype = obj._untyped_storage, obj.dtype
            storage_type = LEGACY_STORAGES[pickled_name(dtype)]
            count, itemsize = obj._size(), dtype.itemsize
        elif is_storage(obj):
            storage, dtype, count = obj, UINT8, obj.nbytes()
            storage_type, itemsize = UntypedStorage, 1
        else:
            return None
        address = storage.data_ptr()
        if address and self._dtypes.setdefault(address, dtype) is not dtype:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different"
                " types"
            )
        identifier = storage._cdata
        new_key = str(identifier if self._by_address else len(self._keys))
        key = self._keys.setdefault(identifier, new_key)
        self.by_key.setdefault(key, (storage, itemsize))
        tag = location_tag(storage)
        # A pickle shows that the tag is another string than the type of a device.
        location = self._locations.setdefault(tag, "".join([*tag]))
        if self._by_address:
            key = str(identifier)  # another string each time
        return "storage", storage_type, key, location, count


def _write(
    obj: object, writer: ZipWriter, pickle_module: Any, protocol: int, writes_byte_order: bool
) -> None:
    """Write the records of an object."""
    storages = Storages()
    records = {
        "data.pkl": pickled(obj, pickle_module, protocol, storages.persistent_id),
        ".format_version": b"1",
        ".storage_alignment": str(SaveOptions.storage_alignment).encode(),
    }
    if writes_byte_order:
        records["byteorder"] = sys.byteorder.encode()
    for name, content in records.items():
        writer.write_record(name, content, len(content))
    for key, (storage, _) in storages.by_key.items():
        size = storage.nbytes()
        data = None
        if not THREAD_OPTIONS.skip_data:
            on_cpu = storage if storage.device.type == "cpu" else storage.cpu()
            data = memory(on_cpu) if size else b""
        writer.write_record(f"data/{key}", data, size)
