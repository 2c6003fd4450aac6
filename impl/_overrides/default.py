"""The ``__torch_function__`` of Tensor, which keeps the class of subclasses."""

from functools import cache
from typing import Any

from .._runtime.torch_function import STATE, SUBCLASSES_DISABLED
from .._runtime.warnings import is_python_frame
from .._tensor.tensor import METHODS, Tensor
from .dispatch import converted


@cache
def default_nowrap_functions() -> frozenset[Any]:
    """Return the functions whose results keep their class: they read a tensor of a tensor."""
    names = ("_base", "grad", "_grad")
    return frozenset(getattr(Tensor, name).__get__ for name in names if hasattr(Tensor, name))


@is_python_frame
def _torch_function(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Call ``func`` without the overrides of subclasses; its tensors become those of ``cls``."""
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    former, STATE.disabled = STATE.disabled, max(STATE.disabled, SUBCLASSES_DISABLED)
    try:
        result = func(*args, **(kwargs or {}))
        is_kept = func in default_nowrap_functions()
        return result if is_kept else converted(result, cls)
    finally:
        STATE.disabled = former


_torch_function.__name__ = "__torch_function__"
_torch_function.__qualname__ = "Tensor.__torch_function__"
METHODS["__torch_function__"] = classmethod(_torch_function)
