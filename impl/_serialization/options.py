"""The options of saving and loading (torch/utils/serialization/config.py)."""

import threading
from enum import Enum
from mmap import MAP_PRIVATE, MAP_SHARED
from typing import Any

from .._runtime.errors import check
from .._runtime.lazy_exports import public_in


@public_in("serialization")
class LoadEndianness(Enum):
    """The byte orders that `set_default_load_endianness` accepts."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class LoadOptions:
    """The options of torch.load, as in torch.utils.serialization.config."""

    mmap: bool = False
    endianness: LoadEndianness | None = None
    mmap_flags: int = MAP_PRIVATE


class SaveOptions:
    """The options of torch.save, as in torch.utils.serialization.config."""

    compute_crc32: bool = True
    storage_alignment: int = 64


class _ThreadOptions(threading.local):
    """The options of one thread."""

    skip_data: bool = False
    loaded_sparse: list[Any] | None = None
    """The sparse tensors of the file that is being loaded, which are validated at its end."""


THREAD_OPTIONS = _ThreadOptions()


@public_in("serialization")
def get_default_load_endianness() -> LoadEndianness | None:
    """Return the byte order assumed for files that do not tell theirs."""
    return LoadOptions.endianness


@public_in("serialization")
def set_default_load_endianness(endianness: Any) -> None:
    """Set the byte order assumed for files that do not tell theirs."""
    check(
        isinstance(endianness, LoadEndianness) or endianness is None,
        lambda: "Invalid argument type in function set_default_load_endianness",
        TypeError,
    )
    LoadOptions.endianness = endianness


@public_in("serialization")
def get_crc32_options() -> bool:
    """Return whether torch.save computes the checksums of records."""
    return SaveOptions.compute_crc32


@public_in("serialization")
def set_crc32_options(compute_crc32: bool) -> None:
    """Set whether torch.save computes the checksums of records."""
    SaveOptions.compute_crc32 = compute_crc32


@public_in("serialization")
def get_default_mmap_options() -> int | None:
    """Return the flags with which ``torch.load(mmap=True)`` maps files."""
    return LoadOptions.mmap_flags


@public_in("serialization")
class set_default_mmap_options:  # torch's name
    """Set the flags with which ``torch.load(mmap=True)`` maps files; also a context manager."""

    def __init__(self, flags: int) -> None:
        check(
            flags in (MAP_PRIVATE, MAP_SHARED),
            lambda: (
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE"
                f" or mmap.MAP_SHARED, but got {flags}"
            ),
            ValueError,
        )
        self.prev = LoadOptions.mmap_flags
        LoadOptions.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        LoadOptions.mmap_flags = self.prev


@public_in("serialization")
class skip_data:  # torch's name
    """A context in which torch.save leaves space for the elements, and torch.load skips them."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._previous = THREAD_OPTIONS.skip_data
        THREAD_OPTIONS.skip_data = True

    def __exit__(self, type: Any, value: Any, tb: Any) -> None:
        THREAD_OPTIONS.skip_data = self._previous
