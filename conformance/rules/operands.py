"""Which dtype operands have in common: tensors with dimensions, 0-dim tensors, and Python's numbers.

It is torch's ``result_type``: each of the three is promoted by itself, and what comes first stands unless a later
one's category is higher (https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/TypeProperties.cpp).
`engine.operand_rules` holds it against torch for every pair of operands.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .dtypes import DTYPES, NUMBERS, RANKS, smallest_holding
from .promotion import Rule, promotion

SOURCE = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/TypeProperties.cpp"

PLACES = {
    "dimensioned": "tensor with dimensions",
    "zero-dim": "0-dim tensor",
    "number": "Python number",
}
"""What an operand can be, in the order in which dtypes are decided."""


class Operand(NamedTuple):
    """An operand: its place, its dtype (of a number, the name of its Python type), and how to call it."""

    place: str
    dtype: str
    name: str = "the operand"


class Reason(NamedTuple):
    """One step of an explanation: the rule, what it says here, and the clauses that it follows."""

    rule: str
    text: str
    clauses: tuple[str, ...] = ()


class Finding(NamedTuple):
    """A dtype, or None where torch refuses, and the steps that led there."""

    result: str | None
    reasons: tuple[Reason, ...] = ()


class Group(NamedTuple):
    """What the operands of one place have promoted to."""

    place: str
    dtype: str

    @property
    def category(self) -> str:
        """The category of the dtype."""
        return DTYPES[self.dtype].category

    @property
    def rank(self) -> int:
        """The place of the category among the others."""
        return RANKS[self.category]


OPERAND_RULES: Mapping[str, Rule] = {
    each.id: each
    for each in (
        Rule(
            "tensor-operand",
            "A tensor brings its own dtype, with or without dimensions, whatever its elements are.",
            ("promotion.values-not-inspected",),
            SOURCE,
        ),
        Rule("bool-number", "A Python bool counts as bool.", ("promotion.bool-scalar",), SOURCE),
        Rule("int-number", "A Python int counts as int64.", ("promotion.int-scalar",), SOURCE),
        Rule(
            "float-number",
            "A Python float counts as the default dtype.",
            ("promotion.float-scalar",),
            SOURCE,
        ),
        Rule(
            "complex-number",
            "A Python complex counts as the smallest complex dtype whose parts hold the default dtype.",
            ("promotion.scalar-higher-category",),
            SOURCE,
        ),
        Rule(
            "dimensioned-stands",
            "A 0-dim tensor or a number of no higher category leaves the tensor with dimensions as it is.",
            ("promotion.dimensioned-decide", "promotion.scalar-higher-category"),
            SOURCE,
        ),
        Rule(
            "zero-dim-stands",
            "A number of no higher category leaves the 0-dim tensor as it is.",
            ("promotion.scalar-higher-category",),
            SOURCE,
        ),
        Rule(
            "zero-dim-takes-part",
            "A 0-dim tensor takes part if its category is higher than that of the tensors with dimensions.",
            ("promotion.zero-dim-higher-category", "promotion.category-order"),
            SOURCE,
        ),
        Rule(
            "number-takes-part",
            "A number takes part if its category is higher than that of the tensors.",
            ("promotion.scalar-higher-category", "promotion.category-order"),
            SOURCE,
        ),
        Rule(
            "complex-of-floating",
            "What is complex and takes part brings its category, and a floating dtype keeps its size.",
            ("promotion.category-order",),
            SOURCE,
        ),
        Rule(
            "complex-as-it-is",
            "What is complex and takes part is the result, where nothing else is floating.",
            ("promotion.category-order",),
            SOURCE,
        ),
    )
}
"""Every rule about operands by its id; beside them, those of `promotion`."""


def _stands(first: Group, later: Group) -> Finding:
    text = f"{later.category}, the category of the {PLACES[later.place]}, is not higher than"
    what = f"{text} {first.category}: the {PLACES[first.place]} decides, {first.dtype}"
    return Finding(first.dtype, (_reason(f"{first.place}-stands", what),))


def _complex_of_floating(first: Group, later: Group) -> Finding:
    dtype = DTYPES[first.dtype]
    if dtype.kind != NUMBERS:
        what = f"there is no complex dtype for {first.dtype}, so this is refused"
        return Finding(None, (_reason("complex-of-floating", what),))
    result = smallest_holding("complex", dtype)
    what = f"it makes the result complex, and {first.dtype} keeps its size: {result}"
    return Finding(result, (_reason("complex-of-floating", what),))


def _complex_as_it_is(first: Group, later: Group) -> Finding:
    what = f"nothing else is floating, so the result is {later.dtype}"
    return Finding(later.dtype, (_reason("complex-as-it-is", what),))


def _together(first: Group, later: Group) -> Finding:
    return promoted(first.dtype, later.dtype)


class Meeting(NamedTuple):
    """What happens where a group of operands meets one of a later place."""

    name: str
    holds: Callable[[Group, Group], bool]
    gives: Callable[[Group, Group], Finding]


MEETINGS = (
    Meeting("stands", lambda first, later: later.rank <= first.rank, _stands),
    Meeting(
        "complex-of-floating",
        lambda first, later: (first.category, later.category) == ("floating", "complex"),
        _complex_of_floating,
    ),
    Meeting(
        "complex-as-it-is", lambda first, later: later.category == "complex", _complex_as_it_is
    ),
    Meeting("together", lambda first, later: True, _together),
)
"""The meetings in their order, of which the first that holds decides."""


def common_dtype(
    operands: Sequence[Operand], default: str = "float32", meetings: Sequence[Meeting] = MEETINGS
) -> Finding:
    """Tell which dtype operands have in common under a default dtype, and how it comes to that.

    >>> common_dtype([Operand("dimensioned", "uint8"), Operand("zero-dim", "float64")]).result
    'float64'
    >>> common_dtype([Operand("dimensioned", "float16"), Operand("number", "complex")]).result
    'complex32'
    """
    reasons = [_introduced(each, default) for each in operands]
    groups: list[Group] = []
    for place in PLACES:
        dtypes = [dtype_of(each, default) for each in operands if each.place == place]
        found = _promoted_all(dtypes)
        reasons += found.reasons
        if dtypes and found.result is None:
            return Finding(None, tuple(reasons))
        if found.result is not None:
            groups.append(Group(place, found.result))
    result = groups[-1]
    for first in groups[-2::-1]:
        if result.rank > first.rank:
            reasons.append(_takes_part(first, result))
        meeting = next(each for each in meetings if each.holds(first, result))
        found = meeting.gives(first, result)
        reasons += found.reasons
        if found.result is None:
            return Finding(None, tuple(reasons))
        # What it came to stands in the first one's place for all that comes before.
        result = Group(result.place, found.result)
    return Finding(result.dtype, tuple(reasons))


def dtype_of(operand: Operand, default: str) -> str:
    """Return the dtype that an operand brings: of a number, that which its Python type counts as."""
    if operand.place != "number":
        return operand.dtype
    if operand.dtype == "complex":
        return smallest_holding("complex", DTYPES[default])
    return {"bool": "bool", "int": "int64", "float": default}[operand.dtype]


def promoted(left: str, right: str) -> Finding:
    """Tell what two dtypes promote to, as a finding."""
    decision = promotion(left, right)
    reason = Reason(decision.rule, decision.why.removesuffix("."), decision.clauses)
    return Finding(decision.result, (reason,))


def _promoted_all(dtypes: Sequence[str]) -> Finding:
    """Promote dtypes one after the other."""
    so_far = Finding(dtypes[0] if dtypes else None)
    for each in dtypes[1:]:
        if so_far.result is None:
            break
        found = promoted(so_far.result, each)
        so_far = Finding(found.result, so_far.reasons + found.reasons)
    return so_far


def _introduced(operand: Operand, default: str) -> Reason:
    """Say what an operand is."""
    dtype = dtype_of(operand, default)
    category = DTYPES[dtype].category
    if operand.place != "number":
        what = f"{operand.name} is a {PLACES[operand.place]}, {dtype}: its category is {category}"
        return _reason("tensor-operand", what)
    as_default = ", by the default dtype" if operand.dtype in ("float", "complex") else ""
    what = f"{operand.name} is a Python {operand.dtype} and counts as {dtype}{as_default}: its category is"
    return _reason(f"{operand.dtype}-number", f"{what} {category}")


def _takes_part(first: Group, later: Group) -> Reason:
    what = f"{later.category}, the category of the {PLACES[later.place]}, is higher than {first.category}"
    return _reason(
        f"{later.place}-takes-part",
        f"{what}, that of the {PLACES[first.place]}, so it takes part",
    )


def _reason(rule: str, text: str) -> Reason:
    return Reason(rule, text, OPERAND_RULES[rule].clauses)
