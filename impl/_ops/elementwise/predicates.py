"""Elementwise predicates: signbit, isnan, isinf, isfinite, isreal and logical_not."""

from collections.abc import Callable

from ..._argparser.types import is_integral_dtype
from ..._arrays.opaque_dtypes import is_opaque
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_no_stale_views
from ..._devices.device import META
from ..._dtypes.constants import BOOL, FLOAT4_E2M1FN_X2, FLOAT8_E5M2, FLOAT8_E8M0FNU, UINT8
from ..._geometry import strides
from ..._geometry.extents import Ints
from ..._geometry.geometry import strided
from ..._kernels import unary
from ..._kernels.elementwise import ByKind
from ..._numerics.rounding import raise_not_implemented
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolve_conj_neg, run_inplace_resolved
from ..common.copy import to_dtype
from ..common.meta_reference import is_on_meta
from ..creation.like import ones_like, zeros_like
from .binding import install_unary
from .comparisons import COMPARISONS
from .iterator import Operator
from .operands import dim_order
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
)
from .unary import reject_complex

_REAL = BOOLS | NUMBERS | WIDE_UNSIGNED

for _name, _compute, _precheck in (
    ("signbit", ByKind("signbit", integer=unary.is_negative),
     reject_complex("signbit is not implemented for complex tensors.")),
    ("isposinf", ByKind(unary.is_positive_infinity, integer=unary.always_false),
     reject_complex("isposinf does not support complex inputs.", RuntimeError)),
    ("isneginf", ByKind(unary.is_negative_infinity, integer=unary.always_false),
     reject_complex("isneginf does not support complex inputs.", RuntimeError)),
):  # fmt: skip
    _operator = Operator(
        Pointwise(_name, f"{_name}_cpu", _REAL, _compute, "", Result.BOOL, precheck=_precheck)
    )
    install_unary(_name, _operator, out=True, fast_path=_operator)


_LOGICAL_NOT = Operator(
    Pointwise(
        "logical_not",
        "logical_not_cpu",
        BOOLS | NUMBERS | COMPLEX,
        ByKind("logical_not"),
        "",
        Result.COMPARISON,
        structured=False,
    )
)


