"""torch.backends: libraries that compute for torch, of which impl has none."""

import sys as _sys
from types import ModuleType as _ModuleType

from . import cpu as cpu
from . import cuda as cuda
from . import cudnn as cudnn
from . import cusparselt as cusparselt
from . import kleidiai as kleidiai
from . import mkl as mkl
from . import mkldnn as mkldnn
from . import mps as mps
from . import nnpack as nnpack
from . import openmp as openmp
from . import opt_einsum as opt_einsum


class _GenericModule(_ModuleType):
    """The class of this module, by its name in torch's messages."""


_GenericModule.__name__ = _GenericModule.__qualname__ = "GenericModule"
_sys.modules[__name__].__class__ = _GenericModule
