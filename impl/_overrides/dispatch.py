"""The calls of ``__torch_function__``, in torch's order: the innermost mode, then the arguments.

Follows handle_torch_function_no_python_arg_parser in torch/csrc/utils/python_arg_parser.cpp, and
torch/overrides.py.
"""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from .._dtypes.cpp_names import class_text
from .._runtime.c_types import PACKAGE
from .._runtime.torch_function import (
    DISABLED,
    ENABLED,
    OWNERS,
    STATE,
    append_overloaded,
    has_mode,
    overrides,
)
from .._runtime.warnings import warn_once
from .._tensor.tensor import Tensor
from .rules import FUNCTIONS, METHODS

Function = Callable[..., Any]


def call_overrides(
    func: Function, name: str, overloaded: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Return the answer of the first override of a function of C; raise if there is none."""
    types = tuple(map(type, overloaded))
    given = (func, types, args, kwargs) if kwargs else (func, types, args)
    mode = STATE.modes[-1] if has_mode() else None
    if mode is not None and (result := _answer_of_mode(*given)) is not NotImplemented:
        return result
    for each in overloaded:
        method = each.__torch_function__
        if getattr(method, "__self__", None) is each:
            warn_once(_PLAIN_METHOD)
        result = method(*given)
        if result is not NotImplemented:
            return result
    lines = [f"  - mode object {mode!r}\n"] if mode is not None else []
    lines += [f"  - tensor subclass {class_text(each)}\n" for each in types]
    raise TypeError(
        f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned"
        f" NotImplemented:\n\n{''.join(lines)}\nFor more information, try re-running with"
        " TORCH_LOGS=not_implemented"
    )


def _answer_of_mode(*given: Any) -> Any:
    """Return the answer of the innermost mode, which the calls inside it do not reach."""
    mode = STATE.modes.pop()
    try:  # no Python code, which recursion could prevent, puts the mode back
        return mode.__torch_function__(*given)
    finally:
        STATE.modes.append(mode)


_PLAIN_METHOD = (
    "Defining your `__torch_function__` as a plain method is deprecated and will be an error in"
    " future, please define it as a classmethod. (Triggered internally at"
    " /__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.cpp:359.)"
)


def overloaded_among(relevant_args: Iterable[Any]) -> list[Any]:
    """Return the arguments that a function in Python dispatches to: Tensor is one of the types."""
    overloaded: list[Any] = []
    if STATE.disabled != ENABLED:
        return overloaded
    for each in relevant_args:
        cls: Any = type(each)
        if hasattr(cls, "__torch_function__") and cls.__torch_function__ is not DISABLED:
            append_overloaded(overloaded, each)
    return overloaded


def handle_torch_function(
    public_api: Function, relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Return the answer of the first override among a mode and the relevant arguments.

    Raise TypeError if all return NotImplemented.
    """
    overloaded = overloaded_among(relevant_args)
    types = tuple(map(type, overloaded))
    given = public_api, types, args, kwargs
    if has_mode() and (result := _answer_of_mode(*given)) is not NotImplemented:
        return result
    for each in overloaded:
        method = each.__torch_function__
        if getattr(method, "__self__", None) is each and method is not DISABLED:
            warnings.warn(_PLAIN_METHOD_IN_PYTHON, DeprecationWarning, stacklevel=2)
        result = method(*given)
        if result is not NotImplemented:
            return result
    name = f"{module_of(public_api)}.{public_api.__name__}"
    message = f"no implementation found for '{name}' on types that implement"
    message += f" __torch_function__: [{', '.join(map(class_text, types))}]"
    if has_mode():
        message += f" nor in mode {STATE.modes[-1]}"
    raise TypeError(message)


def module_of(function: Function) -> str:
    """Return the module of a function; that of torch's code in Python is named as in torch."""
    module, name = function.__module__, function.__name__
    if name in FUNCTIONS and function is getattr(OWNERS["torch"], name):
        return "torch.functional"
    is_method = name in METHODS and function is getattr(Tensor, name)
    if is_method:
        return "torch._tensor"
    return "torch" if module == PACKAGE else module


_PLAIN_METHOD_IN_PYTHON = (
    "Defining your `__torch_function__ as a plain method is deprecated and will be an error in"
    " future, please define it as a classmethod."
)


def has_torch_function_among(values: Iterable[Any]) -> bool:
    """Return whether a mode, or one of the values, overrides functions."""
    if has_mode():
        return True
    return STATE.disabled == ENABLED and any(map(overrides, values))


def _has_torch_function(*relevant_args: Any, **keywords: Any) -> bool:
    """Return whether an argument, or a mode, overrides functions; Tensor itself does not.

    >>> _has_torch_function([Tensor(), 1])
    False
    """
    if keywords:
        raise TypeError("torch._C._has_torch_function() takes no keyword arguments")
    if (count := len(relevant_args)) != 1:
        raise TypeError(
            f"torch._C._has_torch_function() takes exactly one argument ({count} given)"
        )
    try:
        values = [*relevant_args[0]]
    except TypeError:
        raise TypeError("expected a sequence") from None
    return has_torch_function_among(values)


_has_torch_function.__module__ = f"{PACKAGE}._C"  # as in torch


def converted(result: Any, cls: type) -> Any:
    """Return a result with its tensors as instances of a subclass."""
    if cls is Tensor:
        return result
    if isinstance(result, Tensor) and not isinstance(result, cls):
        result = result.as_subclass(cls)  # type: ignore[attr-defined]
    if isinstance(result, tuple | list):
        result = type(result)(converted(each, cls) for each in result)
    return result
