"""Faults of overloads: real torch with one wrong overload, argument or form of call."""

from dataclasses import replace
from typing import Any

from ...core.domain import Domain
from ...engine.registry import Property
from ..control import change_property, fault
from ..fault_injection import call_hook, function_hook


@fault("schemas.calls", "elements", function_hook, "xlogy")
def number_in_the_other_position(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """xlogy() of a number and a tensor swaps them."""
    is_wrong = len(args) == 2 and not isinstance(args[0], torch.Tensor)
    return function(*(args[::-1] if is_wrong else args), **kwargs)


@fault("schemas.calls", "stride", function_hook, "hypot")
def resized_in_another_order(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """hypot() resizes an empty out= tensor to the strides of the transposed result."""
    out = kwargs.get("out")
    is_resized = isinstance(out, torch.Tensor) and not out.numel()
    result = function(*args, **kwargs)
    if is_resized and result.dim() == 2:
        values = result.clone()
        result.as_strided_(result.shape, (1, result.shape[0])).copy_(values)
    return result


@fault("schemas.calls", "raises", call_hook)
def surplus_by_position(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """An argument by position that no overload has is ignored."""
    try:
        return function(*args, **kwargs)
    except TypeError:
        return function(*args[:-1], **kwargs)


@fault("schemas.calls", "raises", call_hook)
def unknown_keyword(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A keyword argument that no overload has is ignored."""
    return function(*args, **{key: kwargs[key] for key in kwargs if key != "unknown"})


@fault("schemas.calls", "raises", call_hook)
def needs_no_receiver(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A method that is called on its class without an argument returns None."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        if "unbound method" not in str(error):
            raise
        return None


@fault("schemas.calls", "message", function_hook, "lerp")
def missing_argument(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """lerp() names another argument as missing."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        raise TypeError(str(error).replace("weight", "value")) from None


@fault("schemas.calls", "raises", call_hook)
def overlap_unseen(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """In-place methods take operands that overlap the tensor in part."""
    if getattr(function, "__name__", "").endswith("_") and hasattr(function, "__self__"):
        args = [x.clone() if isinstance(x, torch.Tensor) else x for x in args]
    return function(*args, **kwargs)


@fault("schemas.mixtures", "raises", call_hook)
def last_keyword_lost(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Of several keyword arguments the last is ignored."""
    return function(*args, **dict([*kwargs.items()][:-1] if len(kwargs) > 1 else kwargs))


@fault("schemas.unasked", "verdict", change_property)
def forgotten_overload(prop: Property) -> Property:
    """An overload that calls could be made for is listed as one that is not asked."""
    domain = prop.domain
    assert domain is not None
    extra = "torch.add Tensor: no reason"
    return replace(prop, domain=lambda torch: Domain(row=(*domain(torch).axes["row"], extra)))
