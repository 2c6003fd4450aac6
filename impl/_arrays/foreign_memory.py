"""Memory that belongs to others, as NumPy arrays that can be written to."""

from mmap import mmap
from typing import Any

from .numpy_bridge import np


class _Loan:
    """Tells NumPy where the memory lies; every array over it keeps the loan, and so the owner."""

    __slots__ = ("__array_interface__", "owner")

    __array_interface__: dict[str, Any]
    owner: Any


def borrow(address: int, size: int, owner: Any) -> Any:
    """Return the bytes at an address as an array, which keeps their owner alive.

    It can be written to, even where the owner gives its memory for reading
    only: torch has no read-only tensors.
    """
    if not size:
        return np.empty(0, np.uint8)
    loan = _Loan()
    loan.owner = owner
    loan.__array_interface__ = {
        "shape": (size,),
        "typestr": "|u1",
        "data": (address, False),
        "version": 3,
    }
    return np.asarray(loan)


def owner_of(array: Any) -> Any:
    """Return who owns the memory of an array of `borrow`; None for any other."""
    return getattr(getattr(array, "base", None), "owner", None)


def borrow_array(array: Any, size: int) -> Any:
    """Return the first bytes of the memory of a NumPy array."""
    return borrow(array.__array_interface__["data"][0], size, array)


def borrow_buffer(buffer: Any) -> tuple[Any, bool]:
    """Return the bytes of what has Python's buffer protocol, and whether it lets them be written to.

    Raises TypeError for what has none, and BufferError or ValueError for what
    does not hand out its bytes in one piece.
    """
    array = np.frombuffer(buffer, np.uint8)
    if array.flags.writeable:
        return array, True
    return borrow(array.__array_interface__["data"][0], array.size, array), False


def shared_bytes(size: int) -> Any:
    """Return new bytes that processes forked from this one share."""
    return np.ndarray((size,), np.uint8, mmap(-1, max(size, 1)))


def is_shared(array: Any) -> bool:
    """Tell whether an array of bytes is one of `shared_bytes`."""
    return isinstance(getattr(array, "base", None), mmap)
