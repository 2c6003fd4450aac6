"""Modules that are loaded when they are first used, so that importing impl stays light."""

from importlib import import_module
from typing import Any


class LazyModule:
    """Stands for a module, and loads it when something of it is first asked for."""

    def __init__(self, name: str) -> None:
        self.__name = name

    def __getattr__(self, name: str) -> Any:
        module = import_module(self.__name)
        # From now on what the module holds is found here without a detour.
        vars(self).update(vars(module))
        return getattr(module, name)
