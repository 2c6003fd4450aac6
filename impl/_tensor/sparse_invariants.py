"""Whether the indices of new sparse tensors are looked at; torch's default is that they are not, and a warning."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .._runtime.c_types import PACKAGE
from .._runtime.warnings import warn_once


class _State:
    """Whether checks are on; None as long as nobody has said so."""

    checks: bool | None = None


def are_checked() -> bool:
    """Tell whether indices are checked; warn once if nobody has decided it (aten/src/ATen/Context.cpp)."""
    if _State.checks is None:
        warn_once(_UNDECIDED)
        return False
    return _State.checks


def set_checked(value: bool) -> None:
    """Decide whether indices are checked, in this process."""
    _State.checks = value


@contextmanager
def checked(value: bool | None) -> Iterator[None]:
    """Decide it for a while; None leaves it as it is."""
    if value is None:
        yield
        return
    before = _State.checks
    _State.checks = value
    try:
        yield
    finally:
        _State.checks = before


_UNDECIDED = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when"
    " operating on a sparse tensor which violates the invariants, but checks incur performance"
    " overhead. To silence this warning, explicitly opt in or out. See"
    " `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance.  (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/Context.cpp:816.)"
)


class check_sparse_tensor_invariants:
    """Have the indices of new sparse tensors checked, inside a context, a function, or from now on."""

    @staticmethod
    def is_enabled() -> bool:
        """Tell whether indices are checked."""
        return are_checked()

    @staticmethod
    def enable() -> None:
        """Have indices checked from now on."""
        set_checked(value=True)

    @staticmethod
    def disable() -> None:
        """Have indices not checked from now on."""
        set_checked(value=False)

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
        set_checked(self.state)

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        if self.saved_state is None:
            raise AssertionError("saved_state should not be None on exit")
        set_checked(self.saved_state)
        self.saved_state = None

    def __call__(self, mth: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function inside which indices are checked."""

        def test_mth(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


check_sparse_tensor_invariants.__module__ = f"{PACKAGE}.sparse"
