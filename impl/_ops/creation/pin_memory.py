"""Pinned memory, of which an accelerator reads faster: pin_memory and is_pinned."""

from typing import Any

from ..._devices.cuda_backend import is_pinned
from ..._devices.device import CPU, PINNED
from ..._dtypes.table import spec_of
from ..._geometry.extents import strided_bytes
from ..._runtime.errors import check
from ..._runtime.warnings import warn
from ..._storage.storage_base import PINNED_DEVICE, check_pins
from ..._storage.untyped_storage import new_storage
from ..._tensor.data_access import copy_elements
from ..._tensor.tensor import Tensor, new_tensor, record_grad_fn
from ..common.conj_neg_fallback import resolved
from ..common.registration import Op, install


def _is_pinned(tensor: Tensor, device: Any = None) -> bool:
    """Tell whether the memory is pinned."""
    if device is not None:
        warn(PINNED_DEVICE.format("is_pinned", 31), DeprecationWarning)
    return not tensor._geometry.is_sparse and is_pinned(resolved(tensor)._storage._array)


def _pin_memory(tensor: Tensor, device: Any = None) -> Tensor:
    """Tensor.pin_memory(): a copy in pinned memory, of which an accelerator reads faster; itself if it is pinned."""
    if device is not None:
        for name, line in (("pin_memory", 46), ("is_pinned", 31)):
            warn(PINNED_DEVICE.format(name, line), DeprecationWarning)
    own = tensor._geometry.device
    if own is CPU:
        check_pins(device)
    check(
        own is CPU,
        lambda: f"cannot pin '{_type_in_c(tensor)}' only dense CPU tensors can be pinned",
    )
    if is_pinned(tensor._storage._array):
        return tensor
    source = resolved(tensor)
    geometry = source._geometry
    size = strided_bytes(geometry.shape, geometry.stride, source._dtype.itemsize)
    result = new_tensor(new_storage(size, PINNED), geometry, 0, source._dtype)
    copy_elements(result, source)
    return record_grad_fn(result, (tensor,), "PinMemoryBackward0")


def _type_in_c(tensor: Tensor) -> str:
    """Return what C++ calls the type of a tensor (c10/core/DispatchKey.cpp)."""
    name = {"meta": "Meta", "cuda": "CUDA"}[tensor._geometry.device.type]
    return f"{name}{spec_of(tensor._dtype).cpp_name}Type"


_DEVICE = "Device? device=None"
install(Op("is_pinned", {_DEVICE: _is_pinned}, function=False))
install(Op("pin_memory", {_DEVICE: _pin_memory}, function=False))
