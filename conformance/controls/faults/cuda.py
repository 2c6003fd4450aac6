"""Faults of CUDA devices: torch on CUDA with one wrong answer."""

from typing import Any

from ..control import fault
from ..fault_injection import call_hook, comparison_hook, function_hook, plain_comparison


def _on_several_devices(tensors: Any, torch: Any) -> bool:
    """Return whether there are tensors on different devices."""
    return len({str(x.device) for x in tensors if isinstance(x, torch.Tensor)}) > 1


@fault("cuda.factories", "device", call_hook)
def always_the_first(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """Factories create tensors on cuda:0 instead of cuda:1."""
    if str(kwargs.get("device")) == "cuda:1":
        kwargs = {**kwargs, "device": "cuda:0"}
    return function(*args, **kwargs)


@fault("cuda.moves", "stride", call_hook)
def moved_in_order(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A tensor loses its strides when it moves."""
    result = function(*args, **kwargs)
    is_moved = getattr(function, "__name__", "") == "to" and isinstance(result, torch.Tensor)
    if is_moved and result.device.type == "cuda" and result.dim() == 2:
        return torch.empty(tuple(result.shape), dtype=result.dtype, device=result.device)
    return result


@fault("cuda.several", "raises", function_hook, "cat")
def joined_apart(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """cat() joins tensors on different devices."""
    tensors = [tensor.to(args[0][0].device) for tensor in args[0]]
    return function(tensors, *args[1:], **kwargs)


@fault("cuda.symbols", "raises", comparison_hook)
def compared_apart(name: str, left: Any, right: Any, torch: Any) -> Any:
    """== compares tensors on different devices."""
    both = isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
    if both and _on_several_devices((left, right), torch):
        right = right.to(left.device)
    return plain_comparison(name, left, right, torch)


@fault("cuda.operands", "raises", function_hook, "mul")
def vector_moves(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """mul() moves a vector on the CPU to the other operand's device."""
    if _on_several_devices(args, torch):
        first, second, *rest = args
        device = second.device if first.device.type == "cpu" else first.device
        args = (first.to(device), second.to(device), *rest)
    return function(*args, **kwargs)


@fault("cuda.results", "device", call_hook)
def stays_on_the_cpu(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """sum() returns its result on the CPU."""
    result = function(*args, **kwargs)
    is_sum = getattr(function, "__name__", "") == "sum"
    return result.to("cpu") if is_sum and isinstance(result, torch.Tensor) else result


@fault("cuda.overloads", "device", function_hook, "index_select")
def selected_on_the_cpu(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """index_select() returns its result on the CPU."""
    return function(*args, **kwargs).to("cpu")
