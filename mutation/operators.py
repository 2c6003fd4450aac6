"""Mutation operators for any Python code: one function each, which yields edits of a node."""

import ast
from collections.abc import Callable, Iterator

from .sources import FUNCTIONS, Edit, Source

Operator = Callable[[Source, ast.AST], Iterator[Edit]]

OPERATORS: dict[str, Operator] = {}
"""The mutation operators by their names."""


def operator(function: Operator) -> Operator:
    """Register a mutation operator under the name of its function."""
    OPERATORS[function.__name__] = function
    return function


_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

_ARITHMETICS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}


@operator
def comparison(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Replace a comparison by its neighbor: ``<`` by ``<=``, ``==`` by ``!=``."""
    if isinstance(node, ast.Compare):
        for index, old in enumerate(node.ops):
            ops = [*node.ops[:index], _COMPARISONS[type(old)](), *node.ops[index + 1 :]]
            yield source.rewrite(node, ast.Compare(node.left, ops, node.comparators))


@operator
def arithmetic(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Replace an arithmetic operator by another."""
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETICS:
        new = _ARITHMETICS[type(node.op)]()
        yield source.rewrite(node, ast.BinOp(node.left, new, node.right))
    if isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETICS:
        changed = ast.AugAssign(node.target, _ARITHMETICS[type(node.op)](), node.value)
        yield source.replace(node, ast.unparse(changed))


@operator
def boolean(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Replace ``and`` by ``or`` and vice versa."""
    if isinstance(node, ast.BoolOp):
        new: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield source.rewrite(node, ast.BoolOp(new, node.values))


@operator
def negation(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Negate a condition."""
    tests: list[ast.expr] = []
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = node.ifs
    for test in tests:
        yield source.replace(test, f"(not ({source.code(test)}))")


@operator
def constant(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Replace a number by the next one, and True by False."""
    if not isinstance(node, ast.Constant) or _is_default(source, node):
        return
    if isinstance(node.value, bool):
        yield source.replace(node, repr(not node.value))
    elif isinstance(node.value, int | float):
        yield source.replace(node, repr(node.value + 1))


def _is_default(source: Source, node: ast.AST) -> bool:
    parent = source.parents.get(node)
    return isinstance(parent, ast.arguments)


@operator
def deleted_statement(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Delete a statement that has an effect: a call, an error, a changed attribute or element."""
    is_write = isinstance(node, ast.Assign) and all(
        isinstance(part, ast.Attribute | ast.Subscript | ast.Tuple | ast.List | ast.expr_context)
        for target in node.targets
        for part in (target, *getattr(target, "elts", ()))
    )
    if is_write or isinstance(node, ast.Expr | ast.Raise | ast.AugAssign | ast.Delete):
        yield source.replace(node, "pass")


@operator
def loop_exit(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Exchange ``continue`` and ``break``."""
    if isinstance(node, ast.Continue):
        yield source.replace(node, "break")
    elif isinstance(node, ast.Break):
        yield source.replace(node, "continue")


@operator
def swapped_arguments(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Exchange two neighboring arguments of a call."""
    if isinstance(node, ast.Call) and not any(isinstance(arg, ast.Starred) for arg in node.args):
        for first, second in zip(node.args, node.args[1:], strict=False):
            yield from source.swap(first, second)


@operator
def changed_default(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Change the default of a parameter."""
    if not isinstance(node, ast.arguments):
        return
    for default in (*node.defaults, *filter(None, node.kw_defaults)):
        text = source.code(default)
        value = default.value if isinstance(default, ast.Constant) else None
        if isinstance(value, bool):
            yield source.replace(default, repr(not value))
        elif isinstance(value, int | float):
            yield source.replace(default, repr(value + 1))
        elif text == "None":
            yield source.replace(default, "False")
        else:
            yield source.replace(default, "None")


@operator
def return_none(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Return None instead of a value."""
    if isinstance(node, ast.Return) and node.value is not None:
        if source.code(node.value) != "None":
            yield source.replace(node.value, "None")
    elif isinstance(node, ast.Lambda) and source.code(node.body) != "None":
        yield source.replace(node.body, "None")


@operator
def dropped_decorator(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Remove a decorator of a function. Those of Python's own descriptors stay."""
    if not isinstance(node, FUNCTIONS):
        return
    for decorator in node.decorator_list:
        name = ast.unparse(decorator)
        if name in ("property", "classmethod", "staticmethod", "overload", "contextmanager"):
            continue
        if not name.endswith((".setter", ".deleter")):
            start = source.start(decorator) - 1  # the at sign
            line_end = source.text.index(b"\n", source.end(decorator)) + 1
            rest = source.text[line_end:]
            indentation = len(rest) - len(rest.lstrip(b" "))
            yield Edit(start, line_end + indentation, b"")
