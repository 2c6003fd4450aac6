"""Writable NumPy arrays over memory with another owner."""

from mmap import mmap
from types import SimpleNamespace
from typing import Any

from .numpy_bridge import np


def array_from_address(address: int, size: int, owner: Any) -> Any:
    """Return the bytes at an address as an array, which keeps their owner alive.

    The array is writable even over read-only memory, as torch has no read-only tensors.
    """
    if not size:
        return np.empty(0, np.uint8)
    interface = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}
    return np.asarray(SimpleNamespace(__array_interface__=interface, owner=owner))


def owner_of(array: Any) -> Any:
    """Return the owner of the memory of an array from `array_from_address`, or None."""
    return getattr(getattr(array, "base", None), "owner", None)


def address_of(array: Any) -> int:
    """Return the address of the first element of a NumPy array."""
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def array_bytes(array: Any, size: int) -> Any:
    """Return the first bytes of the memory of a NumPy array."""
    return array_from_address(address_of(array), size, array)


def buffer_bytes(buffer: Any) -> tuple[Any, bool]:
    """Return the bytes of an object with Python's buffer protocol, and whether it is writable.

    Raise TypeError if the object has no buffer, and BufferError or ValueError if
    the buffer is not contiguous.
    """
    array = np.frombuffer(buffer, np.uint8)
    if array.flags.writeable:
        return array, True
    return array_bytes(array, array.size), False


def shared_bytes(size: int) -> Any:
    """Return new memory as an array of bytes, shared with forked processes."""
    return np.ndarray((size,), np.uint8, mmap(-1, max(size, 1)))


def is_shared(array: Any) -> bool:
    """Return whether an array of bytes is from `shared_bytes`."""
    return isinstance(getattr(array, "base", None), mmap)
