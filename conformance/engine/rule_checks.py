"""Comparison of the rules of `conformance.rules` with the oracle.

Each check is one cell of a property of the area ``engine``. A planted fault replaces a table.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from ..core.case import Case, literal
from ..core.float_formats import FORMATS, Format, convertible, nearest, value_of
from ..generators.oracle_namespace import dtype_names
from ..libraries.library import Library
from ..observation.runner import Outcome, run_through
from ..rules.casts import CASTS, CONVERSIONS, Cast, cast, conversion
from ..rules.devices import TensorOperand, common_device
from ..rules.operands import GROUP_RULES, GroupRule, Operand, RuleResult, common_dtype
from ..rules.operators import TABLES, UNARY, Tables, result_of
from ..rules.promotion import PYTHON_TYPES, ROWS, Row, promotion
from .probe import Probe

REFUSED = "refused"
"""The result if torch raises."""

OF_DTYPES = re.compile(
    r"\APromot|\ApromoteTypes |\Aix_[ab] != -1 INTERNAL ASSERT|\Aunsupported scalarType"
    r"|\AUnknown Complex ScalarType|can't be cast to the desired output type"
    r"|could not infer output dtype|xpected (input to have )?a? ?floating point"
    r"|only support floating point"
    r"|\Ainvalid default scalar type for complex|expected condition to be a boolean"
)
"""Torch's errors for promotion and casting, as opposed to missing kernels."""

DEFAULTS = ("float16", "bfloat16", "float32", "float64")
"""The possible default dtypes."""


def dtypes_and_python_types(torch: Any) -> list[str]:
    """Return the arguments of ``promote_types``."""
    return [*dtype_names(torch), *(name for name in PYTHON_TYPES if name != "bool")]


def check_promotion(
    ask: Probe, default: str, left: str, right: str, rows: Sequence[Row] = ROWS
) -> None:
    """Compare the promotion of two dtypes with the oracle's."""
    for first, second in product(_spellings(left), _spellings(right)):
        default_step = f"torch.set_default_dtype(torch.{default})"
        steps = (default_step, f"torch.promote_types({first}, {second})")
        compare_result(ask, steps, lambda: promotion(left, right, default, rows).result)


_NUMBERS = {"bool": "True", "int": "1", "float": "1.5", "complex": "1j"}
_TENSOR = "torch.zeros(16, dtype=torch.uint8).view(torch.{})"


def operand_labels(torch: Any) -> list[str]:
    """Return the labels of operands: a group and a dtype, or a number and its type."""
    numbers = [f"number {name}" for name in _NUMBERS]
    groups = ("dimensioned", "zero-dim")
    return [*(f"{group} {name}" for group in groups for name in dtype_names(torch)), *numbers]


def operand_of(label: str) -> tuple[Operand, str]:
    """Return the operand of a label, and its source text."""
    group, _, name = label.partition(" ")
    text = _NUMBERS[name] if group == "number" else _TENSOR.format(name)
    return Operand(group, name), f"{text}[0]" if group == "zero-dim" else text


def check_operands(
    ask: Probe, default: str, left: str, right: str, rules: Sequence[GroupRule] = GROUP_RULES
) -> None:
    """Compare the common dtype of two operands with the oracle's."""
    (one, first), (other, second) = map(operand_of, (left, right))
    steps = f"torch.set_default_dtype(torch.{default})", f"torch.result_type({first}, {second})"
    compare_result(ask, steps, lambda: common_dtype([one, other], default, rules).result)


def check_operator(
    ask: Probe, operator: str, form: str, left: str, right: str, tables: Tables = TABLES
) -> None:
    """Compare the result dtype of an operator with the oracle's, unless it lacks the kernel.

    ``form`` is "function", "in place", or the dtype of an ``out=`` tensor.
    """
    (one, first), (other, second) = map(operand_of, (left, right))
    operands = [one] if operator in UNARY else [one, other]
    in_place = form == "in place"
    output = None if form in ("function", "in place") else form
    steps = (f"x = {first}", f"y = {second}", call_of(operator, form))
    predict = partial(result_of, operator, operands, output=output, in_place=in_place)
    compare_result(ask, steps, lambda: predict(tables=tables).result, with_kernels=True)


