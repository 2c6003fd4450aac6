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
