"""Ternary operators: lerp, addcmul and addcdiv."""

from functools import partial
from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._devices.device import device
from ..._dtypes.constants import FLOAT16
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._kernels import binary, elementwise
from ..._kernels.elementwise import OPMATH_DTYPE, ByKind, ForDtype, WithNumbers
from ..._kernels.unary import divide_complex
from ..._numerics.fma import fused
from ..._runtime.errors import check
from ..._tensor.tensor import Tensor
from ..common.device_checks import check_number_has_data, is_cpu_scalar
from ..common.meta_reference import is_on_meta, promoted_on_meta
from .binding import checked_overload, install_operator
from .iterator import Operator
from .plan import COMPLEX, FLOATS, HALF_COMPLEX, NUMBERS, Pointwise, Result
from .scalar_args import UNROUNDED, ScalarArg, cached_by_numbers

# lerp

_LERP = Pointwise(
    "lerp",
    "lerp_kernel_tensor",
    FLOATS | COMPLEX,
    ByKind(binary.lerp),
    "LerpBackward1",
    result=Result.SAME,
)
LERP = Operator(_LERP)
# A 0-dim weight may have another dtype; then all operands are promoted.
_LERP_SCALAR_TENSOR = Operator(_LERP._replace(result=Result.COMMON))


@cached_by_numbers
def _scalar_lerp(weight: Any) -> Operator:
    scalar = ScalarArg(weight, UNROUNDED)
    return Operator(
        _LERP._replace(
            kernel="lerp_kernel_scalar",
            compute=WithNumbers(ByKind(binary.lerp), (scalar,)),
            node="LerpBackward0",
            result=Result.COMMON,
            scalar_args=(scalar,),
        )
    )


def _check_same_dtype(left: Tensor, *operands: Any, **others: Tensor) -> None:
    """Raise if a tensor has another dtype than the first one; ``operands`` are those of lerp."""
    is_meta = is_on_meta(left, *operands)
    for name, tensor in others.items():
        left_name, name_of_tensor = (
            str(x._dtype) if is_meta else cpp_type(x._dtype) for x in (left, tensor)
        )
        check(
            tensor._dtype is left._dtype,
            lambda: (
                f"expected dtype {left_name} for `{name}`{',' * is_meta} but got dtype"  # noqa: B023
                f" {name_of_tensor}"  # noqa: B023
            ),
        )


def _checked_lerp(left: Tensor, right: Tensor, weight: Any) -> tuple[Operator, tuple[Any, ...]]:
    """Return the lerp operator and its operands; raise if dtypes differ (ATen/native/Lerp.cpp)."""
    _check_same_dtype(left, right, weight, end=right)
    if not isinstance(weight, Tensor):
        return _scalar_lerp(weight), (left, right)
    if not weight._geometry.rank:
        return _LERP_SCALAR_TENSOR, promoted_on_meta(left, right, weight)
    _check_same_dtype(left, right, weight, weight=weight)
    return LERP, (left, right, weight)


install_operator(
    "lerp",
    checked_overload("lerp", "Tensor end, Tensor weight", _checked_lerp, LERP.spec.node),
    checked_overload("lerp", "Tensor end, Scalar weight", _checked_lerp),
    doc="Return input + weight * (end - input).",
)


# addcmul and addcdiv


def _addcmul(scalar: ScalarArg, dtype: dtype, added: Any, left: Any, right: Any) -> Any:
    """Return added + value * left * right; floats use a fused multiply-add."""
    value = scalar.of(dtype)
    if added.dtype.kind == "c":
        multiply, compute_dtype = elementwise.multiply_complex, OPMATH_DTYPE.get(dtype, dtype)
        if compute_dtype is dtype:
            return added + multiply(multiply(value, left), right)
        round_ = partial(elementwise.round_through, compute_dtype, dtype)
        return added + round_(multiply(round_(multiply(round_(value), left)), right))
    if added.dtype.kind != "f":
        return added + value * left * right
    return fused(value * left, right, added)


def _addcdiv(scalar: ScalarArg, dtype: dtype, added: Any, left: Any, right: Any) -> Any:
    """Return added + value * left / right."""
    value = scalar.of(dtype)
    if added.dtype.kind == "c":
        return added + divide_complex(elementwise.multiply_complex(value, left), right)
    quotient = value * left / right
    # The sum of two NaNs is the first one.
    return quotient + added if dtype is FLOAT16 else added + quotient


_NO_INTEGER_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future ",
    "release addcdiv will perform a true division of tensor1 and tensor2. ",
    "The historic addcdiv behavior can be implemented as ",
    "(input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) ",
    "for integer inputs and as ",
    "(input + value * tensor1 / tensor2) for float inputs. ",
    "The future addcdiv behavior is just the latter implementation: ",
    "(input + value * tensor1 / tensor2), for all dtypes.",
)
"""The lines of torch's message, which its reference forgets to join."""


def _check_division(added: Tensor, left: Tensor, right: Tensor) -> None:
    on_meta = is_on_meta(added, left, right)
    first, *others = _NO_INTEGER_DIVISION
    check(
        not all(is_integral_dtype(x._dtype, or_bool=not on_meta) for x in (left, right)),
        lambda: str(_NO_INTEGER_DIVISION) if on_meta else f"{first} {''.join(others)}",
    )


def _check_factor_alone(tensors: tuple[Tensor, ...], device: device) -> None:
    """Raise if a 0-dim CPU tensor is not the last operand (addcmul_cuda_kernel)."""
    for index, (name, note) in enumerate((("self", ""), ("tensor1", _ON_LAST))):
        if is_cpu_scalar(tensors[index]):
            raise RuntimeError(
                f"CPU Scalar support for {name} argument is not supported when calling addcmul on"
                f" CUDA tensors.{note}"
            )


_ON_LAST = (
    " However, CPU Scalar support for tensor2 is supported, please swap your tensor1 and tensor2"
    " terms."
)


def _install_fused(
    name: str,
    dtypes: frozenset[dtype],
    compute: Any,
    check_dtypes: Any,
    check_scalars: Any,
    doc: str,
) -> None:
    @cached_by_numbers
    def operator(value: Any) -> Operator:
        scalar = ScalarArg(value, UNROUNDED)
        return Operator(
            Pointwise(
                name,
                f"{name}_cpu_out",
                dtypes,
                ForDtype(partial(compute, scalar)),
                f"{name.capitalize()}Backward0",
                scalar_args=(scalar,),
                allows_cpu_scalars=check_scalars is not None,
                check_scalars=check_scalars,
            )
        )

    def select(added: Tensor, left: Tensor, right: Tensor, value: Any) -> Any:
        check_number_has_data(value)
        check_dtypes(added, left, right)
        return operator(value), promoted_on_meta(added, left, right)

    deprecated = checked_overload(
        name,
        "Scalar value, Tensor tensor1, Tensor tensor2",
        lambda added, value, left, right: select(added, left, right, value),
    )
    install_operator(
        name,
        deprecated._replace(deprecated=True),
        checked_overload(name, "Tensor tensor1, Tensor tensor2, *, Scalar value=1", select),
        doc=doc,
    )


_install_fused(
    "addcmul",
    NUMBERS | COMPLEX | HALF_COMPLEX,
    _addcmul,
    lambda *_: None,
    _check_factor_alone,
    "Return input + value * tensor1 * tensor2.",
)
_install_fused(
    "addcdiv",
    FLOATS | COMPLEX,
    _addcdiv,
    _check_division,
    None,
    "Return input + value * tensor1 / tensor2.",
)
