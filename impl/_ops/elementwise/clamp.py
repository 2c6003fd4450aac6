"""clamp, where and nonzero, with their aliases and variants."""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import bump_version
from ..._autograd.tracking import check_inplace
from ..._codegen.elementwise import where_kernel
from ..._codegen.loops import NUMPY_MAX_ELEMENTS, run_kernel
from ..._devices.device import META, device
from ..._dtypes.constants import BOOL, COMPLEX32, INT64, UINT8
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.scalars import scalar_dtype
from ..._dtypes.table import dtype, spec_of
from ..._geometry import broadcasting
from ..._geometry.geometry import dense, on_device, strided
from ..._kernels import binary
from ..._kernels.elementwise import ByKind, ForDtype, WithNumbers
from ..._numerics.cast import to_numbers
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.warnings import warn_once
from ..._tensor.allocation import empty_tensor, resize_output, warn_complex32
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.factories import python_scalar
from ..._tensor.out_autograd import check_no_grad_out
from ..._tensor.tensor import Tensor, new_tensor, set_geometry
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import to_dtype
from ..common.device_checks import check_nonzero_not_meta, check_out_device_for_write, common_device
from ..common.memory_overlap import check_no_overlap
from ..common.meta_reference import (
    Step,
    check_conversions,
    converted_on_meta,
    into_meta,
    is_on_meta,
    reference_shape,
    warn_of_result,
    with_int64_numbers,
)
from ..common.out_argument import check_shape, resize_elementwise
from ..common.reference_dtypes import check_promotes, reference_dtype
from ..common.registration import Op, register_operator
from ..common.result_type import UNDEFINED, result_type_of
from .binary import MAXIMUM, MINIMUM
from .binding import Overload, install_operator
from .iterator import Operator
from .plan import BOOLS, COMPLEX, FLOAT8, FLOATS, HALF_COMPLEX, NUMBERS, Pointwise, Result
from .scalar_args import ScalarArg, cached_by_numbers
from .unary import reject_complex

# clamp

_CLAMP_KERNEL = ByKind(binary.clamp, integer=binary.clamp_integers)

