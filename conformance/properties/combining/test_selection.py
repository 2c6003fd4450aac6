"""Elements that indices or masks select: index_select, gather, put, scatter and kin."""

from hypothesis import strategies as st

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.arithmetic import CORE, SHELLS
from ...generators.calls import indexed_calls, scatter_calls
from ...generators.calls.scatter_calls import CALLS, OF_ROWS

SOURCES = {
    "vector": ("[5, 3, 4]", "[0, 2, 0]", "[1, 0, 2]"),
    "rows": ("[[5, 3], [4, 1], [2, 6]]", "[[0, 2], [0, 0]]", "[[1, 0], [2, 3]]"),
    "0-dim": ("3", "0", "2"),
    "wide": ("[[5, 3, 4, 1] * 4] * 2", "[[0] * 16, [0] * 16]", "[[1, 0, 2, 3] * 4] * 2"),
}
"""A tensor, indices and other elements."""


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], call=CALLS, source=[*SOURCES], place=("new", "own")
    ),
    parts=3,
)
def test_dtypes(ask: Probe, dtype: str, call: str, source: str, place: str) -> None:
    """Each call in each dtype has torch's result, or raises its error."""
    own, indices, others = SOURCES[source]
    if call in OF_ROWS and source in ("rows", "wide"):
        indices = "[0, 0]"
    tensors = [
        f"{name} = torch.tensor({text}).to(torch.{dtype})"
        for name, text in zip("xs", (own, others), strict=True)
    ]
    index = f"i = torch.tensor({indices})"
    if source == "wide" and call not in OF_ROWS:
        index = "i = torch.zeros(2, 1, dtype=torch.int64).expand(2, 16)"
    text = call.format(d=0, n=2)
    name, arguments = text.split("(", 1)
    ask(*tensors, index, f"x.{name}{'_' * (place == 'own')}({arguments}")


RANKS = ("3", "[5]", "[5, 3, 4]", "[[5, 3], [4, 1]]", "[]")
INDICES = ("0", "[0]", "[0, 0]", "[[0, 1]]", "[]", "-1")


@exhaustive(lambda torch: Domain(call=indexed_calls.CALLS, own=RANKS, indices=INDICES))
def test_ranks(ask: Probe, call: str, own: str, indices: str) -> None:
    """Tensors and indices of all pairs of ranks are taken or refused as by torch, also again."""
    setup = (
        f"x = torch.tensor({own}, dtype=torch.float32)",
        f"i = torch.tensor({indices}, dtype=torch.int64)",
        "s = (i + 2).to(x.dtype)",
        "v = torch.tensor(7.0)",
    )
    text = indexed_calls.plain_call(call)
    ask(*setup, text, text, question=(-2, -1))


_PROGRAMS = 4
"""How many calls are made for each drawn seed."""


@sampled(calls=_PROGRAMS, seed=st.integers(0, 2**48))
def test_values(ask: Probe, seed: int) -> None:
    """Special values, repeated indices and operands of any geometry give torch's elements."""
    for index in range(_PROGRAMS):
        ask(*scatter_calls.program(_PROGRAMS * seed + index))


_INDEXED = 8
"""How many calls with indices or masks are made for each drawn seed."""


@sampled(seed=st.integers(0, 2**48))
def test_indexed(ask: Probe, seed: int) -> None:
    """Calls with indices or masks take or refuse operands of any geometry and state as torch."""
    for index in range(_INDEXED):
        ask(*indexed_calls.program(_INDEXED * seed + index))
