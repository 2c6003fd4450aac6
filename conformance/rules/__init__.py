"""The rules of promotion and casting as small tables: what torch does, and why.

They need no library, and know none: names of dtypes go in, names of dtypes and sentences come out.  The area
``engine`` holds each of them against torch, for every combination there is.
"""

from collections.abc import Mapping

from .casts import CAST_RULES
from .devices import DEVICE_RULES
from .operands import OPERAND_RULES
from .operators import OPERATOR_RULES
from .promotion import RULES, Decision, Rule, promotion

__all__ = ["ALL_RULES", "RULES", "Decision", "Rule", "promotion"]

ALL_RULES: Mapping[str, Rule] = {
    **RULES, **OPERAND_RULES, **CAST_RULES, **OPERATOR_RULES, **DEVICE_RULES,
}  # fmt: skip
"""Every rule that an explanation can name, by its id; `RULES` are those of promotion alone."""
