"""torch.backends.nnpack: NNPACK."""

__all__ = ["is_available"]


def is_available() -> bool:
    """Return False: impl does not use the library."""
    return False
