"""The kernels of pointwise operators: what each computes of numbers, in LLVM's text.

There is a row for each of NumPy's functions, or of `kernels`' own, that is exactly
defined: a result that is rounded is rounded once.  So the bits are those of
NumPy's way, but for which NaN it is.  What has no row is left to NumPy.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from .._dtypes.constants import BOOL
from .._dtypes.table import DTYPES, Kind, dtype
from .casts import cast_number
from .loops import Kernel
from .scalar_ir import Code, Number, constant, has_numbers, number_of

Load = tuple[dtype, dtype, dtype]
Rule = Callable[..., str]
"""``rule(code, kind, *numbers)`` writes what computes a number of one or more of a kind, and returns its name."""


@cache
def operator(name: str, loads: tuple[Load, ...], result: Load, alike: bool) -> Kernel | None:
    """Return what computes a function of elements; None if it is left to NumPy.

    ``loads`` say for each operand which dtype it has, to which it is converted,
    and in which it is computed; ``result`` which dtype the function returns, and
    through which one it becomes which one.  If all operands are ``alike``, the
    kernel takes it once.
    """
    rule = _RULES.get(name)
    if rule is None or not all(map(has_numbers, {*result, *sum(loads, ())})):
        return None
    taken = loads[:1] if alike else loads

    def body(code: Code, *numbers: str) -> str:
        loaded = [_through(code, each, *load) for each, load in zip(numbers, taken, strict=True)]
        if alike:
            loaded *= len(loads)
        found = rule(code, number_of(loads[0][-1]), *loaded)
        return _through(code, found, *result, rounds=False)

    return Kernel(result[-1], [load[0] for load in taken], body)


@cache
def chooser(size: int) -> Kernel | None:
    """Return what chooses elements of a size in bytes, by a condition; None if there is none."""
    if size > 8:
        return None
    dtype = DTYPES[f"uint{8 * size}"]

    def body(code: Code, condition: str, left: str, right: str) -> str:
        holds = code.add(f"icmp ne i8 {condition}, 0")
        return code.select(holds, number_of(dtype).type, left, right)

    return Kernel(dtype, [BOOL, dtype, dtype], body)


def name_of(function: Any) -> str:
    """Return by which name a function stands among the rows; none if it can have no row."""
    return getattr(function, "__qualname__", "") or getattr(function, "__name__", "")


def _through(code: Code, number: str, *dtypes: dtype, rounds: bool = True) -> str:
    """Convert a number through some dtypes; ``rounds`` says whether what the last one lacks is lost now."""
    own, between, last = dtypes
    number = cast_number(code, number, own, between, rounds=rounds or between is not last)
    return cast_number(code, number, between, last, rounds=rounds)


def _is_float(kind: Number) -> bool:
    return kind.kind is Kind.FLOAT


def _instruction(floats: str, integers: str, booleans: str = "") -> Rule:
    """Return what computes a number by one instruction."""

    def rule(code: Code, kind: Number, *numbers: str) -> str:
        name = floats if _is_float(kind) else integers
        if kind.kind is Kind.BOOL and booleans:
            name = booleans
        return code.add(f"{name} {kind.type} {', '.join(numbers)}")

    return rule


def _function(floats: str) -> Rule:
    """Return what computes a float by one of LLVM's functions, and leaves integers as they are."""

    def rule(code: Code, kind: Number, number: str) -> str:
        return _call(code, kind, floats, number) if _is_float(kind) else number

    return rule


def _call(code: Code, kind: Number, name: str, *numbers: str) -> str:
    given = ", ".join(f"{kind.type} {each}" for each in numbers)
    width = {"float": "f32", "double": "f64"}.get(kind.type, kind.type)
    return code.add(f"call {kind.type} @llvm.{name}.{width}({given})")


def _number(kind: Number, value: float) -> str:
    return constant(value) if _is_float(kind) else str(int(value))


def _truth(code: Code, condition: str) -> str:
    return code.add(f"zext i1 {condition} to i8")


def _condition(code: Code, kind: Number, floats: str, integers: str, *numbers: str) -> str:
    """Compare two numbers; ``integers`` has a sign before it where it matters whether they have one."""
    both = ", ".join(numbers)
    if _is_float(kind):
        return code.add(f"fcmp {floats} {kind.type} {both}")
    sign = "s" if kind.kind is Kind.SIGNED else "u"
    return code.add(f"icmp {integers.replace('?', sign)} {kind.type} {both}")


def _compared(floats: str, integers: str) -> Rule:
    def rule(code: Code, kind: Number, left: str, right: str) -> str:
        return _truth(code, _condition(code, kind, floats, integers, left, right))

    return rule


def _compared_with(value: float, floats: str, integers: str) -> Rule:
    def rule(code: Code, kind: Number, number: str) -> str:
        return _truth(code, _condition(code, kind, floats, integers, number, _number(kind, value)))

    return rule


def _logical(name: str) -> Rule:
    """Return what puts together whether numbers are zero."""

    def rule(code: Code, kind: Number, *numbers: str) -> str:
        truths = [_condition(code, kind, "une", "ne", each, _number(kind, 0)) for each in numbers]
        return _truth(code, code.add(f"{name} i1 {', '.join(truths)}"))

    return rule


