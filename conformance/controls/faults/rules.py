"""Faults of the rules that explain torch: each is one row that is wrong, or is not there."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...engine import rule_checks
from ...engine.registry import Property
from ...rules.casts import CASTS, CONVERSIONS
from ...rules.devices import Located, common_device
from ...rules.operands import MEETINGS, Finding
from ...rules.operators import OPERATORS, TABLES
from ...rules.promotion import ROWS, Pair


def _checks(check: Callable[..., None], **tables: Any) -> Callable[[Property], Property]:
    """Let a property check rules with another table in the place of one."""
    return lambda prop: replace(prop, body=partial(check, **tables))


def _signed(pair: Pair) -> str:
    return next(each.name for each in pair if each.name != "uint8")


_UINT8_IS_SIGNED = [
    row._replace(gives=_signed) if row.rule.id == "uint8-with-signed" else row for row in ROWS
]
_LATER_ALWAYS_COUNTS = [each for each in MEETINGS if each.name != "stands"]
_FLOATS_INTO_INTEGERS = [each for each in CASTS if each.rule.id != "integral-refuses-floating"]
_HAS_INFINITY = [each for each in CONVERSIONS if each.rule.id != "saturates"]
_DIVIDES_AS_IT_ADDS = TABLES._replace(operators={**OPERATORS, "div": "common"})


def _all_scalars_move(tensors: Sequence[Located]) -> Finding:
    """Let 0-dim tensors move from every device, as those on the CPU do."""
    on_cpu = [each if each.has_dimensions else each._replace(device="cpu") for each in tensors]
    return common_device(on_cpu)


FAULTS = (
    (
        "rule-of-uint8", "a rule says that uint8 and int8 promote to int8", "engine.promotion_rules",
        _checks(rule_checks.check_promotion, rows=_UINT8_IS_SIGNED),
    ),
    (
        "rule-of-0-dim", "a rule is missing: 0-dim tensors and numbers always take part",
        "engine.operand_rules", _checks(rule_checks.check_operands, meetings=_LATER_ALWAYS_COUNTS),
    ),
    (
        "rule-of-casts", "a rule is missing: integers take floating numbers", "engine.cast_rules",
        _checks(rule_checks.check_cast, casts=_FLOATS_INTO_INTEGERS),
    ),
    (
        "rule-of-conversions", "a rule is missing: what is too large for float8_e4m3fn becomes infinite",
        "engine.cast_rules", _checks(rule_checks.check_cast, conversions=_HAS_INFINITY),
    ),
    (
        "rule-of-division", "a rule says that integers are divided as they are added",
        "engine.operator_rules", _checks(rule_checks.check_operator, tables=_DIVIDES_AS_IT_ADDS),
    ),
    (
        "rule-of-devices", "a rule says that 0-dim tensors move from every device", "engine.device_rules",
        _checks(rule_checks.check_device, decide=_all_scalars_move),
    ),
)  # fmt: skip
"""Each fault: its id, what is wrong, the property that catches it, and how it is planted."""
