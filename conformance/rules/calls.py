"""The functions of the rules in source text: the name, the operands and ``dtype=`` of a call."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from .functions import FUNCTIONS, ROWS


class FunctionNode(NamedTuple):
    """A call of a function of the rules.

    name: the function; ``x[...]`` counts as ``select``
    operands: the expressions that the rule reads
    dtype: the expression of the ``dtype=`` argument
    """

    name: str
    operands: Sequence[ast.expr]
    dtype: ast.expr | None = None

    @property
    def rule(self) -> str:
        """The id of the rule for the function."""
        return FUNCTIONS[self.name]

    @property
    def reads(self) -> str:
        """The operands that count: "tensors", "numbers" or "nothing"."""
        return ROWS[self.rule].reads


def read_call(node: ast.AST) -> FunctionNode | None:
    """Return the call of a function of the rules, or None for any other expression.

    >>> call = read_call(ast.parse("x.sum(0, dtype=torch.int8)", mode="eval").body)
    >>> call.name, [ast.unparse(operand) for operand in call.operands], ast.unparse(call.dtype)
    ('sum', ['x'], 'torch.int8')
    """
    match node:
        case ast.Subscript(value, ctx=ast.Load()):
            return FunctionNode("select", [value])
        case ast.Call(ast.Attribute(owner, name), args, keywords) if name in FUNCTIONS:
            options = {keyword.arg: keyword.value for keyword in keywords}
            is_starred = None in options or any(isinstance(arg, ast.Starred) for arg in args)
            if is_starred or "out" in options:
                return None
            dtype = options.get("dtype")
            if isinstance(dtype, ast.Constant) and dtype.value is None:
                dtype = None
            of_torch = isinstance(owner, ast.Name) and owner.id == "torch"
            operands = _operands(name, None if of_torch else owner, args, options)
            return None if operands is None else FunctionNode(name, operands, dtype)
    return None


def _operands(
    name: str,
    owner: ast.expr | None,
    args: Sequence[ast.expr],
    options: dict[str | None, ast.expr],
) -> Sequence[ast.expr] | None:
    """Return the operands of a call, or None if the rules do not cover it."""
    rule = FUNCTIONS[name]
    reads = ROWS[rule].reads
    if reads != "tensors":
        return None if owner else _numbers(name, args, options) if reads == "numbers" else []
    tensors = [*([] if owner is None else [owner]), *args]
    match rule, tensors:
        case "joined", [ast.List(elts) | ast.Tuple(elts), *_] if elts:
            return elts
        case "condition", [condition, first, second]:
            return [first, condition, second] if owner else [condition, first, second]
        case "joined" | "condition", _:
            return None
    takes_two = name in ("max", "min", "to_dense") and len(tensors) > 1
    return None if takes_two or not tensors else tensors[:1]


_POSITIONS = {
    **dict.fromkeys(("tensor", "as_tensor", "asarray"), slice(1)),
    "full": slice(1, 2),
    "linspace": slice(2),
    "logspace": slice(2),
}
_NAMES = ("data", "fill_value", "start", "end", "step")


def _numbers(
    name: str, args: Sequence[ast.expr], options: dict[str | None, ast.expr]
) -> Sequence[ast.expr] | None:
    """Return the number arguments of a factory; those of nested lists count one by one."""
    arguments = [*args[_POSITIONS.get(name, slice(None))]]
    arguments += [options[keyword] for keyword in _NAMES if keyword in options]
    numbers = []
    while arguments:
        argument = arguments.pop(0)
        if isinstance(argument, ast.List | ast.Tuple):
            arguments[:0] = argument.elts
        else:
            numbers.append(argument)
    return numbers or None
