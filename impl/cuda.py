"""torch.cuda, as far as the attributes of tensors need it."""

from ._accelerators.cuda import *
from ._accelerators.cuda import __all__ as __all__
