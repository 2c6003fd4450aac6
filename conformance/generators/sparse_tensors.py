"""Sparse tensors as text: a fixed set, and strategies for more."""

from math import prod
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from .tensors import NUMERIC

USUAL = NUMERIC
"""The dtypes of the values."""


def coo(indices: str, values: str, size: str = "", *keywords: str) -> str:
    """Return the call of ``sparse_coo_tensor``."""
    return f"torch.sparse_coo_tensor({', '.join(filter(None, (indices, values, size, *keywords)))})"


_TWICE = "[[2, 0, 2, 1], [1, 3, 1, 0]]"
_THRICE = "[[2, 0, 2, 0, 2], [1, 3, 1, 3, 1]]"
_ONCE = "[[0, 0, 2], [1, 3, 0]]"
_ROWS = "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]"
_NONE = "torch.zeros(({}), dtype=torch.int64)"

SOURCES = {
    "twice": coo(_TWICE, "[1.0, 2.0, 3.0, 4.0]", "(3, 4)"),
    "sorted": coo(_ONCE, "[5.0, -2.0, 7.0]", "(3, 4)"),
    "coalesced": coo(_ONCE, "[5.0, -2.0, 7.0]", "(3, 4)") + ".coalesce()",
    "coalesced of twice": coo(_TWICE, "[1.0, 2.0, 3.0, 4.0]", "(3, 4)") + ".coalesce()",
    "unsorted": coo("[[2, 1, 0], [0, 3, 1]]", "[1.0, 2.0, 4.0]", "(3, 4)"),
    "fractions": coo("[[1, 0, 1, 1, 0], [2, 2, 2, 2, 2]]", "[1e8, 0.1, 0.3, -1e8, 0.7]", "(3, 4)"),
    "one": coo("[[1], [2]]", "[3.0]", "(3, 4)"),
    "zeros": coo(_ONCE, "[0.0, -0.0, 0.0]", "(3, 4)"),
    "nan": coo(_ONCE, "[float('nan'), float('inf'), -0.0]", "(3, 4)"),
    "empty": "torch.sparse_coo_tensor((3, 4))",
    "no rows": coo(_NONE.format("2, 0"), "[]", "(0, 4)"),
    "hybrid": coo("[[2, 0, 2]]", _ROWS, "(3, 2)"),
    "hybrid coalesced": coo("[[2, 0, 2]]", _ROWS, "(3, 2)") + ".coalesce()",
    "hybrid empty": coo(_NONE.format("1, 0"), "torch.zeros(0, 2)", "(3, 2)"),
    "hybrid of 3": coo(_ONCE, _ROWS, "(3, 4, 2)"),
    "rows of none": coo("[[2, 0, 2]]", "torch.zeros(3, 0)", "(3, 0)"),
    "no sparse dim": coo(_NONE.format("0, 3"), "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]", "(2,)"),
    "0-dim": coo(_NONE.format("0, 2"), "[1.0, 2.0]", "()"),
    "0-dim coalesced": coo(_NONE.format("0, 1"), "[3.0]", "()"),
    "0-dim empty": "torch.sparse_coo_tensor(())",
    "1-dim": coo("[[1, 0, 1]]", "[1.0, 2.0, 4.0]", "(3,)"),
    "3-dim": coo("[[1, 0, 1, 1], [0, 2, 0, 0], [1, 1, 1, 0]]", "[1.0, 2.0, 4.0, 8.0]", "(2, 3, 2)"),
    "strided parts":
        coo("torch.tensor([[2, 1], [0, 3], [2, 1]]).t()", "torch.arange(6.0)[::2]", "(3, 4)"),
    "strided rows": coo("[[2, 0]]", "torch.arange(6.0).view(3, 2).t()", "(3, 3)"),
    "complex": coo(_TWICE, "[1j, 2, 3 - 1j, 4]", "(3, 4)"),
    "conjugate": coo(_TWICE, "torch.tensor([1j, 2, 3 - 1j, 4]).conj()", "(3, 4)"),
    "negative": coo(_ONCE, "torch.tensor([1j, 2, 3 - 1j]).conj().imag", "(3, 4)"),
    "infinite": coo(_THRICE, "[float('inf'), 3e38, float('-inf'), 3e38, 1.0]", "(3, 4)"),
    "complex infinite": coo(_THRICE, "[1j, float('inf'), float('nan'), 3e38j, 2]", "(3, 4)"),
    "bool of three": coo(_THRICE, "[False, True, False, True, True]", "(3, 4)"),
    "int64": coo(_TWICE, "[1, 2, 3, 4]", "(3, 4)"),
    "uint8": coo(_TWICE, "[200, 2, 100, 4]", "(3, 4)", "dtype=torch.uint8"),
    "bool": coo(_TWICE, "[True, False, True, True]", "(3, 4)"),
    "bfloat16": coo(_TWICE, "[1.0, 2.0, 3.0, 4.0]", "(3, 4)", "dtype=torch.bfloat16"),
    "grad": coo(_TWICE, "[1.0, 2.0, 3.0, 4.0]", "(3, 4)", "requires_grad=True"),
    "grad coalesced":
        coo(_ONCE, "[5.0, -2.0, 7.0]", "(3, 4)", "requires_grad=True") + ".coalesce()",
    "of grad": coo(_TWICE, "torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)", "(3, 4)"),
}  # fmt: skip
"""Sparse tensors of all kinds. Except for "fractions", sums of duplicates are exact."""