def _logical_not(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """Return logical_not; raise if torch has no kernel for the dtype of ``out``."""
    if out is None:
        return _LOGICAL_NOT(tensor)
    spec = _LOGICAL_NOT.spec
    if {tensor._dtype, out._dtype} <= spec.dtypes:
        discards = tensor._dtype.is_complex and not out._dtype.is_complex
        return _LOGICAL_NOT.into(out, to_dtype(tensor, BOOL, False, None) if discards else tensor)
    # Torch checks the operand's dtype first, after it resized out.
    missing = tensor if tensor._dtype not in spec.dtypes else out
    operator = Operator(
        spec._replace(
            check=lambda _: raise_not_implemented(spec.kernel, missing._dtype),
            structured=True,
            resizes_once=True,
        )
    )
    return operator.into(out, tensor)


def _logical_not_(tensor: Tensor) -> Tensor:
    # Autograd does not record it, so it may change leaves which require grad.
    if is_on_meta(tensor):  # for which torch neither checks nor computes anything
        bump_version(tensor)
        return tensor
    return run_inplace_resolved(lambda target: _logical_not(target, target), tensor, ())


install_unary(
    "logical_not",
    _logical_not,
    _logical_not_,
    out=True,
    in_place_function=False,
    fast_path=_LOGICAL_NOT,
)


# Torch composes isinf and isfinite of other operators, which determines the strides of their
# results (ATen/native/TensorCompare.cpp).


def _strides_of_isinf(shape: Ints, stride: Ints) -> Ints:
    """Return the strides of abs(x) == inf."""
    abs_strides = strides.elementwise(shape, ((shape, stride),))
    return strides.elementwise(shape, ((shape, abs_strides), ((), ())))


def _strides_of_isfinite(shape: Ints, stride: Ints) -> Ints:
    """Return the strides of (x == x) * (abs(x) != inf)."""
    equal = strides.elementwise(shape, ((shape, stride), (shape, stride)))
    return strides.elementwise(shape, ((shape, equal), (shape, _strides_of_isinf(shape, stride))))


class _Composed(Operator):
    """An operator composed of several in torch; ``result_strides`` follows their results."""

    __slots__ = ("result_strides",)

    def __init__(self, spec: Pointwise, result_strides: Callable[[Ints, Ints], Ints]) -> None:
        super().__init__(spec)
        self.result_strides = result_strides

    def plan(self, operands: Operands) -> Plan:
        """Return the plan, with the strides of the last result."""
        plan, geometry = super().plan(operands), operands[0]._geometry
        if geometry.device is META:
            return plan
        stride = self.result_strides(geometry.shape, geometry.stride)
        plan.geometry = strided(geometry.shape, stride)
        plan.dim_order = dim_order(plan.geometry)
        return plan


_ISNAN = Operator(
    Pointwise(
        "isnan",
        "ne_cpu",
        _REAL | COMPLEX | HALF_COMPLEX | FLOAT8,
        ByKind("isnan", integer=unary.always_false),
        "",
        Result.COMPARISON,
    )
)
_INF = Pointwise("isinf", "isinf", FLOATS | {FLOAT8_E5M2}, ByKind("isinf"), "", Result.COMPARISON)
_FINITE = _INF._replace(name="isfinite", kernel="isfinite", compute=ByKind("isfinite"))
_ISINF = _Composed(_INF, _strides_of_isinf)
_ISFINITE = _Composed(_FINITE, _strides_of_isfinite)
_COMPLEX_ISINF = _Composed(_INF._replace(compute=ByKind(unary.either_infinite)), _strides_of_isinf)
_COMPLEX_ISFINITE = _Composed(
    _FINITE._replace(compute=ByKind(unary.both_finite)), _strides_of_isfinite
)


def _isnan(tensor: Tensor) -> Tensor:
    if tensor._dtype is FLOAT4_E2M1FN_X2:
        # This dtype has no NaN.
        tensor = tensor.view(UINT8)  # type: ignore[attr-defined]
    return _ISNAN(tensor)


def _isinf(tensor: Tensor) -> Tensor:
    if is_integral_dtype(tensor._dtype, or_bool=True):
        return zeros_like(tensor, dtype=BOOL)
    if tensor._dtype.is_complex:
        tensor = resolve_conj_neg(tensor)
        return _COMPLEX_ISINF(tensor.real, tensor.imag)  # type: ignore[attr-defined]
    return _ISINF(tensor)


def _isfinite(tensor: Tensor) -> Tensor:
    if is_integral_dtype(tensor._dtype, or_bool=True) or tensor._dtype is FLOAT8_E8M0FNU:
        return ones_like(tensor, dtype=BOOL)
    if tensor._dtype.is_complex:
        result = _COMPLEX_ISFINITE(tensor.real, tensor.imag)  # type: ignore[attr-defined]
        bump_version(result)  # torch writes one part's result into the other
        return result
    if is_opaque(tensor._dtype):
        raise_not_implemented("isfinite", tensor._dtype)
    check_no_stale_views(tensor)  # for abs(x)
    return _ISFINITE(tensor)


def _isreal(tensor: Tensor) -> Tensor:
    if is_integral_dtype(tensor._dtype, or_bool=True) or tensor._dtype.is_floating_point:
        return ones_like(tensor, dtype=BOOL)
    return COMPARISONS["eq"](tensor.imag, 0)  # type: ignore[attr-defined]


for _name, _function, _fast_path in (
    ("isnan", _isnan, _ISNAN), ("isinf", _isinf, _ISINF), ("isfinite", _isfinite, _ISFINITE),
    ("isreal", _isreal, None),
):  # fmt: skip
    install_unary(_name, _function, fast_path=_fast_path)
