"""Searching: largest, k-th smallest, median, frequent and nonzero elements, quantiles, places."""

from math import prod

from hypothesis import strategies as st

from ...core.domain import Domain
from ...engine.decorators import exhaustive, sampled
from ...engine.probe import Probe
from ...generators.arithmetic import CORE, SHELLS
from ...generators.calls.place_calls import (
    HISTC,
    SEARCHES,
    UNIQUE,
    count,
    distinct,
    histogram,
    search,
)
from ...generators.calls.quantile_calls import (
    HISTOGRAMS,
    MODES,
    QUANTILES,
    histograms,
    quantiles,
)
from ...generators.calls.search_calls import CALLS, OF_LINES, program

SOURCES = {
    "vector": "[5, 3, 4, 3, 5, 3]",
    "rows": "[[5, 3, 3], [4, 1, 4]]",
    "0-dim": "3",
    "empty": "[[], []]",
}
LAYOUTS = {
    "contiguous": "{x}",
    "transposed": "{x}.transpose(0, -1).contiguous().transpose(0, -1)",
    "strided": "torch.stack([{x}] * 2, -1).select(-1, 0)",
    "negative": "torch._neg_view({x})",
}
"""Tensors of the same shape with other strides or bits."""

SHAPES = ("2, 3, 4", "4, 1, 3", "1, 5, 1", "3, 0, 2")


def _call(call: str, place: str) -> tuple[str, ...]:
    """Return the steps of a call; new results are named, so that all of each is compared."""
    name, arguments = call[:-1].split("(", 1)
    results = "" if name == "msort" or not arguments else "v, i = "
    if place == "own" or call in ("median()", "nanmedian()"):
        return (f"{results}x.{name}({arguments})",)
    arguments = ", ".join(filter(None, ("x", arguments)))
    if place == "new":
        return (f"{results}torch.{name}({arguments})",)
    values = "o = torch.zeros(0, dtype=x.dtype)"
    if "msort" in call:
        return values, f"torch.{name}({arguments}, out=o)"
    return (
        values,
        "i = torch.zeros(0, dtype=torch.int64)",
        f"torch.{name}({arguments}, out=(o, i))",
    )


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], call=CALLS, source=[*SOURCES], place=("new", "own", "out")
    ),
    parts=2,
)
def test_dtypes(ask: Probe, dtype: str, call: str, source: str, place: str) -> None:
    """Each call in each dtype has torch's results, or raises its error."""
    tensor = f"x = torch.tensor({SOURCES[source]}).to(torch.{dtype})"
    ask(tensor, *_call(call.format(d=0, k=1), place))


@exhaustive(
    lambda torch: Domain(
        call=OF_LINES, shape=SHAPES, dim=("0", "1", "-1", "3"), layout=LAYOUTS,
        k=("1", "2"),
        place=("new", "out"), grad=("", ".requires_grad_()"),
    ),
    one_in=2,
)  # fmt: skip
def test_layouts(
    ask: Probe, call: str, shape: str, dim: str, layout: str, k: str, place: str, grad: str
) -> None:  # fmt: skip
    """Results along any dimension of any tensor have torch's elements, strides and gradients."""
    count = prod(map(int, shape.split(", ")))
    numbers = f"(torch.arange({count}) * 5 % 7).reshape({shape}).to(torch.float32){grad}"
    tensor = f"x = {LAYOUTS[layout].format(x='y')}"
    ask(f"y = {numbers}", tensor, *_call(call.format(d=dim, k=k), place))


LINES = {
    "equal": "torch.zeros({n})",
    "two": "(torch.arange({n}) * 7 % 2).to(torch.float64)",
    "few": "(torch.arange({n}) ** 2 % 11).to(torch.int32)",
    "zeros": "torch.tensor([0.0, -0.0, -0.0] * {n})[:{n}]",
    "nan": "torch.where(torch.arange({n}) % 3 == 0, math.nan, torch.arange({n}) % 5)",
    "falling": "-(torch.arange({n}) // 3).to(torch.bfloat16)",
    "distinct": "(torch.arange({n}) * 31 % 1009).to(torch.int64)",
}
"""Lines of ``n`` elements, of which many are equal."""


