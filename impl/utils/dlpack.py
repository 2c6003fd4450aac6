"""torch.utils.dlpack: exchange of tensors with other libraries by DLPack."""

from .._ops.methods.numpy_dlpack import (
    DLDeviceType,
    from_dlpack,
    to_dlpack as to_dlpack,  # public in torch, but not in its __all__
)

__all__ = ["DLDeviceType", "from_dlpack"]
