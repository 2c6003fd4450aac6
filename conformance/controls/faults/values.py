"""Faults of values: real torch with wrong elements at some sizes."""

from typing import Any

from ..control import fault
from ..fault_injection import call_hook


def _with_wrong_end(result: Any) -> Any:
    """Return a tensor whose last element is inverted or one larger."""
    changed = result.detach().clone()
    changed[-1] = ~changed[-1] if changed.dtype.is_signed is False else changed[-1] + 1
    return changed


def _has(result: Any, torch: Any, least: int, most: int) -> bool:
    return isinstance(result, torch.Tensor) and result.dim() == 1 and least <= len(result) <= most


@fault("values.sizes", "elements", call_hook)
def last_of_257(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """exp() of 257 elements has a wrong last element."""
    result = function(*args, **kwargs)
    is_wrong = getattr(function, "__name__", "") == "exp" and _has(result, torch, 257, 257)
    return _with_wrong_end(result) if is_wrong else result


@fault("values.large", "elements", call_hook)
def wrong_when_repeated(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """The second copy of a large tensor has a wrong last element."""
    result = function(*args, **kwargs)
    if getattr(function, "__name__", "") != "clone" or not _has(result, torch, 4000, 10**7):
        return result
    _COPIES.append(len(result))
    return _with_wrong_end(result) if len(_COPIES) % 6 == 5 else result


_COPIES: list[int] = []
