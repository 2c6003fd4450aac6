"""Pinned (page-locked) memory: pin_memory and is_pinned."""

from typing import Any

from ..._devices.cuda_backend import is_pinned
from ..._devices.device import CPU, PINNED
from ..._geometry.extents import strided_bytes
from ..._runtime.warnings import warn
from ..._storage.storage_base import PINNED_DEVICE, check_can_pin
from ..._storage.untyped_storage import new_storage
from ..._tensor.data_access import copy_elements
from ..._tensor.tensor import Tensor, new_tensor
from ..._tensor.views import record_grad_fn
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.registration import Op, register_operator
from ..common.type_strings import type_string


def _is_pinned(tensor: Tensor, device: Any = None) -> bool:
    """Tensor.is_pinned(): whether the memory is pinned."""
    if device is not None:
        warn(PINNED_DEVICE.format("is_pinned", 31), DeprecationWarning)
    return not tensor._geometry.is_sparse and is_pinned(resolve_conj_neg(tensor)._storage._array)


def check_on_cpu(tensor: Tensor) -> None:
    """Raise if a tensor is not on the CPU, whose memory alone can be pinned."""
    if tensor._geometry.device is CPU:
        return
    raise RuntimeError(f"cannot pin '{type_string(tensor)}' only dense CPU tensors can be pinned")


def _pin_memory(tensor: Tensor, device: Any = None) -> Tensor:
    """Tensor.pin_memory(): a copy in pinned memory, or the tensor itself if it is pinned."""
    if device is not None:
        # The values of a sparse tensor are pinned by the same function.
        for _ in range(2 if tensor._geometry.is_sparse else 1):
            warn(PINNED_DEVICE.format("pin_memory", 46), DeprecationWarning)
            warn(PINNED_DEVICE.format("is_pinned", 31), DeprecationWarning)
    check_on_cpu(tensor)
    check_can_pin(device)
    if is_pinned(tensor._storage._array):
        return tensor
    source = resolve_conj_neg(tensor)
    geometry = source._geometry
    size = strided_bytes(geometry.shape, geometry.stride, source._dtype.itemsize)
    result = new_tensor(new_storage(size, PINNED), geometry, 0, source._dtype)
    copy_elements(result, source)
    return record_grad_fn(result, (tensor,), "PinMemoryBackward0")


_DEVICE = "Device? device=None"
register_operator(Op("is_pinned", {_DEVICE: _is_pinned}, function=False))
register_operator(Op("pin_memory", {_DEVICE: _pin_memory}, function=False))
