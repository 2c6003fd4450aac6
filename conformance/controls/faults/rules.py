"""Faults of the rules that explain torch: one wrong or missing row each."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...engine import function_checks, rule_checks
from ...engine.registry import Property
from ...rules.casts import CASTS, CONVERSIONS
from ...rules.devices import TensorOperand, common_device
from ...rules.functions import FUNCTIONS
from ...rules.operands import GROUP_RULES, RuleResult
from ...rules.operators import OPERATORS, TABLES
from ...rules.promotion import ROWS, Pair
from ..control import Arrange, change_property, fault


def _checks(check: Callable[..., None], **tables: Any) -> Callable[[Property], Property]:
    """Return a change of a property that passes other tables to its rule check."""
    return lambda prop: replace(prop, body=partial(check, **tables))


def _signed(pair: Pair) -> str:
    return next(dtype.name for dtype in pair if dtype.name != "uint8")


_UINT8_IS_SIGNED = [
    row._replace(gives=_signed) if row.rule.id == "uint8-with-signed" else row for row in ROWS
]
_LATER_ALWAYS_COUNTS = [rule for rule in GROUP_RULES if rule.name != "stands"]
_FLOATS_INTO_INTEGERS = [row for row in CASTS if row.rule.id != "integral-refuses-floating"]
_HAS_INFINITY = [row for row in CONVERSIONS if row.rule.id != "saturates"]
_DIVIDES_AS_IT_ADDS = TABLES._replace(operators={**OPERATORS, "div": "common"})
_SUMS_ARE_KEPT = {**FUNCTIONS, "sum": "kept"}
_CAT_KEEPS = {**FUNCTIONS, "cat": "kept"}
_FULL_AS_TENSOR = {**FUNCTIONS, "full": "numbers"}


def _all_scalars_move(tensors: Sequence[TensorOperand]) -> RuleResult:
    """Return the common device if 0-dim tensors move from every device, not only from the CPU."""
    on_cpu = [x if x.has_dimensions else x._replace(device="cpu") for x in tensors]
    return common_device(on_cpu)


@fault("engine.promotion_rules", "verdict")
def rule_of_uint8() -> Arrange:
    """A rule promotes uint8 and int8 to int8."""
    return change_property(_checks(rule_checks.check_promotion, rows=_UINT8_IS_SIGNED))


@fault("engine.operand_rules", "verdict")
def rule_of_0_dim() -> Arrange:
    """A rule is missing, so 0-dim tensors and numbers always take part."""
    return change_property(_checks(rule_checks.check_operands, rules=_LATER_ALWAYS_COUNTS))


@fault("engine.cast_rules", "verdict")
def rule_of_casts() -> Arrange:
    """A rule is missing, so integers accept floating numbers."""
    return change_property(_checks(rule_checks.check_cast, casts=_FLOATS_INTO_INTEGERS))


@fault("engine.cast_rules", "verdict")
def rule_of_conversions() -> Arrange:
    """A rule is missing, so numbers too large for float8_e4m3fn become infinite."""
    return change_property(_checks(rule_checks.check_cast, conversions=_HAS_INFINITY))


@fault("engine.operator_rules", "verdict")
def rule_of_division() -> Arrange:
    """A rule gives the quotient of integers the dtype of their sum."""
    return change_property(_checks(rule_checks.check_operator, tables=_DIVIDES_AS_IT_ADDS))


@fault("engine.function_rules", "verdict")
def rule_of_sums() -> Arrange:
    """A rule gives the sum of integers the dtype of its operand."""
    return change_property(_checks(function_checks.check_function, functions=_SUMS_ARE_KEPT))


@fault("engine.join_rules", "verdict")
def rule_of_cat() -> Arrange:
    """A rule gives the result of cat the dtype of the first tensor."""
    return change_property(_checks(function_checks.check_join, functions=_CAT_KEEPS))


@fault("engine.factory_rules", "verdict")
def rule_of_fill_values() -> Arrange:
    """A rule gives a complex fill value the complex dtype of the default dtype."""
    return change_property(_checks(function_checks.check_factory, functions=_FULL_AS_TENSOR))


@fault("engine.device_rules", "verdict")
def rule_of_devices() -> Arrange:
    """A rule moves 0-dim tensors from every device."""
    return change_property(_checks(rule_checks.check_device, decide=_all_scalars_move))
