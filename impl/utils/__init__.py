"""torch.utils: the part for tensor attributes."""

from . import deterministic, dlpack

__all__ = ["deterministic", "dlpack"]
