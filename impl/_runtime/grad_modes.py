"""Grad mode and inference mode, which every thread has for itself (c10/core/AutogradState.h)."""

import threading


class Member:
    """What stands for a thread in a set of threads: it leaves it when the thread ends."""

    def __init__(self, members: set[int]) -> None:
        self.members = members

    def belongs(self, does: bool) -> None:
        """Let the thread be in the set, or not."""
        if does:
            self.members.add(id(self))
        else:
            self.members.discard(id(self))

    def __del__(self) -> None:
        self.members.discard(id(self))


NON_DEFAULT_THREADS: set[int] = set()
"""Threads whose modes are not the usual ones.  While there is none, nobody has to look at `MODES`."""


class _Modes(threading.local):
    """The modes of a thread."""

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.unusual = Member(NON_DEFAULT_THREADS)


MODES = _Modes()


def set_modes(grad: bool, inference: bool) -> None:
    """Set both modes of this thread."""
    MODES.grad, MODES.inference = grad, inference
    MODES.unusual.belongs(not grad or inference)


def grad_enabled() -> bool:
    """Tell whether grad mode is on in this thread."""
    return not NON_DEFAULT_THREADS or MODES.grad


def records() -> bool:
    """Tell whether anything is recorded in this thread: in inference mode it is not, whatever grad mode."""
    return not NON_DEFAULT_THREADS or (MODES.grad and not MODES.inference)


def inference_enabled() -> bool:
    """Tell whether this thread makes tensors that autograd will never know."""
    return bool(NON_DEFAULT_THREADS) and MODES.inference
