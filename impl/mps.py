"""torch.mps: Metal devices, which impl does not use."""

from typing import NoReturn as _NoReturn

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "synchronize"]


def is_available() -> bool:
    """Return False."""
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Do nothing: there are no devices."""


def synchronize() -> None:
    """Raise RuntimeError, as torch does without Metal."""
    _missing("deviceSynchronize")


def empty_cache() -> None:
    """Raise RuntimeError, as torch does without Metal."""
    _missing("emptyCache")


def _missing(function: str) -> _NoReturn:
    raise RuntimeError(f"Cannot execute {function}() without MPS backend.")
