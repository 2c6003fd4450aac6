"""torch._C: the switches of ``__torch_function__``, and an error of torch.linalg."""  # noqa: N999  # torch's name

from ._ops.linalg.errors import _LinAlgError as _LinAlgError
from ._overrides.dispatch import _has_torch_function as _has_torch_function
from ._overrides.guards import DisableTorchFunction, DisableTorchFunctionSubclass
from ._runtime import torch_function as _torch_function
from ._tensor.tensor import _TensorMeta

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_TensorMeta"]

_disabled_torch_function_impl = _torch_function.DISABLED
_pop_torch_function_stack = _torch_function.pop_mode
_push_on_torch_function_stack = _torch_function.push_mode
_is_torch_function_mode_enabled = _torch_function.has_mode


def _is_torch_function_enabled() -> bool:
    """Return whether subclasses and other objects override functions in this thread."""
    return _torch_function.STATE.disabled == _torch_function.ENABLED


def _len_torch_function_stack() -> int:
    """Return the number of modes of this thread."""
    return len(_torch_function.STATE.modes)
