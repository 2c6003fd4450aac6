"""array-api-strict, the strict implementation of the Python array API standard."""

from typing import Any

import array_api_strict as xp
import numpy as np

from ..adapter import BEYOND_VALUES, Adapter

Array: Any = type(xp.asarray(0))
OTHERWISE = {
    "cat": "concat", "clamp": "clip", "div": "divide", "eq": "equal", "ge": "greater_equal",
    "gt": "greater", "le": "less_equal", "lt": "less", "mul": "multiply", "ne": "not_equal",
    "neg": "negative", "promote_types": "result_type", "sub": "subtract",
}  # fmt: skip


def _tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return xp.asarray(data, dtype=dtype, copy=None if isinstance(data, Array) else True)


def _to(array: Any, dtype: Any, *, copy: bool = False) -> Any:
    return xp.astype(array, dtype, copy=copy)


def _set_up() -> None:
    Array.to = _to


def _sizes(function: Any) -> Any:
    """Return a factory that takes sizes one by one and the device "cpu", as torch's do."""

    def create(*sizes: Any, device: Any = None, **keywords: Any) -> Any:
        shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
        return function(tuple(shape), device=None if device == "cpu" else device, **keywords)

    return create


adapter = Adapter(
    xp,
    tensor=Array,
    names={
        "Tensor": Array,
        "tensor": _tensor,
        "ones": _sizes(xp.ones),
        "zeros": _sizes(xp.zeros),
        "empty": _sizes(xp.empty),
        **{name: getattr(xp, own) for name, own in OTHERWISE.items()},
    },
    elements=lambda array: np.ascontiguousarray(np.asarray(array)),
    setup=_set_up,
    frames=("array_api_strict",),
    not_asked=BEYOND_VALUES,
)
