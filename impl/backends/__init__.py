"""torch.backends: libraries that compute for torch, of which impl has none."""

import sys as _sys
from types import ModuleType as _ModuleType

from . import (
    cpu as cpu,
    cuda as cuda,
    cudnn as cudnn,
    cusparselt as cusparselt,
    kleidiai as kleidiai,
    mkl as mkl,
    mkldnn as mkldnn,
    mps as mps,
    nnpack as nnpack,
    openmp as openmp,
    opt_einsum as opt_einsum,
)


class _GenericModule(_ModuleType):
    """The class of this module, by its name in torch's messages."""


_GenericModule.__name__ = _GenericModule.__qualname__ = "GenericModule"
_sys.modules[__name__].__class__ = _GenericModule
