"""Fast paths for sum, max and min of all elements of small tensors."""

from collections.abc import Callable
from math import fsum
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._codegen.loops import NUMPY_MAX_ELEMENTS
from ..._devices.device import CPU
from ..._dtypes.constants import INT64
from ..._dtypes.table import DTYPES, dtype
from ..._geometry.geometry import dense
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, tensor_from_array
from ..._tensor.views import record_grad_fn

_MAX_ELEMENTS = min(64, NUMPY_MAX_ELEMENTS)
"""Maximum number of elements which Python sums faster than NumPy."""

_LIMITS = {"float32": 3.4e38, "float64": 1.7e308}
_FLOATS: dict[dtype, float] = {DTYPES[name]: limit for name, limit in _LIMITS.items()}
_INTEGERS = frozenset(DTYPES[name] for name in ("bool", "uint8", "int8", "int16", "int32", "int64"))

_SCALAR = dense(())


def _elements(tensor: Tensor) -> list[Any] | None:
    """Return all elements of a small contiguous CPU tensor; None for other tensors."""
    geometry = tensor._geometry
    is_few = geometry.is_contiguous and 0 < geometry.numel <= _MAX_ELEMENTS
    if not is_few or tensor._conj_neg or geometry.device is not CPU:
        return None
    numbers = raw_array(tensor)
    return (numbers if geometry.rank == 1 else numbers.ravel()).tolist()  # type: ignore[no-any-return]


def _tensor_of(tensor: Tensor, number: Any, dtype: dtype, node: str) -> Tensor:
    array = np.array(number, numpy_storage_dtype(dtype))
    return record_grad_fn(tensor_from_array(array, _SCALAR, dtype, array), (tensor,), node)


def small_sum(tensor: Tensor) -> Tensor | None:
    """Return the sum of all elements of a small tensor; None for other tensors.

    Floats are summed exactly and rounded.
    """
    dtype = tensor._dtype
    limit = _FLOATS.get(dtype)
    if limit is None and dtype not in _INTEGERS:
        return None
    numbers = _elements(tensor)
    if numbers is None:
        return None
    if limit is None:
        total = sum(numbers)
        return _tensor_of(tensor, total, INT64, "") if -(2**63) <= total < 2**63 else None
    try:
        total = fsum(numbers)
    except (OverflowError, ValueError):  # float64 overflow, or inf - inf
        return None
    return _tensor_of(tensor, total, dtype, "SumBackward0") if -limit < total < limit else None


def small_extreme(choose: Callable[..., Any], node: str, tensor: Tensor) -> Tensor | None:
    """Return the largest or smallest element of a small tensor; None for other tensors.

    It also returns None for NaN and for a zero, whose sign is ambiguous.
    """
    dtype = tensor._dtype
    if dtype not in _FLOATS and dtype not in _INTEGERS:
        return None
    numbers = _elements(tensor)
    if numbers is None:
        return None
    result = choose(numbers)
    if dtype in _FLOATS:
        total = sum(numbers)
        if total != total or not result:
            return None
    return _tensor_of(tensor, result, dtype, node)
