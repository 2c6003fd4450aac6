"""Where operands on several devices meet: which of them moves, and what is refused.

The area ``cuda`` holds libraries against torch in this; `engine.device_rules` holds these sentences against it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .operands import Finding, Reason
from .promotion import Rule

SOURCE = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/TensorIterator.cpp"

DEVICE_RULES: Mapping[str, Rule] = {
    each.id: each
    for each in (
        Rule("one-device", "Tensors on one device give a result on it.", (), SOURCE),
        Rule(
            "scalar-moves",
            "A 0-dim tensor on the CPU goes to the device of the other operand by itself.",
            ("devices.scalar-tensor-moves",),
            SOURCE,
        ),
        Rule(
            "stays-where-it-is",
            "No other tensor is moved by itself: operands on two devices are refused.",
            ("devices.no-implicit-move",),
            SOURCE,
        ),
    )
}
"""Every rule about devices by its id."""


class Located(NamedTuple):
    """A tensor: whether it has dimensions, its device, and how to call it."""

    has_dimensions: bool
    device: str
    name: str = "the operand"


def common_device(tensors: Sequence[Located]) -> Finding:
    """Tell on which device the result of an operator is, or None where torch refuses, and why.

    >>> common_device([Located(False, "cpu"), Located(True, "cuda:0")]).result
    'cuda:0'
    """
    devices = {each.device for each in tensors}
    if len(devices) == 1:
        (device,) = devices
        return Finding(device, (_reason("one-device", f"all tensors are on {device}"),))
    moving = [each for each in tensors if each.device == "cpu" and not each.has_dimensions]
    staying = {each.device for each in tensors if each not in moving}
    if len(staying) == 1:
        (device,) = staying
        names = " and ".join(each.name for each in moving)
        what = f"{names} is a 0-dim tensor on the CPU and goes to {device}, where the other is"
        return Finding(device, (_reason("scalar-moves", what),))
    where = " and ".join(sorted(devices))
    return Finding(
        None, (_reason("stays-where-it-is", f"the tensors are on {where}, and neither moves"),)
    )


def _reason(rule: str, text: str) -> Reason:
    return Reason(rule, text, DEVICE_RULES[rule].clauses)
