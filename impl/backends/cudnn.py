"""torch.backends.cudnn: NVIDIA's cuDNN and its flags."""

import sys as _sys

from .._accelerators.flags import CudnnModule as _CudnnModule


def version() -> int | None:
    """Return None: there is no library."""
    return None


def is_available() -> bool:
    """Return False: impl does not use the library."""
    return False


_sys.modules[__name__].__class__ = _CudnnModule
