"""Comparisons, and the logical operators, which compare with zero."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import count_write
from ..._devices.device import META
from ..._dtypes.constants import BOOL, FLOAT4_E2M1FN_X2
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.table import dtype, spec_of
from ..._kernels import binary
from ..._kernels.elementwise import OPMATH_DTYPE, ByKind
from ..._numerics.cast import convert, numbers
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array, resolved_array, write_elements
from ..._tensor.factories import empty_with, warn_of_complex32
from ..._tensor.tensor import Tensor, shallow_copy
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolved, resolves_conj_neg
from ..common.copy import to_dtype
from ..common.device_checks import check_has_numbers, check_together, common_device
from ..common.memory_overlap import is_same_place
from ..common.registration import Op, install
from ..common.result_type import result_type_of
from .arithmetic import ADD, MUL, SUB
from .binding import Overload, install_operator, run_of
from .iterator import Operator
from .plan import BOOLS, COMPLEX, FLOAT8, HALF_COMPLEX, NUMBERS, WIDE_UNSIGNED, Pointwise, Result

_ORDERED = BOOLS | NUMBERS
_COMPARABLE = _ORDERED | COMPLEX | HALF_COMPLEX | FLOAT8 | WIDE_UNSIGNED
_EQUAL = _COMPARABLE | {FLOAT4_E2M1FN_X2}

_ALIASES = {
    "eq": (), "ne": ("not_equal",), "lt": ("less",), "le": ("less_equal",), "gt": ("greater",),
    "ge": ("greater_equal",),
}  # fmt: skip
"""The comparisons, and what else they are called."""

_NUMPY_NAMES = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip


def _row(name: str) -> Pointwise:
    return Pointwise(
        name,
        f"{name}_cpu",
        _EQUAL if name in ("eq", "ne") else _ORDERED,
        ByKind(_NUMPY_NAMES[name]),
        "",
        result=Result.COMPARED,
    )


COMPARISONS = {name: Operator(_row(name)) for name in _ALIASES}
"""The comparisons by their names; their results are not differentiable."""


def _in_place(name: str, overload: int) -> Any:
    """Return what compares in place; then autograd has a name for it, which tells the overload."""
    node = f"{name.capitalize()}Backward{overload}"
    return Operator(_row(name)._replace(node=node)).change


for _name, _others in _ALIASES.items():
    _run = run_of(COMPARISONS[_name])
    for _each in (_name, *_others):
        install_operator(
            _each,
            Overload("Tensor other", _run, _in_place(_name, 1)),
            Overload("Scalar other", _run, _in_place(_name, 0)),
            doc=f"Tell for each element whether it is {_NUMPY_NAMES[_name].replace('_', ' ')}.",
        )

for _name in ("and", "or", "xor"):
    _operator = Operator(
        Pointwise(
            f"logical_{_name}",
            f"logical_{_name}_cpu",
            _ORDERED | COMPLEX,
            ByKind(binary.logical(f"logical_{_name}")),
            "",
            result=Result.COMPARED,
            resizes_once=True,
        )
    )
    install_operator(
        f"logical_{_name}",
        Overload("Tensor other", run_of(_operator), _operator.change),
        doc=f"Return the logical {_name.upper()}, element by element.",
    )


# Closeness.


def _is_close(left: Tensor, right: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False): compare with a tolerance.

    The steps are torch's own, as each may refuse a dtype (ATen/native/TensorCompare.cpp).
    """
    names = [spec_of(each._dtype).cpp_name for each in (left, right)]
    check(left._dtype is right._dtype, lambda: f"{names[0]} did not match {names[1]}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        check(
            tolerance >= 0,
            lambda: f"{name} must be greater than or equal to zero, but got {tolerance:g}",  # noqa: B023
        )
    close = COMPARISONS["eq"](left, right)
    is_meta = close._geometry.device is META
    dtype = left._dtype
    is_float = dtype.is_floating_point or dtype.is_complex
    if equal_nan and is_float and is_meta:
        count_write(close)
    elif equal_nan and is_float:
        _add(close, _is_nan(left) & _is_nan(right))
    if rtol == 0 and atol == 0:
        return close
    default = get_default_dtype()
    left = to_dtype(left, default, False, None) if dtype is BOOL else left
    right = right if is_float else to_dtype(right, default, False, None)
    allowed = ADD(_magnitude(MUL(right, rtol)), atol)
    error = _magnitude(SUB(left, right))
    within = COMPARISONS["le"](error, allowed)
    if is_meta:
        count_write(close)
        return close
    _add(close, np.isfinite(numbers(resolved_array(error), error._dtype)) & resolved_array(within))
    return close


