"""The default device, which every thread has for itself: what factories use if none is named.

Torch keeps a stack of modes in each thread (torch/utils/_device.py).  ``with device:`` puts one on
top, and in the end takes off whatever is on top; `set_default_device` puts one at the bottom instead of all that
are there, of which the topmost comes back when the default is set again.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .errors import check
from .grad_modes import Member

_F = TypeVar("_F", bound=Callable[..., Any])


DEVICE_MODE_THREADS: set[int] = set()
"""Threads with a default device.  While there is none, factories need not look for one."""


class _Mode:
    """A default device, and the mode that comes back after it."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.previous: _Mode | None = None


class _Modes(threading.local):
    """The modes of a thread, the innermost last, and the one that was set."""

    def __init__(self) -> None:
        self.stack: list[_Mode] = []
        self.set: _Mode | None = None
        self.named = Member(DEVICE_MODE_THREADS)


_MODES = _Modes()


def use_default_device(signature: Any, values: list[Any]) -> None:
    """Give a factory the thread's default device, if its arguments name none.

    They have been matched before, as in torch, whose modes see only calls that can be parsed.
    """
    stack, place = _MODES.stack, signature.place_of("device")
    if stack and place is not None and values[place] is None:
        values[place] = stack[-1].device


def without_device_mode(function: _F) -> _F:
    """Let a function run as if there were no default device, as those do that torch has no mode for."""

    @wraps(function)
    def alone(*args: Any, **keywords: Any) -> Any:
        if not DEVICE_MODE_THREADS:
            return function(*args, **keywords)
        stack, _MODES.stack = _MODES.stack, []
        try:
            return function(*args, **keywords)
        finally:
            _MODES.stack = stack

    return alone  # type: ignore[return-value]


def is_named() -> bool:
    """Tell whether factories of this thread have a default device."""
    return bool(DEVICE_MODE_THREADS) and bool(_MODES.stack)


def default_device() -> Any:
    """Return the thread's default device, or None if it never chose one."""
    mode = _MODES.stack[-1] if _MODES.stack else _MODES.set
    return None if mode is None else mode.device


def enter(device: Any) -> None:
    """Let a device be the default until `leave` is called."""
    _MODES.stack.append(_Mode(device))
    _note()


def leave() -> None:
    """Take off the innermost mode."""
    check(_MODES.stack, lambda: "trying to pop from empty mode stack")
    _MODES.stack.pop()
    _note()


def set_default(device: Any) -> None:
    """Let a device be the default from now on; None for the one that is used after import."""
    if _MODES.set is not None:
        _take_off(_MODES.set)
    if device is None:
        _MODES.set = None
        return
    mode = _Mode(device)
    if _MODES.stack:
        mode.previous = _MODES.stack[-1]
    _MODES.stack[:] = [mode]
    _MODES.set = mode
    _note()


def _take_off(mode: _Mode) -> None:
    stack = _MODES.stack
    if len(stack) > 1:
        stack.pop()
        raise AssertionError("Found nested DeviceContext on the mode stack where none expected")
    stack[:] = [] if mode.previous is None else [mode.previous]
    _note()


def _note() -> None:
    _MODES.named.belongs(bool(_MODES.stack))
