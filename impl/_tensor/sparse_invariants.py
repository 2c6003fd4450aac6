"""Whether the indices of new sparse tensors are looked at; torch's default is that they are not, and a warning."""

from collections.abc import Iterator
from contextlib import contextmanager

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
