"""Strategies for tensors of all geometries, and for calls on them.

They draw source text, as those of `scalars` do.
"""

import re
from math import prod
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

Text = SearchStrategy[str]

SIZES = (0, 1, 1, 2, 2, 3)
KINDS = ("contiguous", "permuted", "sliced", "expanded", "overlapping", "any")

NEGATED = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex32", "complex64", "complex128",
)  # fmt: skip
"""The dtypes with a kernel for neg."""

NUMERIC = (*(dtype for dtype in NEGATED if dtype != "complex32"), "bool")
"""The dtypes of most drawn tensors."""

ALL_DTYPES = (
    *NUMERIC, "complex32", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
"""All dtypes to which integers can be converted."""


class DrawnTensor(NamedTuple):
    """A drawn tensor: its source text and shape."""

    text: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


@st.composite
def shapes(draw: DrawFn, max_rank: int = 5) -> tuple[int, ...]:
    """Draw a shape of any rank, with sizes 0 to 3."""
    rank = draw(st.integers(0, max_rank))
    return tuple(draw(st.lists(st.sampled_from(SIZES), min_size=rank, max_size=rank)))


def _dense(shape: tuple[int, ...], order: list[int]) -> list[int]:
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(1, shape[dim])
    return strides


@st.composite
def geometries(draw: DrawFn, max_rank: int = 5) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Draw a shape, strides and a storage offset."""
    shape = draw(shapes(max_rank))
    rank = len(shape)
    kind = draw(st.sampled_from(KINDS))
    dims = list(range(rank))
    strides = _dense(shape, dims if kind == "contiguous" else draw(st.permutations(dims)))
    if kind == "sliced":
        strides = [step * draw(st.sampled_from((1, 1, 2, 3))) for step in strides]
    elif kind == "expanded":
        strides = [0 if draw(st.booleans()) else step for step in strides]
    elif kind in ("overlapping", "any"):
        strides = [draw(st.integers(0, 7)) for _ in shape]
    # Operators preserve the strides of dimensions of size 1.
    strides = [
        draw(st.integers(0, 9)) if size == 1 and draw(st.booleans()) else step
        for size, step in zip(shape, strides, strict=True)
    ]
    return shape, tuple(strides), draw(st.sampled_from((0, 0, 1, 5)))


def extent(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> int:
    """Return the number of elements of the storage."""
    if not prod(shape):
        return offset
    return offset + 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


@st.composite
def tensors(
    draw: DrawFn, dtypes: tuple[str, ...] = NUMERIC, max_rank: int = 5, grad: bool = False
) -> DrawnTensor:
    """Draw a tensor with known elements: a view, of any geometry, of an ``arange``."""
    shape, strides, offset = draw(geometries(max_rank))
    dtype = draw(st.sampled_from(dtypes))
    count = extent(shape, strides, offset) + draw(st.sampled_from((0, 2)))
    base = f"torch.arange({count}).to(torch.{dtype})"
    if grad and dtype.startswith(("float", "complex")) and draw(st.booleans()):
        base += ".requires_grad_()"
    view = f"{base}.as_strided({shape}, {strides}, {offset})"
    return DrawnTensor(view + draw(conj_neg_bits(dtype)), shape)


def conj_neg_bits(dtype: str) -> Text:
    """Draw a suffix that sets the conj or neg bit of a tensor; mostly empty."""
    if dtype not in NEGATED:
        return st.just("")
    bits = (".conj()", ".conj()", "._neg_view()", ".conj()._neg_view()")
    return st.sampled_from(("", "", "", *(bits if dtype.startswith("complex") else bits[2:3])))


def dims(rank: int) -> Text:
    """Draw a dimension, mostly a valid one."""
    return st.integers(-rank - 2, rank + 1).map(str)


def sizes_like(shape: tuple[int, ...]) -> Text:
    """Draw sizes to view a shape as, valid and invalid ones."""
    count = prod(shape)
    factors = [factor for factor in (1, 2, 3, 4, 6, count) if factor and count % factor == 0]
    size = st.one_of(st.sampled_from(factors), st.sampled_from((-1, 0, 1, 2, 3)))
    same = st.permutations(shape).map(tuple)
    return st.one_of(st.lists(size, max_size=5).map(tuple), same, st.just((-1,))).map(repr)


def indices(rank: int) -> Text:
    """Draw a basic index: integers, slices, None, Ellipsis and booleans, alone or in a tuple."""
    bound = st.one_of(st.just(""), st.integers(-4, 4).map(str))
    item = st.one_of(
        st.integers(-3, 3).map(str),
        st.tuples(bound, bound).map(":".join),
        st.tuples(bound, bound, st.sampled_from(("1", "2", "3", "", "0", "-1"))).map(":".join),
        st.sampled_from(("None", "...", "True", "False", ":", ":")),
    )
    return st.lists(item, min_size=1, max_size=rank + 2).map(", ".join)


_VIEW_CALLS = (
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
)  # fmt: skip


@st.composite
def view_calls(draw: DrawFn, shape: tuple[int, ...]) -> str:
    """Draw a view of a tensor ``x`` of a shape: a call or an index."""
    rank = len(shape)
    dim = dims(rank)
    any_dims = st.lists(st.integers(-rank - 1, rank), max_size=5)
    dim_tuples = st.one_of(st.permutations(range(rank)).map(tuple), any_dims.map(tuple)).map(repr)
    small = st.integers(-2, 4).map(str)
    sizes = sizes_like(shape)
    text = draw(st.sampled_from(_VIEW_CALLS))
    expanded = st.tuples(
        st.lists(st.integers(0, 3), max_size=2), st.just([-1 if size != 1 else 2 for size in shape])
    ).map(lambda parts: repr(tuple(parts[0] + parts[1])))
    fields = {
        "sizes": sizes, "dims": dim_tuples, "dim": dim, "small": small, "expanded": expanded,
        "index": indices(rank), "dtype": st.sampled_from(ALL_DTYPES),
    }  # fmt: skip
    return re.sub(r"\{(\w+)\}", lambda match: draw(fields[match[1]]), text)
