"""Finds which rules speak for the parts of a program, and what they say there.

Operands are looked at by running their own text under the oracle; what the rules make of them is held
against what the oracle gives each time, so that no explanation contradicts what it explains.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..core.case import Case
from ..engine.rule_checks import REFUSED, name_of
from ..libraries.library import Library
from ..observation.runner import Outcome, run_through
from ..rules.casts import cast, conversion
from ..rules.devices import Located, common_device
from ..rules.dtypes import DTYPES
from ..rules.operands import Finding, Operand, Reason, common_dtype, promoted
from ..rules.operators import OPERATORS, SYMBOLS, TABLES, UNARY, Tables, result_of
from ..rules.promotion import PYTHON_TYPES

CASTS_BY_NAME = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32",
    "long": "int64", "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool",
    "chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
"""Methods that convert, and to what."""

_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
"""What the parts of a complex number are."""


class Explanation(NamedTuple):
    """One part of a program: the reasons, what they come to, and what the oracle gives."""

    expression: str
    reasons: tuple[Reason, ...]
    said: str
    given: str
    words: str = ""

    @property
    def holds(self) -> bool:
        """Whether the oracle gives what the rules say."""
        return self.said == self.given


class Known(NamedTuple):
    """What is known of an operand: its text, what it is to the rules, its device, and its value."""

    text: str
    operand: Operand | None
    device: str | None
    value: Any


class Call(NamedTuple):
    """An operator that is called: its name, its operands, and where the result goes."""

    operator: str
    operands: Sequence[ast.expr]
    is_symbol: bool = False
    output: ast.expr | None = None
    in_place: bool = False
    tables: Tables = TABLES


class Reasoner:
    """Explains the parts of one step of a program, run after the steps before it."""

    def __init__(self, library: Library, before: Sequence[str]) -> None:
        self._library, self._before = library, tuple(before)
        self._default = self._dtype_name(self._value("torch.get_default_dtype()")) or "float32"

    def explain(self, step: str) -> list[Explanation]:
        """Explain the parts of a step that a rule speaks for, inner ones first."""
        found = (self._explained(node, step) for node in _parts(ast.parse(step)))
        return [each for each in found if each is not None]

    def _explained(self, node: ast.AST, step: str) -> Explanation | None:
        text = step if isinstance(node, ast.AugAssign) else ast.unparse(node)
        finding = self._of_call(node) if (call := _operator(node)) is None else self._of(call)
        if finding is None:
            return None
        shown = (text, ast.unparse(node.target)) if isinstance(node, ast.AugAssign) else (text,)
        outcome = self._run(*shown)
        error = outcome.error
        given = REFUSED if error is not None else name_of(outcome, self._library)
        said = REFUSED if finding.result is None else finding.result
        words = "" if error is None else self._words(error)
        return Explanation(text, finding.reasons, said, given, words)

    def _words(self, error: BaseException) -> str:
        return f"{self._library.class_name(type(error))}: {str(error).partition(chr(10))[0]}"

    def _of(self, call: Call) -> Finding | None:
        """Find what the rules say of an operator, if they know all that it is given."""
        known = [self._known(each) for each in call.operands]
        operands = [each.operand for each in known if each.operand is not None]
        if len(operands) != len(known) or not known:
            return None
        has_tensor = any(each.device for each in known)
        if not has_tensor and (call.is_symbol or call.operator in UNARY):
            return None  # Python's own, or refused
        if call.in_place and known[0].device is None:
            return None
        output = None if call.output is None else self._known(call.output)
        if output is not None and output.operand is None:
            return None
        where = _where(known)
        if where is not None and where.result is None:
            return where
        places = {each.device for each in (known[0] if call.in_place else None, output) if each}
        if places - {where.result if where else None}:
            return None  # written into a tensor elsewhere
        found = result_of(
            call.operator, operands, self._default,
            output.operand.dtype if output and output.operand else None,
            in_place=call.in_place, tables=call.tables,
        )  # fmt: skip
        moves = where.reasons if where and where.reasons[0].rule != "one-device" else ()
        return Finding(found.result, (*moves, *found.reasons))

    def _of_call(self, node: ast.AST) -> Finding | None:
        """Find what the rules say of a question about dtypes, or of a conversion."""
        match node:
            case ast.Call(
                func=ast.Attribute(ast.Name("torch"), ("promote_types" | "can_cast") as name),
                args=[left, right],
                keywords=[],
            ):
                names = [self._dtype_name(self._known(each).value) for each in (left, right)]
                one, other = names
                if one is None or other is None:
                    return None
                if name == "promote_types":
                    return promoted(one, other)
                decision = cast(one, other)
                return Finding(str(decision.allowed), (decision.reason,))
            case ast.Call(
                func=ast.Attribute(ast.Name("torch"), "result_type"),
                args=[left, right],
                keywords=[],
            ):
                known = [self._known(each) for each in (left, right)]
                operands = [each.operand for each in known if each.operand is not None]
                return common_dtype(operands, self._default) if len(operands) == 2 else None
            case ast.Call(func=ast.Attribute(owner, name)):
                return self._of_conversion(node, owner, name)
        return None

    def _of_conversion(self, node: ast.Call, owner: ast.expr, name: str) -> Finding | None:
        if name not in ("to", "type", *CASTS_BY_NAME) or not (known := self._known(owner)).device:
            return None
        assert known.operand is not None
        made = self._run(ast.unparse(node))
        target = CASTS_BY_NAME.get(name)
        if target is None:
            if not made.is_tensor:
                return None
            target = self._dtype_name(made.value.dtype)
        if target is None:
            return None
        reason = conversion(known.operand.dtype, target)
        reasons = [reason]
        if reason.rule == "real-part" and DTYPES[target].category == "integral":
            reasons.append(conversion(_PARTS[known.operand.dtype], target))
        if reasons[-1].rule in ("cut-off", "low-bits"):
            reasons += self._undefined(known, target, reasons[-1].rule)
        return Finding(target, tuple(reasons))

    def _undefined(self, known: Known, target: str, rule: str) -> list[Reason]:
        """Say how many elements here become something undefined."""
        numbers = self._value(f"({known.text}).double().flatten().tolist()")
        if not isinstance(numbers, list):
            return []
        low, high = _range_of(target)
        lost = [each for each in numbers if not low - 1 < each < high]
        if not lost:
            return []
        what = f"undefined here: what becomes of {len(lost)} of {len(numbers)} elements, the first {lost[0]!r}"
        return [Reason(rule, what)]

    def _known(self, node: ast.expr) -> Known:
        """Find out what an operand is, by running its text."""
        text = ast.unparse(node)
        outcome = self._run(text)
        value = outcome.value
        if outcome.error is not None:
            return Known(text, None, None, None)
        if outcome.is_tensor:
            name = self._dtype_name(value.dtype)
            if name is None or self._library.name_of(value.layout) != "strided":
                return Known(text, None, None, value)
            place = "dimensioned" if value.dim() else "zero-dim"
            return Known(text, Operand(place, name, text), str(value.device), value)
        is_number = type(value) in (bool, int, float, complex)
        if not is_number or (type(value) is int and not -(2**63) <= value < 2**63):
            return Known(text, None, None, value)
        return Known(text, Operand("number", type(value).__name__, text), None, value)

    def _dtype_name(self, value: Any) -> str | None:
        """Return the name of a dtype, or of a Python type that stands for one."""
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
        return run_through(self._library, Case((*self._before, *steps)), {})


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Go through the parts of a program that run as they stand, inner ones first."""
    inside = (
        ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.FunctionDef,
        ast.ClassDef, ast.For, ast.While, ast.With, ast.Try, ast.If, ast.IfExp, ast.BoolOp,
    )  # fmt: skip
    if isinstance(node, inside):
        return
    for child in ast.iter_child_nodes(node):
        yield from _parts(child)
    yield node


