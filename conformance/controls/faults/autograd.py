"""Faults of autograd metadata: real torch with one wrong answer."""

import warnings
from types import SimpleNamespace
from typing import Any

from ..control import fault
from ..fault_injection import attribute_hook, function_hook, method_hook


@fault("autograd.writes", "raises", method_hook, "Tensor.zero_")
def unrecorded_write(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """zero_() is not recorded by autograd."""
    with torch.no_grad():
        return function(*args, **kwargs)


@fault("autograd.sources", "autograd", method_hook, "Tensor.fill_")
def forgets_value(function: Any, torch: Any, owner: Any, value: Any) -> Any:
    """fill_() ignores requires_grad of its value."""
    return function(value.detach() if isinstance(value, torch.Tensor) else value)


@fault("autograd.results", "state", method_hook, "Tensor.detach")
def uncounted(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """detach() shares no version counter."""
    return owner.data


@fault("autograd.creations", "state", method_hook, "Tensor.unbind")
def one_by_one(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """unbind() creates its views one by one."""
    return tuple(owner[index] for index in range(len(owner)))


@fault("autograd.stories", "state", method_hook, "Tensor.fill_")
def writes_below(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """fill_() writes without autograd."""
    owner.data.fill_(*args)
    return owner


@fault("autograd.saved", "warnings", method_hook, "Tensor.mul_")
def saves_nothing(function: Any, torch: Any, owner: Any, other: Any) -> Any:
    """mul_() does not save the tensor that it changes."""
    if not (isinstance(other, torch.Tensor) and other.requires_grad and torch.is_grad_enabled()):
        return function(other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(other)


@fault("autograd.modes", "value", function_hook, "is_grad_enabled")
def always_grad(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """is_grad_enabled() is always True."""
    return True


@fault("autograd.calls", "raises", function_hook, "set_grad_enabled")
def no_bool_needed(function: Any, torch: Any, mode: Any = True) -> Any:
    """set_grad_enabled() accepts any argument."""
    return function(bool(mode))


@fault("autograd.grad_fns", "value", attribute_hook)
def another_node(owner: Any, name: str, torch: Any) -> Any:
    """The grad_fn of a view is another object each time."""
    value = getattr(owner, name)
    is_of_view = name == "grad_fn" and value is not None and owner._is_view()
    return SimpleNamespace(name=value.name) if is_of_view else value


@fault("autograd.functions", "elements", function_hook, "normal")
def draws_after_a_check(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """normal() draws no numbers if it refuses the gradient of a complex result."""
    is_tensor = isinstance(x, torch.Tensor) and x.is_complex() and x.requires_grad
    if is_tensor and not kwargs:
        raise RuntimeError(
            "normal does not support automatic differentiation for outputs with complex dtype."
        )
    return function(x, *args, **kwargs)


@fault("autograd.functions", "value", function_hook, "aminmax")
def numbers_no_outputs(function: Any, torch: Any, x: Any, **kwargs: Any) -> Any:
    """Both results of aminmax() are the first output of their function."""
    result = function(x, **kwargs)
    if not x.requires_grad or kwargs.get("out") is not None:
        return result
    return type(result)((result.min, function(x, **kwargs).min))


@fault("autograd.again", "elements", method_hook, "Tensor.addmm_")
def adds_twice(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """addmm_() adds twice if a factor requires a gradient and nothing is recorded."""
    if any(x.requires_grad for x in args) and not torch.is_grad_enabled():
        function(*args, **kwargs)
    return function(*args, **kwargs)


@fault("autograd.again", "warnings", function_hook, "mm")
def warns_again(function: Any, torch: Any, *args: Any, out: Any = None) -> Any:
    """mm() warns twice of an out= tensor that it resizes, if a factor requires a gradient."""
    if out is None:
        return function(*args)
    if out.numel() and any(x.requires_grad for x in args):
        function(*args, out=torch.ones_like(out))
    return function(*args, out=out)
