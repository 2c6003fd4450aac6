"""Which in-place operators autograd saves the target of (tools/autograd/derivatives.yaml).

Autograd copies the target before the operator overwrites it, for the derivative.
"""

from collections.abc import Sequence
from typing import Any

from .._runtime.grad_modes import grad_enabled
from .autograd_meta import requires_grad


def _grad_fns(*names: str) -> frozenset[str]:
    """Return grad_fn names; a name without ``Backward`` gets ``Backward0``."""
    return frozenset(name if "Backward" in name else f"{name}Backward0" for name in names)


_SAVED_FOR_SELF = _grad_fns(
    "Abs", "Acos", "Asin", "Atan", "Atan2", "Clamp", "ClampBackward1", "ClampMax",
    "ClampMaxBackward1", "ClampMin", "ClampMinBackward1", "Copysign", "CopysignBackward1", "Cos",
    "Cosh", "Cumprod", "Digamma", "Erf", "Erfc", "Erfinv", "Hypot", "I0", "IndexReduce",
    "Lgamma", "Log", "Log10", "Log1P", "Log2", "Logit", "NanToNum", "Nextafter", "Pow",
    "PowBackward1", "ScatterReduce", "Sgn", "Sin", "Sinc", "Sinh", "Xlogy", "XlogyBackward2",
)  # fmt: skip
"""The grad_fns that save ``self`` for its own gradient."""

_SAVED_FOR_OTHERS = _grad_fns(
    "Atan2", "Clamp", "ClampMaxBackward1", "ClampMinBackward1", "Div", "DivBackward2",
    "FmodBackward1", "IndexReduce", "LerpBackward1", "Mul", "PowBackward1", "RemainderBackward1",
    "ScatterReduce", "Xlogy",
)  # fmt: skip
"""The grad_fns that save ``self`` for the gradient of other operands; lerp for the last one."""


def is_saved(target: Any, node: str, others: Sequence[Any]) -> bool:
    """Return whether autograd saves the target of an in-place operation with a grad_fn."""
    if not grad_enabled():
        return False
    users = others[-1:] if node == "LerpBackward1" else others
    return (node in _SAVED_FOR_SELF and requires_grad(target)) or (
        node in _SAVED_FOR_OTHERS and any(map(requires_grad, users))
    )


def grad_fn_of(name: str) -> str:
    """Return the usual name of the grad_fn of an in-place operator.

    >>> grad_fn_of("nan_to_num_")
    'NanToNumBackward0'
    """
    return f"{name.title().replace('_', '')}Backward0"
