"""The common dtype of operands: tensors with dimensions, 0-dim tensors, and Python numbers.

These are the rules of ``result_type``. Each of the three groups is promoted by itself. An earlier
group decides unless a later one has a higher category
(https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/TypeProperties.cpp).
`engine.operand_rules` compares them with torch for every pair of operands.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .dtypes import DTYPES, NUMBERS, RANKS, smallest_holding
from .promotion import Rule, promotion, rules_of

SOURCE = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/TypeProperties.cpp"

OPERAND_GROUPS = {
    "dimensioned": "tensor with dimensions",
    "zero-dim": "0-dim tensor",
    "number": "Python number",
}
"""The groups of operands, in the order of their priority."""


class Operand(NamedTuple):
    """An operand: its group, its dtype (of a number, its type), and its name in the text."""

    group: str
    dtype: str
    name: str = "the operand"


class Reason(NamedTuple):
    """One step of an explanation: the id of the rule, its text, and the clauses that it follows."""

    rule: str
    text: str
    clauses: tuple[str, ...] = ()


class RuleResult(NamedTuple):
    """A dtype (or a device), or None if torch raises, and the reasons."""

    result: str | None
    reasons: tuple[Reason, ...] = ()


class GroupDtype(NamedTuple):
    """The promoted dtype of the operands of one group."""

    group: str
    dtype: str

    @property
    def category(self) -> str:
        """The category of the dtype."""
        return DTYPES[self.dtype].category

    @property
    def rank(self) -> int:
        """The rank of the category."""
        return RANKS[self.category]


OPERAND_RULES: Mapping[str, Rule] = rules_of(
    SOURCE,
    {
        "tensor-operand": (
            "A tensor takes part with its own dtype, independent of its elements.",
            "promotion.values-not-inspected",
        ),
        "bool-number": ("A Python bool counts as bool.", "promotion.bool-scalar"),
        "int-number": ("A Python int counts as int64.", "promotion.int-scalar"),
        "float-number": ("A Python float counts as the default dtype.", "promotion.float-scalar"),
        "complex-number": (
            "A Python complex counts as the smallest complex dtype that holds the default dtype.",
            "promotion.scalar-higher-category",
        ),
        "dimensioned-stands": (
            "A 0-dim tensor or a number of no higher category does not change the dtype.",
            "promotion.dimensioned-decide",
            "promotion.scalar-higher-category",
        ),
        "zero-dim-stands": (
            "A number of no higher category does not change the dtype of the 0-dim tensor.",
            "promotion.scalar-higher-category",
        ),
        "zero-dim-takes-part": (
            "A 0-dim tensor takes part if its category is higher than that of the tensor.",
            "promotion.zero-dim-higher-category",
            "promotion.category-order",
        ),
        "number-takes-part": (
            "A number takes part if its category is higher than that of the tensor.",
            "promotion.scalar-higher-category",
            "promotion.category-order",
        ),
        "complex-of-floating": (
            "A complex operand makes the result complex, and a floating dtype keeps its size.",
            "promotion.category-order",
        ),
        "complex-as-it-is": (
            "The dtype of a complex operand is the result if no other operand is floating.",
            "promotion.category-order",
        ),
    },
)
"""Every rule of operands by its id, apart from those of `promotion`."""


def _rule_result(dtype: str | None, rule: str, text: str) -> RuleResult:
    return RuleResult(dtype, (_reason(rule, text),))


def _stands(first: GroupDtype, later: GroupDtype) -> RuleResult:
    comparison = (
        f"{later.category}, the category of the {OPERAND_GROUPS[later.group]}, is not higher than"
    )
    text = (
        f"{comparison} {first.category}: the {OPERAND_GROUPS[first.group]} decides, {first.dtype}"
    )
    return _rule_result(first.dtype, f"{first.group}-stands", text)


def _complex_of_floating(first: GroupDtype, later: GroupDtype) -> RuleResult:
    result, dtype = None, DTYPES[first.dtype]
    text = f"there is no complex dtype for {first.dtype}, so torch raises an error"
    if dtype.kind == NUMBERS:
        result = smallest_holding("complex", dtype)
        text = f"it makes the result complex, and {first.dtype} keeps its size: {result}"
    return _rule_result(result, "complex-of-floating", text)


def _complex_as_it_is(first: GroupDtype, later: GroupDtype) -> RuleResult:
    text = f"nothing else is floating, so the result is {later.dtype}"
    return _rule_result(later.dtype, "complex-as-it-is", text)


class GroupRule(NamedTuple):
    """A rule for two groups of operands: its name, whether it applies, and its result."""

    name: str
    holds: Callable[[GroupDtype, GroupDtype], bool]
    gives: Callable[[GroupDtype, GroupDtype], RuleResult]


GROUP_RULES = (
    GroupRule("stands", lambda first, later: later.rank <= first.rank, _stands),
    GroupRule(
        "complex-of-floating",
        lambda first, later: (first.category, later.category) == ("floating", "complex"),
        _complex_of_floating,
    ),
    GroupRule(
        "complex-as-it-is", lambda first, later: later.category == "complex", _complex_as_it_is
    ),
    GroupRule(
        "together",
        lambda first, later: True,
        lambda first, later: promoted(first.dtype, later.dtype),
    ),
)
"""The rules that combine two groups, in order; the first that applies decides."""


def common_dtype(
    operands: Sequence[Operand], default: str = "float32", rules: Sequence[GroupRule] = GROUP_RULES
) -> RuleResult:
    """Return the common dtype of operands under a default dtype, and the reasons.

    >>> common_dtype([Operand("dimensioned", "uint8"), Operand("zero-dim", "float64")]).result
    'float64'
    >>> common_dtype([Operand("dimensioned", "float16"), Operand("number", "complex")]).result
    'complex32'
    """
    reasons = [_introduced(operand, default) for operand in operands]
    groups: list[GroupDtype] = []
    for group in OPERAND_GROUPS:
        dtypes = [dtype_of(operand, default) for operand in operands if operand.group == group]
        rule_result = _promoted_all(dtypes)
        reasons += rule_result.reasons
        if dtypes and rule_result.result is None:
            return RuleResult(None, tuple(reasons))
        if rule_result.result is not None:
            groups.append(GroupDtype(group, rule_result.result))
    result = groups[-1]
    for first in groups[-2::-1]:
        if result.rank > first.rank:
            reasons.append(_takes_part(first, result))
        rule = next(rule for rule in rules if rule.holds(first, result))
        rule_result = rule.gives(first, result)
        reasons += rule_result.reasons
        if rule_result.result is None:
            return RuleResult(None, tuple(reasons))
        # Earlier groups combine with this result.
        result = GroupDtype(result.group, rule_result.result)
    return RuleResult(result.dtype, tuple(reasons))


def dtype_of(operand: Operand, default: str) -> str:
    """Return the dtype of an operand; for a number, the dtype of its Python type."""
    if operand.group != "number":
        return operand.dtype
    if operand.dtype == "complex":
        return smallest_holding("complex", DTYPES[default])
    return {"bool": "bool", "int": "int64", "float": default}[operand.dtype]


def promoted(left: str, right: str) -> RuleResult:
    """Return the promotion of two dtypes as a `RuleResult`."""
    decision = promotion(left, right)
    reason = Reason(decision.rule, decision.why.removesuffix("."), decision.clauses)
    return RuleResult(decision.result, (reason,))


def _promoted_all(dtypes: Sequence[str]) -> RuleResult:
    result = RuleResult(dtypes[0] if dtypes else None)
    for dtype in dtypes[1:]:
        if result.result is not None:
            rule_result = promoted(result.result, dtype)
            result = RuleResult(rule_result.result, result.reasons + rule_result.reasons)
    return result


def _introduced(operand: Operand, default: str) -> Reason:
    dtype = dtype_of(operand, default)
    category = DTYPES[dtype].category
    if operand.group != "number":
        group = OPERAND_GROUPS[operand.group]
        text = f"{operand.name} is a {group}, {dtype}: its category is {category}"
        return _reason("tensor-operand", text)
    as_default = ", by the default dtype" if operand.dtype in ("float", "complex") else ""
    text = f"{operand.name} is a Python {operand.dtype} and counts as {dtype}{as_default}"
    return _reason(f"{operand.dtype}-number", f"{text}: its category is {category}")


def _takes_part(first: GroupDtype, later: GroupDtype) -> Reason:
    text = f"{later.category}, the category of the {OPERAND_GROUPS[later.group]}, is higher than"
    text += f" {first.category}, that of the {OPERAND_GROUPS[first.group]}, so it takes part"
    return _reason(f"{later.group}-takes-part", text)


def _reason(rule: str, text: str) -> Reason:
    return Reason(rule, text, OPERAND_RULES[rule].clauses)
