"""Operators that tell something of each element: signbit, isnan and their kin, logical_not."""

from .. import kernels_unary as kernels
from ..dtypes import DTYPES, Kind, row_of
from ..errors import check
from ..kernels import ByKind
from ..tensor import Tensor
from .installing import Run, install_unary
from .pointwise import (
    BOOL,
    COMPLEX,
    COMPLEX32,
    FLOAT8,
    FLOATS,
    NUMBERS,
    WIDE_UNSIGNED,
    Operator,
    Pointwise,
    Result,
)
from .rows import FUNCTIONS
from .unary import refuse_complex

_BOOL, _UINT8, _FLOAT4 = DTYPES["bool"], DTYPES["uint8"], DTYPES["float4_e2m1fn_x2"]
_E5M2, _E8M0 = DTYPES["float8_e5m2"], DTYPES["float8_e8m0fnu"]
_REAL = BOOL | NUMBERS | WIDE_UNSIGNED

for _name, _compute, _refuse in (
    ("signbit", ByKind("signbit", integer=kernels.is_negative),
     refuse_complex("signbit is not implemented for complex tensors.")),
    ("isposinf", ByKind(kernels.is_positive_infinity, integer=kernels.never),
     refuse_complex("isposinf does not support complex inputs.", RuntimeError)),
    ("isneginf", ByKind(kernels.is_negative_infinity, integer=kernels.never),
     refuse_complex("isneginf does not support complex inputs.", RuntimeError)),
):  # fmt: skip
    _operator = Operator(
        Pointwise(_name, f"{_name}_cpu", _REAL, _compute, "", Result.TRUTH, refuse=_refuse)
    )
    install_unary(_name, _operator, _operator.into)


class _LogicalNot(Operator):
    """logical_not, for which torch also needs a kernel for the dtype of ``out``."""

    __slots__ = ()

    def _check_kernel(self, plan: object, out: Tensor | None) -> None:
        super()._check_kernel(plan, out)
        if out is not None and out._dtype not in self.row.dtypes:
            raise NotImplementedError(
                f"\"{self.row.kernel}\" not implemented for '{row_of(out._dtype).cpp_name}'"
            )


_LOGICAL_NOT = _LogicalNot(
    Pointwise(
        "logical_not",
        "logical_not_cpu",
        BOOL | NUMBERS | COMPLEX,
        ByKind("logical_not"),
        "MulBackward0",
        Result.COMPARED,
        structured=False,
    )
)
install_unary(
    "logical_not", _LOGICAL_NOT, _LOGICAL_NOT.into, _LOGICAL_NOT.change, in_place_function=False
)


# isnan and its kin are made of other operators in torch, which shows in the strides of their
# results (ATen/native/TensorCompare.cpp).

_ISNAN = Operator(
    Pointwise(
        "isnan",
        "ne_cpu",
        _REAL | COMPLEX | COMPLEX32 | FLOAT8,
        ByKind("isnan", integer=kernels.never),
        "",
        Result.COMPARED,
    )
)
_ISINF = Operator(
    Pointwise("isinf", "isinf", FLOATS | {_E5M2}, ByKind("isinf"), "", Result.COMPARED)
)
_IS_EITHER_INF = Operator(
    Pointwise("isinf", "isinf", FLOATS, ByKind(kernels.either_infinite), "", Result.COMPARED)
)
_ISFINITE = Operator(
    Pointwise(
        "isfinite",
        "isfinite",
        FLOATS | COMPLEX | COMPLEX32 | {_E5M2},
        ByKind("isfinite"),
        "",
        Result.COMPARED,
    )
)
_IS_ZERO = Operator(
    Pointwise("eq", "eq_cpu", FLOATS, ByKind("logical_not"), "", Result.COMPARED)
)


def _all(name: str, tensor: Tensor) -> Tensor:
    """Return a tensor of True or False, in the memory format of another."""
    made: Tensor = FUNCTIONS[f"{name}_like"](tensor, dtype=_BOOL)
    return made


def _is_integral(tensor: Tensor) -> bool:
    row = row_of(tensor._dtype)
    return row.kind in (Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8


def _isnan(tensor: Tensor) -> Tensor:
    if tensor._dtype is _FLOAT4:
        # No code of it stands for NaN.
        tensor = tensor.view(_UINT8)  # type: ignore[attr-defined]
    return _ISNAN(tensor)


def _isinf(tensor: Tensor) -> Tensor:
    if _is_integral(tensor):
        return _all("zeros", tensor)
    if tensor._dtype.is_complex:
        return _IS_EITHER_INF(tensor.real, tensor.imag)  # type: ignore[attr-defined]
    return _ISINF(tensor)


def _isfinite(tensor: Tensor) -> Tensor:
    if _is_integral(tensor) or tensor._dtype is _E8M0:
        return _all("ones", tensor)
    return _ISFINITE(tensor)


def _isreal(tensor: Tensor) -> Tensor:
    if _is_integral(tensor) or tensor._dtype.is_floating_point:
        return _all("ones", tensor)
    return _IS_ZERO(tensor.imag)  # type: ignore[attr-defined]


for _name, _run in (
    ("isnan", _isnan), ("isinf", _isinf), ("isfinite", _isfinite), ("isreal", _isreal),
):  # fmt: skip
    install_unary(_name, _run)
