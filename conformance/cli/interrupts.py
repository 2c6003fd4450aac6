"""Interrupts of a run: SIGINT and SIGTERM end it, whatever code they meet.

An exception that a handler raises is lost if it meets a destructor or a callback of the garbage
collector, as Hypothesis has one. So it is raised again until pytest has seen it. Then the report is
written; a second signal that comes at once, as ``timeout`` sends it, neither ends that nor meets
pytest on the way to it.
"""

import atexit
import signal
import sys
from time import monotonic
from types import FrameType
from typing import Any

AGAIN_S = 0.5
"""After how many seconds an interrupt that pytest has not seen is raised again."""

AT_ONCE_S = 2.0
"""For how many seconds after an interrupt that pytest has seen another one is ignored."""

_raised_at: list[float] = []
"""When an interrupt was raised."""

_seen_at: list[float] = []
"""When pytest saw an interrupt."""


def handle_interrupts() -> None:
    """Let SIGTERM, and SIGINT unless it is ignored as in background jobs, end the run."""
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt)
    report_others = sys.unraisablehook

    def report(lost: Any) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            report_others(lost)

    sys.unraisablehook = report


def _interrupt(number: int, frame: FrameType | None) -> None:
    now = monotonic()
    if _seen_at:
        if now - _seen_at[-1] < AT_ONCE_S:
            return
    elif hasattr(signal, "setitimer"):
        if _raised_at and now - _raised_at[-1] < AGAIN_S and number != signal.SIGALRM:
            return  # the timer raises it again, if it must
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    _raised_at.append(now)
    raise KeyboardInterrupt


def was_interrupted() -> bool:
    """Return whether an interrupt was raised."""
    return bool(_raised_at)


def stop_repeating() -> None:
    """Note that the interrupt was seen, and do not raise it again.

    The timer would also end the process with a signal while Python finishes, as would a signal that
    comes then: Python restores the default handlers, but none that ignores a signal.
    """
    _seen_at.append(monotonic())
    for number in (signal.SIGINT, signal.SIGTERM):
        atexit.register(signal.signal, number, signal.SIG_IGN)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


class InterruptWatcher:
    """A pytest plugin that stops the repetition when pytest has seen the interrupt."""

    def pytest_keyboard_interrupt(self) -> None:
        """Stop the timer."""
        stop_repeating()