def tensor_of_dtype(dtype: str, kind: str = "twice") -> str:
    """Return the text of a sparse tensor of a dtype, with or without duplicate indices."""
    indices = _TWICE if kind == "twice" else "[[0, 0, 2, 2], [1, 3, 0, 1]]"
    text = coo(indices, "[1, 0, 3, 1]", "(3, 4)", f"dtype=torch.{dtype}")
    return text + (".coalesce()" if kind == "coalesced" else "")


class Sparse(NamedTuple):
    """A drawn sparse tensor: its source text, shape and ``sparse_dim``."""

    text: str
    shape: tuple[int, ...]
    sparse_dim: int


_SIZES = (0, 1, 2, 2, 3)
_DRAWN = (
    "float32", "float32", "float64", "int64", "int32", "uint8", "bool", "bfloat16", "float16",
    "complex64",
)  # fmt: skip
_NUMBERS = st.integers(-3, 5)


def _nested(numbers: list[int], shape: tuple[int, ...]) -> str:
    if not shape:
        return str(numbers[0])
    step = len(numbers) // shape[0] if shape[0] else 0
    parts = (numbers[index * step : (index + 1) * step] for index in range(shape[0]))
    return f"[{', '.join(_nested(part, shape[1:]) for part in parts)}]"


@st.composite
def tensors(draw: DrawFn, shape: tuple[int, ...], sparse_dim: int) -> str:
    """Draw a sparse tensor of a shape: indices in any order, and small integers as values."""
    dtype = draw(st.sampled_from(_DRAWN))
    # torch reads beyond the end of a factor with no dimensions and no element.
    count = draw(st.integers(0 if shape else 1, 5)) if prod(shape[:sparse_dim]) else 0
    columns = [
        [draw(st.integers(0, size - 1)) for _ in range(count)] for size in shape[:sparse_dim]
    ]
    dense = (count, *shape[sparse_dim:])
    numbers = [
        abs(number) if dtype == "uint8" else number
        for number in draw(st.lists(_NUMBERS, min_size=prod(dense), max_size=prod(dense)))
    ]
    flattened = [index for column in columns for index in column]
    indices = f"torch.tensor({flattened}, dtype=torch.int64).reshape({sparse_dim}, {count})"
    values = f"torch.tensor({_nested(numbers, dense)}, dtype=torch.{dtype}).reshape({dense})"
    suffix = draw(st.sampled_from(("", "", ".coalesce()")))
    return coo(indices, values, str(shape)) + suffix


@st.composite
def pairs(draw: DrawFn) -> tuple[Sparse, Sparse]:
    """Draw two sparse tensors, mostly of the same shape and ``sparse_dim``."""
    shape = tuple(draw(st.lists(st.sampled_from(_SIZES), max_size=3)))
    sparse_dim = draw(st.integers(0, len(shape)))
    other_shape, other_sparse_dim = shape, sparse_dim
    if draw(st.integers(0, 9)) == 0:
        other_sparse_dim = draw(st.integers(0, len(shape)))
    if shape and draw(st.integers(0, 9)) == 0:
        other_shape = (draw(st.sampled_from(_SIZES)), *shape[1:])
    return (
        Sparse(draw(tensors(shape, sparse_dim)), shape, sparse_dim),
        Sparse(draw(tensors(other_shape, other_sparse_dim)), other_shape, other_sparse_dim),
    )


_CANNOT_COALESCE = ("complex32", "float8_e5m2")
_INDICES = "torch.tensor([[2, 0, 2, 1]])"
_SORTED_INDICES = "torch.tensor([[0, 1, 2, 3]])"
_VALUES = "torch.tensor({values}).to(torch.{dtype})"
KINDS = {
    "uncoalesced": ("[0.5, -1.0, 0.25, 0.0]", ""),
    "coalesced": ("[0.5, -1.0, 2.5, 0.0]", ".coalesce()"),
    "hybrid": ("[[0.5, 2.0], [-0.0, 1.0], [0.25, -3.0], [1.0, 1.0]]", ".coalesce()"),
    "empty": ("[]", ""),
    "gradient": ("[0.5, -1.0, 2.5, 0.0]", ".requires_grad_({})"),
    "of gradient": ("[0.5, -1.0, 2.5, 0.0]", ".coalesce().requires_grad_({}).clone()"),
}
"""The values and the suffix of the sparse tensors of each dtype."""


def of_kind(kind: str, dtype: str) -> str:
    """Return a sparse tensor of a kind, with values of a dtype.

    Where torch has no kernel to coalesce the dtype, the sorted indices are marked as coalesced.
    """
    values, suffix = KINDS[kind]
    indices = _INDICES if kind != "empty" else "torch.zeros((1, 0), dtype=torch.int64)"
    size = 3
    if dtype in _CANNOT_COALESCE and ".coalesce()" in suffix:
        suffix = suffix.replace(".coalesce()", "._coalesced_(True)")
        indices, size = _SORTED_INDICES, 4
    shape = f"({size}, 2)" if kind == "hybrid" else f"({size},)"
    differentiable = not dtype.startswith(("int", "uint", "bool"))
    values = _VALUES.format(values=values, dtype=dtype)
    return coo(indices, values, shape) + suffix.format(differentiable)
