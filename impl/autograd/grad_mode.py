"""torch.autograd.grad_mode: the context managers of grad mode and inference mode."""

from .._autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]
