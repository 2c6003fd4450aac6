"""torch.nn.modules.normalization: normalizations of the last dimensions, and of groups."""

from numbers import Integral
from typing import Any

from ... import Tensor, empty
from .. import functional, init
from ..parameter import Parameter
from ._module import Module

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]


def _as_shape(normalized_shape: Any) -> Any:
    return (
        (normalized_shape,) if isinstance(normalized_shape, Integral) else tuple(normalized_shape)
    )


def add_affine(module: Module, shape: Any, has: tuple[bool, bool], **options: Any) -> None:
    """Add the weight and the bias of a normalization, or None for one that it has not."""
    for name, is_there in zip(("weight", "bias"), has, strict=True):
        data = Parameter(empty(shape, **options)) if is_there else None
        module.register_parameter(name, data)


class LayerNorm(Module):
    """The input with mean 0 and variance 1 over its last dimensions, scaled and shifted."""

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]  # noqa: RUF012  # as torch's
    weight: Any
    bias: Any

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        has = elementwise_affine, elementwise_affine and bias
        add_affine(self, self.normalized_shape, has, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized input."""
        shape = self.normalized_shape
        result: Tensor = functional.layer_norm(input, shape, self.weight, self.bias, self.eps)
        return result

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.normalized_shape}, eps={self.eps},"
            f" elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """The input divided by its root mean square over its last dimensions, and scaled."""

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]  # noqa: RUF012  # as torch's
    weight: Any

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(empty(self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalized input."""
        result: Tensor = functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)
        return result

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """The input with mean 0 and variance 1 in each group of channels, scaled and shifted."""

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]  # noqa: RUF012  # as torch's
    weight: Any
    bias: Any

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        add_affine(self, num_channels, (affine, affine and bias), device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized input."""
        result: Tensor = functional.group_norm(
            input, self.num_groups, self.weight, self.bias, self.eps
        )
        return result

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine},"
            f" bias={self.bias is not None}"
        )
