"""Elements in another order or place: sort, flip, roll, diag, repeat, cat and kin."""

from hypothesis import strategies as st

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.calls import arranged_calls, view_copy_calls
from ...generators.calls.sort_patterns import LAYOUTS, PATTERNS, SIZES
from ...generators.special_values import DTYPES

_SORTS = (
    "x.sort({d})", "x.sort({d}, True)", "x.argsort({d})", "torch.argsort(x, {d}, True)",
    "x.sort(dim={d}, stable=True)", "torch.sort(x, stable=True, dim={d}, descending=True)",
)  # fmt: skip


@exhaustive(
    lambda torch: Domain(pattern=PATTERNS, size=SIZES, dtype=DTYPES, layout=LAYOUTS),
    parts=2, one_in=36,
)  # fmt: skip
def test_orders(ask: Probe, pattern: str, size: str, dtype: str, layout: str) -> None:
    """Lines of any length and order are sorted as by torch, equal elements included."""
    tensor, dim = LAYOUTS[layout]
    source = "int64" if dtype in ("int64", "int32", "uint8") and pattern != "special" else "float64"
    line = f"v = torch.tensor({PATTERNS[pattern]}, dtype=torch.{source}).to(torch.{dtype})"
    calls = (call.format(d=dim) for call in _SORTS)
    ask(f"n = {size}", line, f"x = {tensor}", *calls, question=3)


_PROGRAMS = 8
"""How many calls are made for each drawn seed."""


@sampled(seed=st.integers(0, 2**48))
def test_programs(ask: Probe, seed: int) -> None:
    """Calls in every form take, arrange or refuse operands of any geometry and state as torch."""
    for index in range(_PROGRAMS):
        ask(*arranged_calls.program(_PROGRAMS * seed + index))


@sampled(seed=st.integers(0, 2**48))
def test_copies(ask: Probe, seed: int) -> None:
    """Copies of views, writes to views of copies, and unsafe parts are torch's, in every form."""
    for index in range(_PROGRAMS):
        ask(*view_copy_calls.program(_PROGRAMS * seed + index))
