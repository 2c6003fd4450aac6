"""torch.accelerator: the functions of torch.cuda for the current accelerator."""

from ._accelerators.accelerator import *
from ._accelerators.accelerator import __all__ as __all__
