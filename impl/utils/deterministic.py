"""torch.utils.deterministic: whether uninitialised memory is filled where determinism is on."""

import sys
import types
from typing import Any

from .._numerics.deterministic import SWITCHES
from .._runtime.errors import check


class _Deterministic(types.ModuleType):
    """The module itself, so that its one setting can be assigned to."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether new memory is filled with a known value while determinism is on."""
        return SWITCHES.fill_uninitialized_memory

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: Any) -> None:
        check(type(mode) is bool, lambda: f"expected a bool, but got {type(mode).__name__}")
        SWITCHES.fill_uninitialized_memory = mode


sys.modules[__name__].__class__ = _Deterministic
