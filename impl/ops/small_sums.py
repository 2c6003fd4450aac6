"""Sums of a few elements, in the time of a look-up: what is summed most often is small."""

from math import fsum
from typing import Any

from ..arrays import carrier, np
from ..dtypes import DTYPES, dtype
from ..geometry import dense
from ..storage import adopt, buffer
from ..tensor import Tensor, came_from, make

_MOST = 64
"""Of how many elements Python itself makes a sum faster than NumPy."""

_LARGEST = {"float32": 3.4e38, "float64": 1.7e308}
_FLOATS: dict[dtype, float] = {DTYPES[name]: most for name, most in _LARGEST.items()}
_SCALAR = dense(())


def small_sum(tensor: Tensor) -> Tensor | None:
    """Return the sum of all elements of a small float32 or float64 tensor; None if it is another.

    It is summed exactly and rounded.
    """
    geometry, kind = tensor._geometry, tensor._dtype
    most = _FLOATS.get(kind)
    if (
        most is None
        or not geometry.is_contiguous
        or not 0 < geometry.numel <= _MOST
        or tensor._lazy
    ):
        return None
    form = carrier(kind)
    memory = np.ndarray(
        (geometry.numel,), form, buffer(tensor._storage), tensor._offset * form.itemsize
    )
    try:
        total = fsum(memory.tolist())
    except (OverflowError, ValueError):  # what is beyond float64, or inf - inf
        return None
    if not -most < total < most:
        return None
    result = make(adopt(np.array(total, form)), _SCALAR, 0, kind)
    if tensor._history is not None:
        return came_from(result, (tensor,), "SumBackward0")
    return result
