"""The rules for operands on several devices (TensorIterator).

The area ``cuda`` compares libraries with torch; `engine.device_rules` compares these rules with it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .operands import Reason, RuleResult
from .promotion import Rule, rules_of

SOURCE = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/TensorIterator.cpp"

DEVICE_RULES: Mapping[str, Rule] = rules_of(
    SOURCE,
    {
        "one-device": ("Tensors on one device give a result on it.",),
        "scalar-moves": (
            "A 0-dim tensor on the CPU is moved to the device of the other operand.",
            "devices.scalar-tensor-moves",
        ),
        "stays-where-it-is": (
            "No other tensor is moved: torch raises an error for operands on two devices.",
            "devices.no-implicit-move",
        ),
    },
)
"""Every rule of devices by its id."""


class TensorOperand(NamedTuple):
    """A tensor operand: whether it has dimensions, its device, and its name in the text."""

    has_dimensions: bool
    device: str
    name: str = "the operand"


def common_device(tensors: Sequence[TensorOperand]) -> RuleResult:
    """Return the device of an operator's result, or None if torch raises, with the reasons.

    >>> common_device([TensorOperand(False, "cpu"), TensorOperand(True, "cuda:0")]).result
    'cuda:0'
    """
    devices = {tensor.device for tensor in tensors}
    moving = [tensor for tensor in tensors if tensor.device == "cpu" and not tensor.has_dimensions]
    staying = {tensor.device for tensor in tensors if tensor not in moving}
    result = None
    if len(devices) == 1:
        (result,) = devices
        rule, text = "one-device", f"all tensors are on {result}"
    elif len(staying) == 1:
        (result,) = staying
        names = " and ".join(tensor.name for tensor in moving)
        rule, text = (
            "scalar-moves",
            f"{names} is a 0-dim tensor on the CPU and is moved to {result}",
        )
    else:
        names = " and ".join(sorted(devices))
        rule, text = "stays-where-it-is", f"the tensors are on {names}, and neither moves"
    return RuleResult(result, (Reason(rule, text, DEVICE_RULES[rule].clauses),))
