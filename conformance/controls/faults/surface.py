"""Faults of a subject's public surface: real torch, with a name too few or too many."""

from dataclasses import replace
from typing import Any

from ...core.domain import Domain
from ...engine.registry import Property
from ..fault_injection import Fault


def _without(name: str) -> Fault:
    def attribute(owner: Any, asked: str, torch: Any) -> Any:
        if owner is torch and asked == name:
            raise AttributeError(f"module 'torch' has no attribute '{name}'")
        return getattr(owner, asked)

    return Fault(attribute=attribute)


def _with(name: str) -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is dir and args == (torch.Tensor,):
            return [*dir(torch.Tensor), name]
        if function is getattr and args == (torch.Tensor, name):
            return torch.Tensor.add
        return function(*args, **kwargs)

    return Fault(call=call)


def lists_nothing(prop: Property) -> Property:
    """List a name that torch has not as out of scope."""
    domain = prop.domain
    assert domain is not None
    return replace(
        prop, domain=lambda torch: Domain(name=(*domain(torch).axes["name"], "torch.nothing"))
    )


LACKS_LERP = _without("lerp")
ADDS_TWICE = _with("add_twice")
