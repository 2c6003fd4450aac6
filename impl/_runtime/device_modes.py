"""The default device of each thread, which factories use without a ``device`` argument.

Torch keeps a stack of modes in each thread (torch/utils/_device.py).  ``with device:`` pushes a
mode, and its end pops the top one.  `set_default_device` replaces the whole stack by one mode.  The
former top comes back when the default is set again.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .errors import check
from .grad_modes import ThreadFlag

_F = TypeVar("_F", bound=Callable[..., Any])


DEVICE_MODE_THREADS: set[int] = set()
"""Threads with a default device.  If it is empty, factories skip the lookup."""


class _Modes(threading.local):
    """The modes of a thread.

    - ``stack``: the devices of the modes, innermost last.
    - ``default``: the device of `set_default_device`, or None.
    - ``previous``: the former top of the stack, which comes back after the default; or nothing.
    """

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.default: Any = None
        self.previous: list[Any] = []
        self.has_modes = ThreadFlag(DEVICE_MODE_THREADS)


_MODES = _Modes()


def use_default_device(signature: Any, values: list[Any]) -> None:
    """Set the ``device`` of parsed arguments to the thread's default device if it is None.

    The arguments are parsed before, as torch's modes only see calls that can be parsed.
    """
    stack, index = _MODES.stack, signature.index_of("device")
    if stack and index is not None and values[index] is None:
        values[index] = stack[-1]


def without_device_mode(function: _F) -> _F:
    """Call a function without a default device, as for functions that torch's modes skip."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not DEVICE_MODE_THREADS:
            return function(*args, **kwargs)
        stack, _MODES.stack = _MODES.stack, []
        try:
            return function(*args, **kwargs)
        finally:
            _MODES.stack = stack

    return wrapper  # type: ignore[return-value]


def has_device_mode() -> bool:
    """Return whether factories of this thread have a default device."""
    return bool(DEVICE_MODE_THREADS) and bool(_MODES.stack)


def default_device() -> Any:
    """Return the thread's default device, or None if none was set."""
    return _MODES.stack[-1] if _MODES.stack else _MODES.default


def push_mode(device: Any) -> None:
    """Make a device the default until `pop_mode` is called."""
    _MODES.stack.append(device)
    _update_flag()


def pop_mode() -> None:
    """Remove the innermost mode."""
    check(_MODES.stack, lambda: "trying to pop from empty mode stack")
    _MODES.stack.pop()
    _update_flag()


def set_default_mode(device: Any) -> None:
    """Make a device the default from now on; None restores the state after import."""
    stack = _MODES.stack
    if _MODES.default is not None:
        if len(stack) > 1:
            stack.pop()
            raise AssertionError("Found nested DeviceContext on the mode stack where none expected")
        stack[:] = _MODES.previous
    if device is not None:
        _MODES.previous = stack[-1:]
        stack[:] = [device]
    _MODES.default = device
    _update_flag()


def _update_flag() -> None:
    _MODES.has_modes.set(bool(_MODES.stack))
