"""torch.Size: a tuple of integers whose slices, sums and multiples are torch.Size, too."""

import math
import sys
from itertools import count
from operator import index
from types import FrameType
from typing import Any

from .._argparser.types import is_long
from .._runtime.c_types import TorchType, named_type
from .._runtime.errors import takes_no_arguments, type_name
from .extents import as_int64, unpack_int64

_new = tuple.__new__


@named_type
class _SizeClass(TorchType):
    """The metaclass of `Size`, which makes it callable."""

    def __call__(self, *args: Any, **keywords: Any) -> "Size":
        return Size.__new__(self, *args, **keywords)


class Size(tuple[int, ...], metaclass=_SizeClass):
    """Size(iterable): the sizes of a tensor's dimensions.

    >>> Size([2, 3]) + (4,), Size([2, 3]).numel()
    (torch.Size([2, 3, 4]), 6)
    """

    __slots__ = ()

    def __new__(cls: Any, *args: Any, **keywords: Any) -> "Size":
        """Create a Size from an iterable of integers."""
        new: Size = _new(cls, map(_size_item, tuple(*args, **keywords), count()))
        return new

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, map(unpack_int64, self)))}])"

    def __getitem__(self, key: Any) -> Any:
        item = _get(self, key)
        return as_size(item) if type(key) is slice else item

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            # In torch, nb_add with the other operand's __radd__ precedes sq_concat.
            reflected = getattr(type(other), "__radd__", None)
            result = NotImplemented if reflected is None else reflected(other, self)
            if result is NotImplemented:
                raise TypeError(
                    f"can only concatenate tuple (not {type_name(other)}) to torch.Size"
                )
            return result
        return Size.__new__(Size, _concatenate(self, other))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size.__new__(Size, _concatenate(other, self))

    def __mul__(self, times: Any) -> Any:
        if hasattr(type(times), "__index__"):
            return as_size(_repeat(self, times))
        # A builtin sequence has no nb_multiply, but CPython gives it a __rmul__.
        is_sequence = isinstance(times, list | tuple | str | bytes | bytearray)
        reflected = None if is_sequence else getattr(type(times), "__rmul__", None)
        result = NotImplemented if reflected is None else reflected(times, self)
        if result is NotImplemented:
            raise TypeError(f"{_CANNOT_REPEAT} '{type_name(times)}'")
        return result

    def __rmul__(self, times: Any) -> Any:
        if _rejected == [_operation(times, sys._getframe(1))]:
            return NotImplemented
        if hasattr(type(times), "__index__"):
            return as_size(_repeat(self, times))
        # The other sequence's sq_repeat raises before that of this one.
        is_sequence = isinstance(times, list | tuple | str | bytes | bytearray)
        raise TypeError(f"{_CANNOT_REPEAT} '{type_name(self if is_sequence else times)}'")

    def __reduce__(self, *args: Any) -> Any:
        return Size, (tuple(self),)

    def numel(self, *args: object, **keywords: object) -> int:
        """Return the number of elements of a tensor of this size."""
        if args or keywords:
            takes_no_arguments("Size.numel", args, keywords)
        return as_int64(math.prod(self))


_CANNOT_REPEAT = "can't multiply sequence by non-int of type"

_get = tuple.__getitem__
_concatenate = tuple.__add__
_repeat = tuple.__mul__


_rejected: list[tuple[int, int, int]] = []
"""The last ``*=`` that does not repeat a Size."""


def reject_repeat(operand: Any, caller: FrameType) -> None:
    """Reject the Size in ``operand *= size`` if that is the operation which the caller executes.

    CPython calls ``operand.__imul__`` and then, as for ``*``, ``size.__rmul__``.  It does not ask
    torch's Size, a C class with sq_repeat alone, after the in-place operator of a class with
    slots of a sequence (PyNumber_InPlaceMultiply).
    """
    _rejected[:] = [_operation(operand, caller)]


def _operation(operand: Any, caller: FrameType) -> tuple[int, int, int]:
    """Return what identifies the instruction that a frame executes on an operand."""
    return id(operand), id(caller), caller.f_lasti


def as_size(sizes: tuple[int, ...]) -> Size:
    """Return a Size of plain integers, without checks."""
    return _new(Size, sizes)


def _size_item(value: Any, position: int) -> int:
    """Return an item as an integer, or raise TypeError if it is none."""
    if type(value) is not int:
        try:
            number = index(value)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(
                f"torch.Size() takes an iterable of 'int' (item {position} is '{type_name(value)}')"
            ) from None
        # Torch keeps the original object if THPUtils_checkLong accepts it.
        return value if is_long(value) else number
    return value
