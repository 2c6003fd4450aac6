"""torch.Size: a tuple of integers that stays one when it is cut, joined or repeated."""

import math
from operator import index
from typing import Any, NoReturn

from .._argparser.types import is_long
from .._runtime.c_types import TorchType, called_type
from .._runtime.errors import check, takes_no_arguments, type_name

_INT64_END = 2**63
_new = tuple.__new__


@called_type
class _SizeClass(TorchType):
    """The metaclass of `Size`, which lets it be called."""

    def __call__(self, *args: Any, **keywords: Any) -> "Size":
        return Size.__new__(self, *args, **keywords)


class Size(tuple[int, ...], metaclass=_SizeClass):
    """Size(iterable): the sizes of a tensor's dimensions.

    >>> Size([2, 3]) + (4,), Size([2, 3]).numel()
    (torch.Size([2, 3, 4]), 6)
    """

    __slots__ = ()

    def __new__(cls: Any, *args: Any, **keywords: Any) -> "Size":
        """Make a Size of the integers that an iterable gives."""
        new: Size = _new(cls, map(_size_item, *_numbered(tuple(*args, **keywords))))
        return new

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(_printed, self))}])"

    def __getitem__(self, key: Any) -> Any:
        found = _get(self, key)
        return as_size(found) if type(key) is slice else found

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            # Torch joins where numbers are added has been asked for in vain.
            reflected = getattr(type(other), "__radd__", None)
            found = NotImplemented if reflected is None else reflected(other, self)
            if found is NotImplemented:
                _cannot_join(other)
            return found
        return Size.__new__(Size, _join(self, other))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size.__new__(Size, _join(other, self))

    def __mul__(self, times: Any) -> Any:
        if not hasattr(type(times), "__index__"):
            return NotImplemented
        return as_size(_repeat(self, times))

    __rmul__ = __mul__

    def __reduce__(self, *args: Any) -> Any:
        return Size, (tuple(self),)

    def numel(self, *args: object, **keywords: object) -> int:
        """Return the number of elements of a tensor of this size."""
        if args or keywords:
            takes_no_arguments("Size.numel", args, keywords)
        # In C++ the product wraps around at 64 bits.
        product = math.prod(self)
        return (product + _INT64_END) % (2 * _INT64_END) - _INT64_END


_get = tuple.__getitem__
_join = tuple.__add__
_repeat = tuple.__mul__


def as_size(sizes: tuple[int, ...]) -> Size:
    """Make a Size of what is known to be plain integers."""
    return _new(Size, sizes)


def _numbered(items: tuple[Any, ...]) -> tuple[tuple[Any, ...], range]:
    return items, range(len(items))


def _size_item(value: Any, position: int) -> int:
    """Return an item as an integer, or raise what torch does."""
    if type(value) is not int:
        try:
            number = index(value)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(
                f"torch.Size() takes an iterable of 'int' (item {position} is '{type_name(value)}')"
            ) from None
        # Torch keeps what it takes for an integer as it is.
        return value if is_long(value) else number
    return value


def _printed(value: int) -> str:
    check(
        -_INT64_END <= value < _INT64_END, lambda: "Overflow when unpacking long long", ValueError
    )
    return str(int(value))


def _cannot_join(other: object) -> NoReturn:
    raise TypeError(f"can only concatenate tuple (not {type_name(other)}) to torch.Size")
