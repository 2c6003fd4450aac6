"""Powers: pow, float_power and ldexp."""

from functools import partial
from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np
from ..._arrays.opaque_dtypes import has_raw_copy, is_opaque
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_inplace
from ..._dtypes.constants import COMPLEX128, FLOAT32, FLOAT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import ALL_DTYPES, dtype, spec_of
from ..._geometry import broadcasting
from ..._kernels import binary, power
from ..._kernels.elementwise import OPMATH_DTYPE, ForDtype
from ..._numerics.cast import convert
from ..._numerics.promotion import can_cast
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.allocation import empty_tensor, empty_with, resize_output
from ..._tensor.data_access import raw_array
from ..._tensor.factories import python_scalar
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor
from ..._tensor.views import record_grad_fn
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import copy_into, fill_, record_write, to_dtype
from ..common.device_checks import (
    check_copied_out,
    check_guard,
    check_out_device,
    check_out_device_for_write,
    common_device,
)
from ..common.memory_overlap import check_no_overlap
from ..common.meta_reference import (
    converted_on_meta,
    into_meta,
    is_on_meta,
    warn_of_result,
    with_int64_numbers,
)
from ..common.out_argument import check_cast, check_shape, resize_elementwise
from ..common.reference_dtypes import reference_dtype
from ..common.result_type import UNDEFINED, result_type_of
from .arithmetic import MUL
from .binding import Overload, install_operator
from .iterator import Operator
from .operands import common_dtype
from .plan import COMPLEX, FLOATS, HALF_COMPLEX, INTEGERS, NUMBERS, Pointwise
from .scalar_args import DOUBLE, ScalarArg, cached_by_numbers

_POW = Pointwise("pow", "pow", NUMBERS | COMPLEX, ForDtype(power.power), "PowBackward1")
POW = Operator(_POW)
_POW_SCALAR_BASE = Operator(_POW._replace(node=""))
_NON_OPAQUE = frozenset(dtype for dtype in ALL_DTYPES if not is_opaque(dtype))
_COPIED = _NON_OPAQUE | {dtype for dtype in ALL_DTYPES if has_raw_copy(dtype)}


# pow with a number as exponent


@cached_by_numbers
def _scalar_power(exponent: Any) -> Operator:
    """Return the operator for an exponent (PowKernel.cpp, and Pow.cpp for 0 and 1)."""
    spec = _POW._replace(node="PowBackward0")
    if exponent == 0:
        compute = ForDtype(lambda dtype, base: np.ones_like(base))
        return Operator(spec._replace(compute=compute, dtypes=_NON_OPAQUE, kernel="fill_cpu"))
    if exponent == 1:
        compute = ForDtype(lambda dtype, base: np.array(base))
        return Operator(spec._replace(compute=compute, dtypes=_COPIED, kernel="copy_kernel"))
    scalar = ScalarArg(exponent, DOUBLE)
    check_kernel = partial(_check_half_complex, _SPECIAL_KERNELS.get(exponent))
    kernel = power.scalar_exponent_kernel(exponent)
    compute = ForDtype(lambda dtype, base: kernel(dtype, base, scalar.of(dtype)))
    return Operator(spec._replace(compute=compute, scalar_args=(scalar,), check=check_kernel))


_SPECIAL_KERNELS = {0.5: "sqrt_vml_cpu", -0.5: "rsqrt_cpu", -1: "reciprocal_cpu"}
"""Torch's kernels for some exponents."""


def _check_half_complex(kernel: str | None, common: dtype) -> None:
    if kernel is not None and common in HALF_COMPLEX:
        raise_not_implemented(kernel, common)


def _cast_base(base: Tensor, exponent: Any) -> Tensor:
    """Return the base, cast to the result dtype; raise if an exponent of integers is invalid."""
    number = python_scalar(exponent)
    if not is_on_meta(base) and all(
        is_integral_dtype(dtype, or_bool=True) for dtype in (base._dtype, scalar_dtype(number))
    ):
        check(number < 2**63, lambda: "value cannot be converted to type int64_t without overflow")
        check(number >= 0, lambda: "Integers to negative integer powers are not allowed.")
    if is_on_meta(base):
        return converted_on_meta(base, reference_dtype(with_int64_numbers((base, number))))
    return to_dtype(base, result_type_of((base, number), UNDEFINED), False, None)


_check_gradients = gradient_check("pow")


def _pow_scalar(base: Tensor, exponent: Any, out: Tensor | None = None) -> Tensor:
    if out is not None:
        _check_gradients((base,), out)
    operator, base = _scalar_power(exponent), _cast_base(base, exponent)
    return operator(base, out=out)  # type: ignore[no-any-return]


