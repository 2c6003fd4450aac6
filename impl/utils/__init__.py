"""torch.utils, as far as attributes of tensors need it."""

from . import deterministic, dlpack

__all__ = ["deterministic", "dlpack"]
