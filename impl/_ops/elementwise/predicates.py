"""Operators that tell something of each element: signbit, isnan and their kin, logical_not."""

from collections.abc import Callable
from functools import partial

from ..._autograd.autograd_meta import count_write
from ..._autograd.tracking import check_usable
from ..._dtypes.constants import BOOL, FLOAT4_E2M1FN_X2, FLOAT8_E5M2, FLOAT8_E8M0FNU, UINT8
from ..._dtypes.table import Kind, dtype, spec_of
from ..._geometry import strides
from ..._geometry.extents import Ints
from ..._geometry.geometry import strided
from ..._kernels import unary
from ..._kernels.elementwise import ByKind
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import changed_without_bits, resolved
from ..common.copy import to_dtype
from ..creation.like import ones_like, zeros_like
from .binding import install_unary
from .comparisons import COMPARISONS
from .iterator import Operator
from .plan import (
    BOOLS,
    COMPLEX,
    FLOAT8,
    FLOATS,
    HALF_COMPLEX,
    NUMBERS,
    WIDE_UNSIGNED,
    Operands,
    Plan,
    Pointwise,
    Result,
    memory_order,
)
from .unary import refuse_complex

_REAL = BOOLS | NUMBERS | WIDE_UNSIGNED

for _name, _compute, _refuse in (
    ("signbit", ByKind("signbit", integer=unary.is_negative),
     refuse_complex("signbit is not implemented for complex tensors.")),
    ("isposinf", ByKind(unary.is_positive_infinity, integer=unary.never),
     refuse_complex("isposinf does not support complex inputs.", RuntimeError)),
    ("isneginf", ByKind(unary.is_negative_infinity, integer=unary.never),
     refuse_complex("isneginf does not support complex inputs.", RuntimeError)),
):  # fmt: skip
    _operator = Operator(
        Pointwise(_name, f"{_name}_cpu", _REAL, _compute, "", Result.TRUTH, refuse=_refuse)
    )
    install_unary(_name, _operator, _operator.into, short=_operator)


_LOGICAL_NOT = Operator(
    Pointwise(
        "logical_not",
        "logical_not_cpu",
        BOOLS | NUMBERS | COMPLEX,
        ByKind("logical_not"),
        "",
        Result.COMPARED,
        structured=False,
    )
)


def _logical_not_into(out: Tensor, tensor: Tensor) -> Tensor:
    """Write logical_not; torch also has to have a kernel for the dtype of ``out``."""
    row = _LOGICAL_NOT.row
    if {tensor._dtype, out._dtype} <= row.dtypes:
        loses = tensor._dtype.is_complex and not out._dtype.is_complex
        return _LOGICAL_NOT.into(out, to_dtype(tensor, BOOL, False, None) if loses else tensor)
    # The operand's kernel is looked for first, after out was resized.
    missing = tensor if tensor._dtype not in row.dtypes else out
    refusing = Operator(
        row._replace(
            check=partial(_refuse_kernel, missing._dtype), structured=True, resizes_once=True
        )
    )
    return refusing.into(out, tensor)


def _refuse_kernel(missing: dtype, common: dtype) -> None:
    name = spec_of(missing).cpp_name
    raise NotImplementedError(f"\"{_LOGICAL_NOT.row.kernel}\" not implemented for '{name}'")


def _logical_not_(tensor: Tensor) -> Tensor:
    # Autograd knows nothing of it, so leaves that require a gradient can be changed.
    return changed_without_bits(lambda target: _logical_not_into(target, target), tensor, ())


install_unary(
    "logical_not",
    _LOGICAL_NOT,
    _logical_not_into,
    _logical_not_,
    in_place_function=False,
    short=_LOGICAL_NOT,
)


# isnan and its kin are made of other operators in torch, which shows in the strides of their
# results (ATen/native/TensorCompare.cpp).


def _steps_of_isinf(shape: Ints, stride: Ints) -> Ints:
    """Return the strides of abs(x) == inf."""
    size = strides.elementwise(shape, ((shape, stride),))
    return strides.elementwise(shape, ((shape, size), ((), ())))


