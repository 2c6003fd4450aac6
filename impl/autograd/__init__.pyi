"""torch.autograd: grad mode and inference mode."""

from .. import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from . import grad_mode as grad_mode
