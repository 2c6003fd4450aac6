"""Setups of programs: the steps before the question, and the call that blocks a program.

A difference in the setup blocks the program, because its question would be asked in another state.
"""

import ast
from collections.abc import Collection, Iterable
from functools import lru_cache

from ..comparison.comparator import Comparison
from ..core.case import MODULES
from ..core.formatting import truncate
from ..observation.facets import FACETS
from ..observation.levels import is_name_alone
from ..observation.runner import Position, StepResult, position_of, raised_at

_NOT_BLOCKING = {facet.name for facet in FACETS if not facet.blocks}
_ROOTS = {"torch", *(name.partition(".")[0] for name in MODULES)}
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Subscript, ast.Compare)
_LEFT, _RIGHT = (ast.Name(name, ast.Load()) for name in "ab")


def setup_of(length: int, question: int | Iterable[int]) -> set[int]:
    """Return the indices of the steps of a setup, for a program and its question.

    ``question`` is that of `Probe.__call__`. Raise IndexError if it is not within the program.

    >>> setup_of(4, -1), setup_of(4, 1), setup_of(5, (1, 3))
    ({0, 1, 2}, {0}, {0, 2})
    """
    steps = range(length)
    if isinstance(question, int):
        return {*range(steps[question])}
    asking = {steps[index] for index in question}
    return {*range(max(asking))} - asking


def first_question(setup: Collection[int]) -> int:
    """Return the index of the first step that is not in a setup.

    >>> first_question({0, 1, 3}), first_question(())
    (2, 0)
    """
    index = 0
    while index in setup:
        index += 1
    return index


def is_blocking(result: Comparison) -> bool:
    """Return whether the steps after a step with these differences cannot be asked."""
    return any(
        difference.facet not in _NOT_BLOCKING and not is_name_alone(*difference)
        for difference in result.differences
    )


def is_named_otherwise(result: Comparison) -> bool:
    """Return whether all differences are in the names of classes or dtypes."""
    return all(is_name_alone(*difference) for difference in result.differences)


def blocker_of(step: str, expected: StepResult, observed: StepResult) -> str:
    """Return the name of the call in a step that blocks: the one that raised, or the outermost."""
    return _name_in(
        step, position_of(expected.raised_at if observed.error is None else observed.raised_at)
    )


def blocker_in(step: str, error: BaseException | None) -> str:
    """Return the name of the call in a step that raised an error, or of the outermost one."""
    return _name_in(step, position_of(raised_at(error)))


@lru_cache(maxsize=4096)
def _name_in(step: str, position: Position | None) -> str:
    nodes = [*ast.walk(ast.parse(step))]
    at_position = [node for node in nodes if position and _positions(node) == position]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    operations = [node for node in nodes if isinstance(node, _OPERATIONS)]
    names = map(_name_of, [*at_position, *calls, *operations])
    return next(filter(None, names), truncate(step, 0, 60))


def _positions(node: ast.AST) -> Position | None:
    if not isinstance(node, (ast.expr, ast.stmt)):
        return None
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _name_of(node: ast.AST) -> str:
    """Return the name of a call, an attribute or an operator, or an empty string."""
    match node:
        case ast.Call(func=func):
            return _name_of(func)
        case ast.Attribute(value=value, attr=attr):
            owner = _dotted(value)
            return f"{owner}.{attr}"
        case ast.Name(id=name):
            return name
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            return ast.unparse(ast.BinOp(_LEFT, op, _RIGHT))
        case ast.UnaryOp(op=op):
            return ast.unparse(ast.UnaryOp(op, _LEFT))
        case ast.Compare(ops=[op, *_]):
            return ast.unparse(ast.Compare(_LEFT, [op], [_RIGHT]))
        case ast.Subscript():
            return "a[b]"
    return ""


def _dotted(node: ast.AST) -> str:
    """Return the dotted name of a module or of a member, or an empty string for another object."""
    match node:
        case ast.Name(id=name) if name in _ROOTS:
            return name
        case ast.Attribute(value=value, attr=attr) if owner := _dotted(value):
            return f"{owner}.{attr}"
    return ""
