"""The rules that explain the results of the expressions in a program.

The oracle runs the text of each operand to find its dtype and device.  The result of the rules is
compared with the oracle's result each time, so that a wrong explanation is visible.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..core.case import Case
from ..engine.rule_checks import REFUSED, name_of
from ..libraries.library import Library
from ..observation.runner import Outcome, run_through
from ..rules.calls import FunctionNode, read_call
from ..rules.casts import cast, conversion
from ..rules.devices import TensorOperand, common_device
from ..rules.dtypes import DTYPES, REAL_DTYPES
from ..rules.functions import FunctionCall, function_result
from ..rules.operands import Operand, Reason, RuleResult, common_dtype, promoted
from ..rules.operators import OPERATORS, SYMBOLS, TABLES, UNARY, Tables, result_of
from ..rules.promotion import PYTHON_TYPES

CASTS_BY_NAME = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
    "int": "int32", "long": "int64", "short": "int16", "char": "int8", "byte": "uint8",
    "bool": "bool", "chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
"""The dtype of the result, by the name of the method that casts."""


class Explanation(NamedTuple):
    """The explanation of one expression.

    expression, reasons: its source text, and the rules that apply, in their order.
    predicted, actual: the result by the rules, and the oracle's result.
    error: the class and the message of the oracle's error, if it raises one.
    """

    expression: str
    reasons: tuple[Reason, ...]
    predicted: str
    actual: str
    error: str = ""

    @property
    def holds(self) -> bool:
        """Whether the oracle's result is the one by the rules."""
        return self.predicted == self.actual


class OperandInfo(NamedTuple):
    """An operand: its source text, its operand for the rules, its device, and its value."""

    text: str
    operand: Operand | None
    device: str | None
    value: Any


class Call(NamedTuple):
    """A call of an operator.

    operator, operands: its name, and the expressions of its operands.
    is_symbol, in_place: whether it is a symbol such as ``+``, or modifies its first operand.
    output, tables: the ``out=`` argument, and the tables of rules.
    """

    operator: str
    operands: Sequence[ast.expr]
    is_symbol: bool = False
    output: ast.expr | None = None
    in_place: bool = False
    tables: Tables = TABLES


