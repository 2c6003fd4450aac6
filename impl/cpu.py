"""torch.cpu: the CPU as if it were an accelerator."""

from typing import Any as _Any, Literal as _Literal

__all__ = [
    "current_device", "device_count", "is_available", "is_initialized", "set_device", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Return True."""
    return True


def synchronize(device: _Any = None) -> None:
    """Do nothing: there is no other stream to wait for."""


def device_count() -> int:
    """Return 1."""
    return 1


def set_device(device: _Any) -> None:
    """Do nothing: there is one device."""


def current_device() -> str:
    """Return ``cpu``."""
    return "cpu"


def is_initialized() -> _Literal[True]:
    """Return True."""
    return True
