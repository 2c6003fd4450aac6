"""torch.nn.modules.linear: linear transformations."""

import math
from typing import Any

from ... import Tensor, empty
from .. import functional, init
from ..parameter import Parameter
from ._module import Module

__all__ = ["Identity", "Linear"]


class Identity(Module):
    """A module that returns its input; arguments have no effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """A linear transformation: the input times the transposed weight, plus the bias.

    >>> import impl as torch
    >>> torch.nn.Linear(2, 3, device="meta").weight.shape
    torch.Size([3, 2])
    """

    __constants__ = ["in_features", "out_features"]  # noqa: RUF012  # as torch's
    weight: Any
    bias: Any

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight and the bias from uniform distributions."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return the transformed input."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features},"
            f" bias={self.bias is not None}"
        )
