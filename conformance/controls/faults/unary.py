"""Faults of a subject's operators of one operand: real torch, with one of them made wrong."""

from typing import Any

from ...comparison.tolerances import inexact
from .subject import instead_of


def _off_by_bound(function: Any, torch: Any, given: Any, **kwargs: Any) -> Any:
    """Be one step farther off than the table allows, where the result is float32."""
    found = function(given, **kwargs)
    if found.dtype is not torch.float32 or kwargs:
        return found
    bound = next(row.bound("float32") for row in inexact() if row.name == "exp")
    is_usual = found.isfinite() & (found > 1e-30) & (found < 1e30)
    return torch.where(is_usual, (found.view(torch.int32) + bound + 1).view(torch.float32), found)


def _flushed_root(function: Any, torch: Any, given: Any, **kwargs: Any) -> Any:
    """Take what is subnormal for zero."""
    found = function(given, **kwargs)
    if given.dtype is not torch.float32 or kwargs:
        return found
    return torch.where(given.abs() < torch.finfo(torch.float32).tiny, given * 0, found)


def _ceil_of_negatives(function: Any, torch: Any, given: Any, **kwargs: Any) -> Any:
    found = function(given, **kwargs)
    if not found.is_floating_point() or kwargs:
        return found
    return torch.where(given < 0, torch.ceil(given), found)


def _takes_complex(function: Any, torch: Any, given: Any, **kwargs: Any) -> Any:
    """Return the ceiling of the real part of what is refused."""
    return function(given.real if given.dtype is torch.complex64 else given, **kwargs)


def _fused(function: Any, torch: Any, left: Any, right: Any, **kwargs: Any) -> Any:
    """Give a power that is off by many steps."""
    found = function(left, right, **kwargs)
    if found.dtype is not torch.float32 or not isinstance(right, torch.Tensor) or kwargs:
        return found
    return found * (1 + 2**-20)


OFF_BY_BOUND = instead_of("exp", _off_by_bound)
FLUSHED_ROOT = instead_of("sqrt", _flushed_root)
CEIL_OF_NEGATIVES = instead_of("floor", _ceil_of_negatives)
TAKES_COMPLEX = instead_of("ceil", _takes_complex)
WRONG_POWER = instead_of("pow", _fused)
