"""array-api-strict, the strict implementation of the Python array API standard."""

from typing import Any

import array_api_strict as xp
import numpy as np

from ..adapter import BEYOND_VALUES, Adapter

Array = type(xp.asarray(0))


def _tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return xp.asarray(data, dtype=dtype, copy=None if isinstance(data, Array) else True)


def _sizes(function: Any) -> Any:
    """Return a factory that takes sizes one by one, as torch's do."""

    def create(*sizes: Any, **keywords: Any) -> Any:
        shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
        return function(tuple(shape), **keywords)

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
        "promote_types": xp.result_type,
        "cat": xp.concat,
        "mul": xp.multiply,
        "sub": xp.subtract,
        "div": xp.divide,
        "neg": xp.negative,
        "eq": xp.equal,
        "ne": xp.not_equal,
        "lt": xp.less,
        "le": xp.less_equal,
        "gt": xp.greater,
        "ge": xp.greater_equal,
        "clamp": xp.clip,
    },
    elements=lambda array: np.ascontiguousarray(np.asarray(array)),
    frames=("array_api_strict",),
    not_asked=BEYOND_VALUES,
)
