"""torch.nn.modules.flatten: dimensions joined and split."""

from typing import Any

from ... import Tensor
from ._module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """The input with some consecutive dimensions joined."""

    __constants__ = ["start_dim", "end_dim"]  # noqa: RUF012  # as torch's

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with the dimensions joined."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the first and last dimension."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """The input with one dimension split into several."""

    __constants__ = ["dim", "unflattened_size"]  # noqa: RUF012  # as torch's

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self._require_tuple_int(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_int(self, input: Any) -> None:
        if not isinstance(input, tuple | list):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(input).__name__}"
            )
        for place, size in enumerate(input):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type"
                    f" {type(size).__name__} at pos {place}"
                )

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with the dimension split."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Return the dimension and its sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
