"""Which dtype two dtypes promote to, and why: rules in order, of which the first that holds decides.

They are torch's ``promoteTypes`` (https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.cpp).  Its table
follows from two sentences: the higher category wins, and within one the smallest dtype that holds both does; what stands
before the table are refusals.  `engine.promotion_rules` holds them against torch for every pair of dtypes there is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .dtypes import DTYPES, Dtype, smallest_holding

SOURCE = "https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.cpp"


@dataclass(frozen=True)
class Rule:
    """A rule: a sentence, the clauses of the specification that it follows, and where torch has it."""

    id: str
    statement: str
    clauses: tuple[str, ...] = ()
    link: str = SOURCE


class Decision(NamedTuple):
    """What two dtypes promote to (None where torch refuses), by which rule, and why, for just this pair."""

    result: str | None
    rule: str
    why: str
    clauses: tuple[str, ...]


class Pair(NamedTuple):
    """Two dtypes, and the same two by rank: the first of equals is the left one."""

    left: Dtype
    right: Dtype

    @property
    def higher(self) -> Dtype:
        """The one whose category ranks higher."""
        return self.right if self.right.rank > self.left.rank else self.left

    @property
    def lower(self) -> Dtype:
        """The other one."""
        return self.left if self.right.rank > self.left.rank else self.right

    def of_kind(self, kind: str) -> Dtype | None:
        """Return the first that is of a kind, if one is."""
        return next((each for each in self if each.kind == kind), None)

    @property
    def names(self) -> set[str]:
        """The names of both."""
        return {self.left.name, self.right.name}


class Row(NamedTuple):
    """One rule of promotion: when it holds, what it gives, and the end of the sentence that says why."""

    rule: Rule
    holds: Callable[[Pair], object]
    gives: Callable[[Pair], str | None]
    because: Callable[[Pair], str]


def _refused(pair: Pair) -> None:
    """Give nothing."""


def _higher(pair: Pair) -> str:
    return pair.higher.name


def _smallest(pair: Pair) -> str:
    return smallest_holding(pair.higher.category, *pair)


def _wider(pair: Pair) -> str:
    return next(each.name for each in pair if each.name == _smallest(pair))


def _narrower(pair: Pair) -> str:
    return next(each.name for each in pair if each.name != _smallest(pair))


def _parts(pair: Pair) -> str:
    part, lower = smallest_holding("floating", pair.higher), pair.lower.name
    both = f"{part} and {lower}" if part != lower else part
    return f"it is the smallest complex dtype whose parts hold {both}"


def _alone(kind: str, what: str) -> Callable[[Pair], str]:
    """Say of the dtype of a kind what it is, and that it promotes with itself alone."""

    def because(pair: Pair) -> str:
        dtype = pair.of_kind(kind)
        assert dtype is not None
        return f"{dtype.name} {what}"

    return because


def _is_unsigned_with_floating(pair: Pair) -> bool:
    return pair.of_kind("unsigned") is not None and pair.higher.category == "floating"


ROWS = (
    Row(
        Rule("same", "A dtype with itself is that dtype.", ("promotion.minimum-dtype",)),
        lambda pair: pair.left is pair.right,
        lambda pair: pair.left.name,
        lambda pair: "both are the same dtype",
    ),
    Row(
        Rule(
            "quantised-refused",
            "A quantised dtype promotes with nothing but itself.",
            ("promotion.quantized-unsupported",),
        ),
        lambda pair: pair.of_kind("quantised"),
        _refused,
        _alone("quantised", "is quantised, and such a dtype promotes with itself alone"),
    ),
    Row(
        Rule("bits-refused", "A dtype of bits promotes with nothing but itself."),
        lambda pair: pair.of_kind("bits"),
        _refused,
        _alone("bits", "is bits without a meaning, and such a dtype promotes with itself alone"),
    ),
    Row(
        Rule(
            "float8-refused",
            "A float8 dtype promotes with nothing but itself.",
            ("promotion.shell-undefined",),
        ),
        lambda pair: pair.of_kind("float8"),
        _refused,
        _alone("float8", "is a float of 8 bits, and such a dtype promotes with itself alone"),
    ),
    Row(
        Rule(
            "unsigned-with-floating",
            "An unsigned integer other than uint8 with a floating dtype is the floating dtype.",
            ("promotion.shell-undefined", "promotion.category-order"),
        ),
        _is_unsigned_with_floating,
        _higher,
        lambda pair: "floating dtypes are all that such unsigned integers promote with",
    ),
    Row(
        Rule(
            "unsigned-refused",
            "An unsigned integer other than uint8 promotes with itself and with real floating dtypes alone.",
            ("promotion.shell-undefined",),
        ),
        lambda pair: pair.of_kind("unsigned"),
        _refused,
        _alone(
            "unsigned",
            "is an unsigned integer other than uint8, which promotes with itself and with real floating"
            " dtypes alone",
        ),
    ),
    Row(
        Rule(
            "unplaced-refused",
            "int1 to int7 and float4_e2m1fn_x2 have no place in torch's table: its own assertion fails.",
            ("promotion.shell-undefined",),
        ),
        lambda pair: pair.of_kind("unplaced"),
        _refused,
        _alone("unplaced", "has no place in torch's table, and its own assertion fails"),
    ),
    Row(
        Rule(
            "complex-with-floating",
            "A complex dtype with a floating one is the smallest complex dtype whose parts hold both.",
            ("promotion.category-order", "promotion.minimum-dtype"),
        ),
        lambda pair: (pair.higher.category, pair.lower.category) == ("complex", "floating"),
        _smallest,
        _parts,
    ),
    Row(
        Rule(
            "higher-category",
            "Of two categories the higher one's dtype is the result, whatever the size of the other.",
            ("promotion.category-order", "promotion.lower-category-size"),
        ),
        lambda pair: pair.higher.rank > pair.lower.rank,
        _higher,
        lambda pair: (
            f"{pair.higher.category} is a higher category than {pair.lower.category},"
            " whose size does not count"
        ),
    ),
    Row(
        Rule(
            "uint8-with-signed",
            "uint8 with a signed integer is the smallest signed integer that holds both.",
            ("promotion.minimum-dtype",),
        ),
        lambda pair: "uint8" in pair.names,
        _smallest,
        lambda pair: "it is the smallest signed integer that holds all of uint8 and of the other",
    ),
    Row(
        Rule(
            "half-with-bfloat16",
            "float16 with bfloat16 is float32, as neither holds the other: one has the longer mantissa,"
            " one the longer exponent.",
            ("promotion.minimum-dtype", "limits.float16-fields", "limits.bfloat16-fields"),
        ),
        lambda pair: pair.names == {"float16", "bfloat16"},
        _smallest,
        lambda pair: (
            "bfloat16 has the longer exponent and float16 the longer mantissa, and it is the smallest"
            " that has both"
        ),
    ),
    Row(
        Rule(
            "wider",
            "Within a category the wider dtype, which holds the other, is the result.",
            ("promotion.minimum-dtype",),
        ),
        lambda pair: True,
        _smallest,
        lambda pair: f"{_wider(pair)} holds all that {_narrower(pair)} does",
    ),
)
"""The rules in their order.  What comes after the refusals is for dtypes of numbers alone."""

RULES: Mapping[str, Rule] = {row.rule.id: row.rule for row in ROWS}
"""Every rule of promotion by its id."""

PYTHON_TYPES = {"float": "float64", "int": "int64", "complex": "complex128", "bool": "bool"}
"""What Python's types stand for where torch wants a dtype, whatever the default dtype is."""


def promotion(
    left: str, right: str, default: str = "float32", rows: Sequence[Row] = ROWS
) -> Decision:
    """Tell what two dtypes promote to, by which rule, and why.

    Both are public names such as ``uint8``, or one of Python's ``float``, ``int``, ``bool``, ``complex``.
    What the ``default`` dtype is changes nothing: it counts for numbers, not for dtypes.  Raises KeyError
    for a name that is no dtype's.

    >>> promotion("uint8", "int8")[:3]
    ('int16', 'uint8-with-signed', 'uint8 with int8 is int16: it is the smallest signed integer that holds all of uint8 and of the other.')
    """
    pair = Pair(*(DTYPES[PYTHON_TYPES.get(name, name)] for name in (left, right)))
    row = next(each for each in rows if each.holds(pair))
    result = row.gives(pair)
    given = "refused" if result is None else result
    what = f"{pair.left.name} with {pair.right.name} is {given}"
    return Decision(result, row.rule.id, f"{what}: {row.because(pair)}.", row.rule.clauses)