class Reasoner:
    """The explainer of one step of a program, given the steps before it."""

    def __init__(self, library: Library, before: Sequence[str]) -> None:
        self._library, self._previous_steps = library, tuple(before)
        self._outcomes: dict[tuple[str, ...], Outcome] = {}
        self._default = self._dtype_name(self._value("torch.get_default_dtype()")) or "float32"

    def explain(self, step: str, *, is_last: bool = True) -> list[Explanation]:
        """Return the explanations of the expressions with a rule, inner ones first.

        That a factory has the default dtype, or a view the dtype of its tensor, is told only of the
        whole last step.
        """
        tree = ast.parse(step)
        whole = getattr(tree.body[-1], "value", None) if is_last else None
        results = (
            self._explain_node(node, step)
            for node in _evaluated_nodes(tree)
            if node is whole or not _is_plain(node)
        )
        return [result for result in results if result is not None]

    def _explain_node(self, node: ast.AST, step: str) -> Explanation | None:
        text = step if isinstance(node, ast.AugAssign) else ast.unparse(node)
        call = _operator(node)
        if call is not None:
            rule_result = self._explain_operator(call)
        else:
            rule_result = self._explain_call(node) or self._explain_function(node)
        if rule_result is None:
            return None
        steps = (text, ast.unparse(node.target)) if isinstance(node, ast.AugAssign) else (text,)
        outcome = self._run(*steps)
        error = outcome.error
        actual = REFUSED if error is not None else name_of(outcome, self._library)
        predicted = REFUSED if rule_result.result is None else rule_result.result
        error_text = ""
        if error is not None:
            first_line = str(error).partition("\n")[0]
            error_text = f"{self._library.class_name(type(error))}: {first_line}"
        return Explanation(text, rule_result.reasons, predicted, actual, error_text)

    def _explain_operator(self, call: Call) -> RuleResult | None:
        """Return the rule result for an operator, or None if the rules do not cover an operand."""
        infos = [self._info(node) for node in call.operands]
        operands = [info.operand for info in infos if info.operand is not None]
        if len(operands) != len(infos) or not infos:
            return None
        has_tensor = any(info.device for info in infos)
        if not has_tensor and (call.is_symbol or call.operator in UNARY):
            return None  # a Python operation, or an error
        if call.in_place and infos[0].device is None:
            return None
        output = None if call.output is None else self._info(call.output)
        if output is not None and output.operand is None:
            return None
        located = _device_rule_result(infos)
        if located is not None and located.result is None:
            return located
        devices = {info.device for info in (infos[0] if call.in_place else None, output) if info}
        if devices - {located.result if located else None}:
            return None  # the output is on another device
        rule_result = result_of(
            call.operator, operands, self._default,
            output.operand.dtype if output and output.operand else None,
            in_place=call.in_place, tables=call.tables,
        )  # fmt: skip
        moves = located.reasons if located and located.reasons[0].rule != "one-device" else ()
        return RuleResult(rule_result.result, (*moves, *rule_result.reasons))

    def _explain_call(self, node: ast.AST) -> RuleResult | None:
        """Return the rule result for a promotion function or a cast, or None for another node."""
        match node:
            case ast.Call(
                func=ast.Attribute(ast.Name("torch"), ("promote_types" | "can_cast") as name),
                args=[left, right],
                keywords=[],
            ):
                first, second = (self._dtype_name(self._info(arg).value) for arg in (left, right))
                if first is None or second is None:
                    return None
                if name == "promote_types":
                    return promoted(first, second)
                decision = cast(first, second)
                return RuleResult(str(decision.allowed), (decision.reason,))
            case ast.Call(
                func=ast.Attribute(ast.Name("torch"), "result_type"),
                args=[left, right],
                keywords=[],
            ):
                infos = [self._info(operand) for operand in (left, right)]
                operands = [info.operand for info in infos if info.operand is not None]
                return common_dtype(operands, self._default) if len(operands) == 2 else None
            case ast.Call(func=ast.Attribute(owner, name)):
                return self._explain_cast(node, owner, name)
        return None

    def _explain_cast(self, node: ast.Call, owner: ast.expr, name: str) -> RuleResult | None:
        if name not in ("to", "type", *CASTS_BY_NAME) or not (info := self._info(owner)).device:
            return None
        assert info.operand is not None
        outcome = self._run(ast.unparse(node))
        target = CASTS_BY_NAME.get(name)
        if target is None:
            if not outcome.is_tensor:
                return None
            target = self._dtype_name(outcome.value.dtype)
        if target is None:
            return None
        reason = conversion(info.operand.dtype, target)
        reasons = [reason]
        if reason.rule == "real-part" and DTYPES[target].category == "integral":
            reasons.append(conversion(REAL_DTYPES[info.operand.dtype], target))
        if reasons[-1].rule in ("cut-off", "low-bits"):
            reasons += self._undefined_elements(info, target, reasons[-1].rule)
        return RuleResult(target, tuple(reasons))

    def _explain_function(self, node: ast.AST) -> RuleResult | None:
        """Return the rule result for a reduction, join, selection or factory, or None."""
        function = read_call(node)
        if function is None:
            return None
        operands = [*map(self._any_operand, function.operands)]
        known = [operand for operand in operands if operand is not None]
        if len(known) != len(operands) or not _fit(function, known):
            return None
        dtype = None
        if function.dtype is not None:
            dtype = self._dtype_name(self._info(function.dtype).value)
            if dtype is None:
                return None
        result = function_result(FunctionCall(function.name, known, dtype), self._default)
        outcome = self._run(ast.unparse(node))
        # A call of no tensor, or one that torch refuses for another reason, is not explained.
        is_explained = outcome.is_tensor if outcome.error is None else result.result is None
        return result if is_explained else None

    def _any_operand(self, node: ast.expr) -> Operand | None:
        """Return the operand for an expression, also for a tensor of another layout."""
        info = self._info(node)
        if info.operand is not None or not self._library.is_tensor(info.value):
            return info.operand
        name = self._dtype_name(info.value.dtype)
        return None if name is None else Operand("dimensioned", name, info.text)

    def _undefined_elements(self, info: OperandInfo, target: str, rule: str) -> list[Reason]:
        """Return a reason with the number of elements whose conversion is undefined, if any."""
        numbers = self._value(f"({info.text}).double().flatten().tolist()")
        if not isinstance(numbers, list):
            return []
        low, high = _range_of(target)
        lost = [number for number in numbers if not low - 1 < number < high]
        if not lost:
            return []
        some = f"{len(lost)} of {len(numbers)} elements, the first {lost[0]!r}"
        return [Reason(rule, f"undefined here: what becomes of {some}")]

    def _info(self, node: ast.expr) -> OperandInfo:
        """Return the operand for an expression, after the oracle has run its text."""
        text = ast.unparse(node)
        outcome = self._run(text)
        value = outcome.value
        if outcome.error is not None:
            return OperandInfo(text, None, None, None)
        if outcome.is_tensor:
            name = self._dtype_name(value.dtype)
            if name is None or self._library.name_of(value.layout) != "strided":
                return OperandInfo(text, None, None, value)
            group = "dimensioned" if value.dim() else "zero-dim"
            return OperandInfo(text, Operand(group, name, text), str(value.device), value)
        is_number = type(value) in (bool, int, float, complex)
        if not is_number or (type(value) is int and not -(2**63) <= value < 2**63):
            return OperandInfo(text, None, None, value)
        return OperandInfo(text, Operand("number", type(value).__name__, text), None, value)

    def _dtype_name(self, value: Any) -> str | None:
        """Return the name of a dtype or of a Python number type, or None for another value."""
        if isinstance(value, type) and value.__name__ in PYTHON_TYPES:
            return value.__name__
        try:
            name = self._library.name_of(value)
        except TypeError:
            return None
        return name if name in DTYPES else None

    def _value(self, text: str) -> Any:
        return self._run(text).value

    def _run(self, *steps: str) -> Outcome:
        """Return the outcome of steps after the previous ones; the same steps run once."""
        if steps not in self._outcomes:
            case = Case((*self._previous_steps, *steps))
            self._outcomes[steps] = run_through(self._library, case, {})
        return self._outcomes[steps]


