"""torch with lazy tensors, whose TorchScript backend computes when elements are read."""

from importlib import import_module
from typing import Any

import torch

from ..adapter import Adapter


def _setup() -> None:
    import_module("torch._lazy.ts_backend").init()


def _elements(tensor: Any) -> bytes:
    """Return the elements of a copy on the CPU."""
    copy = tensor.detach().cpu().contiguous().resolve_conj().resolve_neg()
    return bytes(copy.view(-1).view(torch.uint8).numpy()) if copy.numel() else b""


adapter = Adapter(
    torch,
    setup=_setup,
    elements=_elements,
    not_asked=("address", "storage", "aliasing"),
    device="lazy",
)
