"""torch.nn.modules.padding: paddings of the last dimensions."""

from typing import Any

from ... import Tensor
from .. import functional
from ._module import Module
from .conv import as_tuple, with_own_init

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip


class _ConstantPadNd(Module):
    """The input between constants."""

    __constants__ = ["padding", "value"]  # noqa: RUF012  # as torch's
    _rank: int

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.value = value
        self.padding = as_tuple(padding, 2 * self._rank)

    def forward(self, input: Tensor) -> Tensor:
        """Return the padded input."""
        return functional.pad(input, self.padding, "constant", self.value)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        """Return the sizes and the value."""
        return f"padding={self.padding}, value={self.value}"


@with_own_init
class ConstantPad1d(_ConstantPadNd):
    """The input between constants, in the last dimension."""

    _rank = 1


@with_own_init
class ConstantPad2d(_ConstantPadNd):
    """The input between constants, in the last two dimensions."""

    __constants__ = ["padding", "value"]  # noqa: RUF012  # as torch's
    _rank = 2


@with_own_init
class ConstantPad3d(_ConstantPadNd):
    """The input between constants, in the last three dimensions."""

    _rank = 3


class ZeroPad1d(ConstantPad1d):
    """The input between zeros, in the last dimension."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """The input between zeros, in the last two dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """The input between zeros, in the last three dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class _PadNd(Module):
    """The input between its own elements."""

    __constants__ = ["padding"]  # noqa: RUF012  # as torch's
    _rank: int
    _mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2 * self._rank)

    def _check_input_dim(self, input: Tensor) -> None:
        """Raise for other numbers of dimensions; only circular paddings do."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the padded input."""
        self._check_input_dim(input)
        return functional.pad(input, self.padding, self._mode)  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def _check_input_dim(self, input: Tensor) -> None:
        ranks = self._rank + 1, self._rank + 2
        if input.dim() not in ranks:
            raise ValueError(
                f"expected {ranks[0]}D or {ranks[1]}D input (got {input.dim()}D input)"
            )


@with_own_init
class CircularPad1d(_CircularPadNd):
    """The input, repeated in the last dimension."""

    _rank = 1


@with_own_init
class CircularPad2d(_CircularPadNd):
    """The input, repeated in the last two dimensions."""

    _rank = 2


@with_own_init
class CircularPad3d(_CircularPadNd):
    """The input, repeated in the last three dimensions."""

    _rank = 3


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


@with_own_init
class ReflectionPad1d(_ReflectionPadNd):
    """The input, reflected at the ends of the last dimension."""

    _rank = 1


@with_own_init
class ReflectionPad2d(_ReflectionPadNd):
    """The input, reflected at the ends of the last two dimensions."""

    _rank = 2


@with_own_init
class ReflectionPad3d(_ReflectionPadNd):
    """The input, reflected at the ends of the last three dimensions."""

    _rank = 3


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


@with_own_init
class ReplicationPad1d(_ReplicationPadNd):
    """The input, with its outer elements repeated, in the last dimension."""

    _rank = 1


@with_own_init
class ReplicationPad2d(_ReplicationPadNd):
    """The input, with its outer elements repeated, in the last two dimensions."""

    _rank = 2


@with_own_init
class ReplicationPad3d(_ReplicationPadNd):
    """The input, with its outer elements repeated, in the last three dimensions."""

    _rank = 3
