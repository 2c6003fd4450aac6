"""clamp, clamp_min and clamp_max, with the alias clip."""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import check_inplace
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import dtype, spec_of
from ..._kernels import binary
from ..._kernels.elementwise import ByKind, ForDtype, WithNumbers
from ..._runtime.errors import check
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import to_dtype
from ..common.meta_reference import (
    Step,
    converted_on_meta,
    into_meta,
    is_on_meta,
    warn_of_result,
    with_int64_numbers,
)
from ..common.reference_dtypes import check_promotes, reference_dtype
from ..common.result_type import UNDEFINED, result_type_of
from .binary import MAXIMUM, MINIMUM
from .binding import Overload, install_operator
from .iterator import Operator
from .plan import FLOAT8, FLOATS, NUMBERS, Pointwise, Result
from .scalar_args import ScalarArg, cached_by_numbers
from .unary import reject_complex

_CLAMP_KERNEL = ByKind(binary.clamp, integer=binary.clamp_integers)

CLAMP = Operator(
    Pointwise(
        "clamp",
        "clamp_cpu",
        NUMBERS,
        _CLAMP_KERNEL,
        "ClampBackward0",
        reference_step=Step((0, 1), "ge_cpu", lambda dtype: dtype.is_complex),
        allows_cpu_scalars=False,
    )
)
# With one bound only, the kernel is that of maximum or minimum.
_CLAMP_TO_MIN = Operator(MAXIMUM.spec._replace(name="clamp", node="ClampBackward0"))
_CLAMP_TO_MAX = Operator(MINIMUM.spec._replace(name="clamp", node="ClampBackward0"))
_CLAMP_MIN = Operator(MAXIMUM.spec._replace(name="clamp_min", node="ClampMinBackward1"))
_CLAMP_MAX = Operator(MINIMUM.spec._replace(name="clamp_max", node="ClampMaxBackward1"))


def _check_bounds(tensor: Tensor, lower: Any, upper: Any) -> None:
    if lower is None and upper is None:
        if is_on_meta(tensor):
            check_promotes(tensor)
            raise ValueError("clamp called but both min and max are none!")
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")


_check_not_complex = reject_complex("clamp is not supported for complex types")


def _tensor_clamp(
    tensor: Tensor, lower: Tensor | None, upper: Tensor | None
) -> tuple[Operator, tuple[Tensor, ...]]:
    _check_bounds(tensor, lower, upper)
    if not is_on_meta(tensor, lower, upper):
        _check_not_complex(tensor._dtype)
    operator = _CLAMP_TO_MIN if upper is None else _CLAMP_TO_MAX if lower is None else CLAMP
    return operator, tuple(x for x in (tensor, lower, upper) if x is not None)


def _clamp(tensor: Tensor, lower: Any, upper: Any, out: Tensor | None = None) -> Tensor:
    operator, operands = _tensor_clamp(tensor, lower, upper)
    return operator(*operands, out=out)


def _clamp_(tensor: Tensor, lower: Any, upper: Any) -> Tensor:
    check_inplace(tensor)
    operator, operands = _tensor_clamp(tensor, lower, upper)
    return operator.inplace_below_autograd(*operands)


@cached_by_numbers
def _scalar_clamp(name: str, lower: Any, upper: Any) -> Operator:
    scalars = tuple(ScalarArg(scalar) for scalar in (lower, upper) if scalar is not None)
    bounds = tuple(scalar.value for scalar in scalars)
    compute: ForDtype | WithNumbers
    dtypes = NUMBERS
    suffix = "_min" * (upper is None) + "_max" * (lower is None)
    if any(bound != bound for bound in bounds):
        # The result is filled with NaN, without the clamp kernel.
        compute = ForDtype(lambda dtype, array: np.full_like(array, np.nan))
        scalars, dtypes = (), FLOATS | FLOAT8
    else:
        kernel = (MINIMUM if lower is None else MAXIMUM).spec.compute
        compute = WithNumbers(_CLAMP_KERNEL if len(scalars) == 2 else kernel, scalars)
    return Operator(
        Pointwise(
            name,
            f"clamp{suffix}_scalar_cpu",
            dtypes,
            compute,
            _NODES[name],
            result=Result.SAME,
            scalar_args=scalars,
            check=partial(_check_real, bounds),
        )
    )


