"""torch.cuda: the part for tensor attributes."""

from ._accelerators.cuda import *
from ._accelerators.cuda import __all__ as __all__
