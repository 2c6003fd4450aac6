"""Fault injection: a library that equals another one except for one fault.

Programs are rewritten so that every attribute read, index, call and comparison goes through a
hook, which may change the result. An index is a call of ``operator.getitem``. The library itself is
not modified.
"""

import ast
import operator
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import (
    BuiltinMethodType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
)
from typing import Any

from ..libraries.library import CASE, Library, compiled, singleton_names

_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def plain_call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Return the correct result of a call."""
    return function(*args, **kwargs)


def plain_comparison(name: str, left: Any, right: Any, torch: Any) -> Any:
    """Return the correct result of a comparison, like ``name`` "Eq"."""
    return next(apply for cls, apply in _OPERATORS.items() if cls.__name__ == name)(left, right)


@dataclass(frozen=True)
class Fault:
    """The hooks of a fault. Each gets the library's namespace as its last argument."""

    attribute: Callable[[Any, str, Any], Any] = lambda owner, name, torch: getattr(owner, name)
    call: Callable[[Any, Any, Any, Any], Any] = plain_call
    comparison: Callable[[str, Any, Any, Any], Any] = plain_comparison
    repr: Callable[[Any, Any], str] = lambda value, torch: repr(value)


def attribute_hook(hook: Callable[[Any, str, Any], Any]) -> Fault:
    """Return a fault in attribute reads."""
    return Fault(attribute=hook)


def call_hook(hook: Callable[[Any, Any, Any, Any], Any]) -> Fault:
    """Return a fault in calls."""
    return Fault(call=hook)


def comparison_hook(hook: Callable[[str, Any, Any, Any], Any]) -> Fault:
    """Return a fault in comparisons."""
    return Fault(comparison=hook)


def repr_hook(hook: Callable[[Any, Any], str]) -> Fault:
    """Return a fault in the repr of values."""
    return Fault(repr=hook)


def function_hook(name: str, answer: Callable[..., Any]) -> Fault:
    """Return a fault in a public function of torch.

    ``answer(function, torch, *args, **kwargs)`` replaces its calls.
    """

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is getattr(torch, name):
            return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


def operator_hook(*names_and_answer: Any) -> Fault:
    """Return a fault in functions and methods of the same names.

    The last argument is the answer, which gets the function, torch and the arguments.
    """
    *names, answer = names_and_answer

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        name = getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        if name in names and (
            isinstance(owner, torch.Tensor) or function is getattr(torch, name, None)
        ):
            return answer(function, torch, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


def method_hook(name: str, answer: Callable[..., Any]) -> Fault:
    """Return a fault in a method of torch, like "Tensor.add".

    ``answer(method, torch, owner, *args, **kwargs)`` replaces its calls.
    """
    cls, _, method = name.partition(".")

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if getattr(function, "__name__", "") == method and isinstance(owner, getattr(torch, cls)):
            return answer(function, torch, owner, *args, **kwargs)
        return function(*args, **kwargs)

    return Fault(call=call)


def operands_of(function: Any, args: Sequence[Any], torch: Any) -> Sequence[Any]:
    """Return the operands of a call, of which a method has the first one."""
    owner = getattr(function, "__self__", None)
    return (owner, *args) if isinstance(owner, torch.Tensor) else args


class FaultyLibrary(Library):
    """A library that behaves like ``root`` except for a fault."""

    def __init__(self, root: Any, fault: Fault) -> None:
        super().__init__("torch", root, singleton_names(root))
        self._fault = fault
        # The hooks call torch from files of this folder.
        self.call_sites |= {str(path) for path in Path(__file__).parent.rglob("*.py")}

        def attribute(owner: Any, name: str) -> Any:
            return fault.attribute(owner, name, root)

        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            return fault.call(_as_called(function), args, kwargs, root)

        def comparison(name: str, left: Any, right: Any) -> Any:
            return fault.comparison(name, left, right, root)

        self._hooks = {
            "__attribute__": attribute,
            "__call__": call,
            "__comparison__": comparison,
        }

    def scope(self) -> dict[str, Any]:
        """Return globals with the hooks."""
        return {**super().scope(), **self._hooks}

    def compiled(self, source: str) -> tuple[CodeType, bool]:
        """Compile one step with calls of the hooks."""
        return _compile(source)

    def repr(self, value: Any) -> str:
        """Return the repr of a value through the hook."""
        is_local = type(value) is FunctionType
        return super().repr(value) if is_local else self._fault.repr(value, self.root)


def _as_called(function: Any) -> Any:
    """Return a function whose errors name it as those of a call in a program do.

    Python calls a method in C by its class, whose name the errors have then.
    """
    if type(function) is BuiltinMethodType:
        method = getattr(type(function.__self__), function.__name__, None)
        if isinstance(method, MethodDescriptorType):
            return MethodType(method, function.__self__)
    return function


class _HookInserter(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(_hook("__attribute__", node.value, ast.Constant(node.attr)), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("type", "super"):
            # A class belongs to the module that makes it, and super() reads its caller's frame.
            return node
        call = ast.Call(ast.Name("__call__", ast.Load()), [node.func, *node.args], node.keywords)
        return ast.copy_location(call, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        read = ast.Constant(operator.getitem.__name__)
        function = _hook("__attribute__", ast.Name("operator", ast.Load()), read)
        call = _hook("__call__", function, node.value, _as_expression(node.slice))
        return ast.copy_location(call, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        cls = type(node.ops[0])
        if len(node.ops) > 1 or cls not in _OPERATORS:
            return node
        name = ast.Constant(cls.__name__)
        return ast.copy_location(
            _hook("__comparison__", name, node.left, node.comparators[0]), node
        )


def _as_expression(index: ast.expr) -> ast.expr:
    """Return an index as an expression, with calls of slice() for its slices."""
    if isinstance(index, ast.Tuple):
        return ast.Tuple([*map(_as_expression, index.elts)], ast.Load())
    if not isinstance(index, ast.Slice):
        return index
    bounds = (index.lower, index.upper, index.step)
    return _hook("slice", *(bound or ast.Constant(None) for bound in bounds))


def _hook(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


@lru_cache(maxsize=4096)
def _compile(source: str) -> tuple[CodeType, bool]:
    mode = "eval" if compiled(source)[1] else "exec"
    hooked = ast.fix_missing_locations(_HookInserter().visit(ast.parse(source, mode=mode)))
    with warnings.catch_warnings(action="ignore"):
        return compile(hooked, CASE, mode), mode == "eval"
