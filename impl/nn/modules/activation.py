"""torch.nn.modules.activation: functions of each element."""

from typing import Any

from ... import Tensor, sigmoid, tanh
from .. import functional
from ._module import Module

__all__ = ["GELU", "LogSoftmax", "ReLU", "SiLU", "Sigmoid", "Softmax", "Tanh"]


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


class SiLU(Module):
    """Each element times its sigmoid."""

    __constants__ = ["inplace"]  # noqa: RUF012  # as torch's

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the result of silu."""
        result: Tensor = functional.silu(input, inplace=self.inplace)
        return result

    def extra_repr(self) -> str:
        """Return the argument that is not a default."""
        return "inplace=True" if self.inplace else ""


class GELU(Module):
    """Each element times the cumulative normal distribution at it."""

    __constants__ = ["approximate"]  # noqa: RUF012  # as torch's

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Return the result of gelu."""
        result: Tensor = functional.gelu(input, approximate=self.approximate)
        return result

    def extra_repr(self) -> str:
        """Return the argument."""
        return f"approximate={self.approximate!r}"


class Sigmoid(Module):
    """The logistic function of each element."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the result of sigmoid."""
        return sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent of each element."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the result of tanh."""
        return tanh(input)


class Softmax(Module):
    """The exponentials of elements, divided by their sum along a dimension."""

    __constants__ = ["dim"]  # noqa: RUF012  # as torch's
    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def forward(self, input: Tensor) -> Tensor:
        """Return the result of softmax."""
        result: Tensor = functional.softmax(input, self.dim, _stacklevel=5)
        return result

    def extra_repr(self) -> str:
        """Return the argument."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithms of softmax along a dimension."""

    __constants__ = ["dim"]  # noqa: RUF012  # as torch's
    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def forward(self, input: Tensor) -> Tensor:
        """Return the result of log_softmax."""
        result: Tensor = functional.log_softmax(input, self.dim, _stacklevel=5)
        return result

    def extra_repr(self) -> str:
        """Return the argument."""
        return f"dim={self.dim}"
