"""Operators of one operand: what each element becomes, and every form in which they are called."""

from hypothesis import strategies as st

from ..comparison.element_cases import ElementCase
from ..comparison.tolerances import inexact
from ..core.domain import Domain
from ..core.float_formats import FORMATS
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import arithmetic
from ..generators.bit_patterns import BLOCKS, patterns
from ..generators.oracle_namespace import number_names

FUNCTIONS = (
    "exp", "exp2", "expm1", "sqrt", "rsqrt", "reciprocal", "square", "log", "log2", "log10", "log1p",
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "sigmoid", "logit", "sinc", "erf", "erfc", "erfinv", "lgamma", "digamma", "i0", "deg2rad", "rad2deg",
    "neg", "abs", "sign", "sgn", "floor", "ceil", "trunc", "round", "frac", "relu", "nan_to_num",
    "bitwise_not", "logical_not",
)  # fmt: skip
"""The operators that have a form in place."""

QUESTIONS = (
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "isreal",
    "signbit",
    "angle",
    "positive",
)
"""Those that have none."""

WITH_NUMBERS = {
    "round decimals=2": "torch.round(x, decimals=2)",
    "round decimals=-1": "torch.round(x, decimals=-1)",
    "logit eps=0.1": "torch.logit(x, eps=0.1)",
    "nan_to_num 1, 2, -3": "torch.nan_to_num(x, 1.0, 2.0, -3.0)",
}
CALLS = {**{name: f"torch.{name}(x)" for name in (*FUNCTIONS, *QUESTIONS)}, **WITH_NUMBERS}

DENSE = "x = torch.frombuffer(c, dtype=torch.{source})"
APART = "x = torch.frombuffer(c.reshape(-1, {parts}).repeat(2, 0).reshape(-1), dtype=torch.{source})[::2]"
_SINGLE = "x = torch.stack([x, x], -1)[..., 0]"
"""Torch computes the first in its vectorised kernels, the second one by one."""


def _floats_first(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: not FORMATS[name].is_float)


@exhaustive(
    lambda torch: Domain(source=_floats_first(number_names(torch)), block=BLOCKS, operator=CALLS),
    parts=4,
)
def test_patterns(ask: Probe, source: str, block: str, operator: str) -> None:
    """Every pattern of 8 and 16 bits, and many of wider ones, through every operator."""
    form, session = FORMATS[source], ask.session
    given = patterns(form, block, session.profile.operator_patterns // len(BLOCKS), session.seed)
    call = CALLS[operator]
    dense, apart = (way.format(source=source, parts=form.parts) for way in (DENSE, APART))
    # Torch converts integers in long rows, and computes those in vectors.
    converted = () if form.is_float else (f"x = x.to({call}.dtype)", _SINGLE)
    for one, other in ((dense, apart), (apart, apart if converted else dense)):
        ask.bulk(
            ElementCase(
                source, "", given, (one, call), operator, otherwise=(other, *converted, call)
            )
        )


ALIASES = (
    "absolute", "negative", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "fix",
)  # fmt: skip
OUTS = (
    "torch.empty(0)", "torch.empty(0, dtype=x.dtype)", "torch.empty(2, 3)", "x.clone()", "torch.ones_like(x)[..., None]",
    "torch.empty(0, dtype=torch.complex64)", "torch.empty(0, dtype=torch.int8)",
    "torch.empty(0, dtype=torch.bool)", "torch.empty(x.shape, dtype=torch.float64).t_()",
    "torch.empty(0, dtype=torch.float16)", "torch.empty(0, requires_grad=True)",
)  # fmt: skip


@sampled(
    calls=32,
    parts=4,
    operand=arithmetic.operands(arithmetic.CORE * 2 + arithmetic.SHELLS),
    out=st.sampled_from(OUTS),
    gradient=st.sampled_from(("", "", ".requires_grad_()")),
)
def test_forms(ask: Probe, operand: arithmetic.Operand, out: str, gradient: str) -> None:
    """Every operator as a function, as a method, in place and into a given tensor."""
    x = f"x = {operand.text}{gradient}"
    for name in (*FUNCTIONS, *ALIASES):
        ask(x, f"torch.{name}(x)")
        ask(f"{x}.clone()", f"x.{name}_()")
        ask(x, f"o = {out}", f"torch.{name}(x, out=o)")
    for name in QUESTIONS:
        ask(x, f"x.{name}()")
        ask(x, f"o = {out}", f"torch.{name}(x, out=o)")
    for call in (*WITH_NUMBERS.values(), "-x", "+x", "abs(x)", "~x"):
        ask(x, call)


_MEASURED = {
    f"{row.name} {dtype}": (row, dtype, measured)
    for row in inexact()
    for dtype, measured in row.measured.items()
}
_STEPS = {
    "prod of a few": "torch.prod(x)",
    "div": "x / y",
    "alpha": "torch.add(x, y, alpha=2)",
    "mul": "x * y",
}


@exhaustive(lambda torch: Domain(row=_MEASURED), about_subject=False)
def test_bounds(ask: Probe, row: str) -> None:
    """What is not exactly rounded may be off by what was measured and one more, and no farther."""
    found, dtype, measured = _MEASURED[row]
    step = found.name if found.reduces else _STEPS.get(found.name, f"torch.{found.name}(x)")
    for distance in (measured, measured + 1, measured + 2, 2 * measured + 2):
        is_far = distance > measured + 1
        ask.tells_distance_apart(step, dtype, distance, apart=is_far, reduces=found.reduces)
