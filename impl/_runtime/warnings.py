"""Warnings that show the caller's line, as torch's C++ warnings do."""

import sys
import threading
import warnings
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

from .c_types import PACKAGE
from .device_modes import has_device_mode
from .errors import type_name


class WarnOnceState:
    """The messages of `warn_once` in this process, and the state of `set_warn_always`."""

    always = False
    seen: set[str] = set()  # noqa: RUF012  # one for the process


class _Silence(threading.local):
    """A context in which a thread gets no warning of this package: a call that repeats another."""

    is_on = False

    def __enter__(self) -> None:
        self.is_on = True

    def __exit__(self, *_: object) -> None:
        self.is_on = False


SILENCE = _Silence()


_SHOWN: set[CodeType] = set()


def is_python_frame(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function whose lines warnings may show.

    The function is Python code in torch, and C++ warnings show the innermost line of Python.
    """
    _SHOWN.add(function.__code__)
    return function


_IGNORING: set[CodeType] = set()

_Function = TypeVar("_Function", bound=Callable[..., Any])


def ignores_device_mode(function: _Function) -> _Function:
    """Mark a function whose warnings show its caller's line even with a default device.

    Torch does not consult the mode of the default device in every function.
    """
    _IGNORING.add(function.__code__)
    return function


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that shows the innermost line outside this package.

    With a default device it shows a line of this package: in torch the mode's own Python
    function is the innermost line then.
    """
    if SILENCE.is_on:
        return
    level, frame, in_mode = 2, sys._getframe(1), has_device_mode()
    while frame is not None and _is_hidden(frame):
        in_mode = in_mode and frame.f_code not in _IGNORING
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=2 if in_mode else level)


def warn_twice(message: str) -> None:
    """Issue a warning about the arguments of a call, twice if there is a default device.

    Torch parses the call twice in that case.
    """
    if has_device_mode():
        warn(message)
    warn_caller(message)


@ignores_device_mode
def warn_caller(message: str) -> None:
    """Issue a warning that shows the innermost line outside this package, in every mode."""
    warn(message)


def _is_hidden(frame: FrameType) -> bool:
    return is_of_package(frame) and frame.f_code not in _SHOWN


def is_of_package(frame: FrameType) -> bool:
    """Return whether a frame executes code of this package."""
    package: str = frame.f_globals.get("__name__", "").partition(".")[0]
    return package == PACKAGE


def warn_once(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning once per process, unless `set_warn_always` is on (TORCH_WARN_ONCE)."""
    if not WarnOnceState.always:
        if message in WarnOnceState.seen:
            return
        WarnOnceState.seen.add(message)
    warn(message, category)


def triggered_at(message: str, source: str) -> str:
    """Return the message of a C++ warning, which ends with its source file and line."""
    return f"{message} (Triggered internally at /__w/pytorch/pytorch/{source}.)"


def set_warn_always(b: bool, /) -> None:
    """Set whether the warnings of `warn_once` are issued each time."""
    if type(b) is not bool:
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type_name(b)}")
    WarnOnceState.always = b


def is_warn_always_enabled() -> bool:
    """Return whether `set_warn_always` is on."""
    return WarnOnceState.always
