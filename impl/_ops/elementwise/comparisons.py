"""Comparisons, logical operators, isclose, allclose and equal."""

from collections.abc import Callable
from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import BOOL, FLOAT4_E2M1FN_X2, FLOAT8_E5M2, FLOAT8_E8M0FNU
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import dtype, spec_of
from ..._kernels import binary
from ..._kernels.elementwise import OPMATH_DTYPE, ByKind
from ..._numerics.cast import convert, to_numbers
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_with, warn_complex32
from ..._tensor.data_access import raw_array, resolved_array, write_elements
from ..._tensor.tensor import Tensor, shallow_copy
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolve_conj_neg, resolves_conj_neg
from ..common.copy import to_dtype
from ..common.device_checks import check_item_not_meta, check_meta_kernel, common_device
from ..common.memory_overlap import is_same_view
from ..common.meta_reference import check_nothing
from ..common.registration import Op, register_operator
from .arithmetic import ADD, MUL, SUB
from .binding import Overload, install_operator
from .iterator import Operator
from .operands import common_dtype
from .plan import (
    BOOLS,
    COMPLEX,
    FLOAT8,
    HALF_COMPLEX,
    NUMBERS,
    WIDE_UNSIGNED,
    Pointwise,
    Result,
)

_ORDERED = BOOLS | NUMBERS
_COMPARABLE = _ORDERED | COMPLEX | HALF_COMPLEX | FLOAT8 | WIDE_UNSIGNED
_EQUAL = _COMPARABLE | {FLOAT4_E2M1FN_X2}

_NUMPY_NAMES = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip
"""The comparisons, with NumPy's names, which are torch's aliases (except for "equal")."""


COMPARISONS = {
    name: Operator(
        Pointwise(
            name,
            f"{name}_cpu",
            _EQUAL if name in ("eq", "ne") else _ORDERED,
            ByKind(numpy_name),
            "",
            Result.COMPARISON,
        )
    )
    for name, numpy_name in _NUMPY_NAMES.items()
}
"""The comparisons by name; their results are not differentiable."""


for _name, _operator in COMPARISONS.items():
    _alias = _NUMPY_NAMES[_name]
    # Only the in-place forms have a grad_fn, named after the overload.
    _inplace_scalar, _inplace_tensor = (
        Operator(_operator.spec._replace(node=f"{_name.capitalize()}Backward{overload}")).inplace
        for overload in (0, 1)
    )
    for _function_name in (_name,) if _name == "eq" else (_name, _alias):
        install_operator(
            _function_name,
            Overload("Tensor other", _operator, _inplace_tensor),
            Overload("Scalar other", _operator, _inplace_scalar),
            doc=f"Return whether each element is {_alias.replace('_', ' ')}.",
        )

for _name in ("and", "or", "xor"):
    _operator = Operator(
        Pointwise(
            f"logical_{_name}",
            f"logical_{_name}_cpu",
            _ORDERED | COMPLEX,
            ByKind(binary.logical(f"logical_{_name}")),
            "",
            result=Result.COMPARISON,
            structured=False,
            result_on_first=True,
            inplace_on_meta=check_nothing,
        )
    )
    install_operator(
        f"logical_{_name}",
        Overload("Tensor other", _operator, _operator.inplace),
        doc=f"Return the logical {_name.upper()}, element by element.",
    )


# isclose, allclose and equal


