"""torch.backends.mps: Metal, on macOS."""

from .._runtime.errors import check as _check

__all__ = ["is_available", "is_built", "is_macos13_or_newer", "is_macos_or_newer"]


def is_built() -> bool:
    """Return False: impl has no tensors on Metal devices."""
    return False


def is_available() -> bool:
    """Return False: impl has no tensors on Metal devices."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Raise RuntimeError, as torch does without Metal."""
    _check(is_built(), lambda: "Cannot execute isOnMacOSorNewer() without MPS backend.")
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """Raise RuntimeError, as torch does without Metal."""
    return is_macos_or_newer(13, minor)
