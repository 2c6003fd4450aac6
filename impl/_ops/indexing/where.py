"""where, nonzero and argwhere."""

from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._autograd.autograd_meta import bump_version
from ..._codegen.elementwise import where_kernel
from ..._codegen.loops import NUMPY_MAX_ELEMENTS, run_kernel
from ..._devices.device import META, device
from ..._dtypes.constants import BOOL, COMPLEX32, INT64, UINT8
from ..._dtypes.table import dtype, spec_of
from ..._geometry import broadcasting
from ..._geometry.geometry import dense, on_device, strided
from ..._numerics.cast import to_numbers
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.warnings import warn_once
from ..._tensor.allocation import empty_tensor, resize_output, warn_complex32, warn_if_complex32
from ..._tensor.data_access import has_separate_elements, raw_array, tensor_from_raw
from ..._tensor.factories import python_scalar
from ..._tensor.out_autograd import gradient_check, with_gradient_check
from ..._tensor.tensor import Tensor, new_tensor, set_geometry
from ..._tensor.views import record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import to_dtype
from ..common.device_checks import check_nonzero_not_meta, check_out_device_for_write, common_device
from ..common.memory_overlap import check_no_overlap, check_written_alone, reads_written
from ..common.meta_reference import (
    check_conversions,
    converted_on_meta,
    into_meta,
    is_on_meta,
    reference_shape,
    warn_of_result,
)
from ..common.out_argument import check_shape, resize_elementwise
from ..common.reference_dtypes import reference_dtype
from ..common.registration import Op, register_operator
from ..common.result_type import UNDEFINED, result_type_of
from ..common.vector_loops import Loop, write_in_turn
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import (
    BOOLS,
    COMPLEX,
    HALF_COMPLEX,
    NUMBERS,
)

_CONDITION = "Tensor condition"
_UNKNOWN = "Expected out type to be UNKNOWN_SCALAR but got {}"
_BYTE_CONDITION = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a"
    " future version of PyTorch. Use a boolean condition instead. (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/TensorCompare.cpp:621.)"
)


_check_gradients = gradient_check("where", of=slice(1, None))


def _where(condition: Tensor, left: Tensor, right: Tensor, out: Tensor | None = None) -> Tensor:
    """where(condition, input, other): return elements of one tensor or the other."""
    if out is not None:
        _check_gradients((condition, left, right), out)
    return _resolved_where(condition, left, right, out=out)  # type: ignore[no-any-return]


with_gradient_check(_where, _check_gradients)


def _check_condition(condition: Tensor, dtypes: tuple[dtype, ...]) -> None:
    check(
        condition._dtype in dtypes,
        lambda: (
            "where expected condition to be a boolean tensor, but got a tensor with dtype"
            f" {spec_of(condition._dtype).cpp_name}"
        ),
    )


def _broadcast(operands: tuple[Tensor, Tensor, Tensor]) -> tuple[int, ...]:
    condition, left, right = [operand._geometry.shape for operand in operands]
    return broadcasting.broadcast_pair(broadcasting.broadcast_pair(condition, left), right)


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
    operands = condition, left, right
    if not on_meta and len({operand._geometry.device for operand in operands}) > 1:
        _check_condition(condition, (BOOL, UINT8))
        _broadcast(operands)  # torch checks the shapes before the devices
    device = common_device(operands)
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
    _check_condition(condition, (BOOL,))
    operands = condition, left, right
    check_no_overlap(result, *operands)
    shape = _broadcast(operands)
    if any(tensor is out for tensor in operands):
        check_shape(result, shape)
    resize_elementwise(result, shape, *operands)
    if out is not None and device is not META and _reads_written(out, operands):
        write_in_turn(np.where, raw_array(out), [*map(raw_array, operands)], Loop.ELEMENTS)
    elif device is not META:
        values = raw_array(result) if out is None else np.empty(shape, numpy_storage_dtype(dtype))
        kernel = where_kernel(dtype.itemsize) if values.size > NUMPY_MAX_ELEMENTS else None
        run_kernel(kernel, _choose, values, *map(raw_array, operands))
        if out is not None:
            raw_array(out)[...] = values
    if out is None:
        if is_noting() and 0 < result._geometry.numel <= NUMPY_MAX_ELEMENTS:
            note_arrays(_choose_new, result, *operands)
        return record_grad_fn(result, (left, right), "WhereBackward0")
    bump_version(out)
    return out


def _reads_written(out: Tensor, operands: tuple[Tensor, ...]) -> bool:
    return reads_written(out, operands, apart=has_separate_elements(raw_array(out)))


def _choose_new(condition: Any, left: Any, right: Any) -> Any:
    return np.where(condition, left, right)


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
        warn_if_complex32(dtype, 2)  # torch makes a sparse tensor of the number
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


@resolves_conj_neg
def _nonzero(tensor: Tensor, out: Tensor | None = None) -> Tensor:
    """nonzero(input): return the indices of nonzero elements, one row for each.

    The result is column-major (#46224).
    """
    if any(x is not None and x._geometry.is_sparse for x in (tensor, out)):
        raise NotDense
    check_nonzero_not_meta(tensor)
    check(
        out is None or out._dtype is INT64,
        lambda: (
            "nonzero: Expected out tensor to have scalar type Long but got scalar type"
            f"{spec_of(out._dtype).cpp_name}"  # type: ignore[union-attr]
        ),
    )
    if out is not None:
        check_written_alone(out, tensor)
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
