"""Mutation operators for what impl is made of: tables, messages, geometry, caches, normalizations.

Importing this module registers them.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .operators import operator
from .sources import Edit, Source

_CACHES = re.compile(r"cache|plan|memo|known|interned|remember|lookup", re.IGNORECASE)
_GEOMETRY = re.compile(r"stride|size|shape|offset|dim|numel|length|count|extent|span|nbytes")
_COPIES = ("copy", "clone", "contiguous", "tolist")
_CONVERSIONS = ("list", "tuple", "dict", "set", "sorted", "abs", "int", "bool", "float", "str")


@operator
def swapped_cell(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Exchange two neighboring cells of a table: in a row, in a column, or of neighboring rows.

    A table is a collection outside of functions, or a sequence of statements with like calls.
    """
    if source.in_function(node):
        return
    if isinstance(node, ast.Dict):
        for first, second in pairwise(node.values):
            yield from source.swap(first, second)
    elif isinstance(node, ast.List | ast.Tuple):
        for first, second in pairwise(node.elts):
            yield from source.swap(first, second)
            yield from _swapped_column(source, first, second)
    elif isinstance(node, ast.Assign | ast.Expr):
        following = _next_statement(source, node)
        if isinstance(following, type(node)):
            yield from _swapped_column(source, node.value, getattr(following, "value"))  # noqa: B009


def _swapped_column(source: Source, first: ast.AST, second: ast.AST) -> Iterator[Edit]:
    for left, right in zip(_cells(first), _cells(second), strict=False):
        yield from source.swap(left, right)


def _cells(row: ast.AST) -> Sequence[ast.AST]:
    if isinstance(row, ast.Call):
        return row.args
    return row.elts if isinstance(row, ast.Tuple | ast.List) else ()


def _next_statement(source: Source, node: ast.stmt) -> ast.AST | None:
    body = getattr(source.parents.get(node), "body", [])
    index = body.index(node) + 1 if node in body else len(body)
    return body[index] if index < len(body) else None


@operator
def message_word(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Replace a word of a text: of a message, or of a signature in torch's notation."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        for text in _other_words(node.value):
            yield source.replace(node, repr(text))
    elif isinstance(node, ast.JoinedStr):
        for index, part in enumerate(node.values):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                for text in _other_words(part.value):
                    values = [*node.values]
                    values[index] = ast.Constant(text)
                    try:
                        yield source.replace(node, ast.unparse(ast.JoinedStr(values)))
                    except ValueError:  # Python 3.11 cannot write every formatted string
                        return


def _other_words(text: str) -> Iterator[str]:
    """Yield a text with its longest word replaced, if it has several words."""
    words = [*re.finditer(r"[A-Za-z]{2,}", text)]
    if " " in text.strip() and words:
        longest = max(words, key=lambda match: len(match[0]))
        yield f"{text[: longest.start()]}other{text[longest.end() :]}"


@operator
def geometry_step(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Add one to an integer expression of strides, shapes and offsets, or to a bound of a slice."""
    if isinstance(node, ast.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None:
                yield source.replace(bound, f"({source.code(bound)} + 1)")
    elif isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv | ast.Mod
    ):
        if _GEOMETRY.search(ast.unparse(node)) and not isinstance(node.left, ast.Constant):
            yield source.replace(node, f"({source.code(node)} + 1)")
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and node.args:
        last = node.args[min(1, len(node.args) - 1)]
        yield source.replace(last, f"({source.code(last)} - 1)")


@operator
def cache_key(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Leave one part out of the key of a cache."""
    if isinstance(node, ast.Tuple) and len(node.elts) > 1 and _is_key(source, node):
        for index in range(len(node.elts)):
            parts = [*node.elts[:index], *node.elts[index + 1 :]]
            yield source.rewrite(node, ast.Tuple(parts, ast.Load()))


def _is_key(source: Source, node: ast.Tuple) -> bool:
    parent = source.parents.get(node)
    match parent:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return "key" in ast.unparse(target)
        case ast.NamedExpr(target=target):
            return "key" in ast.unparse(target)
        case ast.Subscript(value=owner):
            return _CACHES.search(ast.unparse(owner)) is not None
        case ast.Call(func=function):
            name = ast.unparse(function)
            return name.endswith((".get", ".setdefault")) or _CACHES.search(name) is not None
        case ast.Return():
            return "key" in source.scope(node)
    return False


@operator
def dropped_normalization(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Leave out a step that changes a value into another of its kind, such as ``x = wrap(x)``."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        target = ast.unparse(node.targets[0])
        first = [*map(ast.unparse, node.value.args[:1])]
        if isinstance(node.value.func, ast.Attribute):
            first.append(ast.unparse(node.value.func.value))
        if target in first:
            yield source.replace(node.value, target)
        return
    match node:
        case ast.Call(func=ast.Name(id=name), args=[arg], keywords=[]) if name in _CONVERSIONS:
            yield source.replace(node, f"({source.code(arg)})")


@operator
def removed_copy(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Use a value itself instead of its copy."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[]) if name in _COPIES:
            yield source.replace(node, source.code(value))


@operator
def removed_with(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Run the body of a ``with`` statement without entering it: no lock, no mode."""
    if isinstance(node, ast.With) and all(item.optional_vars is None for item in node.items):
        start, end = source.start(node), source.end(node.items[-1].context_expr)
        if b"\n" not in source.text[start:end]:
            yield Edit(start, end, b"if True")
