"""The one place where public functions, methods and attributes get their entries.

A function is replaced in place: it keeps its identity, and gets code that calls its entry.  So
calls cost nothing before a process has an override, and programs may hold a function that they
read before.
"""

from collections.abc import Callable
from sys import modules
from types import FunctionType, SimpleNamespace
from typing import Any

from .._argparser.overloaded import OverridableParser
from .._argparser.parser import DECLARATIONS
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_exports import LazyMember
from .._runtime.torch_function import ARMING, OVERRIDABLE_PARTS, OWNERS
from .._tensor.tensor import Tensor
from . import entries, rules
from .entries import Entry


def _template(*args: Any, __torch_function__: Entry, **kwargs: Any) -> Any:
    return __torch_function__(args, kwargs)


def _original(function: FunctionType) -> FunctionType:
    """Return a copy of a function, with the code of the present."""
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    copy.__doc__ = function.__doc__
    copy.__dict__.update(function.__dict__)
    return copy


def replace_code(function: FunctionType, make_entry: Callable[[FunctionType], Entry]) -> None:
    """Make a function call an entry, which gets a copy of the function as it was."""
    original = _original(function)
    code = function.__code__
    entry = make_entry(original)
    function.__wrapped__ = original  # type: ignore[attr-defined]  # inspect.signature reads it
    function.__defaults__ = None
    function.__kwdefaults__ = {"__torch_function__": entry}
    function.__code__ = _template.__code__.replace(
        co_freevars=code.co_freevars,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )


def _parser(owner: str, name: str) -> OverridableParser | None:
    declarations = DECLARATIONS.get(f"{owner}.{name}")
    if declarations is None and (owner == "torch" or name in rules.PARSED_ALONE):
        declarations = DECLARATIONS.get(name)
    return None if declarations is None else OverridableParser(*declarations)


def _method_entry(original: FunctionType, name: str) -> Entry:
    if name in ("__getitem__", "__setitem__"):
        return entries.indexing(original, name)
    if name in rules.METHODS:
        parser = _parser("torch.Tensor", name) if name == "unflatten" else None
        below = None if parser is None else entries.parsed(original, "torch.Tensor", name, parser)
        rule = rules.METHODS[name]
        entry = entries.in_python(original, lambda: getattr(Tensor, name), rule, below)
        return entries.special(entry) if rules.is_special(name) else entry
    if name in ("new", "new_tensor"):
        return entries.of_receiver(original, name, has_arguments=True)
    parsed_as = rules.SPECIAL_PARSERS.get(name) or rules.OWN_NAMES.get(name) or name
    parser = _parser("torch.Tensor", parsed_as)
    if parser is None:
        return entries.of_receiver(original, rules.ALIASES.get(name, name))
    public = name if name in rules.OWN_NAMES else rules.ALIASES.get(parsed_as, parsed_as)
    entry = entries.parsed(original, "torch.Tensor", public, parser)
    if name == "__eq__":
        entry = entries.equality(original, entry)
    return entries.special(entry) if name.startswith("__") else entry


def _function_entry(original: FunctionType, name: str) -> Entry:
    parser = _parser("torch", name)
    is_outside = name in ("tensor", "as_tensor", "asarray")
    entry = (
        None
        if parser is None
        else entries.parsed(original, "torch", name, parser, is_outside=is_outside)
    )
    if name in rules.FUNCTIONS:
        below = None
        if entry is not None and name in rules.TAKE_LISTS:
            below = entries.of_list(original, entry)
        return entries.in_python(
            original, lambda: getattr(OWNERS["torch"], name), rules.FUNCTIONS[name], below
        )
    assert entry is not None
    return entry


def _arm_attribute(attribute: property) -> None:
    hooks = ("__get__", "__set__", "__delete__")
    runs = (attribute.fget, attribute.fset, attribute.fdel)
    accessors = (
        None if run is None else entries.of_attribute(run, attribute, hook)
        for run, hook in zip(runs, hooks, strict=True)
    )
    attribute.__init__(*accessors, doc=attribute.__doc__)  # type: ignore[misc]  # in place


def _module_entry(original: FunctionType, owner: str) -> Entry:
    name = original.__name__
    return entries.parsed(
        original, owner, name, OverridableParser(*DECLARATIONS[f"{owner}.{name}"])
    )


def _is_overridable(name: str) -> bool:
    return name in rules.FUNCTIONS or (
        name not in rules.NOT_OVERRIDABLE and _parser("torch", name) is not None
    )


def is_called_again(name: str) -> bool:
    """Return whether a public function needs the wrapper `overridable`."""
    if name in OVERRIDABLE_PARTS or not _is_overridable(name):
        return False
    return name in rules.FUNCTIONS or f"torch.{name}" not in DECLARATIONS


def arm_all() -> None:
    """Give all public functions, methods and attributes their entries."""
    for name, member in [*vars(Tensor).items()]:
        if type(member) is LazyMember:
            getattr(Tensor, name)
    done: set[int] = set()
    for name, member in [*vars(Tensor).items()]:
        if name in rules.NOT_OVERRIDABLE or id(member) in done:
            continue
        done.add(id(member))
        if isinstance(member, property):
            _arm_attribute(member)
        elif type(member) is FunctionType:
            replace_code(member, lambda original, name=name: _method_entry(original, name))  # type: ignore[misc]
    for name, function in [*vars(modules[PACKAGE]).items()]:
        if type(function) is FunctionType and id(function) not in done and _is_overridable(name):
            done.add(id(function))
            replace_code(function, lambda original, name=name: _function_entry(original, name))  # type: ignore[misc]
    for owner, namespace in OWNERS.items():
        if isinstance(namespace, SimpleNamespace):
            for function in vars(namespace).values():
                replace_code(function, lambda original, owner=owner: _module_entry(original, owner))  # type: ignore[misc]


OWNERS["torch"] = modules[PACKAGE]
ARMING.append(arm_all)
