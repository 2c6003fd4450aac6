"""Unary operators: the result of each element, and every form of call."""

from hypothesis import strategies as st

from ..comparison.element_cases import ElementCase
from ..comparison.tolerances import load_tolerances
from ..core.domain import Domain
from ..core.float_formats import FORMATS
from ..engine.decorators import exhaustive, sampled
from ..engine.probe import Probe
from ..generators import arithmetic
from ..generators.bit_patterns import BLOCKS, moderate, patterns
from ..generators.oracle_namespace import number_names

FUNCTIONS = (
    "exp", "exp2", "expm1", "sqrt", "rsqrt", "reciprocal", "square", "log", "log2", "log10",
    "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "sigmoid", "logit", "sinc", "erf", "erfc", "erfinv", "lgamma", "digamma", "i0",
    "deg2rad", "rad2deg", "neg", "abs", "sign", "sgn", "floor", "ceil", "trunc", "round", "frac",
    "relu", "nan_to_num", "bitwise_not", "logical_not",
)  # fmt: skip
"""Operators with an in-place form."""

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
"""Operators without an in-place form."""

WITH_NUMBERS = {
    "round decimals=2": "torch.round(x, decimals=2)",
    "round decimals=-1": "torch.round(x, decimals=-1)",
    "logit eps=0.1": "torch.logit(x, eps=0.1)",
    "nan_to_num 1, 2, -3": "torch.nan_to_num(x, 1.0, 2.0, -3.0)",
}
CALLS = {**{name: f"torch.{name}(x)" for name in (*FUNCTIONS, *QUESTIONS)}, **WITH_NUMBERS}

DENSE = "x = torch.frombuffer(c, dtype=torch.{source})"
STRIDED = (
    "x = torch.frombuffer(c.reshape(-1, {parts}).repeat(2, 0).reshape(-1),"
    " dtype=torch.{source})[::2]"
)
_SPREAD = "x = torch.stack([x, x], -1)[..., 0]"
"""Torch computes `DENSE` in vectorized kernels, and `STRIDED` one by one."""


def _floats_first(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: not FORMATS[name].is_float)


@exhaustive(
    lambda torch: Domain(source=_floats_first(number_names(torch)), block=BLOCKS, operator=CALLS),
    parts=4,
    one_in=4,
)
def test_patterns(ask: Probe, source: str, block: str, operator: str) -> None:
    """Each operator on every 8-bit and 16-bit pattern, and many wider ones, equals torch's."""
    fmt, session = FORMATS[source], ask.session
    raw = patterns(fmt, block, session.profile.operator_patterns // len(BLOCKS), session.seed)
    call = CALLS[operator]
    dense, strided = (step.format(source=source, parts=fmt.parts) for step in (DENSE, STRIDED))
    # Torch converts integers in blocks, and computes these in vectorized kernels.
    converted = () if fmt.is_float else (f"x = x.to({call}.dtype)", _SPREAD)
    for x, other in ((dense, strided), (strided, strided if converted else dense)):
        otherwise = (other, *converted, call)
        ask.bulk(ElementCase(source, "", raw, (x, call), operator, otherwise=otherwise))


@exhaustive(
    lambda torch: Domain(source=("float32", "float64", "complex64"), operator=CALLS), parts=2
)
def test_moderate(ask: Probe, source: str, operator: str) -> None:
    """Each operator equals torch's on many numbers between 1/64 and 64, where formulas change."""
    fmt = FORMATS[source]
    steps = DENSE.format(source=source), CALLS[operator]
    raw = moderate(fmt, 2048, ask.session.seed)
    otherwise = STRIDED.format(source=source, parts=fmt.parts), CALLS[operator]
    ask.bulk(ElementCase(source, "", raw, steps, operator, otherwise=otherwise))


ALIASES = (
    "absolute", "negative", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "fix",
)  # fmt: skip
OUTS = (
    "torch.empty(0)", "torch.empty(0, dtype=x.dtype)", "torch.empty(2, 3)", "x.clone()",
    "torch.ones_like(x)[..., None]", "torch.empty(0, dtype=torch.complex64)",
    "torch.empty(0, dtype=torch.int8)", "torch.empty(0, dtype=torch.bool)",
    "torch.empty(x.shape, dtype=torch.float64).t_()", "torch.empty(0, dtype=torch.float16)",
    "torch.empty(0, requires_grad=True)",
)  # fmt: skip


@sampled(
    calls=32,
    parts=4,
    operand=arithmetic.operands(arithmetic.CORE * 2 + arithmetic.SHELLS),
    out=st.sampled_from(OUTS),
    gradient=st.sampled_from(("", "", ".requires_grad_()")),
)
def test_forms(ask: Probe, operand: arithmetic.Operand, out: str, gradient: str) -> None:
    """Every operator equals torch's as a function, as a method, in place and with out=."""
    x = f"x = {operand.text}{gradient if operand.is_differentiable else ''}"
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
    for row in load_tolerances()
    for dtype, measured in row.measured.items()
}
_STEPS = {
    "prod of a few": "torch.prod(x)",
    "a few norms": "torch.norm(x)",
    "singular values": "torch.linalg.matrix_norm(x, 2)",
    "div": "x / y",
    "alpha": "torch.add(x, y, alpha=2)",
    "mul": "x * y",
    "variance": "torch.var(x)",
    "products": "mm",
    "logsumexp of many": "logsumexp",
    "gelu by tanh": "gelu(x, approximate='tanh')",
    "normalization of channels": "torch.nn.functional.group_norm(x)",
    "sums of convolutions": "torch.nn.functional.conv1d(x)",
    "distances of layers": "torch.nn.functional.normalize(x)",
    "distances of rows": "torch.cdist(x, y)",
    "cross entropies": "torch.nn.functional.cross_entropy(x)",
    "decompositions": "torch.linalg.inv(x)",
}


@exhaustive(lambda torch: Domain(row=_MEASURED), about_subject=False)
def test_bounds(ask: Probe, row: str) -> None:
    """Inexact results may differ by the measured distance plus one ULP, and no more."""
    operator, dtype, measured = _MEASURED[row]
    name, reduces = operator.name, operator.reduces
    step = _STEPS.get(name, name if reduces else f"torch.{name}(x)")
    for distance in (measured, measured + 1, measured + 2, 2 * measured + 2):
        is_far = distance > measured + 1
        ask.tells_distance_apart(step, dtype, distance, apart=is_far, reduces=reduces)
