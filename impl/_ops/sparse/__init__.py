"""Operators of sparse COO tensors."""

from functools import partial
from importlib import import_module

from ..._tensor import sparse_dispatch

sparse_dispatch.LOADERS.append(partial(import_module, f"{__name__}.table"))
