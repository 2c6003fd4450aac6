"""The files of torch before version 1.6: pickles, followed by the bytes of the storages."""

import sys
from struct import calcsize, pack, unpack
from typing import Any

from .._arrays.numpy_bridge import np
from .._devices.device import CPU, META
from .._runtime.errors import check
from .._runtime.lazy_import import LazyModule
from .._storage.storage_base import element_size
from .._storage.untyped_storage import UntypedStorage, memory, new_storage
from .._tensor.typed_storage import TypedStorage, typed_storage
from . import weights_only
from .files import check_seekable, has_descriptor, read_into
from .locations import restore_location_of
from .options import THREAD_OPTIONS
from .torch_names import pickled
from .weights_only import UNSAFE_MESSAGE, decoded_ascii

tarfile: Any = LazyModule("tarfile")

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001

_SYSTEM = {
    "protocol_version": PROTOCOL_VERSION,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": calcsize("=h"), "int": calcsize("=i"), "long": calcsize("=l")},
}


def save_legacy(obj: object, file: Any, pickle_module: Any, protocol: int, storages: Any) -> None:
    """Save an object in the legacy format."""
    for header in (MAGIC_NUMBER, PROTOCOL_VERSION, _SYSTEM):
        pickle_module.dump(header, file, protocol=protocol)

    def persistent_id(obj: Any) -> Any:
        found = storages.persistent_id(obj)
        return None if found is None else (*found, None)  # None: it is no view of another storage

    file.write(pickled(obj, pickle_module, protocol, persistent_id))
    keys = sorted(storages.by_key)
    pickle_module.dump(keys, file, protocol=protocol)
    file.flush()
    for key in keys:
        storage, itemsize = storages.by_key[key]
        size = storage.nbytes()
        on_cpu = storage if storage.device.type == "cpu" else storage.cpu()
        file.write(pack("<q", size // itemsize))
        if size:
            file.write(memoryview(memory(on_cpu)))


class _Loader:
    """The storages of a legacy file while it is loaded."""

    def __init__(self, map_location: Any) -> None:
        self._restore_location = restore_location_of(map_location)
        self.by_key: dict[Any, TypedStorage] = {}

    def persistent_load(self, saved_id: Any) -> Any:
        """Return the typed storage for what stands for it in the pickle."""
        check(
            isinstance(saved_id, tuple),
            lambda: f"saved_id must be a tuple, got {type(saved_id).__name__}",
            AssertionError,
        )
        kind, data = decoded_ascii(saved_id[0]), saved_id[1:]
        if kind == "module":
            return data[0]
        check(kind == "storage", lambda: f"Unknown saved id type: {saved_id[0]}")
        storage_type, key, location, count, view = data
        storage = self._root(storage_type.dtype, key, decoded_ascii(location), count)
        if view is None:
            return storage
        view_key, offset, size = view
        if view_key not in self.by_key:
            itemsize = element_size(storage_type.dtype)
            part = storage._untyped_storage[offset * itemsize : (offset + size) * itemsize]
            self.by_key[view_key] = typed_storage(part, storage_type.dtype)
        return self.by_key[view_key]

    def _root(self, dtype: Any, key: Any, location: str, count: int) -> TypedStorage:
        if key not in self.by_key:
            untyped: Any = UntypedStorage(count * element_size(dtype))
            restored = self._restore_location(untyped, location)
            storage = TypedStorage(wrap_storage=restored, dtype=dtype, _internal=True)
            self.by_key[key] = storage
            return storage
        found = self.by_key[key]
        untyped = found._untyped_storage
        has_bytes = untyped._size and untyped._device is not META
        return found if has_bytes else typed_storage(new_storage(0, untyped.device), dtype)


def load_legacy(file: Any, map_location: Any, unpickling: Any, **load_args: Any) -> Any:
    """Load an object from a file in the legacy format.

    ``unpickling`` has a function ``load`` and the class ``Unpickler``.
    """
    check_seekable(file)
    if has_descriptor(file) and file.tell() == 0:
        _check_not_tar(file, is_safe=unpickling is weights_only)
    magic_number = unpickling.load(file, **load_args)
    check(magic_number == MAGIC_NUMBER, lambda: "Invalid magic number; corrupt file?")
    version = unpickling.load(file, **load_args)
    check(version == PROTOCOL_VERSION, lambda: f"Invalid protocol version: {version}")
    unpickling.load(file, **load_args)
    loader = _Loader(map_location)
    unpickler = unpickling.Unpickler(file, **load_args)
    unpickler.persistent_load = loader.persistent_load
    result = unpickler.load()
    keys = unpickling.load(file, **load_args)
    if not THREAD_OPTIONS.skip_data:
        for key in keys:
            check(
                key in loader.by_key,
                lambda key=key: f"storage key {key!r} not found in deserialized_objects",  # type: ignore[misc]
                AssertionError,
            )
            _read_storage(file, loader.by_key[key])
    return result


def _read_storage(file: Any, storage: TypedStorage) -> None:
    """Read the bytes of a storage (THPStorage_setFromFile in torch/csrc/StorageMethods.cpp)."""
    untyped, itemsize = storage._untyped_storage, element_size(storage.dtype)
    (count,) = unpack("<q", _read(file, np.empty(8, np.uint8)).tobytes())
    size, new_size = untyped._size, count * itemsize
    check(
        new_size == size,
        lambda: f"storage has wrong byte size: expected %ld got %ld{new_size}{size}",
    )
    is_on_cpu = untyped._device is CPU
    content = _read(file, memory(untyped) if is_on_cpu else np.empty(size, np.uint8))
    if not is_on_cpu and untyped._device is not META:
        memory(untyped)[:] = content


def _read(file: Any, array: Any) -> Any:
    """Fill an array of bytes from the file, and return it."""
    missing = array.size - read_into(file, array)
    check(
        not missing,
        lambda: f"unexpected EOF, expected {missing} more bytes. The file might be corrupted.",
    )
    return array


def _check_not_tar(file: Any, *, is_safe: bool) -> None:
    """Raise if the file is a tar archive, as torch wrote before version 0.2."""
    try:
        tarfile.open(fileobj=file, mode="r:", format=tarfile.PAX_FORMAT).close()
    except tarfile.TarError:
        file.seek(0)
        return
    check(
        not is_safe,
        lambda: (
            "Cannot use ``weights_only=True`` with files saved in the legacy .tar format. "
            + UNSAFE_MESSAGE
        ),
    )
    raise NotImplementedError("impl cannot load files in the legacy .tar format")
