"""The entries of public functions, methods and attributes that may be overridden.

An entry is called as ``entry(args, kwargs)``.  It dispatches the call to ``__torch_function__``, or
calls the original function.
"""

from collections.abc import Callable, Iterable
from typing import Any

from .._argparser.overloaded import Bound, OverridableParser, is_unrelated, overloaded_arguments
from .._runtime.torch_function import (
    ALL_DISABLED,
    ENABLED,
    MODE_THREADS,
    OWNERS,
    STATE,
    append_overloaded,
    has_candidate,
    has_mode,
    overrides,
)
from .._tensor.tensor import Tensor
from .dispatch import call_overrides, handle_torch_function, has_torch_function_among
from .rules import Rule

Function = Callable[..., Any]
Args = tuple[Any, ...]
Kwargs = dict[str, Any]
Entry = Callable[[Args, Kwargs], Any]


def _may_dispatch(args: Args, kwargs: Kwargs) -> bool:
    """Return whether a call may have an override."""
    if MODE_THREADS and has_mode():
        return not STATE.inside
    if has_candidate(args) or (kwargs and has_candidate(kwargs.values())):
        return not STATE.inside and STATE.disabled == ENABLED
    return False


def _run_inside(original: Function, args: Args, kwargs: Kwargs) -> Any:
    """Run a function of C, which calls other functions below the dispatch."""
    STATE.inside = True
    try:
        return original(*args, **kwargs)
    finally:
        STATE.inside = False


def parsed(
    original: Function,
    owner: str,
    name: str,
    parser: OverridableParser,
    *,
    is_outside: bool = False,
) -> Entry:
    """Return the entry of a function or method of C with parameters.

    ``is_outside``: the function calls overridable ones itself.
    """
    is_method = owner == "torch.Tensor"

    def entry(args: Args, kwargs: Kwargs) -> Any:
        if not _may_dispatch(args, kwargs):
            return original(*args, **kwargs)
        if is_method and not (args and isinstance(args[0], Tensor)):
            return original(*args, **kwargs)
        overloaded: list[Any] = []
        numbers: list[tuple[Any, str]] = []
        if STATE.disabled == ENABLED:
            receiver, given = (args[0], args[1:]) if is_method else (None, args)
            bound = _parse(parser, receiver, given, kwargs)
            if bound is None:
                return _run_inside(original, args, kwargs)  # which raises
            overloaded, numbers = bound
        if overloaded or has_mode():
            func = getattr(OWNERS[owner], name)
            return call_overrides(func, f"{owner}.{name}", overloaded, args, kwargs)
        for tensor, convert in numbers:
            number = getattr(tensor, convert)()
            args = tuple(number if each is tensor else each for each in args)
            kwargs = {name: number if x is tensor else x for name, x in kwargs.items()}
        return original(*args, **kwargs) if is_outside else _run_inside(original, args, kwargs)

    return entry


def _parse(parser: OverridableParser, receiver: Any, args: Args, kwargs: Kwargs) -> Bound | None:
    """Return the overloaded arguments, or None if the function itself raises that none fit."""
    try:
        return _run_inside(overloaded_arguments, (parser, receiver, args, kwargs), {})  # type: ignore[no-any-return]
    except TypeError:
        # The function knows no unrelated objects.
        if _has_unrelated((*args, *kwargs.values())):
            raise
        return None


def _has_unrelated(values: Iterable[Any]) -> bool:
    return any(
        is_unrelated(each) or (isinstance(each, tuple | list) and any(map(is_unrelated, each)))
        for each in values
    )


def of_receiver(original: Function, name: str, *, has_arguments: bool = False) -> Entry:
    """Return the entry of a method of C that asks its tensor alone.

    ``has_arguments``: the method has parameters, which are not checked before.
    """

    def entry(args: Args, kwargs: Kwargs) -> Any:
        if (
            not _may_dispatch(args[:1], {})
            or not (has_arguments or (len(args) == 1 and not kwargs))
            or not isinstance(args[0], Tensor)
        ):
            return original(*args, **kwargs)
        func = getattr(Tensor, name)
        return call_overrides(func, f"torch.Tensor.{name}", [args[0]], args, kwargs)

    return entry


