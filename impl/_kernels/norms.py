"""Reducers of the norms of vectors (NormOps and others in ATen/native/SharedReduceOps.h)."""

from functools import partial
from math import inf
from typing import Any

from .._arrays.numpy_bridge import np
from .reduction import Reducer, as_dtype
from .unary import complex_abs


def magnitudes(numbers: Any) -> Any:
    """Return the absolute values of real or complex numbers."""
    return complex_abs(numbers) if numbers.dtype.kind == "c" else np.abs(numbers)


def norm_reducer(order: float) -> Reducer:
    """Return the reducer for the norm of an order, whose results are real.

    Torch adds one number after another in their own dtype, or in lanes, so that the last bits of
    sums depend on its kernels. They are computed in float64 here, and rounded once.
    """
    if order == inf:
        return Reducer(partial(_extreme, "maximum"), as_dtype, magnitudes)
    if order == -inf:
        return Reducer(partial(_extreme, "minimum"), as_dtype, magnitudes)
    powers, root = _EXACT.get(order, (partial(_powers, order), partial(_root, order)))
    return Reducer(_add, root, powers)


def _extreme(name: str, numbers: Any, axes: Any) -> Any:
    return getattr(np, name).reduce(numbers, axis=axes)


def _add(numbers: Any, axes: Any) -> Any:
    return np.add.reduce(numbers, axis=axes, dtype=np.float64)


def _is_not_zero(numbers: Any) -> Any:
    return (numbers != 0).astype(numbers.real.dtype)


def _squares(numbers: Any) -> Any:
    values = magnitudes(numbers) if numbers.dtype.kind == "c" else numbers  # keeps signs of NaN
    return values * values


def _square_root(total: Any, dtype: Any) -> Any:
    return np.asarray(np.sqrt(as_dtype(total, dtype)))


_EXACT: dict[float, Any] = {
    0: (_is_not_zero, as_dtype),
    1: (magnitudes, as_dtype),
    2: (_squares, _square_root),
}
"""Orders -> the function of each number, and of the sum with its NumPy dtype."""


def _powers(order: float, numbers: Any) -> Any:
    values = magnitudes(numbers)
    return _power(values, values.dtype.type(order))


def _root(order: float, total: Any, dtype: Any) -> Any:
    return np.asarray(_power(as_dtype(total, dtype), dtype.type(1) / dtype.type(order)))


def _power(base: Any, exponent: Any) -> Any:
    return np.power(base.astype(np.float64), np.float64(exponent)).astype(base.dtype)