@exhaustive(
    lambda torch: Domain(
        call=CALLS, line=LINES, size=["3", "4", "16", "17", "65", "129", "300", "1500"],
        place=("first", "second", "middle", "last"), rows=("1", "3"),
    ),
    one_in=4,
)  # fmt: skip
def test_equal_elements(ask: Probe, call: str, line: str, size: str, place: str, rows: str) -> None:
    """Of equal elements torch's algorithms find the same ones."""
    k = {"first": 1, "second": 2, "middle": int(size) // 2, "last": int(size)}[place]
    text = LINES[line].format(n=size)
    steps = (
        [f"x = {text}"]
        if rows == "1"
        else [f"y = {text}", f"x = torch.stack([y, y.flip(0)] * {rows})"]
    )
    ask(*steps, *_call(call.format(d=-1, k=k), "new"))


_PROGRAMS = 4
"""How many calls are made for each drawn seed."""


@sampled(calls=_PROGRAMS, seed=st.integers(0, 2**48))
def test_values(ask: Probe, seed: int) -> None:
    """Special values, equal elements and operands of any geometry give torch's results."""
    for index in range(_PROGRAMS):
        ask(*program(_PROGRAMS * seed + index))


_ROWS = {
    "vector": ("[1, 2, 2, 4]", "[[0, 2], [3, 5]]"),
    "rows": ("[[1, 2, 3], [0, 2, 2]]", "[[2], [2]]"),
    "number": ("[1, 2, 4]", "2"),
    "empty": ("[]", "[1, 2]"),
    "0-dim": ("2", "[1, 2]"),
}
"""Sorted rows, and elements to find in them."""


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], value=("own", "int64", "float32"), call=SEARCHES, rows=[*_ROWS]
    ),
    one_in=2,
)
def test_places(ask: Probe, dtype: str, value: str, call: str, rows: str) -> None:
    """Each search in each dtype has torch's places, or raises its error."""
    row, values = _ROWS[rows]
    ask(
        f"x = torch.tensor({row}).to(torch.{dtype})",
        f"y = torch.tensor({values}).to(torch.{dtype if value == 'own' else value})",
        *(("i = torch.zeros_like(x, dtype=torch.int64)",) if "sorter" in call else ()),
        *(("o = torch.zeros(0, dtype=torch.int64)",) if "out=" in call else ()),
        call,
    )


@sampled(calls=3 * _PROGRAMS, seed=st.integers(0, 2**48))
def test_counts(ask: Probe, seed: int) -> None:
    """Rows that are not sorted, special values, and weights give torch's places and counts."""
    for index in range(_PROGRAMS):
        ask(*search(_PROGRAMS * seed + index))
        ask(*count(_PROGRAMS * seed + index))
        ask(*distinct(_PROGRAMS * seed + index))


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS],
        call=UNIQUE,
        source=[*SOURCES, "equal rows"],
        dim=("None", "0", "-1"),
    ),
    one_in=2,
)
def test_distinct(ask: Probe, dtype: str, call: str, source: str, dim: str) -> None:
    """Each call in each dtype has torch's distinct elements, or raises its error."""
    text = SOURCES.get(source, "[[[5, 3], [5, 3]], [[5, 3], [5, 3]], [[5, 3], [5, 4]]]")
    ask(f"x = torch.tensor({text}).to(torch.{dtype})", call.format(f"dim={dim}"))


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], indices=("4", "[5, 0]", "[[1], [-7]]", "[]"),
        shape=("(2, 3)", "5", "()", "[3, 4]", "(0, 2)", "(2, -1)", "(2.5,)", "2.5", "(True, 2)"),
    ),
)  # fmt: skip
def test_coordinates(ask: Probe, dtype: str, indices: str, shape: str) -> None:
    """Flat indices of each dtype have torch's coordinates in each shape, or raise its error."""
    ask(f"x = torch.tensor({indices}).to(torch.{dtype})", f"torch.unravel_index(x, {shape})")


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], call=HISTC, source=[*SOURCES], place=("new", "own", "out")
    ),
    one_in=2,
)
def test_histc(ask: Probe, dtype: str, call: str, source: str, place: str) -> None:
    """Each call of histc in each dtype has torch's counts, or raises its error."""
    tensor = f"x = torch.tensor({SOURCES[source]}).to(torch.{dtype})"
    if place == "own":
        ask(tensor, f"x.{call}")
    elif place == "new":
        ask(tensor, f"torch.{call.replace('(', '(x, ')}")
    else:
        out = "o = torch.zeros(0, dtype=x.dtype)"
        ask(tensor, out, f"torch.{call.replace('(', '(x, ')[:-1]}, out=o)")


