"""torch.overrides: modes, and functions for those who write functions that may be overridden."""

from collections.abc import Callable as _Callable, Iterable as _Iterable
from functools import wraps as _wraps
from typing import Any as _Any

from ._overrides import modes as _modes
from ._overrides.default import default_nowrap_functions as _default_nowrap_functions
from ._overrides.dispatch import (
    _has_torch_function as has_torch_function,
    handle_torch_function,
    has_torch_function_among as _has_torch_function_among,
)
from ._runtime import torch_function as _torch_function
from ._tensor.tensor import Tensor as _Tensor

__all__ = [
    "get_default_nowrap_functions", "handle_torch_function", "has_torch_function",
    "is_tensor_like", "wrap_torch_function",
]  # fmt: skip

BaseTorchFunctionMode = _modes.BaseTorchFunctionMode
TorchFunctionMode = _modes.TorchFunctionMode
_pop_mode = _torch_function.pop_mode
_pop_mode_temporarily = _modes.mode_popped
_push_mode = _torch_function.push_mode


def has_torch_function_unary(argument: _Any, /) -> bool:
    """Return whether an argument, or a mode, overrides functions."""
    return _has_torch_function_among((argument,))


def has_torch_function_variadic(*arguments: _Any) -> bool:
    """Return whether one of the arguments, or a mode, overrides functions."""
    return _has_torch_function_among(arguments)


def is_tensor_like(inp: _Any) -> bool:
    """Return whether an object is a Tensor or has a ``__torch_function__``.

    >>> is_tensor_like(_Tensor()), is_tensor_like(1)
    (True, False)
    """
    return type(inp) is _Tensor or hasattr(inp, "__torch_function__")


def get_default_nowrap_functions() -> set[_Any]:
    """Return the functions whose results the default ``__torch_function__`` does not convert."""
    return {*_default_nowrap_functions()}


def wrap_torch_function(dispatcher: _Callable[..., _Iterable[_Any]]) -> _Callable[..., _Any]:
    """Return a decorator for functions that may be overridden.

    ``dispatcher`` has the parameters of the function, and returns its tensors.
    """

    def inner(func: _Callable[..., _Any]) -> _Callable[..., _Any]:
        @_wraps(func)
        def wrapped(*args: _Any, **kwargs: _Any) -> _Any:
            relevant_args = dispatcher(*args, **kwargs)
            if has_torch_function(relevant_args):
                return handle_torch_function(wrapped, relevant_args, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner


def _get_current_function_mode() -> _Any:
    """Return the innermost mode of the thread, or None."""
    return _torch_function.STATE.modes[-1] if _torch_function.STATE.modes else None


def _get_current_function_mode_stack() -> list[_Any]:
    """Return the modes of the thread, innermost last."""
    return [*_torch_function.STATE.modes]


handle_torch_function.__module__ = __name__
