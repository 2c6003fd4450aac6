"""Random numbers: integers between bounds, and distributions of any parameters."""

from ...core.domain import Domain
from ...engine.decorators import exhaustive
from ...engine.probe import Probe

_DTYPES = (
    "float32", "float16", "bfloat16", "float64", "int64", "int32", "int16", "uint8", "bool",
    "uint16", "complex64",
)  # fmt: skip
_LOWS = (
    "0", "1", "-1", "2**8", "2**11 + 2", "2**24", "2**24 + 2", "2**26 + 3", "2**26 + 5", "2**31",
    "2**53 + 2", "2**62", "-(2**63)", "2**63 - 1",
)  # fmt: skip
_HIGHS = (*_LOWS, "None")
_ENDLESS = "2**63 - 1", "None"
"""Bounds for which torch's draws for floating-point dtypes never end."""


@exhaustive(
    lambda torch: Domain(
        dtype=_DTYPES,
        bounds=[f"{low}, {high}" for low in _LOWS for high in _HIGHS if (low, high) != _ENDLESS],
    ),
    one_in=2,
)
def test_bounds(ask: Probe, dtype: str, bounds: str) -> None:
    """random_() draws torch's integers between bounds, which a dtype may round, or refuses them."""
    setup = "torch.manual_seed(1).device", f"x = torch.zeros(5, dtype=torch.{dtype})"
    ask(*setup, f"x.random_({bounds})", question=2)


_PARAMETERS = (
    "0", "1", "-1", "0.5", "1e-200", "-1e200", "1e300", "5e-324", "1e-310", "-3e-308", "65504.0",
    "7e4", "3.4e38", "1e39", "math.inf", "-math.inf", "math.nan",
)  # fmt: skip
_DRAWS = ("normal_", "uniform_")


@exhaustive(
    lambda torch: Domain(
        draw=_DRAWS, dtype=("float32", "float16", "bfloat16", "float64", "complex64"),
        parameters=[f"{first}, {second}" for first in _PARAMETERS for second in _PARAMETERS],
    ), one_in=4,
)  # fmt: skip
def test_parameters(ask: Probe, draw: str, dtype: str, parameters: str) -> None:
    """Distributions of any parameters have torch's numbers, or are refused."""
    for size in (5, 20):
        x = f"x = torch.zeros({size}, dtype=torch.{dtype})"
        ask("torch.manual_seed(1).device", x, f"x.{draw}({parameters})", question=2)


_CHANCES = (*_PARAMETERS, "0.001", "0.3333", "1 - 2**-53")
_SCALES = ("0", "1", "-1", "0.5", "1e-200", "1e300", "65504.0", "3.4e38", "math.inf", "math.nan")
_SAMPLES = (
    *(f"{name}({chance})" for name in ("exponential_", "geometric_") for chance in _CHANCES),
    *(f"{name}({first}, {second})" for name in ("cauchy_", "log_normal_") for first in _SCALES
      for second in _SCALES),
)  # fmt: skip
_MEMORY = {
    "contiguous": "x = torch.ones(20, dtype=torch.{0})",
    "transposed": "x = torch.ones(3, 4, dtype=torch.{0}).t()",
    "expanded": "x = torch.ones(1, dtype=torch.{0}).expand(3)",
    "negated": "x = torch._neg_view(torch.ones(3, dtype=torch.{0}))",
    "empty": "x = torch.ones(0, dtype=torch.{0})",
    "meta": "x = torch.ones(3, dtype=torch.{0}, device='meta')",
}


@exhaustive(
    lambda torch: Domain(
        dtype=("float32", "float16", "bfloat16", "float64", "int64", "int32", "int8", "uint8",
               "bool", "uint16", "float8_e5m2", "complex64", "bits8"),
        sample=_SAMPLES, memory=_MEMORY,
    ), one_in=16,
)  # fmt: skip
def test_samples(ask: Probe, dtype: str, sample: str, memory: str) -> None:
    """Exponential, geometric, Cauchy and log-normal samples are torch's, and so is the stream."""
    is_opaque = dtype == "bits8"
    setup = _MEMORY[memory].format("uint8" if is_opaque else dtype)
    view = ["x = x.view(torch.bits8)"] * is_opaque
    steps = "torch.manual_seed(1).device", setup, *view, f"x.{sample}", "torch.rand(2)"
    ask(*steps, question=(-2, -1))


_WEIGHTS = (
    "[0.1, 0.2, 0.7]", "[0.0, 1.0]", "[0.0, 0.0]", "[2.0, 0.0, 5.0, 0.0, 0.0, 1e-7]", "[3.0]", "[]",
    "[1.0, -1.0, 2.0]", "[1.0, math.inf, -1.0]", "[1.0, math.nan]", "[-0.0, 1.0]",
    "[6e4, 6e4, 6e4]", "[3e38, 3e38, 3e38, 1.0]", "[1e-45, 6e-8, 1e-30]", "[5e-324, 1e-310]",
    "[[0.5, 0.5, 1.0], [0.0, 0.1, 9.0]]", "[[1.0, 0.0], [0.0, 0.0]]", "[[1.0], [2.0], [3.0]]",
    "[[1.0, 2.0], [3.0, -4.0]]", "[[], []]", "[[[1.0, 2.0]]]", "2.0",
)  # fmt: skip
_FORMS = {
    "plain": ("x", ""), "transposed": ("x.t()", ""), "expanded": ("x.expand(2, -1)", ""),
    "halved": ("torch.cat([x, x], -1)[..., ::2]", ""), "many": ("x.repeat(1, 40)", ""),
    "out": ("x", ", out=torch.zeros(4, dtype=torch.int64)[::2]"),
    "repeated_out": ("x", ", out=torch.zeros(1, dtype=torch.int64).expand(3)"),
    "short_out": ("x", ", out=torch.zeros(3, dtype=torch.int32)"),
    "gradient": ("x.requires_grad_()", ""),
}  # fmt: skip


@exhaustive(
    lambda torch: Domain(
        weights=_WEIGHTS, form=_FORMS, dtype=("float32", "float16", "bfloat16", "float64", "int64"),
        sample=[f"{count}{then}" for count in (0, 1, 2, 3, 7) for then in ("", ", True")],
    ), one_in=10,
)  # fmt: skip
def test_multinomial(ask: Probe, weights: str, form: str, dtype: str, sample: str) -> None:
    """Multinomial draws torch's indices from all weights, or refuses them, and so does the next."""
    operand, out = _FORMS[form]
    steps = f"x = torch.tensor({weights}, dtype=torch.{dtype})", f"x = {operand}"
    call = f"torch.multinomial(x, {sample}{out})"
    ask("torch.manual_seed(1).device", *steps, call, "torch.rand(2)", question=(-2, -1))
