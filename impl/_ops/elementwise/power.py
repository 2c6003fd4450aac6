"""Powers: of tensors to tensors or numbers, and of numbers to tensors."""

from functools import partial
from typing import Any

from ..._argparser.types import _is_integral
from ..._arrays.numpy_bridge import np
from ..._arrays.opaque_dtypes import is_opaque
from ..._arrays.parallel import quietly
from ..._autograd.tracking import check_writable
from ..._dtypes.constants import COMPLEX128, FLOAT64
from ..._dtypes.default_dtype import get_default_dtype
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import ALL, dtype, spec_of
from ..._geometry import broadcasting, strides
from ..._geometry.geometry import strided
from ..._kernels import binary, power
from ..._kernels.elementwise import OPMATH_DTYPE, ForDtype
from ..._numerics.cast import convert
from ..._numerics.promotion import can_cast
from ..._runtime.errors import check
from ..._tensor.data_access import raw_array
from ..._tensor.factories import empty_tensor, empty_with, number_of, resize_output
from ..._tensor.out_autograd import check_no_gradients
from ..._tensor.tensor import Tensor, record_grad_fn, set_geometry
from ..common.clone import like_geometry
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import fill_, to_dtype, written
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_overlap
from ..common.out_argument import check_cast, check_shape
from ..common.result_type import result_type_of
from .arithmetic import MUL
from .binding import Overload, install_operator, run_of
from .iterator import Operator
from .plan import COMPLEX, FLOATS, HALF_COMPLEX, INTEGERS, NUMBERS, Pointwise
from .scalar_args import DOUBLE, OperatorCache, ScalarArg

_POW = Pointwise("pow", "pow", NUMBERS | COMPLEX, ForDtype(power.power), "PowBackward1")
POW = Operator(_POW)
_POW_OF_NUMBER = Operator(_POW._replace(node=""))
_ANY = frozenset(each for each in ALL if not is_opaque(each))


# To the power of a number.


def _to_number(exponent: Any) -> Operator:
    """Return the operator that raises to one exponent (PowKernel.cpp, and Pow.cpp for 0 and 1)."""
    row = _POW._replace(node="PowBackward0")
    if exponent in (0, 1):
        kernel = _ones if exponent == 0 else _unchanged
        return Operator(row._replace(compute=ForDtype(kernel), dtypes=_ANY, kernel="fill_cpu"))
    given = ScalarArg(exponent, DOUBLE)
    check_it = partial(_check_short, _SHORT.get(exponent))
    short = power.short_power(exponent)
    compute = ForDtype(lambda kind, base: short(kind, base, given.of(kind)))
    return Operator(row._replace(compute=compute, numbers=(given,), check=check_it))


_SHORT = {0.5: "sqrt_vml_cpu", -0.5: "rsqrt_cpu", -1: "reciprocal_cpu"}
"""The kernels that torch takes for some exponents."""


def _check_short(kernel: str | None, common: dtype) -> None:
    check(
        kernel is None or common not in HALF_COMPLEX,
        lambda: f"\"{kernel}\" not implemented for 'ComplexHalf'",
        NotImplementedError,
    )


def _ones(dtype: dtype, base: Any) -> Any:
    return np.ones_like(base)


def _unchanged(dtype: dtype, base: Any) -> Any:
    return np.array(base)


_TO_NUMBER = OperatorCache(_to_number)


def _in_dtype_of_result(base: Tensor, exponent: Any) -> Tensor:
    """Return the base in the dtype of the result."""
    number = number_of(exponent)
    if all(_is_integral(each, or_bool=True) for each in (base._dtype, scalar_dtype(number))):
        check(number < 2**63, lambda: "value cannot be converted to type int64_t without overflow")
        check(number >= 0, lambda: "Integers to negative integer powers are not allowed.")
    return to_dtype(base, result_type_of((base, number)), False, None)


def _pow_number(base: Tensor, exponent: Any, out: Tensor | None = None) -> Tensor:
    if out is not None:
        check_no_gradients("pow", base, out)
    operator, base = _TO_NUMBER(exponent), _in_dtype_of_result(base, exponent)
    return operator(base) if out is None else operator.into(out, base)


@resolves_conj_neg_in_place
def _pow_number_(base: Tensor, exponent: Any) -> Tensor:
    check_writable(base)
    check_no_overlap(base)
    check_cast(_in_dtype_of_result(base, exponent)._dtype, base)
    return _TO_NUMBER(exponent).change(base)


# A number to the power of tensors.


@partial(resolves_conj_neg, name="pow")
def _pow_of_number(base: Any, exponent: Tensor, out: Tensor | None = None) -> Tensor:
    """Raise a number; torch makes the result first, a contiguous one."""
    shape = exponent._geometry.shape
    if out is not None:
        result = resize_output(out, shape)
    else:
        where = common_device((exponent,), numbers=False)
        result = empty_tensor(shape, result_type_of((base, exponent)), where)
    number, counter = number_of(base), result._version_counter
    if number == 1 and type(number) is not bool:
        fill_(result, 1)
    else:
        _POW_OF_NUMBER.into(result, base, exponent)
    if out is not None:
        return out
    result._version_counter = counter  # nobody has seen the tensor before it was written
    return record_grad_fn(result, (exponent,), "PowBackward2")


def raised(base: Tensor, exponent: Any) -> Tensor:
    """Return what ``base ** exponent`` is, of a tensor and a tensor or a number."""
    return POW(base, exponent) if isinstance(exponent, Tensor) else _pow_number(base, exponent)


