"""Faults of what a subject's tensors carry of autograd: real torch, with one thing made wrong."""

import warnings
from typing import Any

from ..fault_injection import Fault
from .subject import instead_of
from .tensors import on_tensors


def _unrecorded(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Write without grad mode, so that the history is not what it was."""
    with torch.no_grad():
        return function(*args, **kwargs)


def _forgets_value(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    return function(value.detach() if isinstance(value, torch.Tensor) else value)


def _uncounted(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Share no versions between a tensor and what detach() returns."""
    return owner.data


def _one_by_one(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """Make several views each alone, so that they may be written to."""
    return tuple(owner[index] for index in range(len(owner)))


def _writes_below(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    owner.data.fill_(*args)
    return owner


def _saves_nothing(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """Multiply in place without the warning of the copy that is kept for the gradient of ``other``."""
    if not (isinstance(other, torch.Tensor) and other.requires_grad and torch.is_grad_enabled()):
        return function(other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(other)


def _always_grad(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    return True


def _no_bool_needed(function: Any, torch: Any, mode: Any = True) -> Any:
    return function(bool(mode))


UNRECORDED = on_tensors("zero_", _unrecorded)
FORGETS_VALUE = on_tensors("fill_", _forgets_value)
UNCOUNTED = on_tensors("detach", _uncounted)
ONE_BY_ONE = on_tensors("unbind", _one_by_one)
WRITES_BELOW = on_tensors("fill_", _writes_below)
SAVES_NOTHING = on_tensors("mul_", _saves_nothing)
ALWAYS_GRAD: Fault = instead_of("is_grad_enabled", _always_grad)
NO_BOOL_NEEDED: Fault = instead_of("set_grad_enabled", _no_bool_needed)