CLAMP = Operator(
    Pointwise(
        "clamp",
        "clamp_cpu",
        NUMBERS,
        _CLAMP_KERNEL,
        "ClampBackward0",
        reference_step=Step((0, 1), "ge_cpu", lambda dtype: dtype.is_complex),
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


# where

_CONDITION = "Tensor condition"
_UNKNOWN = "Expected out type to be UNKNOWN_SCALAR but got {}"
_BYTE_CONDITION = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a"
    " future version of PyTorch. Use a boolean condition instead. (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/TensorCompare.cpp:621.)"
)


def _where(condition: Tensor, left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """where(condition, input, other): return elements of one tensor or the other."""
    if out is not None:
        check_no_grad_out("where", left, right, out)
    return _resolved_where(condition, left, right, out=out)  # type: ignore[no-any-return]


@resolves_conj_neg
def _resolved_where(
    condition: Tensor, left: Tensor, right: Tensor, out: Tensor | None = None
) -> Tensor:
    """Return elements of one tensor or the other.

    Only the two tensors are promoted, before the operation (where_self_out in
    ATen/native/TensorCompare.cpp).
    """
    on_meta = is_on_meta(condition, left, right, out)
    if on_meta:
        dtype = reference_dtype((left, right))
        check_conversions((left, right), dtype)
        left, right = (converted_on_meta(tensor, dtype, warns=True) for tensor in (left, right))
    else:
        if any(x is not None and x._geometry.is_sparse for x in (condition, left, right, out)):
            raise NotDense
        unknown = _UNKNOWN.format(spec_of(out._dtype).cpp_name) if out is not None else UNDEFINED
        dtype = result_type_of((left, right), unknown)
    check(
        out is None or out._dtype is dtype or on_meta,
        lambda: (
            f"Expected out type to be {spec_of(dtype).cpp_name} but got"
            f" {spec_of(out._dtype).cpp_name}"  # type: ignore[union-attr]
        ),
    )
    device = common_device((condition, left, right))
    if on_meta:
        check(
            condition._dtype is BOOL,
            lambda: f"expected predicate to be bool, got {condition._dtype}",
        )
        shape = reference_shape(condition, left, right)
        if out is not None:
            warn_of_result(dtype)
            bump_version(into_meta("where", out, on_device(dense(shape), device), dtype))
            return out
    if out is not None:
        check_out_device_for_write(out, device)
    if not on_meta:
        left, right = (to_dtype(tensor, dtype, False, None) for tensor in (left, right))
    result = empty_tensor((0,), dtype, device, by_reference=on_meta) if out is None else out
    if condition._dtype is UINT8:
        warn_once(_BYTE_CONDITION)
        condition = to_dtype(condition, BOOL, False, None)
    check(
        condition._dtype is BOOL,
        lambda: (
            "where expected condition to be a boolean tensor, but got a tensor with dtype"
            f" {spec_of(condition._dtype).cpp_name}"
        ),
    )
    operands = condition, left, right
    check_no_overlap(result, *operands)
    shape = broadcasting.broadcast_pair(condition._geometry.shape, left._geometry.shape)
    shape = broadcasting.broadcast_pair(shape, right._geometry.shape)
    if any(tensor is out for tensor in operands):
        check_shape(result, shape)
    resize_elementwise(result, shape, *operands)
    if device is not META:
        values = raw_array(result) if out is None else np.empty(shape, numpy_storage_dtype(dtype))
        kernel = where_kernel(dtype.itemsize) if values.size > NUMPY_MAX_ELEMENTS else None
        run_kernel(kernel, _choose, values, *map(raw_array, operands))
        if out is not None:
            raw_array(out)[...] = values
    if out is None:
        return record_grad_fn(result, (left, right), "WhereBackward0")
    bump_version(out)
    return out


def _choose(out: Any, condition: Any, left: Any, right: Any) -> None:
    out[...] = np.where(condition, left, right)


def _scalar_tensor(value: Any, dtype: dtype, device: device) -> Tensor:
    """Return a number as a 0-dim tensor, like torch.scalar_tensor."""
    result = empty_tensor((), dtype, device, by_reference=device is META)
    if device is META:
        return result
    raw_array(result)[...] = encode_scalar(python_scalar(value), dtype, ScalarPath.SCALAR_TENSOR)
    return result


def _where_scalar(condition: Tensor, left: Any, right: Any) -> Tensor:
    device = condition._geometry.device
    if device is META:
        dtype = result_type_of((left, right))
    else:
        dtype = result_type_of((left, right), _NO_FILL, NotImplementedError)
    if device is META and any(
        isinstance(x, Tensor) and x._geometry.is_sparse for x in (left, right)
    ):
        if dtype is COMPLEX32:
            for _ in range(2):
                warn_complex32()  # torch makes a sparse tensor of the number
        raise NotDense
    left, right = (
        operand if isinstance(operand, Tensor) else _scalar_tensor(operand, dtype, device)
        for operand in (left, right)
    )
    if not is_on_meta(condition, left, right):
        left, right = (to_dtype(operand, dtype, False, None) for operand in (left, right))
        return _where(condition, left, right)
    operands = [converted_on_meta(operand, dtype) for operand in (left, right)]
    try:
        return _where(condition, *operands)
    finally:
        if dtype is COMPLEX32 and any(x._dtype is not dtype for x in (left, right)):
            warn_complex32()  # torch shows a kernel's warnings when it ends


_NO_FILL = "\"fill_out\" not implemented for 'UNKNOWN_SCALAR'"

install_operator(
    "where",
    Overload("", lambda condition: _nonzero_as_tuple(condition), input=_CONDITION, out=False),
    Overload("Tensor input, Tensor other", _where, input=_CONDITION),
    *(
        Overload(parameters, _where_scalar, input=_CONDITION, out=False)
        for parameters in (
            "Scalar self, Tensor other",
            "Tensor input, Scalar other",
            "Scalar self, Scalar other",
        )
    ),
    doc="Return elements of input where the condition is true, and else of other.",
    method=False,
)


def _of_input(run: Any) -> Any:
    """Return the method of a function whose first parameter is the condition."""
    return lambda tensor, condition, other: run(condition, tensor, other)


register_operator(
    Op(
        "where",
        {
            f"{_CONDITION}, Tensor other": _of_input(_where),
            f"{_CONDITION}, Scalar other": _of_input(_where_scalar),
        },
        function=False,
    )
)


# nonzero


@resolves_conj_neg
def _nonzero(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """nonzero(input): return the indices of nonzero elements, one row for each.

    The result is column-major (#46224).
    """
    check_nonzero_not_meta(tensor)
    check(
        out is None or out._dtype is INT64,
        lambda: (
            "nonzero: Expected out tensor to have scalar type Long but got scalar type"
            f"{spec_of(out._dtype).cpp_name}"  # type: ignore[union-attr]
        ),
    )
    if out is not None:
        check_no_overlap(out, tensor)
    if tensor._dtype not in BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX:
        raise_not_implemented("nonzero_count_cpu", tensor._dtype)
    array = to_numbers(raw_array(tensor), tensor._dtype)
    rank = tensor._geometry.rank
    indices = np.stack(array.nonzero()) if rank else np.empty((0, int(array != 0)), np.int64)
    count = indices.shape[1]
    geometry = strided((count, rank), (1, count))
    if out is None:
        device = tensor._geometry.device
        columns = tensor_from_raw(np.ascontiguousarray(indices, np.int64), INT64, device)
        return new_tensor(columns._storage, geometry, 0, INT64)
    check_out_device_for_write(out, tensor._geometry.device)
    if out._geometry.shape != geometry.shape:
        resize_output(out, geometry.shape)
        set_geometry(out, geometry)
    raw_array(out)[...] = indices.T
    bump_version(out)
    return out


def _nonzero_as_tuple(tensor: Tensor) -> tuple[Tensor, ...]:
    """Return the indices of nonzero elements for each dimension; a 0-dim tensor counts as 1-dim."""
    if not tensor._geometry.rank:
        tensor = tensor.unsqueeze(0)  # type: ignore[attr-defined]
    return _nonzero(tensor).unbind(1)  # type: ignore[no-any-return]


def _nonzero_as(tensor: Tensor, as_tuple: bool, out: Tensor | None = None) -> Any:
    check(
        out is None or not as_tuple,
        lambda: "nonzero does not support the out kwarg when as_tuple is True",
    )
    return _nonzero_as_tuple(tensor) if as_tuple else _nonzero(tensor, out=out)


install_operator(
    "nonzero",
    Overload("*, bool as_tuple=False", _nonzero_as),
    doc="Return the indices of nonzero elements.",
    method=False,
)
register_operator(Op("nonzero", {"": _nonzero, "*, bool as_tuple": _nonzero_as}, function=False))
register_operator(Op("argwhere", {"": _nonzero}))
