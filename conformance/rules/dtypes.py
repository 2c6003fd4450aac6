"""The dtypes as the rules see them: which category each is of, and which numbers it holds.

Nothing here is read from a library.  What the rules make of it is held against torch, pair by pair
(``engine.promotion_rules``, ``engine.operand_rules``, ``engine.cast_rules``).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

RANKS = {"boolean": 0, "integral": 1, "opaque": 1, "floating": 2, "complex": 3}
"""The categories from low to high.  What is opaque has no arithmetic; torch ranks it with integers."""


class Dtype(NamedTuple):
    """A dtype: its category, what kind of it promotion knows, and which numbers it holds.

    One dtype holds what another does if each number of its ``holds`` is at least as large: of integers
    whether there are negative ones, and the bits of the largest; of floats, and of the parts of a complex
    dtype, the bits of exponent and mantissa.
    """

    name: str
    category: str
    kind: str
    holds: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        """The place of the category among the others."""
        return RANKS[self.category]


NUMBERS = "numbers"
"""The kind of dtype between which promotion is defined."""

_BELOW_8_BITS = range(1, 8)
_ROWS: tuple[tuple[str, str, Mapping[str, tuple[int, ...]] | Iterable[str]], ...] = (
    ("boolean", NUMBERS, {"bool": (0, 1)}),
    ("integral", NUMBERS,
     {"uint8": (0, 8), "int8": (1, 7), "int16": (1, 15), "int32": (1, 31), "int64": (1, 63)}),
    ("floating", NUMBERS,
     {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}),
    ("complex", NUMBERS, {"complex32": (5, 10), "complex64": (8, 23), "complex128": (11, 52)}),
    ("integral", "unsigned", ("uint16", "uint32", "uint64")),
    ("opaque", "unsigned", [f"uint{bits}" for bits in _BELOW_8_BITS]),
    ("opaque", "unplaced", [f"int{bits}" for bits in _BELOW_8_BITS]),
    ("floating", "unplaced", ("float4_e2m1fn_x2",)),
    ("floating", "float8",
     ("float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu")),
    ("opaque", "quantised", ("qint8", "quint8", "qint32", "quint4x2", "quint2x4")),
    ("opaque", "bits", ("bits1x8", "bits2x4", "bits4x2", "bits8", "bits16")),
)  # fmt: skip

DTYPES: Mapping[str, Dtype] = {
    name: Dtype(name, category, kind, names[name] if isinstance(names, Mapping) else ())
    for category, kind, names in _ROWS
    for name in names
}
"""Every dtype by its name; within a category of numbers the smallest is first."""


def smallest_holding(category: str, *dtypes: Dtype) -> str:
    """Return the smallest dtype of a category of numbers that holds what all of some dtypes do.

    >>> smallest_holding("floating", DTYPES["float16"], DTYPES["bfloat16"])
    'float32'
    """
    return next(
        each.name
        for each in DTYPES.values()
        if each.kind == NUMBERS
        and each.category == category
        and all(
            mine >= other
            for dtype in dtypes
            for mine, other in zip(each.holds, dtype.holds, strict=True)
        )
    )
