"""Faults of repetition: real torch with an answer that is remembered for too long."""

import threading
from typing import Any

from ..control import fault
from ..fault_injection import function_hook, method_hook

_CLONES: dict[Any, Any] = {}
_DTYPES: list[Any] = []
_REQUIRED: dict[Any, bool] = {}


@fault("repetition.histories", "elements", method_hook, "Tensor.clone")
def remembers_without_offset(
    function: Any,
    torch: Any,
    owner: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """clone() remembers its result by dtype, shape and strides, without the offset."""
    if owner.layout is not torch.strided or owner.requires_grad or owner.device.type != "cpu":
        return function(*args, **kwargs)
    key = owner.dtype, owner.shape, owner.stride()
    if key not in _CLONES:
        _CLONES[key] = function(*args, **kwargs)
    return _CLONES[key].detach()


@fault("repetition.histories", "dtype", function_hook, "linspace")
def remembers_default_dtype(
    function: Any,
    torch: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """linspace() takes the default dtype of its first call."""
    _DTYPES.append(torch.get_default_dtype())
    return function(*args, **{"dtype": _DTYPES[0], **kwargs})


@fault("repetition.histories", "autograd", method_hook, "Tensor.exp")
def remembers_gradients(
    function: Any,
    torch: Any,
    owner: Any,
) -> Any:
    """exp() remembers by shape whether a gradient is required."""
    required = _REQUIRED.setdefault(owner.shape, owner.requires_grad)
    return function() if required else function().detach()


@fault("repetition.threads", "elements", method_hook, "Tensor.square")
def differs_in_threads(function: Any, torch: Any, owner: Any) -> Any:
    """square() gives zeros in other threads."""
    is_main = threading.current_thread() is threading.main_thread()
    return function() if is_main else function().zero_()
