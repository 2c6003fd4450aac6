"""Strategies for operands of arithmetic: tensors and numbers.

They draw source text, as those of `scalars` do.
"""

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .tensors import ALL_DTYPES, NEGATED, conj_neg_bits, extent, geometries

CORE = ("bool", *NEGATED)
"""The dtypes that promote with each other."""

SHELLS = tuple(dtype for dtype in ALL_DTYPES if dtype not in CORE)
"""The dtypes for which torch has only some kernels."""

INTEGERS = (0, 1, 2, 3, 7, -1, -2, -7, 127, 128, 255, -128, 32767, 2**31 - 1, -(2**31), 2**53 + 1)
FLOATS = (
    "0.0", "-0.0", "1.0", "-1.0", "0.5", "-1.5", "2.5", "3.1415926", "-7.25", "0.1", "1e-3",
    "65504.0", "1e5", "3e38", "-1e-40", "1e300", "5e-324", "math.inf", "-math.inf", "math.nan",
)  # fmt: skip


class Pools(NamedTuple):
    """The numbers that elements are drawn from."""

    integers: tuple[int, ...]
    floats: tuple[str, ...]


TELLING = Pools(INTEGERS, FLOATS)

_POWERS_OF_FOUR = "0.0 -0.0 1.0 -1.0 4.0 -4.0 16.0 0.25 math.inf -math.inf math.nan"
EXACT = Pools((0, 1, 2, 4, 8, 16), tuple(_POWERS_OF_FOUR.split()))
"""Numbers with exact powers, which do not depend on the last bit of a logarithm."""
EXPONENTS = (
    "0", "1", "2", "3", "-1", "-2", "0.0", "1.0", "2.0", "3.0", "0.5", "-0.5", "-1.0", "-2.0",
    "True", "False", "300", "math.inf", "math.nan", "1j", "2**63", "1e300",
)  # fmt: skip

NUMBERS = (
    "True", "False", "0", "1", "-1", "2", "3", "300", "-129", "2**31", "2**53 + 1", "0.0", "-0.0",
    "0.5", "1.1", "-2.5", "1e300", "math.inf", "math.nan", "1j", "0.5 + 2j", "numpy.float32(1.1)",
    "numpy.int8(3)", "numpy.float64(2.5)", "numpy.bool_(True)", "numpy.array([1, 0])",
    "numpy.array(2.5)", "None", "'a'",
)  # fmt: skip
"""Scalar operands, and values that torch rejects as operands."""


def repeated(pool: tuple[str, ...], indices: list[int], count: int, short: bool = False) -> str:
    """Return the text of a list of ``count`` elements: the drawn numbers of a pool, repeated.

    With ``short`` there is no operator in a text that repeats nothing.
    """
    numbers = f"[{', '.join(pool[index % len(pool)] for index in indices)}]"
    if short and count == len(indices):
        return numbers
    return f"({numbers} * {-(-max(1, count) // len(indices))})[:{count}]"


def elements(dtype: str, indices: list[int], count: int, pools: Pools = TELLING) -> str:
    """Return the text of a tensor of ``count`` elements: the drawn numbers of a pool, repeated."""
    is_float = _is_inexact(dtype)
    pool = pools.floats if is_float else tuple(map(str, pools.integers))
    numbers = repeated(pool, indices, count, short=True)
    text = f"torch.tensor({numbers})"
    if dtype.startswith("complex"):
        pairs = f"[complex(a, b) for a, b in zip({numbers}, {numbers}[::-1])]"
        text = f"torch.tensor({pairs}, dtype=torch.complex128)"
    elif is_float:
        text = f"torch.tensor({numbers}, dtype=torch.float64)"
    elif not count:
        text = "torch.tensor([], dtype=torch.int64)"
    return f"{text}.to(torch.{dtype})"


class Operand(NamedTuple):
    """A drawn tensor: its source text, shape and dtype."""

    text: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def is_differentiable(self) -> bool:
        """Whether the tensor may require a gradient."""
        return _is_inexact(self.dtype)


def _is_inexact(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "complex"))


@st.composite
def operands(
    draw: DrawFn,
    dtypes: tuple[str, ...] = CORE,
    max_rank: int = 4,
    pools: Pools = TELLING,
) -> Operand:
    """Draw a tensor of any geometry, possibly with requires_grad."""
    shape, strides, offset = draw(geometries(max_rank))
    dtype = draw(st.sampled_from(dtypes))
    indices = draw(st.lists(st.integers(0, 19), min_size=1, max_size=6))
    base = elements(dtype, indices, extent(shape, strides, offset), pools)
    if _is_inexact(dtype) and not draw(st.integers(0, 5)):
        base += ".requires_grad_()"
    view = f"{base}.as_strided({shape}, {strides}, {offset})"
    return Operand(view + draw(conj_neg_bits(dtype)), shape, dtype)


@st.composite
def other_operands(
    draw: DrawFn,
    operand: Operand,
    dtypes: tuple[str, ...] = CORE,
    numbers: tuple[str, ...] = NUMBERS,
    pools: Pools = TELLING,
) -> str:
    """Draw the other operand for a tensor: mostly a tensor that broadcasts with it, or a number."""
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
    indices = draw(st.lists(st.integers(0, 19), min_size=1, max_size=6))
    base = elements(dtype, indices, extent(tuple(sizes), tuple(strides), 0), pools)
    return f"{base}.as_strided({tuple(sizes)}, {tuple(strides)})" + draw(conj_neg_bits(dtype))
