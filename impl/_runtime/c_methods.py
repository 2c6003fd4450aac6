"""Decorators for storage methods and attributes that are C code in torch, with CPython's errors."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from .errors import takes_no_arguments


def noargs_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Raise CPython's TypeError for a C method without parameters if it is called with any."""

    @wraps(fn)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs:
            takes_no_arguments(f"StorageBase.{fn.__name__}", args, kwargs)
        return fn(self)

    return method


def one_arg_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Raise CPython's TypeError for a C method unless it is called with one positional argument."""

    @wraps(fn)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        name = f"StorageBase.{fn.__name__}()"
        if kwargs:
            raise TypeError(f"{name} takes no keyword arguments")
        if len(args) != 1:
            raise TypeError(f"{name} takes exactly one argument ({len(args)} given)")
        return fn(self, args[0])

    return method


class ReadOnlyAttribute(property):
    """A read-only attribute with the AttributeError of torch's C class."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(
            f"attribute '{self.name}' of 'torch._C.StorageBase' objects is not writable"
        )

    def __delete__(self, instance: Any) -> None:
        self.__set__(instance, None)