def _evaluated_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are evaluated unconditionally and once, inner ones first."""
    nested = (
        ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.FunctionDef,
        ast.ClassDef, ast.For, ast.While, ast.With, ast.Try, ast.If, ast.IfExp, ast.BoolOp,
    )  # fmt: skip
    if isinstance(node, nested):
        return
    for child in ast.iter_child_nodes(node):
        yield from _evaluated_nodes(child)
    yield node


def _operator(node: ast.AST) -> Call | None:
    """Return the operator call of a node, or None if the rules have no such operator."""
    match node:
        case ast.BinOp(left, op, right) | ast.Compare(left, [op], [right]) if (
            type(op).__name__ in SYMBOLS
        ):
            return Call(SYMBOLS[type(op).__name__], (left, right), is_symbol=True)
        case ast.AugAssign(target, op, right) if type(op).__name__ in SYMBOLS:
            left = ast.parse(ast.unparse(target), mode="eval").body
            return Call(SYMBOLS[type(op).__name__], (left, right), is_symbol=True, in_place=True)
        case ast.Call(ast.Attribute(ast.Name("torch"), name), args, keywords):
            return _named_call(name, args, keywords)
        case ast.Call(ast.Attribute(owner, name), args, keywords):
            in_place = name.endswith("_") and not name.endswith("__")
            operator = name.removesuffix("_") if in_place else name
            call = _named_call(operator, [owner, *args], keywords)
            return None if call is None else call._replace(in_place=in_place)
    return None


def _named_call(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> Call | None:
    """Return a call by name, or None for starred arguments and for keywords without a rule."""
    if name not in OPERATORS or len(args) != (1 if name in UNARY else 2):
        return None
    if any(isinstance(arg, ast.Starred) for arg in args):
        return None
    options = {keyword.arg: keyword.value for keyword in keywords}
    output, rounding = options.pop("out", None), options.pop("rounding_mode", None)
    if options:
        return None
    rounds = rounding is not None and ast.unparse(rounding) != "None"
    tables = TABLES._replace(operators={**OPERATORS, name: "common"}) if rounds else TABLES
    return Call(name, args, output=output, tables=tables)


def _is_plain(node: ast.AST) -> bool:
    """Return whether a node is a factory, or a function that keeps the dtype of its tensor."""
    function = read_call(node)
    return function is not None and (function.reads != "tensors" or function.rule == "kept")


def _fit(function: FunctionNode, operands: Sequence[Operand]) -> bool:
    """Return whether the operands are numbers, tensors, or both, as the rule of a function asks."""
    are_numbers = [operand.group == "number" for operand in operands]
    if function.reads != "tensors":
        return all(are_numbers)
    return function.rule == "condition" or not any(are_numbers)


def _device_rule_result(infos: Sequence[OperandInfo]) -> RuleResult | None:
    """Return the rule result for the common device of tensors, or None without a tensor."""
    located = [
        TensorOperand(info.operand.group == "dimensioned", info.device, info.text)
        for info in infos
        if info.device is not None and info.operand is not None
    ]
    return common_device(located) if located else None


def _range_of(target: str) -> tuple[int, int]:
    """Return the lowest number of an integral dtype, and the first that is too large."""
    if target == "uint8":
        target = "int64"
    bits = int(target.removeprefix("u").removeprefix("int"))
    return (0, 2**bits) if target.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1))