_NODES = {
    "clamp": "ClampBackward1",
    "clamp_min": "ClampMinBackward0",
    "clamp_max": "ClampMaxBackward0",
}


def _check_real(numbers: tuple[Any, ...], common: dtype) -> None:
    """Raise if a bound has an imaginary part: torch's NaN check converts bounds to double."""
    check(
        not any(isinstance(number, complex) and number.imag for number in numbers),
        lambda: "value cannot be converted to type double without overflow",
    )


def _scalar_operands(
    name: str, tensor: Tensor, bounds: tuple[Any, ...], in_place: bool
) -> tuple[Operator, Tensor]:
    """Return the operator which clamps to numbers, and its operand, cast to the result dtype."""
    lower = None if name == "clamp_max" else bounds[0]
    upper = None if name == "clamp_min" else bounds[-1]
    _check_bounds(tensor, lower, upper)
    dtype = tensor._dtype
    numbers = [python_scalar(bound) for bound in bounds if bound is not None]
    if is_on_meta(tensor):
        dtype = reference_dtype(with_int64_numbers((tensor, *numbers)))
        return _scalar_clamp(name, lower, upper), converted_on_meta(tensor, dtype)
    _check_not_complex(dtype)
    if name != "clamp":
        _check_not_complex(scalar_dtype(numbers[0]))
    if not dtype.is_floating_point:
        uncast = "result type {} can't be cast to the desired output type " + cpp_type(dtype)
        unknown = uncast.format("UNKNOWN_SCALAR") if in_place else UNDEFINED
        dtype = result_type_of((tensor, *numbers), unknown)
        check(
            dtype is tensor._dtype or not in_place, lambda: uncast.format(spec_of(dtype).cpp_name)
        )
        _check_not_complex(dtype)
    return _scalar_clamp(name, lower, upper), to_dtype(tensor, dtype, False, None)


def _scalar_functions(name: str) -> tuple[Any, Any]:

    def run(tensor: Tensor, *bounds: Any, out: Tensor | None = None) -> Tensor:
        operator, source = _scalar_operands(name, tensor, bounds, out is tensor)
        return operator(source, out=out)

    def inplace(tensor: Tensor, *bounds: Any) -> Tensor:
        check_inplace(tensor)
        if is_on_meta(tensor):
            operator, source = _scalar_operands(name, tensor, bounds, False)
            warn_of_result(source._dtype)
            into_meta(name, tensor, source._geometry, source._dtype)
            return operator.record(tensor)
        operator, _ = _scalar_operands(name, tensor, bounds, True)
        return operator.inplace_below_autograd(tensor)

    return resolves_conj_neg(run, name), resolves_conj_neg_in_place(inplace, _NODES[name])


for _name in ("clamp", "clip"):
    _function, _inplace = _scalar_functions("clamp")
    install_operator(
        _name,
        Overload(
            "Tensor? min=None, Tensor? max=None",
            resolves_conj_neg(_clamp, "clamp"),
            resolves_conj_neg_in_place(_clamp_, CLAMP.spec.node),
        ),
        Overload("Scalar? min=None, Scalar? max=None", _function, _inplace),
        doc="Return the elements clamped to the range from min to max.",
        in_place_function=True,
    )
for _name, _bound, _operator in (
    ("clamp_min", "min", _CLAMP_MIN),
    ("clamp_max", "max", _CLAMP_MAX),
):
    _function, _inplace = _scalar_functions(_name)
    install_operator(
        _name,
        Overload(f"Tensor {_bound}", _operator, _operator.inplace),
        Overload(f"Scalar {_bound}", _function, _inplace),
        doc=f"Return the elements clamped to the {_bound}imum.",
        in_place_function=True,
    )
