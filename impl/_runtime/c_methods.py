"""Methods and attributes of storages that torch has in C, and how CPython refuses for them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from .errors import takes_no_arguments


def without_arguments(run: Callable[..., Any]) -> Callable[..., Any]:
    """Let CPython's words for a C function refuse arguments."""

    @wraps(run)
    def method(self: Any, *args: Any, **keywords: Any) -> Any:
        if args or keywords:
            takes_no_arguments(f"StorageBase.{run.__name__}", args, keywords)
        return run(self)

    return method


def with_one_argument(run: Callable[..., Any]) -> Callable[..., Any]:
    """Let CPython's words for a C function refuse all but one argument given by place."""

    @wraps(run)
    def method(self: Any, *args: Any, **keywords: Any) -> Any:
        name = f"StorageBase.{run.__name__}()"
        if keywords:
            raise TypeError(f"{name} takes no keyword arguments")
        if len(args) != 1:
            raise TypeError(f"{name} takes exactly one argument ({len(args)} given)")
        return run(self, args[0])

    return method


class ReadOnly(property):
    """An attribute that cannot be set, and says so as torch's C class does."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(
            f"attribute '{self.name}' of 'torch._C.StorageBase' objects is not writable"
        )
