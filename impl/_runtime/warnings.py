"""Warnings, shown to be from the line that called the library."""

import sys
import warnings
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

from .c_types import PACKAGE
from .device_modes import is_named


class _Once:
    """What was warned of in this process, and whether that is to count."""

    always = False
    seen: set[str] = set()  # noqa: RUF012  # one for the process


_SHOWN: set[CodeType] = set()


def shown_in_warnings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let warnings from inside a function be shown to be from there.

    Torch has the function written in Python, and what warns in C++ shows the
    innermost line of Python.
    """
    _SHOWN.add(function.__code__)
    return function


_UNMINDED: set[CodeType] = set()


_Function = TypeVar("_Function", bound=Callable[..., Any])


def ignores_device_mode(function: _Function) -> _Function:
    """Let warnings from inside a function be shown to be from its caller's line, whatever the default device is.

    A default device is heeded by a mode, of which torch asks not everywhere.
    """
    _UNMINDED.add(function.__code__)
    return function


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, from the innermost line that is not in this package.

    Where the thread has a default device that is not so: torch heeds it in a function of
    its own, which is the innermost line then.
    """
    level, frame, minds = 2, sys._getframe(1), is_named()
    while frame is not None and _is_hidden(frame):
        minds = minds and frame.f_code not in _UNMINDED
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=2 if minds else level)


def warn_twice(message: str, at_the_end: list[str] | None = None) -> None:
    """Warn of how a function is called; if a default device is heeded, torch reads the call twice.

    It shows the second warning when the call ends: then ``at_the_end`` takes it, for `warn_caller`.
    """
    if is_named():
        warn(message)
        if at_the_end is not None:
            at_the_end.append(message)
            return
    warn_caller(message)


@ignores_device_mode
def warn_caller(message: str) -> None:
    """Warn, from the innermost line that is not in this package, whatever the default device is."""
    warn(message)


def _is_hidden(frame: FrameType) -> bool:
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    return package == PACKAGE and frame.f_code not in _SHOWN


def warn_once(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn once in a process, unless `set_warn_always` is on (TORCH_WARN_ONCE in c10)."""
    if message in _Once.seen and not _Once.always:
        return
    _Once.seen.add(message)
    warn(message, category)


def set_warn_always(b: bool, /) -> None:
    """Let what is warned of once in a process be warned of each time."""
    if type(b) is not bool:
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _Once.always = b


def is_warn_always_enabled() -> bool:
    """Tell whether `set_warn_always` is on."""
    return _Once.always
