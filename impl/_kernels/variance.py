"""Variances and standard deviations: Welford's algorithm, and two passes over all elements.

They follow WelfordOps in ATen/native/SharedReduceOps.h and std_var_all_cpu in ReduceOps.cpp.
"""

from typing import Any

from .._arrays.numpy_bridge import np

_SEQUENTIAL = 4096
"""The number of reduced elements up to which each is added after the other."""
_FEW_ROWS = 12
"""The number of rows up to which Python adds elements in less time than NumPy."""


def welford(rows: Any, correction: float) -> tuple[Any, Any]:
    """Return the variances and means along the last axis, in the dtype of the rows."""
    count = rows.shape[-1]
    with np.errstate(all="ignore"):
        if count > _SEQUENTIAL:
            mean = rows.mean(-1)
            total = np.square(rows - mean[..., None]).sum(-1)
        elif 0 < rows.size <= _FEW_ROWS * count and np.isfinite(rows).all():
            mean, total = _of_few(rows)
        else:
            mean, total = np.zeros(rows.shape[:-1], rows.dtype), np.zeros_like(rows[..., 0])
            for index in range(count):
                number = rows[..., index]
                delta = number - mean
                mean = mean + delta / rows.dtype.type(index + 1)
                total = total + delta * (number - mean)
        return total / rows.dtype.type(_degrees(count, correction)), mean


def _of_few(rows: Any) -> tuple[Any, Any]:
    """Return the means and the sums of squares of a few float64 rows, as Python is faster.

    Of two NaNs, Python may return another one than NumPy.
    """
    means, totals = [], []
    for row in rows.reshape(-1, rows.shape[-1]).tolist():
        mean = total = 0.0
        for count, number in enumerate(row, 1):
            delta = number - mean
            mean += delta / count
            total += delta * (number - mean)
        means.append(mean)
        totals.append(total)
    shape = rows.shape[:-1]
    return np.array(means).reshape(shape), np.array(totals).reshape(shape)


def of_all(numbers: Any, mean: float, correction: float) -> Any:
    """Return the variance of all elements in double precision, with their rounded mean."""
    with np.errstate(all="ignore"):
        total = np.square(numbers.astype(np.float64) - mean).sum()
        return total / np.float64(_degrees(numbers.size, correction))


def _degrees(count: int, correction: float) -> float:
    return count - correction if count > correction else 0.0
