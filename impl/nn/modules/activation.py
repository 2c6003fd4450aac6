"""torch.nn.modules.activation: functions of each element."""

from ... import Tensor
from .. import functional
from ._module import Module

__all__ = ["ReLU"]


class ReLU(Module):
    """The larger one of each element and zero."""

    __constants__ = ["inplace"]  # noqa: RUF012  # as torch's

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the result of relu."""
        return functional.relu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Return the argument that is not a default."""
        return "inplace=True" if self.inplace else ""
