"""Faults of a subject's CUDA devices: torch as it answers for them, with one thing made wrong."""

from typing import Any

from ..fault_injection import Fault


def _apart(tensors: Any, torch: Any) -> bool:
    """Tell whether there are tensors on two devices."""
    places = {str(each.device) for each in tensors if isinstance(each, torch.Tensor)}
    return len(places) > 1


def _vector_moves(name: str) -> Fault:
    """Let a vector on the CPU move by itself where the other operand of a function is."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is getattr(torch, name) and _apart(args, torch):
            first, second, *rest = args
            place = second.device if first.device.type == "cpu" else first.device
            args = (first.to(place), second.to(place), *rest)
        return function(*args, **kwargs)

    return Fault(call=call)


def _stays(name: str) -> Fault:
    """Let a method return a tensor on the CPU, whatever it is of."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        found = function(*args, **kwargs)
        is_it = getattr(function, "__name__", "") == name
        return found.to("cpu") if is_it and isinstance(found, torch.Tensor) else found

    return Fault(call=call)


def _always_the_first() -> Fault:
    """Make what a factory is to make on the second device on the first one."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if str(kwargs.get("device")) == "cuda:1":
            kwargs = {**kwargs, "device": "cuda:0"}
        return function(*args, **kwargs)

    return Fault(call=call)


def _moves_as_if_contiguous() -> Fault:
    """Lose the strides of a tensor that moves."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        found = function(*args, **kwargs)
        moved = getattr(function, "__name__", "") == "to" and isinstance(found, torch.Tensor)
        if moved and found.device.type == "cuda" and found.dim() == 2:
            shape = found.shape
            return torch.empty(tuple(shape), dtype=found.dtype, device=found.device)
        return found

    return Fault(call=call)


def _joins_apart() -> Fault:
    """Let cat take tensors to the device of the first one by itself."""

    def call(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
        if function is torch.cat:
            place = args[0][0].device
            args = ([each.to(place) for each in args[0]], *args[1:])
        return function(*args, **kwargs)

    return Fault(call=call)


def _compares_apart() -> Fault:
    """Let tensors on two devices be compared by a symbol."""

    def comparison(name: str, left: Any, right: Any, torch: Any) -> Any:
        both = isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
        if both and _apart((left, right), torch):
            right = right.to(left.device)
        return _true(name, left, right, torch)

    return Fault(comparison=comparison)


_true = Fault().comparison

VECTOR_MOVES = _vector_moves("mul")
STAYS = _stays("sum")
ALWAYS_THE_FIRST = _always_the_first()
MOVES_AS_IF_CONTIGUOUS = _moves_as_if_contiguous()
JOINS_APART = _joins_apart()
COMPARES_APART = _compares_apart()
