"""torch.backends.cusparselt: NVIDIA's cuSPARSELt."""

__all__ = ["get_max_alg_id", "is_available", "version"]


def version() -> int | None:
    """Return None: there is no library."""
    return None


def is_available() -> bool:
    """Return False: impl does not use the library."""
    return False


def get_max_alg_id() -> int | None:
    """Return None: there is no library."""
    return None
