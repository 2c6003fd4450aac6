"""torch.fft: the order of frequencies. It has no transforms."""

from .._ops.arrangement.fft_order import fftfreq, fftshift, ifftshift, rfftfreq
from .._tensor.tensor import Tensor

__all__ = ["Tensor", "fftfreq", "fftshift", "ifftshift", "rfftfreq"]
