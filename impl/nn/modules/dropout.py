"""torch.nn.modules.dropout: random zeros in training."""

from ... import Tensor
from .. import functional
from ._module import Module

__all__ = ["Dropout"]


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]  # noqa: RUF012  # as torch's

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zeros with probability ``p`` in training, and scaled elements elsewhere."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with zeros, or the input itself in evaluation."""
        return functional.dropout(input, self.p, self.training, self.inplace)
