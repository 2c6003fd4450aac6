"""Bitwise operators and shifts."""

from typing import Any

from ..._dtypes.scalars import is_number
from ..._kernels import binary
from ..._kernels.elementwise import ByKind
from ..._runtime.errors import check
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor
from ..common.reference_dtypes import is_integer_dtype
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


def check_shift(name: str, tensor: Tensor, shift: Any) -> None:
    """Raise if the operator << or >> on meta has operands without integers (shift_dtype_check)."""
    check(
        is_integer_dtype(tensor._dtype),
        lambda: f"{name}: Expected input tensor to have an integral dtype. Got {tensor._dtype}",
    )
    if isinstance(shift, Tensor):
        check(
            is_integer_dtype(shift._dtype),
            lambda: f"{name}: Expected shift value to have an integral dtype. Got {shift._dtype}",
        )
    elif is_number(shift):
        number = python_scalar(shift)
        check(
            isinstance(number, int),
            lambda: f"{name}: Expected shift value to be an int. Got {number}",
        )


for _name, _operator in BITWISE.items():
    install_operator(
        _name,
        Overload("Tensor other", _operator, _operator.inplace),
        Overload("Tensor other", _operator, input="Scalar self", out=False),
        Overload("Scalar other", _operator, _operator.inplace),
        doc=f"Compute the {_name.replace('_', ' ')} of integers, element by element.",
    )
