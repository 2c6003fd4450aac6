"""torch._refs: torch's own reference implementations of its operators, in Python."""

import torch
import torch._refs as refs

from ..adapter import Adapter

adapter = Adapter(
    torch,
    names={name: getattr(refs, name) for name in refs.__all__ if hasattr(torch, name)},
    frames=("torch._refs", "torch._prims_common.wrappers", "torch._prims"),
)
