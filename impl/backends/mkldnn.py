"""torch.backends.mkldnn: oneDNN and its flags."""

import sys as _sys

from .._accelerators.flags import MkldnnModule as _MkldnnModule


def is_available() -> bool:
    """Return False: impl does not use the library."""
    return False


_sys.modules[__name__].__class__ = _MkldnnModule
