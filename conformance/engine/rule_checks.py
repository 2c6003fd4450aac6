"""Holds the rules of `conformance.rules` against the oracle: what they say, and what it does.

Each check is one cell of a property of the area ``engine``.  A planted fault puts another table in the place of one.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from ..comparison import comparator
from ..core.case import Case, literal
from ..core.float_formats import FORMATS, Format, nearest, value_of
from ..generators.oracle_namespace import dtype_names
from ..libraries.library import Library
from ..observation.runner import Outcome, run_through
from ..rules.casts import CASTS, CONVERSIONS, Cast, Conversion, cast, conversion
from ..rules.devices import Located, common_device
from ..rules.operands import MEETINGS, Finding, Meeting, Operand, common_dtype
from ..rules.operators import TABLES, UNARY, Tables, result_of
from ..rules.promotion import PYTHON_TYPES, ROWS, Row, promotion
from .probe import Probe

REFUSED = "refused"
"""What is said where there is no dtype."""

OF_DTYPES = re.compile(
    r"\APromot|\ApromoteTypes |\Aix_[ab] != -1 INTERNAL ASSERT|\Aunsupported scalarType|\AUnknown Complex ScalarType"
    r"|can't be cast to the desired output type"
)
"""How torch refuses dtypes for the sake of promotion and casting, and not because it lacks a kernel."""

DEFAULTS = ("float16", "bfloat16", "float32", "float64")
"""What the default dtype can be."""


def dtypes_and_python_types(torch: Any) -> list[str]:
    """Return what ``promote_types`` takes."""
    return [*dtype_names(torch), *(name for name in PYTHON_TYPES if name != "bool")]


def check_promotion(
    ask: Probe, default: str, left: str, right: str, rows: Sequence[Row] = ROWS
) -> None:
    """Hold what two dtypes promote to against the oracle."""
    for one, other in product(_spelled(left), _spelled(right)):
        steps = f"torch.set_default_dtype(torch.{default})", f"torch.promote_types({one}, {other})"
        _hold(ask, steps, lambda: promotion(left, right, default, rows).result)


_NUMBERS = {"bool": "True", "int": "1", "float": "1.5", "complex": "1j"}
_TENSOR = "torch.zeros(16, dtype=torch.uint8).view(torch.{})"


def operand_labels(torch: Any) -> list[str]:
    """Return what an operand can be: a place and a dtype, or a number and its type."""
    numbers = [f"number {name}" for name in _NUMBERS]
    places = ("dimensioned", "zero-dim")
    return [*(f"{place} {name}" for place in places for name in dtype_names(torch)), *numbers]


def _operand(label: str) -> tuple[Operand, str]:
    """Return what a label means to the rules, and its text."""
    place, _, name = label.partition(" ")
    text = _NUMBERS[name] if place == "number" else _TENSOR.format(name)
    return Operand(place, name), f"{text}[0]" if place == "zero-dim" else text


def check_operands(
    ask: Probe, default: str, left: str, right: str, meetings: Sequence[Meeting] = MEETINGS
) -> None:
    """Hold the dtype that two operands have in common against the oracle."""
    (one, first), (other, second) = map(_operand, (left, right))
    steps = f"torch.set_default_dtype(torch.{default})", f"torch.result_type({first}, {second})"
    _hold(ask, steps, lambda: common_dtype([one, other], default, meetings).result)


def check_operator(
    ask: Probe, operator: str, form: str, left: str, right: str, tables: Tables = TABLES
) -> None:
    """Hold the dtype that an operator gives against the oracle, which may have no kernel for it.

    ``form`` is "function", "in place", or the dtype of a tensor that the result is written into.
    """
    (one, first), (other, second) = map(_operand, (left, right))
    operands = [one] if operator in UNARY else [one, other]
    in_place = form == "in place"
    output = None if form in ("function", "in place") else form
    steps = (f"x = {first}", f"y = {second}", call_of(operator, form))

    def say() -> str | None:
        found = result_of(operator, operands, output=output, in_place=in_place, tables=tables)
        return found.result

    _hold(ask, steps, say, with_kernels=True)


def call_of(operator: str, form: str) -> str:
    """Write a call of an operator on ``x`` and ``y``, in a form as in `check_operator`.

    >>> call_of("mul", "float16"), call_of("exp", "in place")
    ('torch.mul(x, y, out=torch.empty(0, dtype=torch.float16))', 'x.exp_()')
    """
    others = [] if operator in UNARY else ["y"]
    if form == "in place":
        return f"x.{operator}_({', '.join(others)})"
    output = [] if form == "function" else [f"out=torch.empty(0, dtype=torch.{form})"]
    return f"torch.{operator}({', '.join(['x', *others, *output])})"


def check_device(
    ask: Probe,
    left: str,
    right: str,
    decide: Callable[[Sequence[Located]], Finding] = common_device,
) -> None:
    """Hold the device on which two operands, given as sizes and device, meet against the oracle."""
    tensors = [Located(each[:2] != "()", each.split(" ")[1]) for each in (left, right)]
    x, y = ("torch.ones({}, device='{}')".format(*each.split(" ")) for each in (left, right))
    _hold(ask, (f"str(({x} + {y}).device)",), lambda: decide(tensors).result)


def check_cast(
    ask: Probe,
    source: str,
    target: str,
    casts: Sequence[Cast] = CASTS,
    conversions: Sequence[Conversion] = CONVERSIONS,
) -> None:
    """Hold against the oracle whether a cast is allowed, and what becomes of some numbers in it."""
    for one, other in product(_spelled(source), _spelled(target)):
        steps = (f"torch.can_cast({one}, {other})",)
        _hold(ask, steps, lambda: str(cast(source, target, casts).allowed))
    if source in FORMATS and target in FORMATS:
        forms = FORMATS[source], FORMATS[target]
        given = [each for each in _numbers_of(forms[0]) if _is_defined(each, *forms)]
        steps = (_converted(given, *forms),)
        _hold(ask, steps, lambda: str([_becomes(each, *forms, conversions) for each in given]))


def _spelled(name: str) -> list[str]:
    """Return how to write a dtype or one of Python's types; ``bool`` is the name of one of each."""
    dtype = [] if name in PYTHON_TYPES and name != "bool" else [f"torch.{name}"]
    return [*dtype, name] if name in PYTHON_TYPES else dtype


