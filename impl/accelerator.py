"""torch.accelerator: the functions of torch.cuda for any accelerator."""

from ._accelerators.accelerator import *
from ._accelerators.accelerator import __all__ as __all__
