"""Strategies for reductions: tensors with exact sums, and calls on them.

They draw source text, as those of `scalars` do.
"""

import re

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .arithmetic import CORE, SHELLS, repeated
from .tensors import DrawnTensor, extent, geometries

SMALL = ("0", "1", "2", "3", "-1", "-2", "4", "5", "7")
"""Numbers with exact sums and products in any order."""

SPECIAL = ("math.nan", "math.inf", "-math.inf", "1.0", "-2.0", "3.0")
"""Numbers with NaN and infinities."""

ENDS = ("0", "1", "-1", "127", "128", "255", "256", "-128", "-129", "32767", "65536", "2**31 - 1",
        "-(2**31)", "2**62", "2**63 - 1", "-(2**63)", "2**53 + 1")  # fmt: skip
"""Integers whose sums and products wrap around."""


@st.composite
def reduction_inputs(
    draw: DrawFn, pools: tuple[tuple[str, ...], ...] = (SMALL,), grad: bool = True
) -> DrawnTensor:
    """Draw a tensor of any geometry and dtype, possibly with requires_grad."""
    shape, strides, offset = draw(geometries(4))
    pool = draw(st.sampled_from(pools))
    dtypes: tuple[str, ...] = CORE if draw(st.integers(0, 3)) else SHELLS
    if pool is SPECIAL:
        dtypes = ("float16", "bfloat16", "float32", "float64")
    elif pool is ENDS:
        dtypes = ("bool", "uint8", "int8", "int16", "int32", "int64")
    dtype = draw(st.sampled_from(dtypes))
    indices = draw(st.lists(st.integers(0, 19), min_size=1, max_size=7))
    numbers = repeated(pool, indices, extent(shape, strides, offset))
    wide = "int64" if pool is ENDS else "float64"
    base = f"torch.tensor({numbers}, dtype=torch.{wide}).to(torch.{dtype})"
    if grad and dtype.startswith(("float", "bfloat", "complex")) and not draw(st.integers(0, 5)):
        base += ".requires_grad_()"
    return DrawnTensor(f"{base}.as_strided({shape}, {strides}, {offset})", shape)


def one_dim(rank: int) -> st.SearchStrategy[str]:
    """Draw a dimension, mostly a valid one."""
    inside = st.integers(-max(rank, 1), max(rank, 1) - 1)
    return st.one_of(inside, inside, inside, st.integers(-rank - 2, rank + 1)).map(str)


@st.composite
def dim_arguments(draw: DrawFn, rank: int) -> str:
    """Draw a ``dim`` argument: one dimension, several in a list or tuple, none, or None."""
    kind = draw(st.sampled_from(("one", "several", "several", "any", "none")))
    if kind == "one":
        return draw(one_dim(rank))
    if kind == "none":
        return draw(st.sampled_from(("None", "()", "[]")))
    if kind == "any":
        return repr(draw(st.lists(st.integers(-rank - 1, rank), max_size=3)))
    order = draw(st.permutations(range(rank)))
    dims = [dim - rank * draw(st.booleans()) for dim in order]
    wrap = draw(st.sampled_from((tuple, list)))
    return repr(wrap(dims[: draw(st.integers(0, rank))]))


keepdims = st.sampled_from(("", "", ", keepdim=True", ", True", ", keepdims=True"))
dtype_arguments = st.sampled_from(
    ("", "", "", *(f", dtype=torch.{dtype}" for dtype in CORE + SHELLS))
)


def out_of(shape: tuple[int, ...], count: int = 1) -> st.SearchStrategy[str]:
    """Draw an ``out=`` argument: tensors of several sizes and any dtype."""
    sizes = st.sampled_from(("0", "()", "(2, 2)", repr(shape), repr(shape[1:]), repr(shape[:-1])))
    tensor = st.builds("torch.zeros({}, dtype=torch.{})".format, sizes, st.sampled_from(CORE))
    if count == 1:
        return tensor.map(", out={}".format)
    indices = st.builds("torch.zeros({}, dtype=torch.int64)".format, sizes)
    return st.builds(", out=({}, {})".format, tensor, st.one_of(tensor, indices, indices))


TEMPLATES = (
    "x.sum()", "x.sum({dims}{keepdim}{dtype})", "torch.sum(x{dtype})",
    "torch.sum(x, {dims}{keepdim}{dtype}{out})", "x.nansum({dims}{keepdim}{dtype})",
    "torch.nansum(x, {dims}{keepdim}{out})", "x.prod()", "x.prod({dim}{keepdim}{dtype})",
    "x.std({dims}{keepdim})", "x.std()", "torch.std(x, {dims}{keepdim}{out})", "x.var({dims})",
    "torch.var_mean(x, {dims}{keepdim}, correction=0)", "torch.std_mean(x)",
    "torch.prod(x{dtype})", "torch.prod(x, {dim}{keepdim}{out})", "x.mean()",
    "x.mean({dims}{keepdim}{dtype})", "torch.mean(x{dtype})", "torch.mean(x, {dims}{keepdim}{out})",
    "x.nanmean({dims}{keepdim})", "x.amax({dims}{keepdim})", "torch.amin(x, {dims}{keepdim}{out})",
    "x.aminmax()", "torch.aminmax(x, dim={dim}{outs})", "x.max()", "x.min()", "torch.max(x{out})",
    "x.max({dim}{keepdim})", "torch.min(x, {dim}{keepdim}{outs})", "x.argmax()",
    "x.argmin({dim}{keepdim})", "torch.argmax(x, {dim}{keepdim}{out})", "x.all()",
    "x.any({dims}{keepdim})", "torch.all(x{out})", "torch.any(x, {dim}{keepdim}{out})",
    "x.cumsum({dim}{dtype})", "torch.cumsum(x, {dim}{out})", "x.cumprod({dim}{dtype})",
    "torch.cumprod(x, {dim}{out})", "x.cummax({dim})", "torch.cummin(x, {dim}{outs})",
    "x.count_nonzero()", "x.count_nonzero({dims})", "x.logsumexp({dims}{keepdim})",
    "torch.logsumexp(x, {dims}{keepdim}{out})", "x.logcumsumexp({dim})",
    "torch.logcumsumexp(x, {dim}{out})",
)  # fmt: skip
"""The calls; fields in braces are drawn."""


@st.composite
def calls(draw: DrawFn, shape: tuple[int, ...]) -> str:
    """Draw a reduction of a tensor ``x``."""
    rank = len(shape)
    text = draw(st.sampled_from(TEMPLATES))
    fields = {
        "dims": dim_arguments(rank), "dim": one_dim(rank), "keepdim": keepdims,
        "dtype": dtype_arguments, "out": out_of(shape), "outs": out_of(shape, 2),
    }  # fmt: skip
    return re.sub(r"\{(\w+)\}", lambda match: draw(fields[match[1]]), text)