Number = Fraction | float
"""A number, exactly; infinities, NaN and negative zero are floats."""

_LARGE = (464, 480, 1023.5, 61440, 65519, 65520, 70000, 2.0**40 + 3, 1e30, 1.5 * 2.0**127, 1e300)
_SMALL = (1e-6, 3e-8, 1.25 * 2.0**-127, 1e-42, 1e-300)
_NEAR = (1, 2.5, 3, 3.75, 100, 0.1, 6, 5.999999999, 200, 240, 248, 300)
_SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan)
_SAMPLES = (*_SPECIAL, *(sign * each for each in (*_NEAR, *_LARGE, *_SMALL) for sign in (1, -1)))


def _numbers_of(form: Format) -> list[Number]:
    """Return numbers that a dtype holds: the samples, rounded to it."""
    if form.kind == "bool":
        return [Fraction(0), Fraction(1)]
    if form.is_integer:
        low = -(2 ** (form.bits - 1)) if form.kind == "signed" else 0
        whole = [math.trunc(each) for each in _SAMPLES if math.isfinite(each)]
        return [Fraction(each) for each in whole if low <= each < low + 2**form.bits]
    given = [Fraction(each) if each and math.isfinite(each) else float(each) for each in _SAMPLES]
    raw = [nearest(each, form) for each in given]
    return [value_of(code, form) for code in raw if code is not None]


def _is_defined(value: Number, source: Format, target: Format) -> bool:
    """Tell whether there is one answer: what is floating has to be in range to become an integer."""
    if not (target.is_integer and source.is_float):
        return True
    bits = 64 if target.name == "uint8" else target.bits
    low = -(2 ** (bits - 1)) if target.kind == "signed" or bits != target.bits else 0
    return math.isfinite(value) and bool(low <= math.trunc(value) < low + 2**bits)


def _converted(given: Sequence[Number], source: Format, target: Format) -> str:
    """Write the program that converts numbers and returns the real parts, as Python's numbers."""
    exact = "float64" if source.is_float else "int64"
    numbers = literal([float(each) if source.is_float else int(each) for each in given])
    made = f"torch.tensor({numbers}, dtype=torch.{exact}).to(torch.{source.name}).to(torch.{target.name})"
    return f"{made}.to(torch.complex128).real.tolist()" if target.is_float else f"{made}.tolist()"


