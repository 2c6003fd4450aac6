"""masked_fill and masked_fill_: one number, written where a mask is True."""

from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import is_differentiable, requires_grad
from ..._autograd.tracking import check_writable
from ..._devices.device import CPU, META
from ..._dtypes.constants import BOOL
from ..._dtypes.cpp_names import cpp_type
from ..._dtypes.table import spec_of
from ..._geometry import broadcasting
from ..._numerics.encode_scalar import BAREBONES, ScalarPath, encode_scalar
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._runtime.warnings import warn
from ..._tensor.data_access import raw_array
from ..._tensor.factories import number_of
from ..._tensor.tensor import Tensor, record_grad_fn
from ..common.clone import contiguous_copy
from ..common.conj_neg_fallback import resolves_conj_neg, resolves_conj_neg_in_place
from ..common.copy import written
from ..common.device_checks import common_device
from ..common.memory_overlap import check_not_partly_on
from ..common.registration import Op, install


@resolves_conj_neg_in_place
def _masked_fill_(tensor: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Tensor.masked_fill_(mask, value): write a number into the elements where a mask is True."""
    check_writable(tensor)
    fill_where(tensor, mask, number_of(value))
    return written(tensor, (), "MaskedFillBackward0")


@resolves_conj_neg_in_place
def _masked_fill_from_(tensor: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    check_writable(tensor)
    fill_where(tensor, mask, _item_of(value, tensor))
    return written(tensor, (value,), "MaskedFillBackward1")


@resolves_conj_neg
def _masked_fill(tensor: Tensor, mask: Tensor, value: Any) -> Tensor:
    """masked_fill(input, mask, value): a copy with a number where a mask is True, of the shape of both."""
    number = number_of(value)
    result = _broadcast_copy(tensor, mask)
    fill_where(result, mask, number)
    return record_grad_fn(result, (tensor,), "MaskedFillBackward0")


@resolves_conj_neg
def _masked_fill_from(tensor: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    result = _broadcast_copy(tensor, mask)
    fill_where(result, mask, _item_of(value, tensor))
    check(
        not requires_grad(value) or not grad_enabled() or is_differentiable(tensor),
        lambda: f"Autograd not support dtype: {spec_of(tensor._dtype).cpp_name}",
    )
    return record_grad_fn(result, (tensor, value), "MaskedFillBackward1")


def _item_of(value: Tensor, tensor: Tensor) -> Any:
    """Return the number of a value; one elsewhere than a tensor on the CPU is refused (ATen/native/cuda/Indexing.cu)."""
    rank = value._geometry.rank
    check(
        not rank,
        lambda: (
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with"
            f" {rank} dimension(s)."
        ),
    )
    own, other = tensor._geometry.device, value._geometry.device
    if own is META and other is META:
        return 1j if value._dtype.is_complex else 0  # as if it were none that fits anywhere
    if META not in (own, other) and other is not CPU:
        check(own is not CPU, lambda: "masked_fill_: Expected inputs to be on same device")
        common_device((tensor, value))
    return value.item()


def _broadcast_copy(tensor: Tensor, mask: Tensor) -> Tensor:
    """Return a contiguous copy of a tensor that is expanded to the shape of it and a mask."""
    shape = broadcasting.broadcast_pair(mask._geometry.shape, tensor._geometry.shape)
    expanded = tensor if shape == tensor._geometry.shape else tensor.expand(shape)  # type: ignore[attr-defined]
    return contiguous_copy(expanded)


def fill_where(tensor: Tensor, mask: Tensor, value: Any) -> None:
    """Write a number where a mask is True (masked_fill_impl_cpu in ATen/native/TensorAdvancedIndexing.cpp)."""
    check(
        mask._dtype is BOOL,
        lambda: (
            "masked_fill_ only supports boolean masks, but got mask with dtype"
            f" {cpp_type(mask._dtype)}"
        ),
    )
    own, other = tensor._geometry.device, mask._geometry.device
    check(
        own is other or META in (own, other),
        lambda: (
            "expected self and mask to be on the same device, but got mask on"
            f" {other} and self on {own}"
        ),
    )
    shape = tensor._geometry.shape
    if broadcasting.has_internal_overlap(shape, tensor._geometry.stride) == "yes":
        warn(_EXPANDED)
    check_not_partly_on(tensor, mask)
    broadcast = broadcasting.broadcast_pair(shape, mask._geometry.shape)
    check(
        broadcast == shape,
        lambda: f"output with shape {[*shape]} doesn't match the broadcast shape {[*broadcast]}",
    )
    element = element_of(tensor, value)
    where = common_device((tensor, mask))
    if tensor._geometry.numel and where is not META:
        np.copyto(raw_array(tensor), element, where=raw_array(mask))


def element_of(tensor: Tensor, value: Any) -> Any:
    """Return the code that a tensor is filled with; refuse a dtype for which there is no kernel."""
    if tensor._dtype in BAREBONES:
        name = spec_of(tensor._dtype).cpp_name
        raise NotImplementedError(f"\"masked_fill\" not implemented for '{name}'")
    return encode_scalar(value, tensor._dtype, ScalarPath.MASKED)


_EXPANDED = (
    "Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before"
    " performing this operation. This also applies to advanced indexing e.g. tensor[mask] = scalar"
    " (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:2450.)"
)

install(
    Op(
        "masked_fill",
        {"Tensor mask, Tensor value": _masked_fill_from, "Tensor mask, Scalar value": _masked_fill},
    )
)
install(
    Op(
        "masked_fill_",
        {
            "Tensor mask, Tensor value": _masked_fill_from_,
            "Tensor mask, Scalar value": _masked_fill_,
        },
        function=False,
    )
)
