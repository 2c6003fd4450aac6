"""torch.backends.kleidiai: KleidiAI, kernels for Arm processors."""


def is_available() -> bool:
    """Return False: impl does not use the library."""
    return False
