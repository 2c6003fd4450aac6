"""Modules that are loaded on first use, which keeps ``import impl`` light."""

from importlib import import_module
from typing import Any


class LazyModule:
    """A module that is loaded when one of its attributes is first read."""

    def __init__(self, name: str) -> None:
        self.__name = name

    def __getattr__(self, name: str) -> Any:
        module = import_module(self.__name)
        # Later lookups find the module's names here and skip `__getattr__`.
        vars(self).update(vars(module))
        return getattr(module, name)