with_gradient_check(_pow_scalar, _check_gradients)


@partial(resolves_conj_neg_in_place, node="PowBackward0")
def _pow_scalar_(base: Tensor, exponent: Any) -> Tensor:
    check_inplace(base)
    operator: Operator = _scalar_power(exponent)
    if is_on_meta(base):
        plan = operator.plan((_cast_base(base, exponent),))
        warn_of_result(plan.result_dtype)
        into_meta("pow", base, plan.geometry, plan.result_dtype)
        return operator.record(base)
    converted = _cast_base(base, exponent)
    check_no_overlap(base)
    check_cast(converted._dtype, base)
    return operator.record(base) if exponent == 1 else operator.inplace_below_autograd(base)


# pow with a number as base


@partial(resolves_conj_neg, name="pow")
def _pow_scalar_base(base: Any, exponent: Tensor, out: Tensor | None = None) -> Tensor:
    """Return a number to the power of a tensor; torch allocates a contiguous result first."""
    shape = exponent._geometry.shape
    if is_on_meta(out, exponent):
        result = _POW_SCALAR_BASE(base, exponent, out=out)
        return result if out is not None else record_grad_fn(result, (exponent,), "PowBackward2")
    if out is not None:
        _check_gradients((base, exponent), out)
        check_guard((out,), exponent._geometry.device)
        check_out_device(out, exponent._geometry.device)
        result = resize_output(out, shape)
    else:
        device = common_device((exponent,), allow_cpu_scalars=False)
        result = empty_tensor(shape, common_dtype((base, exponent)), device)
    number, counter = python_scalar(base), result._version_counter
    if number == 1 and type(number) is not bool:
        fill_(result, 1)
    else:
        _POW_SCALAR_BASE.into(result, base, exponent)
    if out is not None:
        return out
    result._version_counter = counter  # writing to a new tensor counts as no change
    return record_grad_fn(result, (exponent,), "PowBackward2")


def pow_operator(base: Tensor, exponent: Any) -> Tensor:
    """Return ``base ** exponent`` for a tensor and a tensor or number."""
    return POW(base, exponent) if isinstance(exponent, Tensor) else _pow_scalar(base, exponent)


_TENSOR, _SCALAR = "Tensor exponent", "Scalar exponent"
install_operator(
    "pow",
    Overload(_TENSOR, POW, POW.inplace),
    Overload(_TENSOR, _pow_scalar_base, input="Scalar self"),
    Overload(_SCALAR, _pow_scalar, _pow_scalar_),
    doc="Return input to the power of exponent.",
)


# float_power


def _float_power_dtype(*operands: Any) -> dtype:
    dtypes = [x._dtype if isinstance(x, Tensor) else scalar_dtype(x) for x in operands]
    return COMPLEX128 if any(x.is_complex for x in dtypes) else FLOAT64


def _cast(operand: Any, dtype: dtype) -> Any:
    if isinstance(operand, Tensor):
        return to_dtype(operand, dtype, False, None)
    number = python_scalar(operand)
    return complex(number) if dtype is COMPLEX128 else float(number)


def float_power_by(run: Any, base: Any, exponent: Any, out: Tensor | None = None) -> Tensor:
    """Return a power in double precision, which ``run`` computes of the cast operands."""
    dtype = _float_power_dtype(base, exponent)
    if out is not None:
        _check_float_power_dtype("output", "", out, dtype)
        check_copied_out("pow", (base, exponent), out, _check_gradients)
    exponent = _cast(exponent, dtype)  # torch's builds evaluate this argument first
    base = _cast(base, dtype)
    return run(base, exponent, out=out)  # type: ignore[no-any-return]


def _float_power_(inplace: Any, base: Tensor, exponent: Any) -> Tensor:
    dtype = _float_power_dtype(base, exponent)
    _check_float_power_dtype("base", "_", base, dtype)
    return inplace(base, _cast(exponent, dtype))  # type: ignore[no-any-return]


def _check_float_power_dtype(role: str, suffix: str, tensor: Tensor, dtype: dtype) -> None:
    check(
        tensor._dtype is dtype,
        lambda: (
            f"the {role} given to float_power{suffix} has dtype {spec_of(tensor._dtype).cpp_name}"
            f" but the operation's result requires dtype {spec_of(dtype).cpp_name}"
        ),
    )


install_operator(
    "float_power",
    Overload(_TENSOR, partial(float_power_by, POW), partial(_float_power_, POW.inplace)),
    Overload(_TENSOR, partial(float_power_by, _pow_scalar_base), input="Scalar self"),
    Overload(_SCALAR, partial(float_power_by, _pow_scalar), partial(_float_power_, _pow_scalar_)),
    doc="Return input to the power of exponent, computed in double precision.",
)


