"""torch.backends.mkl: Intel's MKL."""


def is_available() -> bool:
    """Return False: impl does not use the library."""
    return False