@sampled(calls=_PROGRAMS, seed=st.integers(0, 2**48))
def test_histc_values(ask: Probe, seed: int) -> None:
    """Elements at the edges of bins, special values and elements of any geometry are counted."""
    for index in range(_PROGRAMS):
        ask(*histogram(_PROGRAMS * seed + index))


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], name=("quantile", "nanquantile"), call=QUANTILES, mode=MODES,
        source=[*SOURCES], wanted=("own", "float32"),
    ),
    one_in=12,
)  # fmt: skip
def test_quantiles(
    ask: Probe, dtype: str, name: str, call: str, mode: str, source: str, wanted: str
) -> None:
    """Each call in each dtype has torch's quantiles, or raises its error."""
    tensor = f"x = torch.tensor({SOURCES[source]}).to(torch.{dtype})"
    q = f"y = torch.tensor([0.25, 1.0]).to(torch.{dtype if wanted == 'own' else wanted})"
    ask(tensor, q, f"x.{call.format(name, mode)}")


@sampled(calls=_PROGRAMS, seed=st.integers(0, 2**48))
def test_quantile_values(ask: Probe, seed: int) -> None:
    """Quantiles of special values, of equal elements and of any geometry are torch's."""
    for index in range(_PROGRAMS):
        ask(*quantiles(_PROGRAMS * seed + index))


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], size=("0", "2", "9", "-1", "2.5", "True"),
        fill=("", ", fill_value=7", ", fill_value=-2**63", ", fill_value=1.5"),
        source=[*SOURCES], layout=LAYOUTS, place=("new", "own", "out", "out of another dtype"),
    ),
    one_in=8,
)  # fmt: skip
def test_nonzero_static(
    ask: Probe, dtype: str, size: str, fill: str, source: str, layout: str, place: str
) -> None:
    """The first indices of nonzero elements, and rows of the fill value after them, are torch's."""
    steps = [f"y = torch.tensor({SOURCES[source]}).to(torch.{dtype})"]
    layout = "{x}" if source == "0-dim" else LAYOUTS[layout]
    steps.append(f"x = {layout.format(x='y')}")
    arguments = f"size={size}{fill}"
    if place == "own":
        ask(*steps, f"x.nonzero_static({arguments})")
        return
    if place.startswith("out"):
        wanted = "int64" if place == "out" else dtype
        steps.append(f"o = torch.zeros(2, 2).to(torch.{wanted})")
        arguments += ", out=o"
    ask(*steps, f"torch.nonzero_static(x, {arguments})")


@exhaustive(
    lambda torch: Domain(
        dtype=[*CORE, *SHELLS], call=HISTOGRAMS, source=[*SOURCES], place=("own", "out"),
        wanted=("own", "float32"),
    ),
    one_in=4,
)  # fmt: skip
def test_histogram(ask: Probe, dtype: str, call: str, source: str, place: str, wanted: str) -> None:
    """Each call of histogram in each dtype has torch's sums and edges, or raises its error."""
    steps = [f"x = torch.tensor({SOURCES[source]}).to(torch.{dtype})"]
    edges = dtype if wanted == "own" else wanted
    steps.append(f"y = torch.tensor([1.0, 3.0, 4.0]).to(torch.{edges})")
    if place == "own":
        ask(*steps, f"x.{call}")
        return
    results = f"o, p = torch.zeros(0, dtype=x.dtype), torch.zeros(0, dtype=torch.{edges})"
    arguments = ", ".join(filter(None, ("x", call[:-1].partition("(")[2], "out=(o, p)")))
    ask(*steps, results, f"torch.histogram({arguments})")


@sampled(calls=_PROGRAMS, seed=st.integers(0, 2**48))
def test_histogram_values(ask: Probe, seed: int) -> None:
    """Elements at edges, special values, weights and edges that are not sorted are as torch's."""
    for index in range(_PROGRAMS):
        ask(*histograms(_PROGRAMS * seed + index))
