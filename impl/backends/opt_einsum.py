"""torch.backends.opt_einsum: einsum in the order that the package opt_einsum finds."""

from typing import Any as _Any

enabled = False
strategy: str | None = None


def is_available() -> bool:
    """Return False: impl contracts from left to right, as torch without the package."""
    return False


def get_opt_einsum() -> _Any:
    """Return None in place of the package."""
    return None
