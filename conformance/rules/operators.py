"""The result dtypes of operators, and whether a result can be cast to the output.

`engine.operator_rules` compares them with torch for every operator of the table.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .casts import CASTS, Cast, cast
from .dtypes import DTYPES
from .operands import GROUP_RULES, GroupRule, Operand, Reason, RuleResult, common_dtype
from .promotion import Rule, rules_of

SOURCE = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/TensorIterator.cpp"

OPERATOR_RULES: Mapping[str, Rule] = rules_of(
    SOURCE,
    {
        "common": ("The result has the common dtype of the operands.", "promotion.minimum-dtype"),
        "floating-result": (
            "The operator computes in floating point: integers and bools become the default dtype.",
            "promotion.default-dtype",
        ),
        "comparison": (
            "The operator compares in the common dtype of the operands and returns bool.",
        ),
        "in-place": (
            "The output of an in-place operator is its left operand.",
            "casting.in-place-is-output",
            "casting.output-cast",
        ),
        "given-output": (
            "A result is cast to the dtype of the ``out=`` tensor.",
            "casting.output-cast",
        ),
        "output-refused": (
            "A result that cannot be cast to the output's dtype raises a RuntimeError.",
            "casting.error",
        ),
    },
)
"""Every rule of operators by its id."""

_UNARY = (
    "exp", "exp2", "expm1", "sqrt", "rsqrt", "reciprocal", "log", "log2", "log10", "log1p",
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "sigmoid", "erf", "erfc", "erfinv", "lgamma", "digamma",
)  # fmt: skip
_NAMES = {
    "common": (
        "add", "sub", "subtract", "mul", "multiply", "floor_divide", "remainder", "fmod", "pow",
        "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor",
        "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm", "hypot", "rsub",
    ),
    "floating-result": (
        "div", "divide", "true_divide", "atan2", "arctan2", "copysign", "xlogy", *_UNARY,
    ),
    "comparison": (
        "eq", "ne", "lt", "le", "gt", "ge", "not_equal", "less", "less_equal", "greater",
        "greater_equal",
    ),
}  # fmt: skip
OPERATORS: Mapping[str, str] = {name: rule for rule, names in _NAMES.items() for name in names}
"""The rule for the result dtype of each operator."""

_ARITHMETIC = {"add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide"}
_OF_MIXED = ("promotion.mixed-dtypes",)
"""The clause about the four arithmetic operations."""

UNARY = frozenset(_UNARY)
"""The unary operators."""

SYMBOLS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "FloorDiv": "floor_divide",
    "Mod": "remainder", "Pow": "pow", "BitAnd": "bitwise_and", "BitOr": "bitwise_or",
    "BitXor": "bitwise_xor",
    "LShift": "bitwise_left_shift", "RShift": "bitwise_right_shift",
    "Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge",
}  # fmt: skip
"""The operators with a symbol in Python, by the names of their nodes in `ast`."""


class Tables(NamedTuple):
    """The tables of rules; a planted fault replaces one of them."""

    group_rules: Sequence[GroupRule] = GROUP_RULES
    casts: Sequence[Cast] = CASTS
    operators: Mapping[str, str] = OPERATORS


TABLES = Tables()


def result_of(
    operator: str,
    operands: Sequence[Operand],
    default: str = "float32",
    output: str | None = None,
    *,
    in_place: bool = False,
    tables: Tables = TABLES,
) -> RuleResult:
    """Return the result dtype of an operator, or None if a rule forbids it, with the reasons.

    ``output`` is the dtype of the ``out=`` tensor; for ``in_place`` it is that of the first
    operand. Missing kernels of torch are not part of the rules.

    >>> result_of("div", [Operand("dimensioned", "int32"), Operand("number", "int")]).result
    'float32'
    """
    common = common_dtype(operands, default, tables.group_rules)
    if common.result is None:
        return common
    rule = tables.operators[operator]
    result, text = _by_kind(rule, operator, common.result, default)
    clauses = OPERATOR_RULES[rule].clauses + (_OF_MIXED if operator in _ARITHMETIC else ())
    reasons = (*common.reasons, Reason(rule, text, clauses))
    rule_result, target = RuleResult(result, reasons), operands[0].dtype if in_place else output
    if target is None:
        return rule_result
    return _written(rule_result, target, in_place=in_place, tables=tables)


def _by_kind(rule: str, operator: str, common: str, default: str) -> tuple[str, str]:
    floating = f"{operator} computes in floating point"
    if rule == "comparison":
        return "bool", f"{operator} compares in {common} and returns bool"
    if rule != "floating-result":
        return common, f"the result of {operator} has the common dtype of the operands, {common}"
    if DTYPES[common].category in ("boolean", "integral"):
        return default, f"{floating}: {common} becomes {default}, the default dtype"
    return common, f"{floating}, and {common} stays {common}"


def _written(rule_result: RuleResult, target: str, *, in_place: bool, tables: Tables) -> RuleResult:
    """Return the result dtype after the cast to the output, or None if the cast is not allowed."""
    assert rule_result.result is not None
    rule = "in-place" if in_place else "given-output"
    text = f"{'the left operand' if in_place else 'the out= tensor'} is the output, {target}"
    allowed, reason = cast(rule_result.result, target, tables.casts)
    reasons = [*rule_result.reasons, Reason(rule, text, OPERATOR_RULES[rule].clauses), reason]
    if not allowed:
        rejection = OPERATOR_RULES["output-refused"]
        text = "so torch raises a RuntimeError"
        reasons.append(Reason(rejection.id, text, rejection.clauses))
    return RuleResult(target if allowed else None, tuple(reasons))
