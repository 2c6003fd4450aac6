"""The context managers and decorators that set grad mode and inference mode (torch.autograd.grad_mode)."""

import functools
import sys
import warnings
from collections.abc import Callable, Generator
from types import FunctionType, MethodType
from typing import Any

from .._argparser.parser import Parser
from .._runtime.c_types import PACKAGE
from .._runtime.errors import takes_no_arguments
from .._runtime.grad_modes import MODES, grad_enabled, inference_enabled, set_modes

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

CO_GENERATOR = 0x20
"""The flag of code that makes a generator."""

_parse_enabled = Parser("set_grad_enabled(bool enabled)")
_parse_inference = Parser("_InferenceMode(bool mode)")


def is_grad_enabled(*args: Any, **keywords: Any) -> bool:
    """is_grad_enabled(): tell whether this thread records where results come from."""
    if args or keywords:
        takes_no_arguments("torch.is_grad_enabled", args, keywords)
    return grad_enabled()


def is_inference_mode_enabled(*args: Any, **keywords: Any) -> bool:
    """is_inference_mode_enabled(): tell whether this thread is in inference mode."""
    if args or keywords:
        takes_no_arguments("torch.is_inference_mode_enabled", args, keywords)
    return inference_enabled()


def _set_grad(enabled: Any) -> None:
    (value,) = _parse_enabled((enabled,), {})
    set_modes(value, inference_enabled())


class _DecoratorContextManager:
    """A context manager that is a decorator, too (torch/utils/_contextlib.py)."""

    def __call__(self, orig_func: Any) -> Any:
        if not isinstance(orig_func, type):
            return _decorated(self.clone, orig_func)
        warnings.warn(
            "Decorating classes is deprecated and will be disabled in future versions. You should"
            " only decorate functions or methods. To preserve the current behavior of class"
            " decoration, you can directly decorate the `__init__` method and nothing else.",
            FutureWarning,
            stacklevel=2,
        )
        return _decorated(self.clone, lambda *args, **kwargs: orig_func(*args, **kwargs))

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Any:
        """Return another context manager that does the same."""
        return type(self)()


def _decorated(manager: Callable[[], Any], function: Any) -> Any:
    """Return a function that runs inside a context manager, made anew for each call."""
    if _is_generator_function(function):
        return _decorated_generator(manager, function)

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with manager():
            return function(*args, **kwargs)

    return decorated


def _is_generator_function(function: Any) -> bool:
    """Tell whether calling a function, or what wraps one, makes a generator (inspect.isgeneratorfunction)."""
    while isinstance(function, functools.partial | MethodType):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    return isinstance(function, FunctionType) and bool(function.__code__.co_flags & CO_GENERATOR)


def _decorated_generator(manager: Callable[[], Any], function: Any) -> Any:
    """Return a generator function that is inside a context manager while it runs, but not while it waits."""

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        running = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(running.send, None)
        try:
            while True:
                with manager():
                    response = resume()
                try:
                    request = yield response
                except GeneratorExit:
                    with manager():
                        running.close()
                    raise
                except BaseException as error:  # noqa: BLE001  # whatever is thrown in is handed on
                    resume = functools.partial(running.throw, error)
                else:
                    resume = functools.partial(running.send, request)
        except StopIteration as end:
            return end.value

    return decorated


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One that decorates without parentheses, too."""

    def __new__(cls, orig_func: Any = None) -> Any:
        if orig_func is None:
            return super().__new__(cls)
        return cls()(orig_func)


class no_grad(_NoParamDecoratorContextManager):
    """Inside it, or in what it decorates, results do not require gradients."""

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = grad_enabled()
        _set_grad(False)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _set_grad(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Inside it, or in what it decorates, results require gradients if their sources do."""

    prev: bool

    def __enter__(self) -> None:
        self.prev = grad_enabled()
        _set_grad(True)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _set_grad(self.prev)


class set_grad_enabled(_DecoratorContextManager):
    """Sets grad mode at once; as a context manager it puts the former mode back at its end."""

    def __init__(self, mode: bool) -> None:
        self.prev = grad_enabled()
        self.mode = mode
        _set_grad(mode)

    def __call__(self, orig_func: Any) -> Any:
        """Decorate a function; the mode is put back, as it is the function's."""
        _set_grad(self.prev)
        return super().__call__(orig_func)

    def __enter__(self) -> None:
        _set_grad(self.mode)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _set_grad(self.prev)

    def __str__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"

    def __repr__(self) -> str:
        return str(self)

    def clone(self) -> "set_grad_enabled":
        """Return another context manager that does the same."""
        return type(self)(self.mode)


class _Inference:
    """The mode, from when this is made until it is left, or nobody holds it any more."""

    _before: tuple[bool, bool] | None = None

    def __init__(self, mode: Any) -> None:
        (enabled,) = _parse_inference((mode,), {})
        self._before = MODES.grad, MODES.inference
        set_modes(not enabled, enabled)

    def leave(self) -> None:
        """Put back what was."""
        if self._before is not None:
            set_modes(*self._before)
        self._before = None

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        # Python calls this at its end, too, when the functions here are gone already.
        if not ends():
            self.leave()


class inference_mode(_DecoratorContextManager):
    """Inside it tensors are made of which autograd will never know; with False, the mode is left."""

    _inference_mode_context: "_Inference"

    def __new__(cls, mode: Any = True) -> Any:
        """Return a context manager; or, given a function, decorate it."""
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self._inference_mode_context = _Inference(self.mode)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self._inference_mode_context.leave()

    def clone(self) -> "inference_mode":
        """Return another context manager that does the same."""
        return type(self)(self.mode)


for _class in (no_grad, enable_grad, set_grad_enabled, inference_mode):
    _class.__module__ = f"{PACKAGE}.autograd.grad_mode"
