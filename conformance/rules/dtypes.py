"""The dtypes of the rules: their categories and the numbers that they hold.

No library is read. ``engine.promotion_rules``, ``engine.operand_rules`` and ``engine.cast_rules``
compare the consequences with torch, for every pair of dtypes.
"""

from collections.abc import Iterable, Mapping
from operator import ge
from typing import NamedTuple

RANKS = {"boolean": 0, "integral": 1, "opaque": 1, "floating": 2, "complex": 3}
"""The ranks of the categories. Opaque dtypes have no arithmetic; torch ranks them as integers."""


class Dtype(NamedTuple):
    """A dtype of the rules.

    name, category: the name and the category
    kind: the group of dtypes that promotion treats alike
    holds: the range of its numbers

    A dtype holds another if each entry of its ``holds`` is at least as large. The entries of an
    integer dtype are whether it is signed, and the bits of its largest number. Those of a floating
    dtype, or of the parts of a complex one, are the bits of exponent and mantissa.
    """

    name: str
    category: str
    kind: str
    holds: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        """The rank of the category."""
        return RANKS[self.category]


NUMBERS = "numbers"
"""The ``kind`` of the dtypes that promote with each other."""

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
"""Every dtype by its name, numbers of one category from small to large."""

REAL_DTYPES = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
"""The dtype of the real and imaginary parts of each complex dtype."""


def smallest_holding(category: str, *dtypes: Dtype) -> str:
    """Return the smallest dtype of a category of numbers that holds all the given dtypes.

    >>> smallest_holding("floating", DTYPES["float16"], DTYPES["bfloat16"])
    'float32'
    """
    return next(
        candidate.name
        for candidate in DTYPES.values()
        if candidate.kind == NUMBERS
        and candidate.category == category
        and all(all(map(ge, candidate.holds, dtype.holds)) for dtype in dtypes)
    )