def _add(close: Tensor, more: Any) -> None:
    write_elements(close, raw_array(close) | more)
    count_write(close)


def _is_nan(tensor: Tensor) -> Any:
    tensor = resolved(tensor)  # once, though it is two operands
    return resolved_array(COMPARISONS["ne"](tensor, tensor))


def _magnitude(tensor: Tensor) -> Tensor:
    """Return the absolute values; of complex numbers, real ones."""
    dtype = tensor._dtype
    real = dtype.to_real() if dtype.is_complex else dtype
    if dtype in HALF_COMPLEX:
        warn_of_complex32()  # torch writes them as complex numbers first
    result = empty_with(like_geometry(tensor, None, real), real)
    computed = OPMATH_DTYPE.get(dtype, dtype)
    if tensor._geometry.device is META:
        return empty_with(result._geometry, real, META)
    sizes = np.abs(convert(resolved_array(tensor), dtype, computed))
    write_elements(result, convert(sizes, OPMATH_DTYPE.get(real, real), real))
    return result


@resolves_conj_neg
def _all_close(left: Tensor, right: Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    """allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False): tell whether all are close."""
    # Below autograd, which knows nothing of it.
    close = _is_close(shallow_copy(left), shallow_copy(right), rtol, atol, equal_nan)
    check_has_numbers(close)
    return bool(resolved_array(close).all())


@resolves_conj_neg
def _equal(left: Tensor, right: Tensor) -> bool:
    """equal(input, other): tell whether two tensors have the same shape and equal elements.

    Where they are the same memory, only NaN has to be looked for (cpu_equal in
    ATen/native/ReduceOps.cpp), and torch does so for fewer dtypes.
    """
    if left._geometry.shape != right._geometry.shape:
        return False
    same = is_same_place(left, right)
    common = left._dtype if same else result_type_of((left, right))
    for each in (left, right):
        if each._dtype is not common and common in HALF_COMPLEX:
            warn_of_complex32()
    without = (HALF_COMPLEX | FLOAT8) if same else HALF_COMPLEX
    kernel = "equal_notnan_cpu" if same else "equal_cpu"
    check(
        common in _COMPARABLE - without,
        lambda: f"\"{kernel}\" not implemented for '{spec_of(common).cpp_name}'",
        NotImplementedError,
    )
    check_together("wrapper_CUDA__equal", "other", (left, right), None)
    check(
        common_device((left, right), numbers=False) is not META,
        lambda: (
            "aten::equal: attempted to run this operator with Meta tensors, but there was no fake impl"
            " or Meta kernel registered. You may have run into this message while using an operator"
            " with PT2 compilation APIs (torch.compile/torch.export); in order to use this operator"
            " with those APIs you'll need to add a fake impl. Please see the following for next steps:"
            "  https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
        ),
        NotImplementedError,
    )
    first, second = (_as(each, common) for each in (left, right))
    return bool((first == second).all())


def _as(tensor: Tensor, dtype: dtype) -> Any:
    return numbers(convert(resolved_array(tensor), tensor._dtype, dtype), dtype)


_TOLERANCES = "Tensor other, double rtol=1e-05, double atol=1e-08, bool equal_nan=False"
install(Op("isclose", {_TOLERANCES: _is_close}))
install(Op("allclose", {_TOLERANCES: _all_close}))
install(Op("equal", {"Tensor other": _equal}))
