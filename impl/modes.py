"""Grad mode and inference mode, which every thread has for itself (c10/core/AutogradState.h)."""

import threading


class _Modes(threading.local):
    """The modes of a thread."""

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.key = object()


MODES = _Modes()

UNUSUAL: set[object] = set()
"""Threads whose modes are not the usual ones.  While there is none, nobody has to look at `MODES`."""


def set_modes(grad: bool, inference: bool) -> None:
    """Set both modes of this thread."""
    MODES.grad, MODES.inference = grad, inference
    if grad and not inference:
        UNUSUAL.discard(MODES.key)
    else:
        UNUSUAL.add(MODES.key)


def grad_enabled() -> bool:
    """Tell whether grad mode is on in this thread."""
    return not UNUSUAL or MODES.grad


def records() -> bool:
    """Tell whether anything is recorded in this thread: in inference mode it is not, whatever grad mode."""
    return not UNUSUAL or (MODES.grad and not MODES.inference)


def inference_enabled() -> bool:
    """Tell whether this thread makes tensors that autograd will never know."""
    return bool(UNUSUAL) and MODES.inference
