"""Modes, which get the calls of all overridable functions in a context (torch/overrides.py)."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from .._runtime.torch_function import pop_mode, push_mode


@contextmanager
def mode_popped() -> Iterator[Any]:
    """Return a context with the innermost mode, in which that mode gets no calls."""
    mode = pop_mode()
    try:
        yield mode
    finally:
        push_mode(mode)


class TorchFunctionMode:
    """A context whose ``__torch_function__`` gets the calls of all overridable functions.

    Modes form a stack in each thread.  In the ``__torch_function__`` of a mode, calls go to the
    next mode.
    """

    inner: "TorchFunctionMode"

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        push_mode(self)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        pop_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a mode, with a warning: ``with Mode():`` needs no push."""
        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`",
            stacklevel=2,
        )
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls each function."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))
