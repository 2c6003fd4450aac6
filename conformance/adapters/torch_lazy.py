"""torch with lazy tensors, whose TorchScript backend computes when elements are read."""

import torch

from ..adapter import Adapter

adapter = Adapter(torch, not_asked=("address", "storage", "aliasing"), device="lazy")