def call_of(operator: str, form: str) -> str:
    """Return the call of an operator on ``x`` and ``y``, in a form of `check_operator`.

    >>> call_of("mul", "float16"), call_of("exp", "in place")
    ('torch.mul(x, y, out=torch.empty(0, dtype=torch.float16))', 'x.exp_()')
    """
    operands = [] if operator in UNARY else ["y"]
    if form == "in place":
        return f"x.{operator}_({', '.join(operands)})"
    out = [] if form == "function" else [f"out=torch.empty(0, dtype=torch.{form})"]
    return f"torch.{operator}({', '.join(['x', *operands, *out])})"


def check_device(
    ask: Probe,
    left: str,
    right: str,
    decide: Callable[[Sequence[TensorOperand]], RuleResult] = common_device,
) -> None:
    """Compare the device of a sum with the oracle's; an operand is given as its size and device."""
    tensors = [
        TensorOperand(operand[:2] != "()", operand.split(" ")[1]) for operand in (left, right)
    ]
    x, y = ("torch.ones({}, device='{}')".format(*operand.split(" ")) for operand in (left, right))
    compare_result(ask, (f"str(({x} + {y}).device)",), lambda: decide(tensors).result)


def check_cast(
    ask: Probe,
    source: str,
    target: str,
    casts: Sequence[Cast] = CASTS,
    conversions: Sequence[Cast] = CONVERSIONS,
) -> None:
    """Compare with the oracle whether a cast is allowed, and the conversion of some numbers."""
    for first, second in product(_spellings(source), _spellings(target)):
        steps = (f"torch.can_cast({first}, {second})",)
        compare_result(ask, steps, lambda: str(cast(source, target, casts).allowed))
    if source in FORMATS and target in FORMATS:
        formats = FORMATS[source], FORMATS[target]
        numbers = [number for number in _numbers_of(formats[0]) if _is_defined(number, *formats)]
        steps = (_conversion_program(numbers, *formats),)
        compare_result(
            ask, steps, lambda: str([_becomes(x, *formats, conversions) for x in numbers])
        )


def _spellings(name: str) -> list[str]:
    """Return the source texts of a dtype or Python type; ``bool`` is both."""
    dtype = [] if name in PYTHON_TYPES and name != "bool" else [f"torch.{name}"]
    return [*dtype, name] if name in PYTHON_TYPES else dtype


Number = Fraction | float
"""An exact number; infinities, NaN and negative zero are floats."""

_LARGE = (464, 480, 1023.5, 61440, 65519, 65520, 70000, 2.0**40 + 3, 1e30, 1.5 * 2.0**127, 1e300)
_SMALL = (1e-6, 3e-8, 1.25 * 2.0**-127, 1e-42, 1e-300)
_NEAR = (1, 2.5, 3, 3.75, 100, 0.1, 6, 5.999999999, 200, 240, 248, 300)
_SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan)
_SAMPLES = (*_SPECIAL, *(sign * x for x in (*_NEAR, *_LARGE, *_SMALL) for sign in (1, -1)))


def _numbers_of(fmt: Format) -> list[Number]:
    if fmt.kind == "bool":
        return [Fraction(0), Fraction(1)]
    if fmt.is_integer:
        integers = [math.trunc(x) for x in _SAMPLES if math.isfinite(x)]
        return [Fraction(x) for x in integers if x in fmt.integers]
    samples = [Fraction(x) if x and math.isfinite(x) else float(x) for x in _SAMPLES]
    raw = [nearest(x, fmt) for x in samples]
    return [value_of(bits, fmt) for bits in raw if bits is not None]


def _is_defined(value: Number, source: Format, target: Format) -> bool:
    """Return whether a conversion is defined: a float has to be in an integer's range."""
    if not (target.is_integer and source.is_float):
        return True
    return math.isfinite(value) and math.trunc(value) in convertible(target)


