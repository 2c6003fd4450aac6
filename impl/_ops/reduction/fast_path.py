"""Sums and extremes of a few elements, in the time of a look-up: these are asked for most often."""

from collections.abc import Callable
from math import fsum
from typing import Any

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._codegen.loops import SMALL
from ..._devices.device import CPU
from ..._dtypes.constants import INT64
from ..._dtypes.table import DTYPES, dtype
from ..._geometry.geometry import dense
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, record_grad_fn, tensor_from_array

_MOST = min(64, SMALL)
"""Of how many elements Python itself makes a sum faster than NumPy."""

_LARGEST = {"float32": 3.4e38, "float64": 1.7e308}
_FLOATS: dict[dtype, float] = {DTYPES[name]: most for name, most in _LARGEST.items()}
_INTEGERS = frozenset(DTYPES[name] for name in ("bool", "uint8", "int8", "int16", "int32", "int64"))

_SCALAR = dense(())


def _numbers(tensor: Tensor) -> list[Any] | None:
    """Return all elements of a small contiguous tensor; None if it is another."""
    geometry = tensor._geometry
    is_few = geometry.is_contiguous and 0 < geometry.numel <= _MOST
    if not is_few or tensor._conj_neg or geometry.device is not CPU:
        return None
    numbers = raw_array(tensor)
    return (numbers if geometry.rank == 1 else numbers.ravel()).tolist()  # type: ignore[no-any-return]


def _made(tensor: Tensor, number: Any, dtype: dtype, node: str) -> Tensor:
    memory = np.array(number, numpy_storage_dtype(dtype))
    return record_grad_fn(tensor_from_array(memory, _SCALAR, dtype, memory), (tensor,), node)


def small_sum(tensor: Tensor) -> Tensor | None:
    """Return the sum of all elements of a small tensor; None if it is another.

    Floats are summed exactly and rounded.
    """
    dtype = tensor._dtype
    most = _FLOATS.get(dtype)
    if most is None and dtype not in _INTEGERS:
        return None
    numbers = _numbers(tensor)
    if numbers is None:
        return None
    if most is None:
        whole = sum(numbers)
        return _made(tensor, whole, INT64, "") if -(2**63) <= whole < 2**63 else None
    try:
        total = fsum(numbers)
    except (OverflowError, ValueError):  # what is beyond float64, or inf - inf
        return None
    return _made(tensor, total, dtype, "SumBackward0") if -most < total < most else None


def small_extreme(choose: Callable[..., Any], node: str, tensor: Tensor) -> Tensor | None:
    """Return the largest or smallest element of a small tensor; None if it is another.

    NaN, and zeros, whose signs may differ, are left to others.
    """
    dtype = tensor._dtype
    if dtype not in _FLOATS and dtype not in _INTEGERS:
        return None
    numbers = _numbers(tensor)
    if numbers is None:
        return None
    found = choose(numbers)
    if dtype in _FLOATS:
        total = sum(numbers)
        if total != total or not found:
            return None
    return _made(tensor, found, dtype, node)
