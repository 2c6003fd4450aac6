"""torch.autograd: grad mode and inference mode.  There is no backward pass."""

from . import grad_mode
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "grad_mode", "inference_mode", "no_grad", "set_grad_enabled"]
