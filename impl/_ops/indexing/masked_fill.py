"""masked_fill and masked_fill_."""

from typing import Any

from ..._argparser.types import is_integral_dtype
from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import check_differentiable, check_inplace
from ..._devices.device import CPU, META
from ..._dtypes.constants import BOOL, COMPLEX32
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import dtype
from ..._geometry import broadcasting, strides
from ..._geometry.extents import Ints
from ..._geometry.geometry import strided
from ..._geometry.size import Size
from ..._numerics.encode_scalar import LIMITED_DTYPES, ScalarPath, encode_scalar
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.warnings import warn
from ..._tensor.allocation import empty_tensor, warn_complex32
from ..._tensor.data_access import check_has_data, raw_array
from ..._tensor.factories import python_scalar
from ..._tensor.tensor import Tensor, set_geometry
from ..._tensor.views import record_grad_fn
from ..common.clone import contiguous_copy
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import record_write
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_partial_overlap
from ..common.meta_reference import check_meta_shape, is_on_meta
from ..common.out_argument import check_shape
from ..common.reference_dtypes import check_promotes
from ..common.registration import Op, register_operator


@resolves_conj_neg_in_place
def _masked_fill_(tensor: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Tensor.masked_fill_(mask, value): write a number into the elements where a mask is True."""
    sources = (value,) if isinstance(value, Tensor) else ()
    check_inplace(tensor, *sources)
    if is_on_meta(tensor, mask, value):
        _check_on_meta(tensor, mask, value)
        return record_write(tensor, sources, f"MaskedFillBackward{len(sources)}")
    fill_where(tensor, mask, _item_of(value, tensor, mask) if sources else python_scalar(value))
    return record_write(tensor, sources, f"MaskedFillBackward{len(sources)}")


def _check_on_meta(tensor: Tensor, mask: Tensor, value: Any) -> None:
    """Raise as torch's reference does (masked_fill_ in torch/_refs, meta_masked_fill_)."""
    if not isinstance(value, Tensor):
        check_meta_shape(tensor, mask)
        return
    shape = _reference(tensor, mask, value)
    if tensor._dtype is COMPLEX32:
        warn_complex32(by_reference=True)  # of the result, which it copies
    check_shape(tensor, shape)
    if tensor._geometry.device is not META:
        check_has_data(mask)  # of whose device the result is


def _reference(tensor: Tensor, mask: Tensor, value: Any) -> Ints:
    """Return the shape of the result; raise as torch's reference does (torch/_refs)."""
    check_promotes(tensor)
    is_tensor = isinstance(value, Tensor)
    rank = value._geometry.rank if is_tensor else 0
    check(
        not rank,
        lambda: f"only supports a 0-dimensional value tensor, but got tensor with {rank} dimension",
    )
    check(
        not is_tensor or value._geometry.device is tensor._geometry.device,
        lambda: "Expected `value` to be on same device as `a`",
    )
    check_promotes(value)
    is_complex = value._dtype.is_complex if is_tensor else isinstance(value, complex)
    check(
        not is_complex or tensor._dtype.is_complex,
        lambda: f"could not convert to type {_python_type(tensor._dtype)} without overflow",
    )
    if not is_tensor and is_integral_dtype(tensor._dtype, or_bool=False):
        number = int(value)  # raises as in the reference
        check(number < 2**64, lambda: "int too big to convert", OverflowError)
        check(number >= -(2**63), lambda: "can't convert negative int to unsigned", OverflowError)
    common_device((mask, value, tensor) if is_tensor else (mask, tensor))
    if tensor._dtype is COMPLEX32 and not (is_tensor and value._dtype is COMPLEX32):
        warn_complex32(by_reference=True)  # of the converted value
    check(
        mask._dtype is BOOL,
        lambda: f"expected predicate to be bool, got {mask._dtype}",
    )
    shapes = mask._geometry.shape, (), tensor._geometry.shape
    return broadcasting.broadcast_shapes(*map(Size, shapes))


def _filled_on_meta(tensor: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return the reference's result; where() decides its strides, if it is contiguous."""
    shape = _reference(tensor, mask, value)
    result = empty_tensor(shape, tensor._dtype, META, by_reference=True)
    sources = [(x._geometry.shape, x._geometry.stride) for x in (mask, tensor)]
    stride = strides.by_reference(shape, (*sources, ((), ())))
    if strides.is_contiguous(shape, stride):
        set_geometry(result, strided(shape, stride))
    return result


def _python_type(dtype: dtype) -> type:
    """Return the type of the elements in Python (dtype_to_type)."""
    if dtype is BOOL:
        return bool
    return float if dtype.is_floating_point else int


@resolves_conj_neg
def _masked_fill(tensor: Tensor, mask: Tensor, value: Any) -> Tensor:
    """masked_fill(input, mask, value): a copy, broadcast with the mask and filled."""
    on_meta = is_on_meta(tensor, mask, value)
    if not isinstance(value, Tensor):
        number = python_scalar(value)
        if on_meta:
            result = _filled_on_meta(tensor, mask, number)
        else:
            result = broadcast_copy(tensor, mask)
            fill_where(result, mask, number)
        return record_grad_fn(result, (tensor,), "MaskedFillBackward0")
    if on_meta:
        result = _filled_on_meta(tensor, mask, value)
    else:
        result = broadcast_copy(tensor, mask)
        fill_where(result, mask, _item_of(value, tensor, mask))
    check_differentiable(result, value)
    return record_grad_fn(result, (tensor, value), "MaskedFillBackward1")


def _item_of(value: Tensor, tensor: Tensor, mask: Tensor) -> Any:
    """Return the number of a value; raise if devices differ (ATen/native/cuda/Indexing.cu)."""
    rank = value._geometry.rank
    check(
        not rank,
        lambda: (
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with"
            f" {rank} dimension(s)."
        ),
    )
    device, value_device = tensor._geometry.device, value._geometry.device
    if device is META and value_device is META:
        return 1j if value._dtype.is_complex else 0  # a placeholder that every dtype accepts
    has_cuda = any(x._geometry.device not in (CPU, META) for x in (value, mask))
    check(
        device is not CPU or not has_cuda,
        lambda: "masked_fill_: Expected inputs to be on same device",
    )
    if META not in (device, value_device) and value_device is not CPU:
        common_device((tensor, value))
    return value.item()


def broadcast_copy(tensor: Tensor, mask: Tensor) -> Tensor:
    """Return a contiguous copy of a tensor, broadcast with a mask."""
    shape = broadcasting.broadcast_pair(mask._geometry.shape, tensor._geometry.shape)
    expanded = tensor if shape == tensor._geometry.shape else tensor.expand(shape)  # type: ignore[attr-defined]
    return contiguous_copy(expanded)


def fill_where(tensor: Tensor, mask: Tensor, value: Any) -> None:
    """Write a number where a mask is True (masked_fill_impl_cpu in TensorAdvancedIndexing.cpp)."""
    device, mask_device = tensor._geometry.device, mask._geometry.device
    check(
        device is mask_device or META in (device, mask_device),
        lambda: (
            "expected self and mask to be on the same device, but got mask on"
            f" {mask_device} and self on {device}"
        ),
    )
    check(
        mask._dtype is BOOL,
        lambda: (
            "masked_fill_ only supports boolean masks, but got mask with dtype"
            f" {cpp_type(mask._dtype)}"
        ),
    )
    warn_if_expanded(tensor, "masked_fill_", "tensor[mask] = scalar", 2450)
    check_no_partial_overlap(tensor, mask)
    shape = tensor._geometry.shape
    broadcast = broadcasting.broadcast_pair(shape, mask._geometry.shape)
    check(
        broadcast == shape,
        lambda: f"output with shape {[*shape]} doesn't match the broadcast shape {[*broadcast]}",
    )
    element = element_of(tensor, value)
    if common_device((tensor, mask)) is not META and tensor._geometry.numel:
        np.copyto(raw_array(tensor), element, where=raw_array(mask))


def element_of(tensor: Tensor, value: Any) -> Any:
    """Return the raw element to fill with; raise if there is no kernel for the dtype."""
    if tensor._dtype in LIMITED_DTYPES:
        raise_not_implemented("masked_fill", tensor._dtype)
    return encode_scalar(value, tensor._dtype, ScalarPath.MASKED)


def warn_if_expanded(tensor: Tensor, name: str, example: str, line: int) -> None:
    """Warn of a write to a tensor whose elements overlap."""
    if broadcasting.has_internal_overlap(tensor._geometry.shape, tensor._geometry.stride) == "yes":
        warn(
            f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before"
            f" performing this operation. This also applies to advanced indexing e.g. {example}"
            " (Triggered internally at"
            f" /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:{line}.)"
        )


_PARAMETERS = ("Tensor mask, Tensor value", "Tensor mask, Scalar value")
register_operator(Op("masked_fill", dict.fromkeys(_PARAMETERS, _masked_fill)))
register_operator(Op("masked_fill_", dict.fromkeys(_PARAMETERS, _masked_fill_), function=False))
