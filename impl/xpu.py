"""torch.xpu: Intel's GPUs, which impl does not use."""

__all__ = [
    "device_count", "empty_cache", "is_available", "is_bf16_supported", "is_initialized",
    "is_tf32_supported", "manual_seed", "manual_seed_all",
]  # fmt: skip


def is_available() -> bool:
    """Return False."""
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def is_initialized() -> bool:
    """Return False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return False: there are no devices."""
    return False


def is_tf32_supported() -> bool:
    """Return False: there are no devices."""
    return False


def manual_seed(seed: int) -> None:
    """Do nothing: there are no devices."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Do nothing: there are no devices."""
    int(seed)


def empty_cache() -> None:
    """Do nothing: there are no devices."""
