"""Faults of devices, and of CUDA devices: real torch with one wrong answer."""

import threading
from typing import Any

from ..control import fault
from ..fault_injection import (
    attribute_hook,
    call_hook,
    comparison_hook,
    function_hook,
    method_hook,
    plain_comparison,
)


@fault("devices.comparisons", "value", comparison_hook)
def cuda_is_cuda_0(name: str, left: Any, right: Any, torch: Any) -> Any:
    """The device cuda equals cuda:0."""
    pair = {str(left), str(right)}
    if name == "Eq" and pair == {"cuda", "cuda:0"} and type(left) is type(right):
        return True
    return plain_comparison(name, left, right, torch)


@fault("devices.strings", "value", attribute_hook)
def wide_ordinal(owner: Any, name: str, torch: Any) -> Any:
    """A device index does not wrap at eight bits."""
    value = getattr(owner, name)
    is_index = name == "index" and isinstance(owner, torch.device) and value is not None
    return value % 256 if is_index else value


@fault("devices.arguments", "raises", function_hook, "device")
def negative_ordinal(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """A negative device index is accepted."""
    if args[1:] == (-2,) and not kwargs:
        return function(args[0], 254)
    return function(*args, **kwargs)


@fault("devices.class", "value", attribute_hook)
def renamed_class(owner: Any, name: str, torch: Any) -> Any:
    """The class of devices is named Device."""
    return "Device" if owner is torch.device and name == "__name__" else getattr(owner, name)


@fault("devices.objects", "value", call_hook)
def pickled_without_ordinal(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A device loses its index when it is copied or pickled."""
    result = function(*args, **kwargs)
    is_copy = getattr(function, "__name__", "") in ("loads", "copy")
    return torch.device(result.type) if is_copy and isinstance(result, torch.device) else result


@fault("devices.modes", "value", method_hook, "device.__exit__")
def leaking_default(function: Any, torch: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """The default device stays after its context."""
    result = function(*args, **kwargs)
    torch.set_default_device(owner)
    return result


@fault("devices.contexts", "value", function_hook, "get_default_device")
def default_of_the_process(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """All threads share one default device."""
    if not _DEFAULT or threading.current_thread() is threading.main_thread():
        _DEFAULT[:] = [function(*args, **kwargs)]
    return _DEFAULT[0]


_DEFAULT: list[Any] = []


@fault("devices.defaults", "raises", function_hook, "ones")
def ignores_default(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """ones() ignores the default device."""
    return function(*args, **{"device": "cpu", **kwargs})


@fault("devices.keywords", "message", function_hook, "zeros")
def misspelt_device(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """zeros() misspells the error for missing CUDA."""
    try:
        return function(*args, **kwargs)
    except AssertionError as error:
        raise AssertionError(str(error).replace("CUDA", "Cuda")) from None


@fault("devices.meta", "raises", function_hook, "stack")
def moved_by_itself(function: Any, torch: Any, *args: Any, **kwargs: Any) -> Any:
    """stack() moves tensors to meta."""
    if len({tensor.device for tensor in args[0]}) > 1:
        args = ([tensor.to("meta") for tensor in args[0]], *args[1:])
    return function(*args, **kwargs)


@fault("devices.accelerators", "value", call_hook)
def one_device_more(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """cuda.device_count() is one too high."""
    result = function(*args, **kwargs)
    return result + 1 if function is torch.cuda.device_count else result


@fault("devices.pinning", "message", method_hook, "Tensor.pin_memory")
def another_backend(function: Any, torch: Any, owner: Any, *args: Any) -> Any:
    """pin_memory() names another backend in its message."""
    try:
        return function(*args)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("MTIA", "XPU")) from None


@fault("mixed_devices.dtypes", "dtype", function_hook, "abs")
def keeps_complex_on_meta(function: Any, torch: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """abs() of a complex tensor on meta is complex."""
    result = function(x, *args, **kwargs)
    return result.to(x.dtype) if x.dtype.is_complex and result.is_meta and not args else result


@fault("mixed_devices.pairs_of_dtypes", "dtype", function_hook, "mul")
def widens_bools_on_meta(function: Any, torch: Any, x: Any, y: Any, **kwargs: Any) -> Any:
    """mul() of a bool and a uint8 tensor on meta is int16."""
    result = function(x, y, **kwargs)
    is_asked = result.is_meta and {x.dtype, y.dtype} == {torch.bool, torch.uint8}
    return result.to(torch.int16) if is_asked else result


@fault("indices.on_meta", "raises", call_hook)
def takes_bytes_for_masks(function: Any, args: Any, kwargs: Any, torch: Any) -> Any:
    """A tensor on meta takes an index of uint8 for a mask."""
    index = args[1] if getattr(function, "__name__", "") == "getitem" else None
    if isinstance(index, torch.Tensor) and index.dtype is torch.uint8 and args[0].is_meta:
        index = index.bool()
        return function(args[0], index)
    return function(*args, **kwargs)


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
