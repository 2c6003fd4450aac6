"""Grad mode and inference mode of each thread (c10/core/AutogradState.h)."""

import threading


class ThreadFlag:
    """A thread's membership in a set of threads, which ends with the thread."""

    def __init__(self, threads: set[int]) -> None:
        self.threads = threads

    def set(self, value: bool) -> None:
        if value:
            self.threads.add(id(self))
        else:
            self.threads.discard(id(self))

    def __del__(self) -> None:
        self.threads.discard(id(self))


NON_DEFAULT_THREADS: set[int] = set()
"""Threads with modes other than the defaults.  If it is empty, `MODES` need not be read."""


class _Modes(threading.local):
    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.non_default = ThreadFlag(NON_DEFAULT_THREADS)


MODES = _Modes()


def set_modes(grad: bool, inference: bool) -> None:
    MODES.grad, MODES.inference = grad, inference
    MODES.non_default.set(not grad or inference)


def grad_enabled() -> bool:
    """Return whether grad mode is on in this thread."""
    return not NON_DEFAULT_THREADS or MODES.grad


def is_recording() -> bool:
    """Return whether autograd records operators in this thread; inference mode turns it off."""
    return not NON_DEFAULT_THREADS or (MODES.grad and not MODES.inference)


def inference_enabled() -> bool:
    """Return whether this thread creates inference tensors."""
    return bool(NON_DEFAULT_THREADS) and MODES.inference