def _becomes(
    value: Number,
    source: Format,
    target: Format,
    conversions: Sequence[Conversion] = CONVERSIONS,
) -> bool | int | float:
    """Return what a number becomes by the rule for the conversion."""
    rule = conversion(source.name, target.name, conversions).rule
    if rule == "truth":
        return value != 0
    if rule == "real-part":
        # As such: as a number of the dtype that the parts have.
        part = next(
            each for each in FORMATS.values() if each[2:-1] == source[2:-1] and each.parts == 1
        )
        return _becomes(value, part, target, conversions)
    if rule in ("low-bits", "cut-off", "wraps"):
        low = -(2 ** (target.bits - 1)) if target.kind == "signed" else 0
        return int((math.trunc(value) - low) % 2**target.bits + low)
    if rule == "power-of-two":
        return _power_of_two(_rounded(value, FORMATS["float32"]))
    if rule in _TOO_LARGE:
        first = _rounded(value, FORMATS["float32"]) if target.bits < 32 else value
        found = float(_rounded(first, target, rule))
        return found or 0.0 if rule == "no-infinity" else found
    if target.kind == "bool":
        return bool(value)
    return float(value) if target.is_float else int(value)


_TOO_LARGE: Mapping[str, Callable[[float], float]] = {
    "rounded": lambda largest: math.inf,
    "saturates": lambda largest: largest,
    "no-infinity": lambda largest: math.nan,
}
"""What becomes of what is too large for a format, and of infinity, by the rule."""


def _rounded(value: Number, form: Format, rule: str = "rounded") -> Number:
    """Return the nearest number of a format, of two the even one, and what a rule makes of larger ones."""
    if math.isnan(value) or not value:
        return value
    largest = Fraction(value_of(form.largest, form))
    before = Fraction(value_of(form.largest - 1, form))
    too_large = largest + (largest - before) / 2
    size = abs(Fraction(value)) if math.isfinite(value) else math.inf
    if size > too_large or (size == too_large and form.largest % 2):
        return math.copysign(_TOO_LARGE[rule](float(largest)), value)
    code = nearest(value, form)
    return value if code is None else value_of(code, form)


def _power_of_two(value: Number) -> float:
    """Return what becomes of a number of float32 where there are powers of two alone."""
    size = abs(float(value))
    if not math.isfinite(size):
        return math.nan
    if size < 2.0**-126:
        return 2.0**-127 if size <= 2.0**-127 else 2.0**-126
    fraction, exponent = math.frexp(size)
    found = exponent - (fraction < 0.75)
    return 2.0**found if found <= 127 else math.nan


def _hold(
    ask: Probe, steps: tuple[str, ...], say: Callable[[], str | None], *, with_kernels: bool = False
) -> None:
    """Ask the oracle for what a program ends with; the rules have to say the same.

    ``with_kernels`` is for what the oracle may not have for a dtype: then nothing contradicts the rules.
    """
    given, said = _given(ask.session.oracle, steps, with_kernels=with_kernels), _said(say)
    case = Case(steps)
    ask.asked.append(str(case))
    differs = given is not None and given != said
    wrong = [comparator.Difference("verdict", given, said)] if differs else []
    ask.count(comparator.Comparison(("verdict",), wrong, []), case)


def _said(say: Callable[[], str | None]) -> str:
    try:
        said = say()
    except KeyError as error:
        return f"no rule knows {error}"
    return REFUSED if said is None else said


def _given(library: Library, steps: tuple[str, ...], *, with_kernels: bool) -> str | None:
    """Return what a program ends with; None if that is nothing that rules about dtypes speak of."""
    outcome = run_through(library, Case(steps), {})
    if outcome.error is None:
        return name_of(outcome, library)
    if isinstance(outcome.error, NameError):
        raise outcome.error
    if with_kernels and not OF_DTYPES.search(str(outcome.error)):
        return None
    return REFUSED


def name_of(outcome: Outcome, library: Library) -> str:
    """Return the dtype that an outcome is or has, or the text of another value."""
    value: Any = outcome.value.dtype if outcome.is_tensor else outcome.value
    return library.name_of(value) or str(value)
