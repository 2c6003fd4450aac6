"""The context managers that disable overrides (torch/csrc/utils/disable_torch_function.cpp)."""

from typing import Any

from .._runtime.torch_function import ALL_DISABLED, STATE, SUBCLASSES_DISABLED


class DisableTorchFunctionSubclass:
    """A context in which subclasses and other objects override nothing; modes still do."""

    _STATE = SUBCLASSES_DISABLED

    def __init__(self, *args: Any, **keywords: Any) -> None:
        pass  # torch's C class ignores arguments

    def __enter__(self) -> None:
        self._former = STATE.disabled
        STATE.disabled = max(self._STATE, self._former)

    def __exit__(self, *error: Any) -> None:
        STATE.disabled = self._former


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A context in which nothing overrides functions."""

    _STATE = ALL_DISABLED
