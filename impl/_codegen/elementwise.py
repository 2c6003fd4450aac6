"""The compiled kernels of pointwise operators, as LLVM IR.

A row exists for each function of NumPy or `_kernels` that is exactly defined: it rounds at most
once.  The result has NumPy's bits, except for the payload of a NaN.  NumPy computes functions
without a row.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from .._dtypes.constants import BOOL
from .._dtypes.table import DTYPES, Kind, dtype
from .casts import cast_number
from .fma import emit_fma
from .loops import Kernel
from .scalar_ir import IRBuilder, OpmathType, constant, is_compilable, opmath_type

Casts = tuple[dtype, dtype, dtype]
Rule = Callable[..., str]
"""``rule(code, ty, *numbers)`` emits the computation of a result, and returns its name."""


@cache
def operator_kernel(
    name: str, casts: tuple[Casts, ...], result: Casts, same: bool
) -> Kernel | None:
    """Return the kernel for a pointwise function; None if NumPy computes it.

    ``casts`` has the dtypes of each operand: its own, the common dtype, the opmath dtype.
    ``result`` has the opmath dtype of the result, an intermediate dtype and the final dtype.
    With ``same``, all operands are one tensor, and the kernel takes it once.
    """
    rule = _RULES.get(name)
    if rule is None or not all(map(is_compilable, {*result, *sum(casts, ())})):
        return None
    inputs = casts[:1] if same else casts

    def body(code: IRBuilder, *numbers: str) -> str:
        loaded = [_cast(code, n, *c) for n, c in zip(numbers, inputs, strict=True)]
        if same:
            loaded *= len(casts)
        value = rule(code, opmath_type(casts[0][-1]), *loaded)
        return _cast(code, value, *result, rounds=False)

    return Kernel(result[-1], [c[0] for c in inputs], body)


@cache
def where_kernel(size: int) -> Kernel | None:
    """Return the kernel of torch.where for elements of ``size`` bytes; None if there is none."""
    if size > 8:
        return None
    dtype = DTYPES[f"uint{8 * size}"]

    def body(code: IRBuilder, condition: str, left: str, right: str) -> str:
        holds = code.add(f"icmp ne i8 {condition}, 0")
        return code.select(holds, opmath_type(dtype).type, left, right)

    return Kernel(dtype, [BOOL, dtype, dtype], body)


def rule_name(function: Any) -> str:
    """Return the name of a function in `_RULES`; empty if the function has no name."""
    return getattr(function, "__qualname__", "") or getattr(function, "__name__", "")


def _cast(code: IRBuilder, number: str, *dtypes: dtype, rounds: bool = True) -> str:
    """Cast a number through three dtypes; with ``rounds`` it is rounded to the last one."""
    source, middle, target = dtypes
    number = cast_number(code, number, source, middle, rounds=rounds or middle is not target)
    return cast_number(code, number, middle, target, rounds=rounds)


def _is_float(ty: OpmathType) -> bool:
    return ty.kind is Kind.FLOAT


def _instruction(floats: str, integers: str, booleans: str = "") -> Rule:
    def rule(code: IRBuilder, ty: OpmathType, *numbers: str) -> str:
        name = floats if _is_float(ty) else integers
        if ty.kind is Kind.BOOL and booleans:
            name = booleans
        return code.add(f"{name} {ty.type} {', '.join(numbers)}")

    return rule


def _intrinsic(floats: str) -> Rule:
    """Return the rule for an LLVM intrinsic on floats and the identity on integers."""

    def rule(code: IRBuilder, ty: OpmathType, number: str) -> str:
        return _call(code, ty, floats, number) if _is_float(ty) else number

    return rule


def _call(code: IRBuilder, ty: OpmathType, name: str, *numbers: str) -> str:
    arguments = ", ".join(f"{ty.type} {number}" for number in numbers)
    width = {"float": "f32", "double": "f64"}.get(ty.type, ty.type)
    return code.add(f"call {ty.type} @llvm.{name}.{width}({arguments})")


def _const(ty: OpmathType, value: float) -> str:
    return constant(value) if _is_float(ty) else str(int(value))


def _bool(code: IRBuilder, condition: str) -> str:
    return code.add(f"zext i1 {condition} to i8")


def _condition(code: IRBuilder, ty: OpmathType, floats: str, integers: str, *numbers: str) -> str:
    """Compare two numbers; a ``?`` in ``integers`` stands for the letter of their signedness."""
    operands = ", ".join(numbers)
    if _is_float(ty):
        return code.add(f"fcmp {floats} {ty.type} {operands}")
    sign = "s" if ty.kind is Kind.SIGNED else "u"
    return code.add(f"icmp {integers.replace('?', sign)} {ty.type} {operands}")


def _compared(floats: str, integers: str, value: float | None = None) -> Rule:
    """Return the rule that compares two numbers, or one number with ``value``."""

    def rule(code: IRBuilder, ty: OpmathType, *numbers: str) -> str:
        if value is not None:
            numbers = (*numbers, _const(ty, value))
        return _bool(code, _condition(code, ty, floats, integers, *numbers))

    return rule


def _logical(name: str) -> Rule:
    """Return the rule that combines the truth values of numbers."""

    def rule(code: IRBuilder, ty: OpmathType, *numbers: str) -> str:
        truths = [_condition(code, ty, "une", "ne", number, _const(ty, 0)) for number in numbers]
        return _bool(code, code.add(f"{name} i1 {', '.join(truths)}"))

    return rule


def _select_if(floats: str, integers: str) -> Rule:
    """Return the rule for the first number if it is NaN or a comparison holds, else the second."""

    def rule(code: IRBuilder, ty: OpmathType, left: str, right: str) -> str:
        is_first = _condition(code, ty, floats, integers, left, right)
        if _is_float(ty):
            is_nan = code.add(f"fcmp uno {ty.type} {left}, {left}")
            is_first = code.add(f"or i1 {is_first}, {is_nan}")
        return code.select(is_first, ty.type, left, right)

    return rule


_maximum, _minimum = _select_if("oge", "?ge"), _select_if("ole", "?le")


def _clamp(code: IRBuilder, ty: OpmathType, number: str, lower: str, upper: str) -> str:
    return _minimum(code, ty, _maximum(code, ty, number, lower), upper)


def _negative(code: IRBuilder, ty: OpmathType, number: str) -> str:
    return code.add(f"fneg {ty.type} {number}" if _is_float(ty) else f"sub {ty.type} 0, {number}")


def _absolute(code: IRBuilder, ty: OpmathType, number: str) -> str:
    if _is_float(ty):
        return _call(code, ty, "fabs", number)
    if ty.kind is not Kind.SIGNED:
        return number
    is_negative = code.add(f"icmp slt {ty.type} {number}, 0")
    return code.select(is_negative, ty.type, _negative(code, ty, number), number)


def _relu(code: IRBuilder, ty: OpmathType, number: str) -> str:
    zero = _const(ty, 0)
    is_negative = _condition(code, ty, "olt", "?lt", number, zero)
    return code.select(is_negative, ty.type, zero, number)


def _sqrt(code: IRBuilder, ty: OpmathType, number: str) -> str:
    """Return the square root; NaN without a sign for negative numbers.

    LLVM takes all NaN for equal, so it would drop a choice between two of them; bits it keeps.
    """
    bits = {"float": "i32", "double": "i64"}[ty.type]
    is_negative = _condition(code, ty, "olt", "?lt", number, _const(ty, 0))
    kept = code.select(is_negative, bits, 2 ** (int(bits[1:]) - 1) - 1, -1)
    root = code.add(f"bitcast {ty.type} {_call(code, ty, 'sqrt', number)} to {bits}")
    return code.add(f"bitcast {bits} {code.add(f'and {bits} {root}, {kept}')} to {ty.type}")


def _trunc(code: IRBuilder, ty: OpmathType, number: str) -> str:
    """Return the whole part; a float64 NaN is returned as it is."""
    result = _call(code, ty, "trunc", number)
    if ty.type != "double":
        return result
    is_nan = _condition(code, ty, "uno", "", number, number)
    return code.select(is_nan, ty.type, number, result)


def _sign(code: IRBuilder, ty: OpmathType, number: str) -> str:
    zero, one = _const(ty, 0), _const(ty, 1)
    is_positive = _condition(code, ty, "ogt", "?gt", number, zero)
    result = code.select(is_positive, ty.type, one, zero)
    if ty.kind not in (Kind.FLOAT, Kind.SIGNED):
        return result
    is_negative = _condition(code, ty, "olt", "?lt", number, zero)
    return code.select(is_negative, ty.type, _const(ty, -1), result)


def _reciprocal(code: IRBuilder, ty: OpmathType, number: str) -> str:
    return code.add(f"fdiv {ty.type} {constant(1.0)}, {number}")


def _lerp(code: IRBuilder, ty: OpmathType, left: str, right: str, weight: str) -> str:
    """Return the lerp from the nearer end, rounded once."""
    half, one = constant(0.5), constant(1.0)
    is_small = _condition(code, ty, "olt", "", _call(code, ty, "fabs", weight), half)
    less = code.add(f"fsub {ty.type} {weight}, {one}")
    factor = code.select(is_small, ty.type, weight, less)
    base = code.select(is_small, ty.type, left, right)
    return emit_fma(code, ty, factor, code.add(f"fsub {ty.type} {right}, {left}"), base)


def _shift(instruction: str) -> Rule:
    """Return the rule for a shift of integers; amounts out of range shift all bits out."""

    def rule(code: IRBuilder, ty: OpmathType, number: str, amount: str) -> str:
        name = "lshr" if instruction == "ashr" and ty.kind is not Kind.SIGNED else instruction
        bits = int(ty.type[1:])
        is_inside = code.add(f"icmp ult {ty.type} {amount}, {bits}")
        inside = code.select(is_inside, ty.type, amount, bits - 1)
        shifted = code.add(f"{name} {ty.type} {number}, {inside}")
        return shifted if name == "ashr" else code.select(is_inside, ty.type, shifted, 0)

    return rule


def _replace_nonfinite(
    code: IRBuilder, ty: OpmathType, number: str, nan: str, above: str, below: str
) -> str:
    """Return a number, or others in place of NaN and the two infinities."""
    result = code.select(_condition(code, ty, "uno", "", number, number), ty.type, nan, number)
    for infinity, other in ((math.inf, above), (-math.inf, below)):
        is_infinite = _condition(code, ty, "oeq", "", number, constant(infinity))
        result = code.select(is_infinite, ty.type, other, result)
    return result


_PI = {"double": math.pi, "float": float.fromhex("0x1.921fb6p+1")}


def _angle(code: IRBuilder, ty: OpmathType, number: str) -> str:
    is_negative = _condition(code, ty, "olt", "", number, constant(0.0))
    pi = constant(_PI[ty.type])
    angle = code.select(is_negative, ty.type, pi, constant(0.0))
    return code.select(_condition(code, ty, "uno", "", number, number), ty.type, number, angle)


def _infinity_test(comparison: str) -> Rule:
    """Return the rule that compares the absolute value of a float with infinity."""
    compare = _compared(comparison, "", math.inf)
    return lambda code, ty, number: compare(code, ty, _call(code, ty, "fabs", number))


_RULES: dict[str, Rule] = {
    "add": _instruction("fadd", "add", booleans="or"),
    "subtract": _instruction("fsub", "sub"),
    "multiply": _instruction("fmul", "mul", booleans="and"),
    "divide": _instruction("fdiv", ""),
    "bitwise_and": _instruction("", "and"),
    "bitwise_or": _instruction("", "or"),
    "bitwise_xor": _instruction("", "xor"),
    "invert": lambda code, ty, n: code.add(
        f"xor {ty.type} {n}, {1 if ty.kind is Kind.BOOL else -1}"
    ),
    "equal": _compared("oeq", "eq"),
    "not_equal": _compared("une", "ne"),
    "less": _compared("olt", "?lt"),
    "less_equal": _compared("ole", "?le"),
    "greater": _compared("ogt", "?gt"),
    "greater_equal": _compared("oge", "?ge"),
    "logical_and": _logical("and"),
    "logical_or": _logical("or"),
    "logical_xor": _logical("xor"),
    "logical_not": _compared("oeq", "eq", 0),
    "maximum": _maximum,
    "minimum": _minimum,
    "larger": _maximum,
    "smaller": _minimum,
    "clamp": _clamp,
    "lerp": _lerp,
    "shift_left": _shift("shl"),
    "shift_right": _shift("ashr"),
    "angle": _angle,
    "clamp_integers": _clamp,
    "relu": _relu,
    "replace_nonfinite": _replace_nonfinite,
    "negative": _negative,
    "absolute": _absolute,
    "sign": _sign,
    "square": lambda code, ty, number: _RULES["multiply"](code, ty, number, number),
    "sqrt": _sqrt,
    "floor": _intrinsic("floor"),
    "ceil": _intrinsic("ceil"),
    "trunc": _trunc,
    "positive": lambda code, ty, number: number,
    "fraction": lambda code, ty, n: code.add(f"fsub {ty.type} {n}, {_call(code, ty, 'trunc', n)}"),
    "reciprocal": _reciprocal,
    "reciprocal_root": lambda code, ty, n: _reciprocal(code, ty, _call(code, ty, "sqrt", n)),
    "copysign": lambda code, ty, *numbers: _call(code, ty, "copysign", *numbers),
    "isnan": lambda code, ty, number: _compared("uno", "")(code, ty, number, number),
    "isinf": _infinity_test("oeq"),
    "isfinite": _infinity_test("one"),
    "is_positive_infinity": _compared("oeq", "", math.inf),
    "is_negative_infinity": _compared("oeq", "", -math.inf),
    "is_negative": _compared("", "?lt", 0),
}
