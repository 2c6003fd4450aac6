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


def _without_in(module: str, name: str) -> Fault:
    """Let a submodule not list a function."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        names = function(*args, **kwargs)
        if function is dir and args == (getattr(torch, module),):
            return [each for each in names if each != name]
        return names

    return Fault(call=call)


def _with(owner: str, name: str) -> Fault:
    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        holder = getattr(torch, owner)
        if function is dir and args == (holder,):
            return [*dir(holder), name]
        if function is getattr and args == (holder, name):
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
LACKS_SEED = _without_in("random", "seed")
LACKS_MODULE = _without("storage")
ADDS_TWICE = _with("Tensor", "add_twice")
ADDS_TO_STORAGE = _with("storage", "allocate")
