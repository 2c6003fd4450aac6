"""torch.utils.dlpack: exchange of tensors with other libraries."""

from .._ops.methods.numpy_dlpack import DLDeviceType, from_dlpack
from .._ops.methods.numpy_dlpack import (
    to_dlpack as to_dlpack,  # public, though torch does not list it
)

__all__ = ["DLDeviceType", "from_dlpack"]