def _chosen(floats: str, integers: str) -> Rule:
    """Return what chooses one of two numbers: the first if it is NaN, or if a comparison holds."""

    def rule(code: Code, kind: Number, left: str, right: str) -> str:
        is_first = _condition(code, kind, floats, integers, left, right)
        if _is_float(kind):
            is_nan = code.add(f"fcmp uno {kind.type} {left}, {left}")
            is_first = code.add(f"or i1 {is_first}, {is_nan}")
        return code.select(is_first, kind.type, left, right)

    return rule


_larger, _smaller = _chosen("oge", "?ge"), _chosen("ole", "?le")


def _clamp(code: Code, kind: Number, number: str, lower: str, upper: str) -> str:
    return _smaller(code, kind, _larger(code, kind, number, lower), upper)


def _negative(code: Code, kind: Number, number: str) -> str:
    return code.add(
        f"fneg {kind.type} {number}" if _is_float(kind) else f"sub {kind.type} 0, {number}"
    )


def _size(code: Code, kind: Number, number: str) -> str:
    if _is_float(kind):
        return _call(code, kind, "fabs", number)
    if kind.kind is not Kind.SIGNED:
        return number
    is_negative = code.add(f"icmp slt {kind.type} {number}, 0")
    return code.select(is_negative, kind.type, _negative(code, kind, number), number)


def _square(code: Code, kind: Number, number: str) -> str:
    return _RULES["multiply"](code, kind, number, number)


def _relu(code: Code, kind: Number, number: str) -> str:
    zero = _number(kind, 0)
    is_negative = _condition(code, kind, "olt", "?lt", number, zero)
    return code.select(is_negative, kind.type, zero, number)


def _sign(code: Code, kind: Number, number: str) -> str:
    zero, one = _number(kind, 0), _number(kind, 1)
    is_positive = _condition(code, kind, "ogt", "?gt", number, zero)
    found = code.select(is_positive, kind.type, one, zero)
    if kind.kind not in (Kind.FLOAT, Kind.SIGNED):
        return found
    is_negative = _condition(code, kind, "olt", "?lt", number, zero)
    return code.select(is_negative, kind.type, _number(kind, -1), found)


def _inverted(code: Code, kind: Number, number: str) -> str:
    return code.add(f"xor {kind.type} {number}, {1 if kind.kind is Kind.BOOL else -1}")


def _reciprocal(code: Code, kind: Number, number: str) -> str:
    return code.add(f"fdiv {kind.type} {constant(1.0)}, {number}")


def _reciprocal_root(code: Code, kind: Number, number: str) -> str:
    return _reciprocal(code, kind, _call(code, kind, "sqrt", number))


def _fraction(code: Code, kind: Number, number: str) -> str:
    return code.add(f"fsub {kind.type} {number}, {_call(code, kind, 'trunc', number)}")


def _has_size(comparison: str) -> Rule:
    """Return what compares the size of a float with infinity."""

    def rule(code: Code, kind: Number, number: str) -> str:
        size = _call(code, kind, "fabs", number)
        return _truth(code, code.add(f"fcmp {comparison} {kind.type} {size}, {constant(math.inf)}"))

    return rule


def _is_nan(code: Code, kind: Number, number: str) -> str:
    return _truth(code, code.add(f"fcmp uno {kind.type} {number}, {number}"))


_RULES: dict[str, Rule] = {
    "add": _instruction("fadd", "add", booleans="or"),
    "subtract": _instruction("fsub", "sub"),
    "multiply": _instruction("fmul", "mul", booleans="and"),
    "divide": _instruction("fdiv", ""),
    "bitwise_and": _instruction("", "and"),
    "bitwise_or": _instruction("", "or"),
    "bitwise_xor": _instruction("", "xor"),
    "invert": _inverted,
    "equal": _compared("oeq", "eq"),
    "not_equal": _compared("une", "ne"),
    "less": _compared("olt", "?lt"),
    "less_equal": _compared("ole", "?le"),
    "greater": _compared("ogt", "?gt"),
    "greater_equal": _compared("oge", "?ge"),
    "logical_and": _logical("and"),
    "logical_or": _logical("or"),
    "logical_xor": _logical("xor"),
    "logical_not": _compared_with(0, "oeq", "eq"),
    "maximum": _larger,
    "minimum": _smaller,
    "larger": _larger,
    "smaller": _smaller,
    "clamp": _clamp,
    "clamp_integers": _clamp,
    "relu": _relu,
    "negative": _negative,
    "absolute": _size,
    "sign": _sign,
    "square": _square,
    "sqrt": _function("sqrt"),
    "floor": _function("floor"),
    "ceil": _function("ceil"),
    "trunc": _function("trunc"),
    "positive": lambda code, kind, number: number,
    "fraction": _fraction,
    "reciprocal": _reciprocal,
    "reciprocal_root": _reciprocal_root,
    "copysign": lambda code, kind, *numbers: _call(code, kind, "copysign", *numbers),
    "isnan": _is_nan,
    "isinf": _has_size("oeq"),
    "isfinite": _has_size("one"),
    "is_positive_infinity": _compared_with(math.inf, "oeq", ""),
    "is_negative_infinity": _compared_with(-math.inf, "oeq", ""),
    "is_negative": _compared_with(0, "", "?lt"),
}
