"""torch.load (torch/serialization.py)."""

import io
import os
import pickle
import sys
import warnings
from importlib import import_module
from mmap import MAP_SHARED
from typing import Any, NoReturn

from .._devices.device import META
from .._dtypes.constants import UINT8
from .._runtime.errors import check
from .._runtime.lazy_exports import public_in
from .._runtime.warnings import warn
from .._storage.storage_base import element_size
from .._storage.untyped_storage import (
    UntypedStorage,
    storage_from_array,
)
from .._tensor.typed_storage import TypedStorage
from . import weights_only as weights_only_unpickling
from .files import is_path, is_zip, opened
from .legacy_format import load_legacy
from .locations import is_meta_location, restore_location_of
from .options import (
    THREAD_OPTIONS,
    LoadEndianness,
    LoadOptions,
    get_default_load_endianness,
    get_default_mmap_options,
)
from .rebuilding import sparse_tensors_validated
from .safe_globals import StorageType, allowed_globals, user_globals
from .torch_names import find_torch_global, is_of_torch
from .versions import check_dill_version
from .weights_only import UNSAFE_MESSAGE, advice, decoded_ascii, globals_in_pickle
from .zip_offsets import Offsets
from .zip_reader import ZipReader


@public_in("serialization")
def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Load an object from a file that torch.save wrote, here or in PyTorch.

    map_location: a device, or a dict or function that tells where storages go
    weights_only: whether only tensors, containers, numbers, strings and globals that are allowed
        are loaded; else the file may run any code
    mmap: whether the file is mapped to memory, so that bytes are read when they are used
    """
    weights_only = _is_weights_only(weights_only, pickle_module)
    if weights_only:
        check(
            pickle_module is None,
            lambda: "Can not safely load weights when explicit pickle_module is specified",
        )
        if pickle_load_args:
            message = "pickle_load_args only works if `weights_only=False`."
            warnings.warn(message, stacklevel=1)  # which shows no line of the caller
    if mmap is None:
        mmap = LoadOptions.mmap
    check_dill_version(pickle_module)
    pickle_load_args.setdefault("encoding", "utf-8")
    if is_path(f) and os.fspath(f).endswith(".safetensors"):
        _refuse_safetensors()
    if not weights_only:
        return _load(f, map_location, _Unpickling(pickle_module or pickle), mmap, pickle_load_args)
    try:
        return _load(f, map_location, weights_only_unpickling, mmap, pickle_load_args)
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(advice(str(error))) from None


def _refuse_safetensors() -> NoReturn:
    """Raise: the package that PyTorch calls for these files makes tensors of PyTorch."""
    try:
        import_module("safetensors")
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. Please install"
            " safetensors with: pip install safetensors"
        ) from error
    raise NotImplementedError("impl cannot load safetensors files")


_TRUE = ("1", "y", "yes", "true")


def _is_weights_only(weights_only: bool | None, pickle_module: Any) -> Any:
    """Return whether only weights are loaded, by the argument and the environment."""
    result = pickle_module is None if weights_only is None else weights_only
    forced, forbidden = (
        os.getenv(f"TORCH_FORCE_{name}WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE
        for name in ("", "NO_")
    )
    check(
        not (forced and forbidden),
        lambda: (
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD`"
            " should be set, but both were set."
        ),
    )
    if forced:
        return True
    if forbidden and weights_only is None:
        warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the"
            "`weights_only` argument was not explicitly passed to `torch.load`, forcing"
            " weights_only=False."
        )
        return False
    return result


class _Unpickling:
    """A pickle module whose unpickler finds the globals of torch in this package."""

    def __init__(self, pickle_module: Any) -> None:
        self._pickle_module = pickle_module

    def load(self, file: Any, **load_args: Any) -> Any:
        """Return the object of a pickle that follows in a file."""
        return self._pickle_module.load(file, **load_args)

    @property
    def Unpickler(self) -> Any:  # noqa: N802  # as in pickle modules
        """The class of unpicklers."""

        class Unpickler(self._pickle_module.Unpickler):  # type: ignore[misc, name-defined]
            def find_class(self, module: str, name: str) -> Any:
                if type(name) is str and "Storage" in name:
                    try:
                        return StorageType(name)
                    except KeyError:
                        pass
                if is_of_torch(module):
                    # Torch's Tensor was in torch.tensor once.
                    return find_torch_global("torch" if module == "torch.tensor" else module, name)
                return super().find_class(module, name)

        return Unpickler


def _load(f: Any, map_location: Any, unpickling: Any, mmap: Any, load_args: Any) -> Any:
    is_safe = unpickling is weights_only_unpickling
    with opened(f, "rb") as file, sparse_tensors_validated():
        if is_zip(file):
            reader = ZipReader(_unbuffered(file) if is_path(f) else file)
            _check_no_script(reader, is_safe)
            mapped = _mapped(f) if mmap else None
            return _load_zip(reader, map_location, unpickling, mapped, load_args)
        check(
            not mmap,
            lambda: (
                "mmap can only be used with files saved with"
                f" `torch.save({f'{f}, ' if isinstance(f, str) else ''}"
                "_use_new_zipfile_serialization=True), please torch.save your checkpoint with this"
                " option in order to use mmap."
            ),
        )
        return load_legacy(file, map_location, unpickling, **load_args)


def _unbuffered(file: Any) -> Any:
    """Return the raw file of a file that was just opened, for reads at many positions."""
    file.raw.seek(file.tell())
    return file.raw


def _check_no_script(reader: ZipReader, is_safe: bool) -> None:
    """Raise if the archive has a TorchScript module."""
    if "constants.pkl" not in reader.all_records():
        return
    warn(
        "'torch.load' received a zip file that looks like a TorchScript archive dispatching to"
        " 'torch.jit.load' (call 'torch.jit.load' directly to silence this warning)"
    )
    check(
        not is_safe,
        lambda: (
            "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. "
            + UNSAFE_MESSAGE
        ),
    )
    raise NotImplementedError("impl cannot load TorchScript archives")


def _mapped(f: Any) -> UntypedStorage:
    """Return a storage over the bytes of the whole file."""
    check(is_path(f), lambda: "f must be a file path in order to use the mmap argument", ValueError)
    is_shared = get_default_mmap_options() == MAP_SHARED
    return UntypedStorage.from_file(os.fspath(f), is_shared, os.path.getsize(f))


def _byte_order(reader: ZipReader) -> str:
    """Return the byte order of the elements in a file."""
    if reader.has_record("byteorder"):
        content = reader.get_record("byteorder")
        check(
            content in (b"little", b"big"),
            lambda: "Unknown endianness type: " + content.decode(),
            ValueError,
        )
        return content.decode()
    default = get_default_load_endianness()
    if default is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if default is LoadEndianness.BIG else "little"


class _Loader:
    """The storages of an archive while it is loaded."""

    def __init__(self, reader: ZipReader, map_location: Any, mapped: UntypedStorage | None) -> None:
        self._reader, self._mapped = reader, mapped
        self._restore_location = restore_location_of(map_location)
        self._goes_to_meta = is_meta_location(map_location)
        has_version = reader.has_record(".format_version")
        are_aligned = has_version and reader.get_record(".format_version") >= b"1"
        self._byte_order = _byte_order(reader)
        has_alignment = reader.has_record(".storage_alignment")
        alignment = int(reader.get_record(".storage_alignment")) if has_alignment else 64
        self._offsets = Offsets(reader, alignment) if are_aligned else None
        self._loaded: dict[Any, TypedStorage] = {}

    def persistent_load(self, saved_id: Any) -> TypedStorage:
        """Return the typed storage for what stands for it in the pickle."""
        check(
            isinstance(saved_id, tuple),
            lambda: f"saved_id must be a tuple, got {type(saved_id).__name__}",
            AssertionError,
        )
        name = decoded_ascii(saved_id[0])
        check(
            name == "storage",
            lambda: f"Unknown typename for persistent_load, expected 'storage' but got '{name}'",
            AssertionError,
        )
        storage_type, key, location, count = saved_id[1:]
        dtype = UINT8 if storage_type is UntypedStorage else storage_type.dtype
        if key in self._loaded:
            return self._loaded[key]
        size = count * element_size(dtype)
        untyped = self._storage(key, size, decoded_ascii(location), dtype)
        storage = TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)
        if untyped._size and untyped._device is not META:
            self._loaded[key] = storage
        return storage

    def _storage(self, key: Any, size: Any, location: str, dtype: Any) -> Any:
        name = f"data/{key}"
        if self._goes_to_meta:
            storage: Any = UntypedStorage(size, device="meta")
            if self._offsets is None:
                storage._checkpoint_offset = self._reader.record_offset(name)
            else:
                storage._checkpoint_offset = self._offsets.of(key, name, size)
            return storage
        if THREAD_OPTIONS.skip_data:
            storage = UntypedStorage(size)
        elif self._mapped is not None:
            start = self._reader.record_offset(name)
            storage = self._mapped[start : start + size]
        else:
            storage = storage_from_array(self._reader.get_array(name, size), resizable=False)
        if self._byte_order != sys.byteorder:
            storage.byteswap(dtype)
        return self._restore_location(storage, location)


def _load_zip(
    reader: ZipReader, map_location: Any, unpickling: Any, mapped: Any, load_args: Any
) -> Any:
    loader = _Loader(reader, map_location, mapped)
    unpickler = unpickling.Unpickler(io.BytesIO(reader.get_record("data.pkl")), **load_args)
    unpickler.persistent_load = loader.persistent_load
    result = unpickler.load()
    reader.serialization_id  # raises if it is no text  # noqa: B018
    return result


@public_in("serialization")
def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Return the names of the globals in a file that ``weights_only=True`` refuses."""
    safe = allowed_globals().keys() | user_globals().keys()
    with opened(f, "rb") as file:
        check(
            is_zip(file),
            lambda: "Expected input to be a checkpoint returned by torch.save",
            ValueError,
        )
        reader = ZipReader(file)
        check(
            "constants.pkl" not in reader.all_records(),
            lambda: (
                "Expected input to be a checkpoint returned by torch.save but got a torchscript"
                " checkpoint"
            ),
            ValueError,
        )
        return [*globals_in_pickle(io.BytesIO(reader.get_record("data.pkl"))).difference(safe)]
