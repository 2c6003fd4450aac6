"""Which dtype an operator gives of the one that its operands have in common, and whether it fits the output.

`engine.operator_rules` holds it against torch for every operator of the table.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .casts import CASTS, Cast, cast
from .dtypes import DTYPES
from .operands import MEETINGS, Finding, Meeting, Operand, Reason, common_dtype
from .promotion import Rule

SOURCE = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/TensorIterator.cpp"

OPERATOR_RULES: Mapping[str, Rule] = {
    each.id: each
    for each in (
        Rule(
            "common",
            "The operator gives the dtype that its operands have in common.",
            ("promotion.minimum-dtype",),
            SOURCE,
        ),
        Rule(
            "floating-result",
            "The operator is for floating numbers: what integers and bools have in common becomes the default dtype.",
            ("promotion.default-dtype",),
            SOURCE,
        ),
        Rule(
            "comparison",
            "The operator compares in the dtype that its operands have in common, and gives bool.",
            (),
            SOURCE,
        ),
        Rule(
            "in-place",
            "An operator in place has its left operand as the output.",
            ("casting.in-place-is-output", "casting.output-cast"),
            SOURCE,
        ),
        Rule(
            "given-output",
            "A result that is to be written into a given tensor is cast to its dtype.",
            ("casting.output-cast",),
            SOURCE,
        ),
        Rule(
            "output-refused",
            "A result that cannot be cast to the output's dtype is refused with a RuntimeError.",
            ("casting.error",),
            SOURCE,
        ),
    )
}
"""Every rule about operators by its id."""

_NAMES = {
    "common": (
        "add", "sub", "subtract", "mul", "multiply", "floor_divide", "remainder", "fmod", "pow",
        "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor",
        "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm", "hypot", "rsub",
    ),
    "floating-result": (
        "div", "divide", "true_divide", "atan2", "arctan2", "copysign", "xlogy",
        "exp", "exp2", "expm1", "sqrt", "rsqrt", "reciprocal", "log", "log2", "log10", "log1p", "sin", "cos",
        "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "erf",
        "erfc", "erfinv", "lgamma", "digamma",
    ),
    "comparison": (
        "eq", "ne", "lt", "le", "gt", "ge", "not_equal", "less", "less_equal", "greater", "greater_equal",
    ),
}  # fmt: skip
OPERATORS: Mapping[str, str] = {name: kind for kind, names in _NAMES.items() for name in names}
"""By which rule each operator has its dtype."""

_ARITHMETIC = frozenset(
    ("add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide")
)
_OF_MIXED = ("promotion.mixed-dtypes",)
"""The clause about the four operations."""

UNARY = frozenset(_NAMES["floating-result"][_NAMES["floating-result"].index("exp") :])
"""The operators of one operand."""

SYMBOLS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "FloorDiv": "floor_divide", "Mod": "remainder",
    "Pow": "pow", "BitAnd": "bitwise_and", "BitOr": "bitwise_or", "BitXor": "bitwise_xor",
    "LShift": "bitwise_left_shift", "RShift": "bitwise_right_shift",
    "Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge",
}  # fmt: skip
"""The operators that Python has symbols for, by the names of their nodes in `ast`."""


class Tables(NamedTuple):
    """The tables that decide; a planted fault puts another in the place of one."""

    meetings: Sequence[Meeting] = MEETINGS
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
) -> Finding:
    """Tell which dtype the result of an operator has, and why; None where a rule refuses it.

    ``output`` is the dtype of the tensor that the result is written into; an operator ``in_place`` has its
    first operand for it.  Kernels that torch has not for a dtype are no matter of these rules.

    >>> result_of("div", [Operand("dimensioned", "int32"), Operand("number", "int")]).result
    'float32'
    """
    common = common_dtype(operands, default, tables.meetings)
    if common.result is None:
        return common
    kind = tables.operators[operator]
    result, what = _by_kind(kind, operator, common.result, default)
    clauses = OPERATOR_RULES[kind].clauses + (_OF_MIXED if operator in _ARITHMETIC else ())
    reasons = (*common.reasons, Reason(kind, what, clauses))
    target = operands[0].dtype if in_place else output
    if target is None:
        return Finding(result, reasons)
    return _written(Finding(result, reasons), target, in_place=in_place, tables=tables)


def _by_kind(kind: str, operator: str, common: str, default: str) -> tuple[str, str]:
    if kind == "comparison":
        return "bool", f"{operator} compares in {common} and gives bool"
    if kind == "floating-result" and DTYPES[common].category in ("boolean", "integral"):
        return (
            default,
            f"{operator} is for floating numbers: {common} becomes {default}, the default dtype",
        )
    if kind == "floating-result":
        return common, f"{operator} is for floating and complex numbers: {common} stays {common}"
    return common, f"{operator} gives the dtype that its operands have in common, {common}"


def _written(found: Finding, target: str, *, in_place: bool, tables: Tables) -> Finding:
    """Tell what comes of writing a result into a tensor."""
    assert found.result is not None
    rule = "in-place" if in_place else "given-output"
    what = f"{'the left operand' if in_place else 'the given tensor'} is the output, {target}"
    allowed, reason = cast(found.result, target, tables.casts)
    reasons = (*found.reasons, Reason(rule, what, OPERATOR_RULES[rule].clauses), reason)
    if allowed:
        return Finding(target, reasons)
    refused = OPERATOR_RULES["output-refused"]
    return Finding(
        None,
        (*reasons, Reason(refused.id, "so it is refused with a RuntimeError", refused.clauses)),
    )
