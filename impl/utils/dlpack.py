"""torch.utils.dlpack: exchange of tensors with other libraries."""

from ..ops.interop import DLDeviceType, from_dlpack
from ..ops.interop import to_dlpack as to_dlpack  # public, though torch does not list it

__all__ = ["DLDeviceType", "from_dlpack"]
