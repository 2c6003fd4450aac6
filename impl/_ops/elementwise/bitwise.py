"""Bitwise operators and shifts."""

from ..._kernels import binary
from ..._kernels.elementwise import ByKind
from .binding import Overload, install_operator
from .iterator import Operator
from .plan import BOOLS, INTEGERS, WIDE_UNSIGNED, Pointwise

_INTEGRAL = INTEGERS | BOOLS | WIDE_UNSIGNED

BITWISE = {
    name: Operator(Pointwise(name, f"{kernel}_cpu", dtypes, ByKind(compute), "NotImplemented"))
    for name, kernel, dtypes, compute in (
        ("bitwise_and", "bitwise_and", _INTEGRAL, "bitwise_and"),
        ("bitwise_or", "bitwise_or", _INTEGRAL, "bitwise_or"),
        ("bitwise_xor", "bitwise_xor", _INTEGRAL, "bitwise_xor"),
        ("bitwise_left_shift", "lshift", INTEGERS, binary.shift_left),
        ("bitwise_right_shift", "rshift", INTEGERS, binary.shift_right),
    )
}
"""The operators by function name."""

for _name, _operator in BITWISE.items():
    install_operator(
        _name,
        Overload("Tensor other", _operator, _operator.inplace),
        Overload("Tensor other", _operator, input="Scalar self", out=False),
        Overload("Scalar other", _operator, _operator.inplace),
        doc=f"Compute the {_name.replace('_', ' ')} of integers, element by element.",
    )
