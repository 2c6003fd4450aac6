"""Strategies for tensors: geometries of every kind, and the calls that are made on them.

Like those in `strategies`, they draw source text.
"""

from math import prod
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

Text = SearchStrategy[str]

SIZES = (0, 1, 1, 2, 2, 3)
KINDS = ("contiguous", "permuted", "sliced", "expanded", "overlapping", "any")

NUMERIC = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64", "complex128", "bool",
)  # fmt: skip
"""The dtypes of most drawn tensors."""

ALL_KINDS = (
    *NUMERIC, "complex32", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
"""All dtypes that tensors with known elements can be made of by conversion."""


NEGATED = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex32", "complex64", "complex128",
)  # fmt: skip
"""The dtypes whose elements torch can negate."""


class Drawn(NamedTuple):
    """A drawn tensor: the text that makes it, and its shape."""

    text: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


@st.composite
def shapes(draw: DrawFn, most: int = 5) -> tuple[int, ...]:
    """Draw a shape of any rank, with sizes that matter: 0, 1, and some more."""
    rank = draw(st.integers(0, most))
    return tuple(draw(st.lists(st.sampled_from(SIZES), min_size=rank, max_size=rank)))


def _dense(shape: tuple[int, ...], order: list[int]) -> list[int]:
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(1, shape[dim])
    return strides


