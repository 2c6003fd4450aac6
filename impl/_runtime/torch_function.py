"""The state of a thread for ``__torch_function__``, and the objects that define one.

Follows torch/csrc/utils/disable_torch_function.cpp, and append_overloaded_arg in
torch/csrc/utils/python_arg_parser.cpp.  `impl._overrides` has the dispatch itself.  A process pays
nothing for it until `arm` is called: for the first subclass of Tensor, for the first mode, and for
the first argument of another class with a ``__torch_function__``.
"""

import threading
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from sys import _getframe
from typing import Any, TypeVar

from .grad_modes import ThreadFlag
from .warnings import is_of_package

ENABLED, SUBCLASSES_DISABLED, ALL_DISABLED = range(3)

MODE_THREADS: set[int] = set()
"""Threads with a mode.  If it is empty, the stack need not be read."""


class _State(threading.local):
    """The state of a thread.

    - ``disabled``: one of the three states above.
    - ``modes``: the stack of modes, innermost last.
    - ``inside``: whether an operator runs whose arguments have no override.
    """

    def __init__(self) -> None:
        self.disabled = ENABLED
        self.modes: list[Any] = []
        self.inside = False
        self.has_modes = ThreadFlag(MODE_THREADS)


STATE = _State()


class DisabledTorchFunction:
    """The ``__torch_function__`` of subclasses without overrides: calls the function itself."""

    __slots__ = ()
    __name__ = "_disabled_torch_function_impl"

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) < 2:
            raise TypeError(f"function takes at least 2 arguments ({len(arguments)} given)")
        if len(arguments) > 4:
            raise TypeError(f"function takes at most 4 arguments ({len(arguments)} given)")
        func, _, args, kwargs = (*arguments, (), None)[:4] if len(arguments) < 4 else arguments
        former, STATE.disabled = STATE.disabled, max(STATE.disabled, SUBCLASSES_DISABLED)
        try:
            return func(*args, **(kwargs or {}))
        finally:
            STATE.disabled = former

    def __repr__(self) -> str:
        return "<built-in function _disabled_torch_function_impl>"


DISABLED = DisabledTorchFunction()

_PLAIN: set[type] = {int, float, bool, complex, str, bytes, slice, range, type(None), type(...)}
"""Classes without an override, Tensor among them."""


def register_exact(cls: type) -> None:
    """Register Tensor, whose own ``__torch_function__`` overrides nothing."""
    OWNERS["torch.Tensor"] = cls
    _PLAIN.add(cls)


def overrides(value: Any) -> bool:
    """Return whether an object has a ``__torch_function__`` that is called for it."""
    if type(value) in _PLAIN:
        return False
    try:
        method = value.__torch_function__
    except Exception:  # noqa: BLE001  # as torch, which clears any error
        return False
    return method is not DISABLED


def has_candidate(values: Collection[Any]) -> bool:
    """Return whether an argument, or an element of a list, may have an override."""
    if _PLAIN.issuperset(map(type, values)):
        return False
    for value in values:
        cls = type(value)
        if cls in _PLAIN:
            continue
        if cls is tuple or cls is list:
            if has_candidate(value):
                return True
        elif overrides(value):
            return True
    return False


def append_overloaded(overloaded: list[Any], value: Any) -> None:
    """Add an argument with an override: subclasses before superclasses, else from left to right."""
    cls = type(value)
    if any(type(other) is cls for other in overloaded):
        return
    index = next(
        (i for i, other in enumerate(overloaded) if issubclass(cls, type(other))), len(overloaded)
    )
    overloaded.insert(index, value)


def push_mode(mode: Any) -> None:
    """Push a mode onto the stack of the thread."""
    arm()
    STATE.modes.append(mode)
    STATE.has_modes.set(True)


def pop_mode() -> Any:
    """Pop the innermost mode of the thread."""
    if not STATE.modes:
        raise RuntimeError("trying to pop from empty mode stack")
    mode = STATE.modes.pop()
    STATE.has_modes.set(bool(STATE.modes))
    return mode


def has_mode() -> bool:
    """Return whether a mode of the thread gets calls."""
    return bool(MODE_THREADS) and bool(STATE.modes) and STATE.disabled != ALL_DISABLED


ARMING: list[Callable[[], None]] = []
"""The function that makes all public functions overridable; empty when they are."""


def arm() -> None:
    """Make all public functions, methods and attributes overridable."""
    while ARMING:
        ARMING.pop()()


class UnrelatedOverride(BaseException):
    """Raised by a parser for an argument of another class with an override."""


OWNERS: dict[str, Any] = {}
"""The owners of functions by name: "torch", "torch.Tensor", and modules such as "torch.linalg".

The functions of these modules have the names that C gives them, such as ``linalg_norm``.
"""


SPECIAL_METHODS: set[Any] = set()
"""The code of special methods, which call a public function again by their own names."""


def redispatch(owner: str, name: str, args: Iterable[Any], kwargs: dict[str, Any]) -> Any:
    """Call a public function again, now that arguments of other classes override it."""
    frame = _getframe(2)
    while frame is not None and is_of_package(frame):
        if frame.f_code in SPECIAL_METHODS:
            raise UnrelatedOverride
        frame = frame.f_back  # type: ignore[assignment]
    arm()
    return getattr(OWNERS[owner], name)(*args, **kwargs)


def has_unrelated(*args: Any, **kwargs: Any) -> bool:
    """Return whether an argument may override a function that is not overridable yet."""
    return bool(ARMING) and has_candidate((*args, *kwargs.values()))


CALLED_AGAIN = {"is_contiguous", "size", "stride"}
"""The functions that are called again, beside those of registered operators."""

_Result = TypeVar("_Result")

OVERRIDABLE_PARTS: set[str] = set()
"""The functions of which only a part is wrapped, see `overridable_part`."""


def overridable_part(
    name: str,
) -> Callable[[Callable[[Any, Any], _Result]], Callable[[Any, Any], _Result]]:
    """Return a decorator for the part of a public function that sees all but the usual arguments.

    The part takes the arguments and the keywords as a tuple and a dict. If an argument of another
    class overrides the public function, the part calls that again. So the usual call costs nothing.
    """
    CALLED_AGAIN.add(name)
    OVERRIDABLE_PARTS.add(name)

    def decorate(part: Callable[[Any, Any], _Result]) -> Callable[[Any, Any], _Result]:
        @wraps(part)
        def run(args: Any, kwargs: Any) -> _Result:
            try:
                return part(args, kwargs)
            except (UnrelatedOverride, Exception):
                if has_unrelated(*args, **kwargs):
                    result: _Result = redispatch("torch", name, args, kwargs)
                    return result
                raise

        return run

    return decorate


def overridable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a public function that is called again if an argument of another class overrides it.

    Functions and methods that `impl._ops.common.registration` makes need no such wrapper.
    """
    CALLED_AGAIN.add(function.__name__)

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (UnrelatedOverride, Exception):
            if has_unrelated(*args, **kwargs):
                return redispatch("torch", run.__name__, args, kwargs)
            raise

    return run
