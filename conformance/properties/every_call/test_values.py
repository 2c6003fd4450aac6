"""Values: each call at the sizes around which kernels change."""

from hypothesis import strategies as st

from ...comparison.tolerances import tolerances_for
from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators import settings
from ...generators.oracle_calls import accepted_calls

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 127, 129, 255, 256, 257, 1025)
LARGE = (4_097, 32_769, 65_535, 65_537, 300_001, 3_000_001)
_OPERANDS = "x = (torch.arange({n}) % 7 - 3).to(torch.{dtype}); y = x.clone()"


@exhaustive(lambda torch: Domain(call=accepted_calls(torch)), parts=4, one_in=4)
def test_sizes(ask: Probe, call: str) -> None:
    """Each call gives torch's elements around every size at which a kernel may change."""
    dtype, _, call = call.partition(": ")
    steps = [*settings.seed(call)]
    first = len(steps) + 1
    for size in SIZES:
        steps += [_OPERANDS.format(n=size, dtype=dtype), call]
    ask(*steps, question=range(first, len(steps), 2))


_LARGEST_INEXACT = 65_537
"""The largest size of which each inexact element is compared."""


@st.composite
def _large_calls(draw: st.DrawFn) -> tuple[int, str, int, float]:
    dtype = draw(st.sampled_from(("uint8", "float32", "int64", "bfloat16", "bool", "float64")))
    return (
        draw(st.sampled_from(LARGE)),
        dtype,
        draw(st.sampled_from((2, 7, 200))),
        draw(st.floats(0, 1, exclude_max=True)),
    )


@sampled(calls=8, drawn=_large_calls())
def test_large(ask: Probe, drawn: tuple[int, str, int, float]) -> None:
    """Each call of a large tensor gives torch's elements, also when it is made again."""
    size, dtype, modulus, position = drawn
    calls = accepted_calls(ask.session.oracle.root)
    _, _, call = calls[int(position * len(calls))].partition(": ")
    if tolerances_for(call, ask.session.tolerances):
        size = min(size, _LARGEST_INEXACT)
    base = f"b = (torch.arange({size}) % {modulus} - 3).to(torch.{dtype})"
    ask(base, f"[(x := b.clone(), y := b.clone(), {call})[2] for _ in range(3)][-1]")


_GEOMETRIES = {"dense": "torch.arange(1_100_000)", "strided": "torch.arange(2_200_000)[::2]"}
_REDUCTIONS = (
    "[xs[0].sum() for _ in range(3)][-1]", "xs[0].sum()", "xs[0].sum(0)",
    "xs[0].sum(1, keepdim=True)", "xs[0].mean(0)", "xs[0].t().sum(0)", "xs[0].t().sum(1)",
    "xs[0].nansum()", "xs[0].sum(dtype=torch.float64)", "xs[0].prod(1, dtype=torch.float64)",
    "xs[0].amax(1)", "xs[0].any(0)",
)  # fmt: skip
_DTYPES = ("float32", "float64", "float16", "int64", "complex64")


@exhaustive(lambda torch: Domain(dtype=_DTYPES, geometry=_GEOMETRIES))
def test_sums(ask: Probe, dtype: str, geometry: str) -> None:
    """Sums of many elements are torch's, also after so many that an implementation compiles."""
    # Tensors in a list are not observed after each step.
    base = f"xs = [({_GEOMETRIES[geometry]} % 3 - 1).to(torch.{dtype}).view(1000, 1100)]"
    ask(base, *_REDUCTIONS, question=1)