def _is_close(left: Tensor, right: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False): compare with a tolerance.

    The steps are torch's, as each may raise for a dtype (ATen/native/TensorCompare.cpp).
    """
    names = [spec_of(tensor._dtype).cpp_name for tensor in (left, right)]
    check(left._dtype is right._dtype, lambda: f"{names[0]} did not match {names[1]}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        check(
            tolerance >= 0,
            lambda: f"{name} must be greater than or equal to zero, but got {tolerance:g}",  # noqa: B023
        )
    if left._geometry.is_sparse or right._geometry.is_sparse:
        raise NotDense
    close = COMPARISONS["eq"](left, right)
    dtype = left._dtype
    is_float = dtype.is_floating_point or dtype.is_complex
    if equal_nan and is_float:
        _add(close, lambda: _is_nan(left) & _is_nan(right))
    if rtol == 0 and atol == 0:
        return close
    default = get_default_dtype()
    left = to_dtype(left, default, False, None) if dtype is BOOL else left
    right = right if is_float else to_dtype(right, default, False, None)
    allowed = ADD(_magnitude(MUL(right, rtol)), atol)
    error = _magnitude(SUB(left, right))
    is_within = COMPARISONS["le"](error, allowed)
    if error._geometry.device is META and error._dtype in FLOAT8 - {FLOAT8_E5M2, FLOAT8_E8M0FNU}:
        raise_not_implemented("isfinite", error._dtype)
    _add(
        close,
        lambda: np.isfinite(_numbers_as(error, error._dtype)) & resolved_array(is_within),
    )
    return close


def _add(close: Tensor, values: Callable[[], Any]) -> None:
    if close._geometry.device is not META:
        write_elements(close, raw_array(close) | values())
    bump_version(close)


def _is_nan(tensor: Tensor) -> Any:
    tensor = resolve_conj_neg(tensor)  # one clone for both operands
    return resolved_array(COMPARISONS["ne"](tensor, tensor))


def _magnitude(tensor: Tensor) -> Tensor:
    """Return the absolute values, which are real for complex numbers."""
    dtype = tensor._dtype
    real_dtype = dtype.to_real() if dtype.is_complex else dtype
    if dtype in HALF_COMPLEX and tensor._geometry.device is not META:
        warn_complex32()  # torch's temporary result is complex
    result = empty_with(like_geometry(tensor, None, real_dtype), real_dtype)
    if tensor._geometry.device is META:
        return result
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    values = np.abs(convert(resolved_array(tensor), dtype, compute_dtype))
    write_elements(result, convert(values, OPMATH_DTYPE.get(real_dtype, real_dtype), real_dtype))
    return result


@resolves_conj_neg
def _all_close(left: Tensor, right: Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    """allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False): whether all are close."""
    # Autograd does not record allclose.
    close = _is_close(shallow_copy(left), shallow_copy(right), rtol, atol, equal_nan)
    check_item_not_meta(close)
    return bool(resolved_array(close).all())


@resolves_conj_neg
def _equal(left: Tensor, right: Tensor) -> bool:
    """equal(input, other): return whether two tensors have the same shape and equal elements.

    For the same memory torch searches for NaN only, with fewer dtypes (cpu_equal in
    ATen/native/ReduceOps.cpp).
    """
    check_meta_kernel("equal", left, right)
    if left._geometry.shape != right._geometry.shape:
        return False
    same_memory = is_same_view(left, right)
    common = left._dtype if same_memory else common_dtype((left, right))
    for tensor in (left, right):
        if tensor._dtype is not common and common in HALF_COMPLEX:
            warn_complex32()
    unsupported = (HALF_COMPLEX | FLOAT8) if same_memory else HALF_COMPLEX
    kernel = "equal_notnan_cpu" if same_memory else "equal_cpu"
    if common not in _COMPARABLE - unsupported:
        raise_not_implemented(kernel, common)
    common_device((left, right), allow_cpu_scalars=False)
    if same_memory and is_integral_dtype(common, or_bool=True):
        return True
    first, second = (_numbers_as(tensor, common) for tensor in (left, right))
    return bool((first == second).all())


def _numbers_as(tensor: Tensor, dtype: dtype) -> Any:
    return to_numbers(convert(resolved_array(tensor), tensor._dtype, dtype), dtype)


_TOLERANCES = "Tensor other, double rtol=1e-05, double atol=1e-08, bool equal_nan=False"
register_operator(Op("isclose", {_TOLERANCES: _is_close}))
register_operator(Op("allclose", {_TOLERANCES: _all_close}))
register_operator(Op("equal", {"Tensor other": _equal}))
