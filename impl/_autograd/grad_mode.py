"""The context managers and decorators of torch.autograd.grad_mode."""

import functools
import sys
import warnings
from collections.abc import Callable, Generator
from inspect import isgeneratorfunction
from typing import Any

from .._argparser.parser import Parser
from .._runtime.c_types import PACKAGE
from .._runtime.errors import takes_no_arguments
from .._runtime.grad_modes import MODES, grad_enabled, inference_enabled, set_modes

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

_parse_enabled = Parser("set_grad_enabled(bool enabled)")
_parse_inference = Parser("_InferenceMode(bool mode)")


def is_grad_enabled(*args: Any, **keywords: Any) -> bool:
    """is_grad_enabled(): return whether grad mode is enabled in this thread."""
    if args or keywords:
        takes_no_arguments("torch.is_grad_enabled", args, keywords)
    return grad_enabled()


def is_inference_mode_enabled(*args: Any, **keywords: Any) -> bool:
    """is_inference_mode_enabled(): return whether inference mode is enabled in this thread."""
    if args or keywords:
        takes_no_arguments("torch.is_inference_mode_enabled", args, keywords)
    return inference_enabled()


def _set_grad(enabled: Any) -> None:
    (value,) = _parse_enabled((enabled,), {})
    set_modes(value, inference_enabled())


class _DecoratorContextManager:
    """A context manager that is also a decorator (torch/utils/_contextlib.py)."""

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

    def clone(self) -> Any:
        """Return a new context manager with the same mode."""
        return type(self)()


def _decorated(manager: Callable[[], Any], function: Any) -> Any:
    """Return a function that runs in a new context manager at each call."""
    if isgeneratorfunction(function):
        return _decorated_generator(manager, function)

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with manager():
            return function(*args, **kwargs)

    return decorated


def _decorated_generator(manager: Callable[[], Any], function: Any) -> Any:
    """Return a generator function that is inside the context manager only while it runs."""

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(generator.send, None)
        try:
            while True:
                with manager():
                    response = resume()
                try:
                    request = yield response
                except GeneratorExit:
                    with manager():
                        generator.close()
                    raise
                except BaseException as error:  # noqa: BLE001  # passed on to the generator
                    resume = functools.partial(generator.throw, error)
                else:
                    resume = functools.partial(generator.send, request)
        except StopIteration as end:
            return end.value

    return decorated


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A context manager that also decorates without parentheses."""

    def __new__(cls, orig_func: Any = None) -> Any:
        if orig_func is None:
            return super().__new__(cls)
        return cls()(orig_func)


class no_grad(_NoParamDecoratorContextManager):
    """Disable grad mode in the context or in a decorated function."""

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = grad_enabled()
        _set_grad(False)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _set_grad(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Enable grad mode in the context or in a decorated function."""

    prev: bool

    def __enter__(self) -> None:
        self.prev = grad_enabled()
        _set_grad(True)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _set_grad(self.prev)


class set_grad_enabled(_DecoratorContextManager):
    """Set grad mode at once; as a context manager, restore the previous mode on exit."""

    def __init__(self, mode: bool) -> None:
        self.prev = grad_enabled()
        self.mode = mode
        _set_grad(mode)

    def __call__(self, orig_func: Any) -> Any:
        """Decorate a function, and restore the previous mode."""
        _set_grad(self.prev)
        return super().__call__(orig_func)

    def __enter__(self) -> None:
        _set_grad(self.mode)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _set_grad(self.prev)

    def __str__(self) -> str:
        module = type(self).__module__.partition(".")[2]
        return f"torch.{module}.{type(self).__qualname__}(mode={self.mode})"

    def __repr__(self) -> str:
        return str(self)

    def clone(self) -> "set_grad_enabled":
        """Return a new context manager with the same mode."""
        return type(self)(self.mode)


class _Inference:
    """A guard that sets inference mode until `leave` or its deletion."""

    _previous: tuple[bool, bool] | None = None

    def __init__(self, mode: Any) -> None:
        (enabled,) = _parse_inference((mode,), {})
        self._previous = MODES.grad, MODES.inference
        set_modes(not enabled, enabled)

    def leave(self) -> None:
        """Restore the previous modes."""
        if self._previous is not None:
            set_modes(*self._previous)
        self._previous = None

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # At interpreter shutdown, the globals of this module may be gone.
        if not is_finalizing():
            self.leave()


class inference_mode(_DecoratorContextManager):
    """Enable inference mode: new tensors are inference tensors.  With False, disable it."""

    _inference_mode_context: _Inference

    def __new__(cls, mode: Any = True) -> Any:
        """Return a context manager, or decorate a function."""
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
        """Return a new context manager with the same mode."""
        return type(self)(self.mode)


for _class in (no_grad, enable_grad, set_grad_enabled, inference_mode):
    _class.__module__ = f"{PACKAGE}.autograd.grad_mode"
