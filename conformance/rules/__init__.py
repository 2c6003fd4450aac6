"""The rules of type promotion, casting and devices as tables, each with its reason.

They use no library: the inputs are names of dtypes, the outputs are names and sentences. The area
``engine`` compares each rule with torch, for every combination.
"""

from collections.abc import Mapping

from .casts import CAST_RULES
from .devices import DEVICE_RULES
from .functions import FUNCTION_RULES
from .operands import OPERAND_RULES
from .operators import OPERATOR_RULES
from .promotion import RULES, Decision, Rule, promotion

__all__ = ["ALL_RULES", "RULES", "Decision", "Rule", "promotion"]

ALL_RULES: Mapping[str, Rule] = {
    **RULES, **OPERAND_RULES, **CAST_RULES, **OPERATOR_RULES, **DEVICE_RULES,
    **FUNCTION_RULES,
}  # fmt: skip
"""Every rule of an explanation by its id; `RULES` has only those of promotion."""