def equality(original: Function, parse: Entry) -> Entry:
    """Return the entry of ``__eq__``, which asks its tensor before it checks its argument."""

    def entry(args: Args, kwargs: Kwargs) -> Any:
        if not _may_dispatch(args[:1], {}) or not isinstance(args[0], Tensor):
            return parse(args, kwargs)
        is_asked = STATE.disabled == ENABLED and overrides(args[0])
        overloaded = [args[0]] if is_asked else []
        return call_overrides(Tensor.__eq__, "torch.Tensor.__eq__", overloaded, args, kwargs)

    return entry


def indexing(original: Function, name: str) -> Entry:
    """Return the entry of ``__getitem__`` and ``__setitem__``: parts of the index are asked."""

    def entry(args: Args, kwargs: Kwargs) -> Any:
        is_complete = len(args) == (2 if name == "__getitem__" else 3) and not kwargs
        if not is_complete or not _may_dispatch(args, kwargs) or not isinstance(args[0], Tensor):
            return original(*args, **kwargs)
        overloaded: list[Any] = []
        if STATE.disabled == ENABLED:
            receiver, index, *rest = args
            parts = index if isinstance(index, tuple | list) else (index,)
            for each in (receiver, *parts, *rest):
                if overrides(each):
                    append_overloaded(overloaded, each)
        if overloaded or has_mode():
            func = getattr(Tensor, name)
            return call_overrides(func, f"torch.Tensor.{name}", overloaded, args, {})
        return _run_inside(original, args, kwargs)

    return entry


def in_python(
    original: Function, get_func: Callable[[], Function], rule: Rule, below: Entry | None = None
) -> Entry:
    """Return the entry of a function that is Python code in torch.

    ``below`` is the entry of the function of C that it calls.
    """

    def entry(args: Args, kwargs: Kwargs) -> Any:
        if not _may_dispatch(args, kwargs):
            return original(*args, **kwargs)
        bound = _bound(rule, args, kwargs)
        if bound is None:  # the original raises
            return original(*args, **kwargs)
        relevant, given, keywords = bound
        if has_torch_function_among(relevant):
            return handle_torch_function(get_func(), relevant, *given, **keywords)
        if below is not None:
            return below(args, kwargs)
        return original(*args, **kwargs)

    return entry


def of_list(original: Function, entry: Entry) -> Entry:
    """Return an entry for calls with one list, as which a function in Python passes it on."""

    def of_one_list(args: Args, kwargs: Kwargs) -> Any:
        is_list = len(args) == 1 and isinstance(args[0], tuple | list)
        return entry(args, kwargs) if is_list else original(*args, **kwargs)

    return of_one_list


def _bound(rule: Rule, args: Args, kwargs: Kwargs) -> tuple[Any, Args, Kwargs] | None:
    try:
        return rule(*args, **kwargs)
    except TypeError:
        return None


def special(entry: Entry) -> Entry:
    """Return the entry of a special method, which returns NotImplemented for a TypeError."""

    def with_not_implemented(args: Args, kwargs: Kwargs) -> Any:
        try:
            return entry(args, kwargs)
        except TypeError:
            return NotImplemented

    return with_not_implemented


def of_attribute(run: Function, attribute: property, hook: str) -> Function:
    """Return the getter, setter or deleter of an attribute that may be overridden."""

    def access(self: Any, *value: Any) -> Any:
        if (type(self) is Tensor and not MODE_THREADS) or STATE.inside:
            return run(self, *value)
        if STATE.disabled == ALL_DISABLED or not (
            has_mode() or (STATE.disabled == ENABLED and overrides(self))
        ):
            return run(self, *value)
        func = getattr(attribute, hook)
        name = f"torch.Tensor.{getattr(attribute, '__name__', '')}.{hook}"
        return call_overrides(func, name, [self], (self, *value), {})

    if hook != "__get__":
        return access

    def get(self: Any) -> Any:
        return run(self) if type(self) is Tensor and not MODE_THREADS else access(self)

    return get
