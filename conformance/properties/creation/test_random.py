"""Random integers between bounds."""

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
