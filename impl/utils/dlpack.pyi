"""torch.utils.dlpack: exchange of tensors with other libraries."""

from .. import from_dlpack as from_dlpack, to_dlpack as to_dlpack
from .._ops.methods.numpy_dlpack import DLDeviceType as DLDeviceType
