"""The promotion of two dtypes: rules in order, of which the first that applies decides.

They are torch's ``promoteTypes``
(https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.cpp). Its table follows from two
rules: the higher category wins, and within a category the smallest dtype that holds both. The rules
before them are those for which torch raises. `engine.promotion_rules` compares them with torch for
every pair of dtypes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .dtypes import DTYPES, Dtype, smallest_holding

SOURCE = "https://github.com/pytorch/pytorch/blob/main/c10/core/ScalarType.cpp"


@dataclass(frozen=True)
class Rule:
    """A rule: its sentence, the clauses that it follows, and its torch source."""

    id: str
    statement: str
    clauses: tuple[str, ...] = ()
    link: str = SOURCE


def rules_of(link: str, rows: Mapping[str, tuple[str, ...]]) -> dict[str, Rule]:
    """Return the rules of a torch source by id, each given by its sentence and its clauses."""
    return {name: Rule(name, text, tuple(clauses), link) for name, (text, *clauses) in rows.items()}


class Decision(NamedTuple):
    """The promotion of two dtypes.

    result: the dtype, or None if torch raises
    rule: the id of the rule
    why: the explanation for this pair
    clauses: the clauses that the rule follows
    """

    result: str | None
    rule: str
    why: str
    clauses: tuple[str, ...]


class Pair(NamedTuple):
    """Two dtypes, also in the order of their ranks; of equal ranks the left one is higher."""

    left: Dtype
    right: Dtype

    @property
    def higher(self) -> Dtype:
        """The dtype whose category ranks higher."""
        return self.right if self.right.rank > self.left.rank else self.left

    @property
    def lower(self) -> Dtype:
        """The other dtype."""
        return self.left if self.right.rank > self.left.rank else self.right

    def of_kind(self, kind: str) -> Dtype | None:
        """Return the first dtype of a kind, or None."""
        return next((dtype for dtype in self if dtype.kind == kind), None)

    @property
    def names(self) -> set[str]:
        """The names of both dtypes."""
        return {self.left.name, self.right.name}


class Row(NamedTuple):
    """A rule of promotion: whether it applies, its result, and the reason for a pair."""

    name: str
    statement: str
    clauses: tuple[str, ...]
    holds: Callable[[Pair], object]
    gives: Callable[[Pair], str | None]
    because: Callable[[Pair], str]

    @property
    def rule(self) -> Rule:
        """The rule, without its functions."""
        return Rule(self.name, self.statement, self.clauses)


def _higher(pair: Pair) -> str:
    return pair.higher.name


def _smallest(pair: Pair) -> str:
    return smallest_holding(pair.higher.category, *pair)


def _parts(pair: Pair) -> str:
    part, lower = smallest_holding("floating", pair.higher), pair.lower.name
    both = f"{part} and {lower}" if part != lower else part
    return f"it is the smallest complex dtype that holds {both}"


def _refusal(kind: str, statement: str, clauses: tuple[str, ...], text: str) -> Row:
    """Return the row of a kind of dtypes for which torch raises."""

    def because(pair: Pair) -> str:
        dtype = pair.of_kind(kind)
        assert dtype is not None
        return f"{dtype.name} {text}"

    name = f"{kind}-refused"
    return Row(
        name, statement, clauses, lambda pair: pair.of_kind(kind), lambda pair: None, because
    )


ROWS = (
    Row(
        "same",
        "A dtype with itself is that dtype.",
        ("promotion.minimum-dtype",),
        lambda pair: pair.left is pair.right,
        lambda pair: pair.left.name,
        lambda pair: "both are the same dtype",
    ),
    _refusal(
        "quantised",
        "A quantized dtype promotes only with itself.",
        ("promotion.quantized-unsupported",),
        "is a quantized dtype, which promotes only with itself",
    ),
    _refusal(
        "bits",
        "A bits dtype promotes only with itself.",
        (),
        "is a bits dtype, which promotes only with itself",
    ),
    _refusal(
        "float8",
        "A float8 dtype promotes only with itself.",
        ("promotion.shell-undefined",),
        "is a float8 dtype, which promotes only with itself",
    ),
    Row(
        "unsigned-with-floating",
        "An unsigned integer other than uint8 with a floating dtype is the floating dtype.",
        ("promotion.shell-undefined", "promotion.category-order"),
        lambda pair: pair.of_kind("unsigned") and pair.higher.category == "floating",
        _higher,
        lambda pair: "such unsigned integers promote only with floating dtypes",
    ),
    _refusal(
        "unsigned",
        "An unsigned integer other than uint8 promotes only with itself or a floating dtype.",
        ("promotion.shell-undefined",),
        "is an unsigned integer other than uint8, which promotes only with itself or a floating"
        " dtype",
    ),
    _refusal(
        "unplaced",
        "int1 to int7 and float4_e2m1fn_x2 are not in torch's table: an assertion fails.",
        ("promotion.shell-undefined",),
        "is not in torch's table, and an assertion fails",
    ),
    Row(
        "complex-with-floating",
        "A complex dtype with a floating one is the smallest complex dtype that holds both.",
        ("promotion.category-order", "promotion.minimum-dtype"),
        lambda pair: (pair.higher.category, pair.lower.category) == ("complex", "floating"),
        _smallest,
        _parts,
    ),
    Row(
        "higher-category",
        "Of two categories the dtype of the higher one is the result, independent of sizes.",
        ("promotion.category-order", "promotion.lower-category-size"),
        lambda pair: pair.higher.rank > pair.lower.rank,
        _higher,
        lambda pair: (
            f"{pair.higher.category} is a higher category than {pair.lower.category},"
            " whose size does not matter"
        ),
    ),
    Row(
        "uint8-with-signed",
        "uint8 with a signed integer is the smallest signed integer that holds both.",
        ("promotion.minimum-dtype",),
        lambda pair: "uint8" in pair.names,
        _smallest,
        lambda pair: "it is the smallest signed integer that holds both",
    ),
    Row(
        "half-with-bfloat16",
        "float16 with bfloat16 is float32, as neither holds the other: float16 has the longer"
        " mantissa, bfloat16 the longer exponent.",
        ("promotion.minimum-dtype", "limits.float16-fields", "limits.bfloat16-fields"),
        lambda pair: pair.names == {"float16", "bfloat16"},
        _smallest,
        lambda pair: (
            "bfloat16 has the longer exponent and float16 the longer mantissa, and it is the"
            " smallest dtype with both"
        ),
    ),
    Row(
        "wider",
        "Within a category the wider dtype, which holds the other, is the result.",
        ("promotion.minimum-dtype",),
        lambda pair: True,
        _smallest,
        lambda pair: f"{(wider := _smallest(pair))} holds {(pair.names - {wider}).pop()}",
    ),
)
"""The rules in order. The rules after the refusals apply only to dtypes of kind `NUMBERS`."""

RULES: Mapping[str, Rule] = {row.name: row.rule for row in ROWS}
"""Every rule of promotion by its id."""

PYTHON_TYPES = {"float": "float64", "int": "int64", "complex": "complex128", "bool": "bool"}
"""The dtypes of Python's types as arguments, independent of the default dtype."""


def promotion(
    left: str, right: str, default: str = "float32", rows: Sequence[Row] = ROWS
) -> Decision:
    """Return the promotion of two dtypes, its rule, and the reason.

    Both are public names such as ``uint8``, or Python's ``float``, ``int``, ``bool`` or
    ``complex``. The ``default`` dtype does not matter: it applies to numbers, not to dtypes. Raise
    KeyError if a name is not a dtype.

    >>> promotion("uint8", "int8")[:2]
    ('int16', 'uint8-with-signed')
    >>> promotion("uint8", "int8").why
    'uint8 with int8 is int16: it is the smallest signed integer that holds both.'
    """
    pair = Pair(*(DTYPES[PYTHON_TYPES.get(name, name)] for name in (left, right)))
    row = next(row for row in rows if row.holds(pair))
    result = row.gives(pair)
    outcome = "refused" if result is None else result
    sentence = f"{pair.left.name} with {pair.right.name} is {outcome}"
    return Decision(result, row.name, f"{sentence}: {row.because(pair)}.", row.clauses)
