"""torch.nn.modules.conv: convolutions."""

import math
from collections.abc import Callable, Iterable
from functools import update_wrapper
from itertools import chain
from types import FunctionType
from typing import Any, TypeVar

from ... import Tensor, contiguous_format, empty, empty_like, no_grad
from ..._runtime.warnings import is_python_frame
from .. import functional, init
from ..parameter import Parameter
from ._module import Module

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


C = TypeVar("C", bound=type)


def as_tuple(value: Any, count: int) -> tuple[Any, ...]:
    """Return a tuple of an iterable, or of so many times the value."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def with_own_init(cls: C) -> C:
    """Return a class with a copy of the inherited ``__init__``, whose errors name the class."""
    inherited: Any = cls.__init__  # type: ignore[misc]
    own = FunctionType(
        inherited.__code__, inherited.__globals__, "__init__", inherited.__defaults__,
        inherited.__closure__,
    )  # fmt: skip
    update_wrapper(own, inherited)
    own.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = own  # type: ignore[misc]
    return cls


class _ConvNd(Module):
    """A convolution; the subclasses have its number of spatial dimensions and its function."""

    __constants__ = [  # noqa: RUF012  # as torch's
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels",
        "out_channels", "kernel_size",
    ]  # fmt: skip

    _rank: int
    weight: Any
    bias: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        kernel_size, stride, dilation = (
            as_tuple(value, self._rank) for value in (kernel_size, stride, dilation)
        )
        if not isinstance(padding, str):
            padding = as_tuple(padding, self._rank)
        super().__init__()
        _check(in_channels, out_channels, groups, padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = False
        self.output_padding = as_tuple(0, self._rank)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _sides(padding, dilation, kernel_size)
        shape = (out_channels, in_channels // groups, *kernel_size)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weight and the bias from uniform distributions."""
        with no_grad():
            if self.weight.is_contiguous():
                init.kaiming_uniform_(self.weight, a=math.sqrt(5))
            else:
                drawn = empty_like(self.weight, memory_format=contiguous_format)
                self.weight.copy_(init.kaiming_uniform_(drawn, a=math.sqrt(5)))
            if self.bias is not None:
                fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
                bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
                init.uniform_(self.bias, -bound, bound)

    @is_python_frame
    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            sides = self._reversed_padding_repeated_twice
            input = functional.pad(input, sides, mode=self.padding_mode)
            padding = as_tuple(0, self._rank)
        function: Callable[..., Tensor] = getattr(functional, f"conv{self._rank}d")
        stride, dilation, groups = self.stride, self.dilation, self.groups
        result: Tensor = function(input, weight, bias, stride, padding, dilation, groups)
        return result

    def forward(self, input: Tensor) -> Tensor:
        """Return the convolution of the input and the weight, plus the bias."""
        result: Tensor = self._conv_forward(input, self.weight, self.bias)
        return result

    def extra_repr(self) -> str:
        """Return the arguments that are not the defaults."""
        shown = {"kernel_size": self.kernel_size, "stride": self.stride}
        for name, value, default in (
            ("padding", self.padding, (0,) * len(self.padding)),
            ("dilation", self.dilation, (1,) * len(self.dilation)),
            ("output_padding", self.output_padding, (0,) * len(self.output_padding)),
            ("groups", self.groups, 1),
            ("bias", self.bias is not None, True),
            ("padding_mode", self.padding_mode, "zeros"),
        ):
            if value != default:
                shown[name] = value
        pairs = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{self.in_channels}, {self.out_channels}, {pairs}"

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "padding_mode"):  # a module that an early torch has saved
            self.padding_mode = "zeros"


def _check(
    in_channels: int, out_channels: int, groups: int, padding: Any, stride: Any, padding_mode: str
) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        names = {"same", "valid"}
        if padding not in names:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {names}")
        if padding == "same" and any(step != 1 for step in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    modes = {"zeros", "reflect", "replicate", "circular"}
    if padding_mode not in modes:
        raise ValueError(
            f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'"
        )


def _sides(padding: Any, dilation: Any, kernel_size: Any) -> Any:
    """Return the padding as functional.pad takes it: two sizes of each dimension, the last first.

    Those of a number are a tuple, and those of a word a list.
    """
    if not isinstance(padding, str):
        return tuple(chain.from_iterable((size, size) for size in reversed(padding)))
    sides = [0, 0] * len(kernel_size)
    if padding == "same":
        for index, (step, size) in enumerate(zip(dilation, kernel_size, strict=False), 1):
            total = step * (size - 1)
            place = 2 * (len(kernel_size) - index)
            sides[place : place + 2] = total // 2, total - total // 2
    return sides


@with_own_init
class Conv1d(_ConvNd):
    """A convolution over the last dimension.

    >>> import impl as torch
    >>> torch.nn.Conv1d(3, 8, 5, device="meta").weight.shape
    torch.Size([8, 3, 5])
    """

    _rank = 1


@with_own_init
class Conv2d(_ConvNd):
    """A convolution over the last two dimensions."""

    _rank = 2


@with_own_init
class Conv3d(_ConvNd):
    """A convolution over the last three dimensions."""

    _rank = 3