def _conversion_program(numbers: Sequence[Number], source: Format, target: Format) -> str:
    """Return the program that converts numbers and returns the real parts as Python numbers."""
    exact = "float64" if source.is_float else "int64"
    values = literal([float(x) if source.is_float else int(x) for x in numbers])
    program = f"torch.tensor({values}, dtype=torch.{exact}).to(torch.{source.name})"
    program += f".to(torch.{target.name})"
    return f"{program}{'.to(torch.complex128).real' if target.is_float else ''}.tolist()"


def _becomes(
    value: Number,
    source: Format,
    target: Format,
    conversions: Sequence[Cast] = CONVERSIONS,
) -> bool | int | float:
    rule = conversion(source.name, target.name, conversions).rule
    if rule == "truth":
        return value != 0
    if rule == "real-part":
        # The parts have a dtype of their own.
        real = next(x for x in FORMATS.values() if x[2:-1] == source[2:-1] and x.parts == 1)
        return _becomes(value, real, target, conversions)
    if rule in ("low-bits", "cut-off", "wraps"):
        low = target.integers.start
        return int((math.trunc(value) - low) % 2**target.bits + low)
    if rule == "power-of-two":
        return _power_of_two(_rounded(value, FORMATS["float32"]))
    if rule in _TOO_LARGE:
        value32 = _rounded(value, FORMATS["float32"]) if target.bits < 32 else value
        result = float(_rounded(value32, target, rule))
        return result or 0.0 if rule == "no-infinity" else result
    if target.kind == "bool":
        return bool(value)
    return float(value) if target.is_float else int(value)


_TOO_LARGE: Mapping[str, Callable[[float], float]] = {
    "rounded": lambda largest: math.inf,
    "saturates": lambda largest: largest,
    "no-infinity": lambda largest: math.nan,
}
"""The result for numbers out of range, and for infinities, by the rule."""


def _rounded(value: Number, fmt: Format, rule: str = "rounded") -> Number:
    """Return a number rounded to nearest, ties to even, or by a rule if it is out of range."""
    if math.isnan(value) or not value:
        return value
    largest = Fraction(value_of(fmt.largest, fmt))
    before = Fraction(value_of(fmt.largest - 1, fmt))
    too_large = largest + (largest - before) / 2
    magnitude = abs(Fraction(value)) if math.isfinite(value) else math.inf
    if magnitude > too_large or (magnitude == too_large and fmt.largest % 2):
        return math.copysign(_TOO_LARGE[rule](float(largest)), value)
    raw = nearest(value, fmt)
    return value if raw is None else value_of(raw, fmt)


def _power_of_two(value: Number) -> float:
    magnitude = abs(float(value))
    if not math.isfinite(magnitude):
        return math.nan
    if magnitude < 2.0**-126:
        return 2.0**-127 if magnitude <= 2.0**-127 else 2.0**-126
    fraction, exponent = math.frexp(magnitude)
    power = exponent - (fraction < 0.75)
    return 2.0**power if power <= 127 else math.nan


def compare_result(
    ask: Probe,
    steps: tuple[str, ...],
    predict: Callable[[], str | None],
    *,
    with_kernels: bool = False,
) -> None:
    """Compare the last value of a program with the prediction of the rules.

    ``with_kernels`` is for operators of which the oracle may lack the kernel; this is no
    difference.
    """
    expected = _oracle_result(ask.session.oracle, steps, with_kernels=with_kernels)
    try:
        predicted = predict() or REFUSED
    except KeyError as error:
        predicted = f"no rule knows {error}"
    ask.verdict(Case(steps), expected, predicted)


def _oracle_result(library: Library, steps: tuple[str, ...], *, with_kernels: bool) -> str | None:
    """Return the result of a program, or None for an error that is not about dtypes."""
    outcome = run_through(library, Case(steps), {})
    if outcome.error is None:
        return name_of(outcome, library)
    if isinstance(outcome.error, NameError) or "required positional" in str(outcome.error):
        raise outcome.error  # the program is wrong
    if with_kernels and not OF_DTYPES.search(str(outcome.error)):
        return None
    return REFUSED


def name_of(outcome: Outcome, library: Library) -> str:
    """Return the dtype of an outcome, or the text of another value."""
    value: Any = outcome.value.dtype if outcome.is_tensor else outcome.value
    return library.name_of(value) or str(value)
