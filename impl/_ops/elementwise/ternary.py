"""Operators on three tensors: interpolation, and products and quotients that are added."""

from functools import partial
from typing import Any

from ..._argparser.types import _is_integral
from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import check_writable
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._kernels import binary, elementwise
from ..._kernels.elementwise import OPMATH_DTYPE, ByKind, ForDtype
from ..._kernels.unary import divide_complex
from ..._numerics.fma import fused
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from .binding import Overload, install_operator
from .iterator import Operator
from .plan import COMPLEX, FLOATS, HALF_COMPLEX, NUMBERS, Pointwise, Result
from .scalar_args import UNROUNDED, OperatorCache, ScalarArg

# Interpolation.

_LERP = Pointwise(
    "lerp",
    "lerp_kernel_tensor",
    FLOATS | COMPLEX,
    ByKind(binary.mixture),
    "LerpBackward1",
    result=Result.SAME,
)
LERP = Operator(_LERP)
# A weight without dimensions may be of another dtype, and then all are promoted.
_LERP_BY_ONE = Operator(_LERP._replace(result=Result.COMMON))


def _lerp_by(weight: Any) -> Operator:
    """Return the interpolation by a number."""
    given = ScalarArg(weight, UNROUNDED)
    return Operator(
        _LERP._replace(
            kernel="lerp_kernel_scalar",
            compute=ForDtype(lambda kind, left, right: binary.mixture(left, right, given.of(kind))),
            node="LerpBackward0",
            result=Result.COMMON,
            numbers=(given,),
        )
    )


_LERP_BY = OperatorCache(_lerp_by)


def _check_same(left: Tensor, **others: Tensor) -> None:
    for name, each in others.items():
        check(
            each._dtype is left._dtype,
            lambda: (
                f"expected dtype {cpp_type(left._dtype)} for `{name}` but got dtype"  # noqa: B023
                f" {cpp_type(each._dtype)}"  # noqa: B023
            ),
        )


def _lerp_operator(left: Tensor, right: Tensor, weight: Tensor) -> Operator:
    """Return the interpolation by a tensor, after checking the dtypes (ATen/native/Lerp.cpp)."""
    if not weight._geometry.rank:
        _check_same(left, end=right)
        return _LERP_BY_ONE
    _check_same(left, end=right, weight=weight)
    return LERP


@partial(resolves_conj_neg, name="lerp")
def _lerp(left: Tensor, right: Tensor, weight: Tensor, out: Tensor | None = None) -> Tensor:
    """lerp(input, end, weight): return input + weight * (end - input)."""
    operator = _lerp_operator(left, right, weight)
    operands = left, right, weight
    return operator(*operands) if out is None else operator.into(out, *operands)


@resolves_conj_neg_in_place
def _lerp_(left: Tensor, right: Tensor, weight: Tensor) -> Tensor:
    check_writable(left)
    return _lerp_operator(left, right, weight).change(left, right, weight)


@partial(resolves_conj_neg, name="lerp")
def _lerp_number(left: Tensor, right: Tensor, weight: Any, out: Tensor | None = None) -> Tensor:
    _check_same(left, end=right)
    operator = _LERP_BY(weight)
    return operator(left, right) if out is None else operator.into(out, left, right)


@resolves_conj_neg_in_place
def _lerp_number_(left: Tensor, right: Tensor, weight: Any) -> Tensor:
    check_writable(left)
    _check_same(left, end=right)
    return _LERP_BY(weight).change(left, right)


install_operator(
    "lerp",
    Overload("Tensor end, Tensor weight", _lerp, _lerp_),
    Overload("Tensor end, Scalar weight", _lerp_number, _lerp_number_),
    doc="Return input + weight * (end - input).",
)


# Products and quotients that are added.


def _add_product(given: ScalarArg, dtype: dtype, added: Any, left: Any, right: Any) -> Any:
    """Return added + value * left * right; of floats, the last product and the sum are rounded once."""
    value = given.of(dtype)
    if added.dtype.kind == "c":
        times, computed = elementwise.multiply_complex, OPMATH_DTYPE.get(dtype, dtype)
        if computed is dtype:
            return added + times(times(value, left), right)
        step = partial(elementwise.rounded, computed, dtype)
        return added + step(times(step(times(step(value), left)), right))
    if added.dtype.kind != "f":
        return added + value * left * right
    return fused(*np.broadcast_arrays(value * left, right, added))


def _add_quotient(given: ScalarArg, dtype: dtype, added: Any, left: Any, right: Any) -> Any:
    """Return added + value * left / right."""
    value = given.of(dtype)
    if added.dtype.kind == "c":
        return added + divide_complex(elementwise.multiply_complex(value, left), right)
    return added + value * left / right


def _addcmul_by(value: Any) -> Operator:
    given = ScalarArg(value, UNROUNDED)
    return Operator(
        Pointwise(
            "addcmul",
            "addcmul_cpu_out",
            NUMBERS | COMPLEX | HALF_COMPLEX,
            ForDtype(partial(_add_product, given)),
            "AddcmulBackward0",
            numbers=(given,),
        )
    )


def _addcdiv_by(value: Any) -> Operator:
    given = ScalarArg(value, UNROUNDED)
    return Operator(
        Pointwise(
            "addcdiv",
            "addcdiv_cpu_out",
            FLOATS | COMPLEX,
            ForDtype(partial(_add_quotient, given)),
            "AddcdivBackward0",
            numbers=(given,),
        )
    )


_ADDCMUL, _ADDCDIV = OperatorCache(_addcmul_by), OperatorCache(_addcdiv_by)
_NO_INTEGER_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will"
    " perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be"
    " implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer"
    " inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv"
    " behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all"
    " dtypes."
)


def _check_quotient(left: Tensor, right: Tensor) -> None:
    check(
        not all(_is_integral(each._dtype, or_bool=True) for each in (left, right)),
        lambda: _NO_INTEGER_DIVISION,
    )


def _install_added(name: str, family: OperatorCache[Operator], check_it: Any, doc: str) -> None:
    @partial(resolves_conj_neg, name=name)
    def run(
        added: Tensor, left: Tensor, right: Tensor, value: Any = 1, out: Tensor | None = None
    ) -> Tensor:
        check_it(left, right)
        operator = family(value)
        operands = added, left, right
        return operator(*operands) if out is None else operator.into(out, *operands)

    @resolves_conj_neg_in_place
    def change(added: Tensor, left: Tensor, right: Tensor, value: Any = 1) -> Tensor:
        check_writable(added)
        check_it(left, right)
        return family(value).change(added, left, right)

    install_operator(
        name,
        Overload(
            "Scalar value, Tensor tensor1, Tensor tensor2",
            lambda added, value, left, right, **out: run(added, left, right, value, **out),
            lambda added, value, left, right: change(added, left, right, value),
            deprecated=True,
        ),
        Overload("Tensor tensor1, Tensor tensor2, *, Scalar value=1", run, change),
        doc=doc,
    )


_install_added("addcmul", _ADDCMUL, lambda *_: None, "Return input + value * tensor1 * tensor2.")
_install_added("addcdiv", _ADDCDIV, _check_quotient, "Return input + value * tensor1 / tensor2.")
