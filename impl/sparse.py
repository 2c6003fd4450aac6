"""torch.sparse, as far as tensors in coordinate form need it."""

from collections.abc import Callable
from typing import Any

from ._dtypes.table import dtype as _dtype
from ._tensor import sparse_invariants
from ._tensor.tensor import Tensor

__all__ = ["check_sparse_tensor_invariants", "sum"]


class check_sparse_tensor_invariants:
    """Have the indices of new sparse tensors checked, inside a context, a function, or from now on."""

    @staticmethod
    def is_enabled() -> bool:
        """Tell whether indices are checked."""
        return sparse_invariants.are_checked()

    @staticmethod
    def enable() -> None:
        """Have indices checked from now on."""
        sparse_invariants.set_checked(value=True)

    @staticmethod
    def disable() -> None:
        """Have indices not checked from now on."""
        sparse_invariants.set_checked(value=False)

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated."
                " Use a different context manager instance for context nesting."
            )
        self.saved_state = self.is_enabled()
        sparse_invariants.set_checked(self.state)

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        if self.saved_state is None:
            raise AssertionError("saved_state should not be None on exit")
        sparse_invariants.set_checked(self.saved_state)
        self.saved_state = None

    def __call__(self, mth: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function inside which indices are checked."""

        def test_mth(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


def sum(
    input: Tensor,
    dim: Any = None,
    dtype: _dtype | None = None,
) -> Tensor:
    """Return the sum of a sparse tensor, or along dimensions."""
    tensor: Any = input
    if dim is None:
        if not tensor.is_sparse:
            tensor.coalesce()  # refuses a dense one
        return tensor.sum(dtype=dtype)  # type: ignore[no-any-return]
    tensor._indices()  # refuses a dense one
    return tensor.sum(dim, dtype=dtype)  # type: ignore[no-any-return]
