"""Operators on the bits of integers."""

from ..._kernels import binary
from ..._kernels.elementwise import ByKind
from .binding import Overload, install_operator, run_of
from .iterator import Operator
from .plan import BOOLS, INTEGERS, WIDE_UNSIGNED, Pointwise


def _operator(name: str, kernel: ByKind, shift: bool = False) -> Operator:
    short = name.replace("bitwise_left_", "l").replace("bitwise_right_", "r")
    dtypes = INTEGERS if shift else INTEGERS | BOOLS | WIDE_UNSIGNED
    return Operator(Pointwise(name, f"{short}_cpu", dtypes, kernel, "NotImplemented"))


_BITWISE = {
    name: _operator(name, ByKind(name), False)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
}
_SHIFTS = {
    "bitwise_left_shift": _operator("bitwise_left_shift", ByKind(binary.shift_left), True),
    "bitwise_right_shift": _operator("bitwise_right_shift", ByKind(binary.shift_right), True),
}
BITWISE = _BITWISE | _SHIFTS
"""The operators by the names of their functions."""

for _name, _each in BITWISE.items():
    _run = run_of(_each)
    install_operator(
        _name,
        Overload("Tensor other", _run, _each.change),
        Overload("Tensor other", _run, input="Scalar self", out=False),
        Overload("Scalar other", _run, _each.change),
        doc=f"Compute the {_name.replace('_', ' ')} of integers, element by element.",
    )
