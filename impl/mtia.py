"""torch.mtia: Meta's accelerators, which impl does not use."""

__all__ = ["device_count", "is_available", "is_initialized", "manual_seed"]


def is_available() -> bool:
    """Return False."""
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def is_initialized() -> bool:
    """Return False."""
    return False


def manual_seed(seed: int) -> None:
    """Do nothing: there are no devices."""
    int(seed)