def _steps_of_isfinite(shape: Ints, stride: Ints) -> Ints:
    """Return the strides of (x == x) * (abs(x) != inf)."""
    equal = strides.elementwise(shape, ((shape, stride), (shape, stride)))
    return strides.elementwise(shape, ((shape, equal), (shape, _steps_of_isinf(shape, stride))))


class _InSteps(Operator):
    """An operator that is several in torch: the strides of each result decide on those of the next."""

    __slots__ = ("steps",)

    def __init__(self, row: Pointwise, steps: Callable[[Ints, Ints], Ints]) -> None:
        super().__init__(row)
        self.steps = steps

    def plan(self, operands: Operands) -> Plan:
        """Return the plan, with the strides that the last result has."""
        plan, geometry = super().plan(operands), operands[0]._geometry
        plan.geometry = strided(geometry.shape, self.steps(geometry.shape, geometry.stride))
        plan.order = memory_order(plan.geometry)
        return plan


_ISNAN = Operator(
    Pointwise(
        "isnan",
        "ne_cpu",
        _REAL | COMPLEX | HALF_COMPLEX | FLOAT8,
        ByKind("isnan", integer=unary.never),
        "",
        Result.COMPARED,
    )
)
_ISINF_ROW = Pointwise(
    "isinf", "isinf", FLOATS | {FLOAT8_E5M2}, ByKind("isinf"), "", Result.COMPARED
)
_ISFINITE_ROW = _ISINF_ROW._replace(name="isfinite", kernel="isfinite", compute=ByKind("isfinite"))
_ISINF = _InSteps(_ISINF_ROW, _steps_of_isinf)
_ISFINITE = _InSteps(_ISFINITE_ROW, _steps_of_isfinite)
_IS_EITHER_INF = _InSteps(
    _ISINF_ROW._replace(compute=ByKind(unary.either_infinite)), _steps_of_isinf
)
_ARE_BOTH_FINITE = _InSteps(
    _ISFINITE_ROW._replace(compute=ByKind(unary.both_finite)), _steps_of_isfinite
)


def _is_integral(tensor: Tensor) -> bool:
    row = spec_of(tensor._dtype)
    return row.kind in (Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED) and row.bits >= 8


def _isnan(tensor: Tensor) -> Tensor:
    if tensor._dtype is FLOAT4_E2M1FN_X2:
        # No code of it stands for NaN.
        tensor = tensor.view(UINT8)  # type: ignore[attr-defined]
    return _ISNAN(tensor)


def _isinf(tensor: Tensor) -> Tensor:
    if _is_integral(tensor):
        return zeros_like(tensor, dtype=BOOL)
    if tensor._dtype.is_complex:
        tensor = resolved(tensor)
        return _IS_EITHER_INF(tensor.real, tensor.imag)  # type: ignore[attr-defined]
    return _ISINF(tensor)


def _isfinite(tensor: Tensor) -> Tensor:
    if _is_integral(tensor) or tensor._dtype is FLOAT8_E8M0FNU:
        return ones_like(tensor, dtype=BOOL)
    if tensor._dtype.is_complex:
        result = _ARE_BOTH_FINITE(tensor.real, tensor.imag)  # type: ignore[attr-defined]
        count_write(result)  # torch writes the parts' results into one
        return result
    check_usable(tensor)  # for abs(x)
    return _ISFINITE(tensor)


def _isreal(tensor: Tensor) -> Tensor:
    if _is_integral(tensor) or tensor._dtype.is_floating_point:
        return ones_like(tensor, dtype=BOOL)
    return COMPARISONS["eq"](tensor.imag, 0)  # type: ignore[attr-defined]


for _name, _run, _short in (
    ("isnan", _isnan, _ISNAN), ("isinf", _isinf, _ISINF), ("isfinite", _isfinite, _ISFINITE),
    ("isreal", _isreal, None),
):  # fmt: skip
    install_unary(_name, _run, short=_short)
