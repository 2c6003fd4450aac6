"""Faults for special values: real torch with one wrong element where another kernel begins."""

from typing import Any

from ..control import fault
from ..fault_injection import method_hook


def _is_float(value: Any, torch: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype.is_floating_point


@fault("values.specials", "elements", method_hook, "Tensor.mul")
def flushes_subnormals(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """mul() gives zero for a subnormal product."""
    result = function(*args)
    if not _is_float(result, torch):
        return result
    is_small = result.abs() < torch.finfo(result.dtype).tiny
    return torch.where(is_small, torch.zeros_like(result), result)


@fault("values.specials", "elements", method_hook, "Tensor.sub")
def negative_zeros(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """sub() gives a negative zero for equal numbers."""
    result = function(*args)
    if not _is_float(result, torch):
        return result
    return torch.where(result == 0, torch.full_like(result, -0.0), result)


@fault("values.orders", "elements", method_hook, "Tensor.amax")
def ignores_first_nan(function: Any, torch: Any, owner: Any, **kwargs: Any) -> Any:
    """amax() along a dimension ignores a NaN at its beginning."""
    if not kwargs or len(owner) < 2 or not _is_float(owner, torch):
        return function(**kwargs)
    first = owner[:1].amax(dim=0)
    return torch.where(first.isnan(), owner[1:].amax(dim=0), function(**kwargs))
