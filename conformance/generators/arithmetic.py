"""Strategies for operands of arithmetic: tensors of telling numbers, and numbers.

Like those in `strategies`, they draw source text.
"""

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .tensors import extent, geometries, lazy_bits

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


class Pools(NamedTuple):
    """The numbers that elements are drawn from."""

    integers: tuple[int, ...]
    floats: tuple[str, ...]


TELLING = Pools(INTEGERS, FLOATS)

_POWERS_OF_FOUR = (
    "0.0",
    "-0.0",
    "1.0",
    "-1.0",
    "4.0",
    "-4.0",
    "16.0",
    "0.25",
    "math.inf",
    "-math.inf",
    "math.nan",
)
EXACT = Pools((0, 1, 2, 4, 8, 16), _POWERS_OF_FOUR)
"""Numbers whose powers are exact, so that they do not depend on the last bit of a logarithm."""
EXPONENTS = ("0", "1", "2", "3", "-1", "-2", "0.0", "1.0", "2.0", "3.0", "0.5", "-0.5", "-1.0", "-2.0",
             "True", "False", "300", "math.inf", "math.nan", "1j", "2**63", "1e300")  # fmt: skip

NUMBERS = (
    "True", "False", "0", "1", "-1", "2", "3", "300", "-129", "2**31", "2**53 + 1", "0.0", "-0.0", "0.5",
    "1.1", "-2.5", "1e300", "math.inf", "math.nan", "1j", "0.5 + 2j", "numpy.float32(1.1)",
    "numpy.int8(3)", "numpy.float64(2.5)", "numpy.bool_(True)", "numpy.array([1, 0])", "numpy.array(2.5)",
    "None", "'a'",
)  # fmt: skip
"""Numbers that stand for an operand, and what torch does not take for one."""


def elements(dtype: str, drawn: list[int], count: int, pools: Pools = TELLING) -> str:
    """Write a tensor of ``count`` elements of a dtype: the drawn ones of a pool again and again."""
    is_float = dtype.startswith(("float", "bfloat", "complex"))
    pool = pools.floats if is_float else tuple(map(str, pools.integers))
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
def operands(
    draw: DrawFn,
    dtypes: tuple[str, ...] = CORE,
    most: int = 4,
    pools: Pools = TELLING,
) -> Operand:
    """Draw a tensor of any geometry whose numbers are telling; it may require a gradient."""
    shape, strides, offset = draw(geometries(most))
    dtype = draw(st.sampled_from(dtypes))
    drawn = draw(st.lists(st.integers(0, 19), min_size=1, max_size=6))
    base = elements(dtype, drawn, extent(shape, strides, offset), pools)
    if dtype.startswith(("float", "bfloat", "complex")) and not draw(st.integers(0, 5)):
        base += ".requires_grad_()"
    view = f"{base}.as_strided({shape}, {strides}, {offset})"
    return Operand(view + draw(lazy_bits(dtype)), shape, dtype)


@st.composite
def partners(
    draw: DrawFn,
    operand: Operand,
    dtypes: tuple[str, ...] = CORE,
    numbers: tuple[str, ...] = NUMBERS,
    pools: Pools = TELLING,
) -> str:
    """Draw what is put beside a tensor: one that it broadcasts with, mostly, or a number."""
    if numbers and draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(numbers))
    if draw(st.integers(0, 5)) == 0:
        return draw(operands(dtypes, pools=pools)).text
    sizes = [1 if draw(st.integers(0, 3)) == 0 else size for size in operand.shape]
    sizes = sizes[draw(st.integers(0, len(sizes))) :] if draw(st.booleans()) else sizes
    order = draw(st.permutations(range(len(sizes))))
    strides, step = [0] * len(sizes), 1
    for dim in order:
        strides[dim] = step
        step *= max(1, sizes[dim]) * draw(st.sampled_from((1, 1, 1, 2)))
    dtype = draw(st.one_of(st.just(operand.dtype), st.sampled_from(dtypes)))
    drawn = draw(st.lists(st.integers(0, 19), min_size=1, max_size=6))
    base = elements(dtype, drawn, extent(tuple(sizes), tuple(strides), 0), pools)
    return f"{base}.as_strided({tuple(sizes)}, {tuple(strides)})" + draw(lazy_bits(dtype))
