"""A library with one fault: it answers as another does, but for what is tampered with.

Code that runs against it is rewritten so that every attribute read, call and
comparison goes through a hook.  Each hook sees what the library would do and
may do otherwise.  The library itself is not touched.
"""

import ast
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from ..libraries.library import CASE, Library, singleton_names


def _true_attribute(owner: Any, name: str, torch: Any) -> Any:
    return getattr(owner, name)


def _true_call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    return function(*args, **kwargs)


def _true_repr(value: Any, torch: Any) -> str:
    return repr(value)


_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _true_comparison(name: str, left: Any, right: Any, torch: Any) -> Any:
    return next(apply for kind, apply in _OPERATORS.items() if kind.__name__ == name)(left, right)


@dataclass(frozen=True)
class Fault:
    """What to do instead.  Each hook is given the library's namespace last."""

    attribute: Callable[[Any, str, Any], Any] = _true_attribute
    call: Callable[[Any, Any, Any, Any], Any] = _true_call
    comparison: Callable[[str, Any, Any, Any], Any] = _true_comparison
    repr: Callable[[Any, Any], str] = _true_repr


class FaultyLibrary(Library):
    """A library that behaves like ``root`` but for a fault."""

    def __init__(self, root: Any, fault: Fault) -> None:
        super().__init__("torch", root, singleton_names(root))
        self._fault = fault
        # What a hook does for a case is done from a file of this folder.
        self.call_sites |= {str(path) for path in Path(__file__).parent.rglob("*.py")}

        def attribute(owner: Any, name: str) -> Any:
            return fault.attribute(owner, name, root)

        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            return fault.call(function, args, kwargs, root)

        def comparison(name: str, left: Any, right: Any) -> Any:
            return fault.comparison(name, left, right, root)

        self._hooks = {
            "__attribute__": attribute,
            "__call__": call,
            "__comparison__": comparison,
        }

    def scope(self) -> dict[str, Any]:
        """Return globals that hold the hooks, too."""
        return {**super().scope(), **self._hooks}

    def compiled(self, source: str) -> tuple[CodeType, bool]:
        """Compile one step with the hooks in it."""
        return _compile(source)

    def repr(self, value: Any) -> str:
        """Write a value through the hook."""
        return self._fault.repr(value, self.root)


class _Hook(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return _hook("__attribute__", node.value, ast.Constant(node.attr))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("__call__", ast.Load()), [node.func, *node.args], node.keywords)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kind = type(node.ops[0])
        if len(node.ops) > 1 or kind not in _OPERATORS:
            return node
        name = ast.Constant(kind.__name__)
        return _hook("__comparison__", name, node.left, node.comparators[0])


def _hook(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


@lru_cache(maxsize=4096)
def _compile(source: str) -> tuple[CodeType, bool]:
    mode = "eval"
    try:
        tree: ast.AST = ast.parse(source, mode="eval")
    except SyntaxError:
        mode, tree = "exec", ast.parse(source)
    hooked = ast.fix_missing_locations(_Hook().visit(tree))
    with warnings.catch_warnings(action="ignore"):
        return compile(hooked, CASE, mode), mode == "eval"