# ldexp

_LDEXP = Operator(MUL.spec._replace(name="ldexp", node="LdexpBackward0", inplace_on_meta=None))


def _powers_of_two(left: Tensor, right: Tensor) -> Tensor:
    """Return 2**right; the base is a tensor of the dtype of ``left``, or of float32 for integers.

    For float32 it is a number, except on meta (ldexp in torch/_decomp/decompositions.py).
    """
    dtype = FLOAT32 if is_integral_dtype(left._dtype, or_bool=True) else left._dtype
    if dtype is FLOAT32 and not is_on_meta(left, right):
        return _pow_scalar_base(2.0, right)  # type: ignore[no-any-return]
    base = empty_tensor((), dtype, left._geometry.device, by_reference=is_on_meta(left))
    return POW(fill_(base, 2.0), right)


def _has_ldexp_kernel(left: Tensor, right: Tensor) -> bool:
    """Return whether torch has an ldexp kernel: for floats and integral exponents."""
    is_kernel = left._dtype.is_floating_point and is_integral_dtype(right._dtype, or_bool=True)
    return is_kernel and not is_on_meta(left, right)


def _ldexp_kernel(left: Tensor, right: Tensor, out: Tensor) -> Tensor:
    """Write left * 2**right without promotion (ldexp_kernel in BinaryOpsKernel.cpp)."""
    check_no_overlap(out, left, right)
    shape = broadcasting.broadcast_pair(left._geometry.shape, right._geometry.shape)
    if out is left:
        check_shape(out, shape)
    check_out_device_for_write(out, common_device((left, right)))
    resize_elementwise(out, shape, left, right)
    for tensor, kernel, dtypes in (
        (left, "ldexp_cpu", FLOATS),
        (right, "ldexp_cpu_exp", INTEGERS),
    ):
        if tensor._dtype not in dtypes:
            raise_not_implemented(kernel, tensor._dtype)
    check(
        out._dtype is left._dtype,
        lambda: (
            "!needs_dynamic_casting<func_t>::check(iter) INTERNAL ASSERT FAILED at"
            ' "aten/src/ATen/native/cpu/Loops.h":311, please report a bug to PyTorch. '
        ),
    )
    dtype = left._dtype
    compute_dtype = OPMATH_DTYPE.get(dtype, dtype)
    numbers = convert(raw_array(left), dtype, compute_dtype)
    values = without_fp_warnings(binary.ldexp, numbers, raw_array(right))
    raw_array(out)[...] = convert(values, compute_dtype, dtype)
    return out


@partial(resolves_conj_neg, name="ldexp")
def _ldexp(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    if out is not None and not is_on_meta(left, right, out):
        check_ldexp_cast(left, out)
    if not _has_ldexp_kernel(left, right):
        return _LDEXP(left, _powers_of_two(left, right), out=out)
    if out is not None:
        bump_version(_ldexp_kernel(left, right, out))
        return out
    result = empty_with(like_geometry(left, None, left._dtype), left._dtype)
    return record_grad_fn(_ldexp_kernel(left, right, result), (left, right), "LdexpBackward0")


@resolves_conj_neg_in_place
def _ldexp_(left: Tensor, right: Tensor) -> Tensor:
    check_inplace(left)
    if is_on_meta(left, right):
        result = _ldexp(left, right)
        shape = broadcasting.broadcast_pair(left._geometry.shape, result._geometry.shape)
        if is_on_meta(left):  # else the copy raises, before it looks at shapes
            check_shape(left, shape)
        copy_into(left, result)
        return record_write(left, (right,), "LdexpBackward0")
    check_ldexp_cast(left, left)
    if not _has_ldexp_kernel(left, right):
        return _LDEXP.inplace(left, _powers_of_two(left, right))
    return record_write(_ldexp_kernel(left, right, left), (right,), "LdexpBackward0")


def check_ldexp_cast(left: Tensor, out: Tensor) -> None:
    """Raise if the result of ldexp() cannot be cast to ``out``."""
    dtype = left._dtype.to_real() if left._dtype.is_complex else left._dtype
    if is_integral_dtype(dtype, or_bool=True):
        dtype = get_default_dtype()
    check(
        can_cast(dtype, out._dtype),
        lambda: f"ldexp can't be cast to the desired output type {spec_of(out._dtype).cpp_name}",
    )


install_operator(
    "ldexp",
    Overload("Tensor other", _ldexp, _ldexp_),
    doc="Return input * 2**other.",
    in_place_function=True,
)