_WAYS = ("Tensor exponent", "Scalar exponent")
install_operator(
    "pow",
    Overload(_WAYS[0], run_of(POW), POW.change),
    Overload(_WAYS[0], _pow_of_number, input="Scalar self"),
    Overload(_WAYS[1], _pow_number, _pow_number_),
    doc="Return input to the power of exponent.",
)


# Powers in double precision.


def _wide(*operands: Any) -> dtype:
    kinds = [each._dtype if isinstance(each, Tensor) else scalar_dtype(each) for each in operands]
    return COMPLEX128 if any(each.is_complex for each in kinds) else FLOAT64


def _as(operand: Any, dtype: dtype) -> Any:
    if isinstance(operand, Tensor):
        return to_dtype(operand, dtype, False, None)
    number = number_of(operand)
    return complex(number) if dtype is COMPLEX128 else float(number)


def _float_power(run: Any, base: Any, exponent: Any, out: Tensor | None = None) -> Tensor:
    kind = _wide(base, exponent)
    if out is not None:
        _check_wide("output", "", out, kind)
    exponent = _as(exponent, kind)  # which torch, as it is built, converts first
    base = _as(base, kind)
    return run(base, exponent) if out is None else run(base, exponent, out=out)  # type: ignore[no-any-return]


def _float_power_(change: Any, base: Tensor, exponent: Any) -> Tensor:
    kind = _wide(base, exponent)
    _check_wide("base", "_", base, kind)
    return change(base, _as(exponent, kind))  # type: ignore[no-any-return]


def _check_wide(which: str, mark: str, given: Tensor, dtype: dtype) -> None:
    names = [spec_of(each).cpp_name for each in (given._dtype, dtype)]
    check(
        given._dtype is dtype,
        lambda: (
            f"the {which} given to float_power{mark} has dtype {names[0]} but the operation's"
            f" result requires dtype {names[1]}"
        ),
    )


install_operator(
    "float_power",
    Overload(_WAYS[0], partial(_float_power, run_of(POW)), partial(_float_power_, POW.change)),
    Overload(_WAYS[0], partial(_float_power, _pow_of_number), input="Scalar self"),
    Overload(_WAYS[1], partial(_float_power, _pow_number), partial(_float_power_, _pow_number_)),
    doc="Return input to the power of exponent, computed in double precision.",
)


# Multiplying by powers of two.

_LDEXP = Operator(MUL.row._replace(name="ldexp", node="LdexpBackward0"))


def _powers_of_two(left: Tensor, right: Tensor) -> Tensor:
    """Return 2**right; beside complex numbers the two is a tensor of their dtype."""
    dtype = left._dtype
    if dtype.is_complex:
        return POW(fill_(empty_tensor((), dtype), 2.0), right)
    return POW(2.0, right) if dtype.is_floating_point else _pow_of_number(2.0, right)


def _is_scaling(left: Tensor, right: Tensor) -> bool:
    """Tell whether torch has a kernel of its own: for floats and integral exponents."""
    return left._dtype.is_floating_point and _is_integral(right._dtype, or_bool=True)


def _scale(left: Tensor, right: Tensor, out: Tensor) -> Tensor:
    """Write left * 2**right; nothing is promoted (ldexp_kernel in BinaryOpsKernel.cpp)."""
    check_no_overlap(out, left, right)
    shape = broadcasting.broadcast_pair(left._geometry.shape, right._geometry.shape)
    if out is left:
        check_shape(out, shape)
    if out._geometry.shape != shape:
        resize_output(out, shape)
        seen = tuple((each._geometry.shape, each._geometry.stride) for each in (left, right))
        set_geometry(out, strided(shape, strides.elementwise(shape, seen)))
    for each, kernel, dtypes in (
        (left, "ldexp_cpu", FLOATS),
        (right, "ldexp_cpu_exp", INTEGERS),
    ):
        check(
            each._dtype in dtypes,
            lambda: f"\"{kernel}\" not implemented for '{spec_of(each._dtype).cpp_name}'",  # noqa: B023
            NotImplementedError,
        )
    check(
        out._dtype is left._dtype,
        lambda: (
            "!needs_dynamic_casting<func_t>::check(iter) INTERNAL ASSERT FAILED at"
            ' "aten/src/ATen/native/cpu/Loops.h":311, please report a bug to PyTorch. '
        ),
    )
    dtype = left._dtype
    computed = OPMATH_DTYPE.get(dtype, dtype)
    numbers = convert(raw_array(left), dtype, computed)
    found = quietly(binary.times_power_of_two, numbers, raw_array(right))
    raw_array(out)[...] = convert(found, computed, dtype)
    return out


@partial(resolves_conj_neg, name="ldexp")
def _ldexp(left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    if out is not None:
        _check_scaled(left, out)
    if not _is_scaling(left, right):
        powers = _powers_of_two(left, right)
        return _LDEXP(left, powers) if out is None else _LDEXP.into(out, left, powers)
    if out is not None:
        return _scale(left, right, out)
    made = empty_with(like_geometry(left, None, left._dtype), left._dtype)
    return record_grad_fn(_scale(left, right, made), (left, right), "LdexpBackward0")


@resolves_conj_neg_in_place
def _ldexp_(left: Tensor, right: Tensor) -> Tensor:
    check_writable(left)
    _check_scaled(left, left)
    if not _is_scaling(left, right):
        return _LDEXP.change(left, _powers_of_two(left, right))
    return written(_scale(left, right, left), (right,), "LdexpBackward0")


def _check_scaled(left: Tensor, out: Tensor) -> None:
    dtype = left._dtype.to_real() if left._dtype.is_complex else left._dtype
    if _is_integral(dtype, or_bool=True):
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