@st.composite
def geometries(draw: DrawFn, most: int = 5) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Draw a shape, strides and an offset: dense, permuted, with gaps, expanded, overlapping or any."""
    shape = draw(shapes(most))
    rank = len(shape)
    kind = draw(st.sampled_from(KINDS))
    order = list(range(rank))
    if kind != "contiguous":
        order = draw(st.permutations(order))
    strides = _dense(shape, order)
    if kind == "sliced":
        strides = [each * draw(st.sampled_from((1, 1, 2, 3))) for each in strides]
    elif kind == "expanded":
        strides = [0 if draw(st.booleans()) else each for each in strides]
    elif kind in ("overlapping", "any"):
        strides = [draw(st.integers(0, 7)) for _ in shape]
    # What the strides of dimensions of size 1 are is seen and must be kept.
    strides = [
        draw(st.integers(0, 9)) if size == 1 and draw(st.booleans()) else step
        for size, step in zip(shape, strides, strict=True)
    ]
    return shape, tuple(strides), draw(st.sampled_from((0, 0, 1, 5)))


def extent(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> int:
    """Return how many elements the storage needs."""
    if not prod(shape):
        return offset
    return offset + 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


@st.composite
def tensors(
    draw: DrawFn, dtypes: tuple[str, ...] = NUMERIC, most: int = 5, grad: bool = False
) -> Drawn:
    """Draw a tensor of known elements: a view, of any geometry, of counted numbers."""
    shape, strides, offset = draw(geometries(most))
    dtype = draw(st.sampled_from(dtypes))
    count = extent(shape, strides, offset) + draw(st.sampled_from((0, 2)))
    base = f"torch.arange({count}).to(torch.{dtype})"
    if grad and dtype.startswith(("float", "complex")) and draw(st.booleans()):
        base += ".requires_grad_()"
    view = f"{base}.as_strided({shape}, {strides}, {offset})"
    return Drawn(view + draw(lazy_bits(dtype)), shape)


def lazy_bits(dtype: str) -> Text:
    """Draw what gives a tensor of a dtype the conjugate or the negative bit; mostly nothing."""
    if dtype not in NEGATED:
        return st.just("")
    bits = (".conj()", ".conj()", "._neg_view()", ".conj()._neg_view()")
    return st.sampled_from(("", "", "", *(bits if dtype.startswith("complex") else bits[2:3])))


def dims(rank: int) -> Text:
    """Draw a dimension, mostly one that exists."""
    return st.integers(-rank - 2, rank + 1).map(str)


def sizes_like(shape: tuple[int, ...]) -> Text:
    """Draw sizes that a tensor of a shape could be viewed as, and some that it could not."""
    count = prod(shape)
    factors = [each for each in (1, 2, 3, 4, 6, count) if each and count % each == 0] or [0, 1, 2]
    size = st.one_of(st.sampled_from(factors), st.sampled_from((-1, 0, 1, 2, 3)))
    same = st.permutations(shape).map(tuple)
    return st.one_of(st.lists(size, max_size=5).map(tuple), same, st.just((-1,))).map(repr)


def indices(rank: int) -> Text:
    """Draw a basic index: integers, slices, None, Ellipsis and booleans, alone or in a tuple."""
    bound = st.one_of(st.just(""), st.integers(-4, 4).map(str))
    piece = st.one_of(
        st.integers(-3, 3).map(str),
        st.tuples(bound, bound).map(":".join),
        st.tuples(bound, bound, st.sampled_from(("1", "2", "3", "", "0", "-1"))).map(":".join),
        st.sampled_from(("None", "...", "True", "False", ":", ":")),
    )
    return st.lists(piece, min_size=1, max_size=rank + 2).map(", ".join)


@st.composite
def view_calls(draw: DrawFn, shape: tuple[int, ...]) -> str:
    """Draw what is done to a tensor ``x`` of a shape to get views: a call or an index."""
    rank = len(shape)
    dim = dims(rank)
    some_dims = st.one_of(
        st.permutations(range(rank)).map(tuple), st.lists(st.integers(-rank - 1, rank), max_size=5).map(tuple)
    ).map(repr)  # fmt: skip
    small = st.integers(-2, 4).map(str)
    sizes = sizes_like(shape)
    text = draw(
        st.sampled_from(
            (
                "x.view({sizes})", "x.reshape({sizes})", "torch.reshape(x, {sizes})", "x.permute({dims})",
                "torch.permute(x, {dims})", "x.transpose({dim}, {dim})", "x.swapaxes({dim}, {dim})",
                "x.swapdims({dim}, {dim})", "x.t()", "x.T", "x.mT", "x.movedim({dim}, {dim})",
                "x.movedim({dims}, {dims})", "x.unsqueeze({dim})", "x.squeeze()", "x.squeeze({dim})",
                "x.squeeze({dims})", "x.expand({sizes})", "x.expand({expanded})", "x.expand({expanded})",
                "x.flatten()", "x.flatten({dim}, {dim})", "x.ravel()", "x.unflatten({dim}, {sizes})",
                "x.narrow({dim}, {small}, {small})", "x.select({dim}, {small})", "x.unbind({dim})",
                "x.chunk({small}, {dim})", "x.split({small}, {dim})", "x.split([{small}, {small}], {dim})",
                "x.unfold({dim}, {small}, {small})", "x.diagonal({small}, {dim}, {dim})", "x.diagonal()",
                "x.as_strided({sizes}, {dims}, {small})", "x.view_as(x)", "x.expand_as(x.unsqueeze(0))",
                "x.detach()", "x.data", "x[{index}]", "x[{index}]", "x[{index}]", "x[{index}]",
                "x.contiguous()", "x.clone()", "x.view(torch.{dtype})", "torch.view_as_real(x)",
                "torch.view_as_complex(x)", "x.real", "x.imag", "torch.broadcast_to(x, {expanded})",
                "torch.broadcast_tensors(x, x.unsqueeze(0))", "list(x)", "x.reshape_as(x)",
                "x.conj()", "x.H", "x.mH", "x.adjoint()", "x._neg_view()", "x.resolve_conj()",
                "x.resolve_neg()", "x.conj_physical()", "x.conj().imag", "x.conj().real",
            )
        )
    )  # fmt: skip
    expanded = st.tuples(
        st.lists(st.integers(0, 3), max_size=2), st.just([-1 if each != 1 else 2 for each in shape])
    ).map(lambda both: repr(tuple(both[0] + both[1])))
    fields = {
        "sizes": sizes, "dims": some_dims, "dim": dim, "small": small, "expanded": expanded,
        "index": indices(rank), "dtype": st.sampled_from(ALL_KINDS),
    }  # fmt: skip
    while "{" in text:
        name = text[text.index("{") + 1 : text.index("}")]
        text = text.replace(f"{{{name}}}", draw(fields[name]), 1)
    return text
