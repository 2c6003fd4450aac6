"""Strategies for operands of arithmetic: tensors of telling numbers, and numbers.

Like those in `strategies`, they draw source text.
"""

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .tensor_strategies import extent, geometries

CORE = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex32", "complex64", "complex128",
)  # fmt: skip
"""The dtypes that promote among each other."""

SHELLS = (
    "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
"""Dtypes for which torch has some kernels and lacks others."""

INTEGERS = (0, 1, 2, 3, 7, -1, -2, -7, 127, 128, 255, -128, 32767, 2**31 - 1, -(2**31), 2**53 + 1)
FLOATS = (
    "0.0", "-0.0", "1.0", "-1.0", "0.5", "-1.5", "2.5", "3.1415926", "-7.25", "0.1", "1e-3", "65504.0",
    "1e5", "3e38", "-1e-40", "1e300", "5e-324", "math.inf", "-math.inf", "math.nan",
)  # fmt: skip
NUMBERS = (
    "True", "False", "0", "1", "-1", "2", "3", "300", "-129", "2**31", "2**53 + 1", "0.0", "-0.0", "0.5",
    "1.1", "-2.5", "1e300", "math.inf", "math.nan", "1j", "0.5 + 2j", "numpy.float32(1.1)",
    "numpy.int8(3)", "numpy.float64(2.5)", "numpy.bool_(True)",
)  # fmt: skip
"""Numbers that stand for an operand."""


def elements(dtype: str, drawn: list[int], count: int) -> str:
    """Write a tensor of ``count`` elements of a dtype: the drawn ones of a pool again and again."""
    is_float = dtype.startswith(("float", "bfloat", "complex"))
    pool = FLOATS if is_float else tuple(map(str, INTEGERS))
    values = f"[{', '.join(pool[each % len(pool)] for each in drawn)}]"
    if count != len(drawn):
        values = f"({values} * {-(-max(1, count) // len(drawn))})[:{count}]"
    made = f"torch.tensor({values})"
    if dtype.startswith("complex"):
        made = f"torch.tensor([complex(a, b) for a, b in zip({values}, {values}[::-1])], dtype=torch.complex128)"
    elif is_float:
        made = f"torch.tensor({values}, dtype=torch.float64)"
    elif not count:
        made = "torch.tensor([], dtype=torch.int64)"
    return f"{made}.to(torch.{dtype})"


class Operand(NamedTuple):
    """A drawn tensor: the text that makes it, its shape, and its dtype."""

    text: str
    shape: tuple[int, ...]
    dtype: str


@st.composite
def operands(draw: DrawFn, dtypes: tuple[str, ...] = CORE, most: int = 4) -> Operand:
    """Draw a tensor of any geometry whose numbers are telling: zeros, ends, halves, infinities."""
    shape, strides, offset = draw(geometries(most))
    dtype = draw(st.sampled_from(dtypes))
    drawn = draw(st.lists(st.integers(0, 19), min_size=1, max_size=6))
    base = elements(dtype, drawn, extent(shape, strides, offset))
    return Operand(f"{base}.as_strided({shape}, {strides}, {offset})", shape, dtype)


@st.composite
def partners(draw: DrawFn, operand: Operand, dtypes: tuple[str, ...] = CORE) -> str:
    """Draw what is put beside a tensor: one that it broadcasts with, mostly, or a number."""
    shape = operand.shape
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(NUMBERS))
    if draw(st.integers(0, 5)) == 0:
        return draw(operands(dtypes)).text
    sizes = [1 if draw(st.integers(0, 3)) == 0 else size for size in shape]
    sizes = sizes[draw(st.integers(0, len(sizes))) :] if draw(st.booleans()) else sizes
    order = draw(st.permutations(range(len(sizes))))
    strides, step = [0] * len(sizes), 1
    for dim in order:
        strides[dim] = step
        step *= max(1, sizes[dim]) * draw(st.sampled_from((1, 1, 1, 2)))
    dtype = draw(st.one_of(st.just(operand.dtype), st.sampled_from(dtypes)))
    drawn = draw(st.lists(st.integers(0, 19), min_size=1, max_size=6))
    base = elements(dtype, drawn, extent(tuple(sizes), tuple(strides), 0))
    return f"{base}.as_strided({tuple(sizes)}, {tuple(strides)})"
