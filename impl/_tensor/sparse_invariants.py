"""The switch for invariant checks of new sparse tensors; torch's default is off, with a warning."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .._runtime.c_types import PACKAGE
from .._runtime.warnings import warn_once


class _State:
    """Whether invariants are checked; None before the first setting."""

    checks: bool | None = None


def is_enabled() -> bool:
    """Return whether invariants are checked; warn once if never set (aten/src/ATen/Context.cpp)."""
    if _State.checks is None:
        warn_once(_DISABLED_WARNING)
        return False
    return _State.checks


@contextmanager
def invariant_checks(value: bool | None) -> Iterator[None]:
    """Set whether invariants are checked inside a context; None changes nothing."""
    if value is None:
        yield
        return
    before = _State.checks
    _State.checks = value
    try:
        yield
    finally:
        _State.checks = before


_DISABLED_WARNING = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when"
    " operating on a sparse tensor which violates the invariants, but checks incur performance"
    " overhead. To silence this warning, explicitly opt in or out. See"
    " `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance.  (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/Context.cpp:816.)"
)


class check_sparse_tensor_invariants:
    """A switch for invariant checks, as a context manager, a decorator or by static methods."""

    @staticmethod
    def is_enabled() -> bool:
        """Return whether invariants are checked, without the constructors' warning."""
        return bool(_State.checks)

    @staticmethod
    def enable() -> None:
        """Enable invariant checks."""
        _State.checks = True

    @staticmethod
    def disable() -> None:
        """Disable invariant checks."""
        _State.checks = False

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
        _State.checks = self.state

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        if self.saved_state is None:
            raise AssertionError("saved_state should not be None on exit")
        _State.checks = self.saved_state
        self.saved_state = None

    def __call__(self, mth: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``mth``, wrapped in this context."""

        def test_mth(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


check_sparse_tensor_invariants.__module__ = f"{PACKAGE}.sparse"