def _operator(node: ast.AST) -> Call | None:
    """Read a part of a program as an operator of the rules, if it is one."""
    match node:
        case ast.BinOp(left, op, right) if type(op).__name__ in SYMBOLS:
            return Call(SYMBOLS[type(op).__name__], (left, right), is_symbol=True)
        case ast.Compare(left, [op], [right]) if type(op).__name__ in SYMBOLS:
            return Call(SYMBOLS[type(op).__name__], (left, right), is_symbol=True)
        case ast.AugAssign(target, op, right) if type(op).__name__ in SYMBOLS:
            left = ast.parse(ast.unparse(target), mode="eval").body
            return Call(SYMBOLS[type(op).__name__], (left, right), is_symbol=True, in_place=True)
        case ast.Call(ast.Attribute(ast.Name("torch"), name), args, keywords):
            return _called(name, args, keywords)
        case ast.Call(ast.Attribute(owner, name), args, keywords):
            in_place = name.endswith("_") and not name.endswith("__")
            found = _called(name.removesuffix("_") if in_place else name, [owner, *args], keywords)
            return None if found is None else found._replace(in_place=in_place)
    return None


def _called(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> Call | None:
    """Read a call by name; one with a star, or with a keyword that the rules do not know, is none of theirs."""
    if name not in OPERATORS or len(args) != (1 if name in UNARY else 2):
        return None
    if any(isinstance(each, ast.Starred) for each in args):
        return None
    others = {each.arg: each.value for each in keywords}
    output, rounding = others.pop("out", None), others.pop("rounding_mode", None)
    if others:
        return None
    rounds = rounding is not None and ast.unparse(rounding) != "None"
    tables = TABLES._replace(operators={**OPERATORS, name: "common"}) if rounds else TABLES
    return Call(name, args, output=output, tables=tables)


def _where(known: Sequence[Known]) -> Finding | None:
    """Find on which device tensors meet; nothing if none of the operands is a tensor."""
    located = [
        Located(each.operand.place == "dimensioned", each.device, each.text)
        for each in known
        if each.device is not None and each.operand is not None
    ]
    return common_device(located) if located else None


def _range_of(target: str) -> tuple[int, int]:
    """Return the numbers that an integral dtype takes: the lowest, and the first that is too large."""
    if target == "uint8":
        target = "int64"
    bits = int(target.removeprefix("u").removeprefix("int"))
    return (0, 2**bits) if target.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1))
