"""Caches of checked calls, and the tensors for which a cached call may stand."""

from typing import Any

from ..._tensor.tensor import Tensor

_MAX_CACHED = 10_000


def remember(cache: dict[Any, Any], key: Any, value: Any) -> None:
    """Store a value in a cache; a full cache is cleared first."""
    if len(cache) >= _MAX_CACHED:
        cache.clear()
    cache[key] = value


def is_plain(tensor: Tensor) -> bool:
    """Return whether a tensor has no conj/neg bit, and no autograd metadata, nor has its base."""
    base = tensor._view_base
    return (
        tensor._autograd_meta is None
        and not tensor._conj_neg
        and (base is None or base._autograd_meta is None)
    )
