"""torch.backends.mps: Metal, on macOS."""

from functools import lru_cache as _lru_cache
from operator import index as _index

from .._runtime.errors import check as _check

__all__ = ["is_available", "is_built", "is_macos13_or_newer", "is_macos_or_newer"]


def is_built() -> bool:
    """Return False: impl has no tensors on Metal devices."""
    return False


@_lru_cache
def is_available() -> bool:
    """Return False: impl has no tensors on Metal devices."""
    return False


@_lru_cache
def is_macos_or_newer(major: int, minor: int) -> bool:
    """Raise RuntimeError, as torch does without Metal."""
    for number in (major, minor):
        _check(-(2**63) <= _index(number) < 2**63, lambda: "int too big to convert", OverflowError)
    _check(is_built(), lambda: "Cannot execute isOnMacOSorNewer() without MPS backend.")
    return False


@_lru_cache
def is_macos13_or_newer(minor: int = 0) -> bool:
    """Raise RuntimeError, as torch does without Metal."""
    return is_macos_or_newer(13, minor)
