"""The sum of a vector in the order of torch's kernel (aten/src/ATen/native/cpu/SumKernel.cpp)."""

from typing import Any

from .._arrays.numpy_bridge import np

_VECTOR_BYTES = 32
_ROWS_AT_ONCE = 4
_LEVELS = 4


def cascade_sum(numbers: Any) -> Any:
    """Return the sum of a vector of float32 or float64 numbers, as one thread adds them.

    >>> cascade_sum(np.array([-1e8, 1e8, 1, 0, 0, 0, 3], np.float32))
    1.0
    """
    width = _VECTOR_BYTES // numbers.itemsize
    has_gaps = len(numbers) > 1 and numbers.strides[0] != numbers.itemsize
    count = 0 if has_gaps else len(numbers) // width
    if not count:
        return float(_sum_rows(numbers[:, None])[0])
    total = numbers.dtype.type(0)
    rest = numbers[count * width :]
    for number in (*rest, *_sum_rows(numbers[: count * width].reshape(count, width))):
        total = total + number
    return float(total)


def _sum_rows(rows: Any) -> Any:
    """Return the sum of rows; every fourth one is added to the same partial sums (row_sum)."""
    groups = len(rows) // _ROWS_AT_ONCE
    columns = rows.shape[1]
    grouped = rows[: groups * _ROWS_AT_ONCE].reshape(groups, _ROWS_AT_ONCE, columns)
    first, *others = _sum_groups(grouped)
    for row in rows[groups * _ROWS_AT_ONCE :]:
        first = first + row
    for other in others:
        first = first + other
    return first


def _sum_groups(groups: Any) -> Any:
    """Return the sum of groups of rows, of which levels add more and more (multi_row_sum)."""
    size = len(groups)
    power = max(4, (size - 1).bit_length() // _LEVELS) if size else 4
    step = 1 << power
    levels = [np.zeros(groups.shape[1:], groups.dtype) for _ in range(_LEVELS)]
    done = 0
    while done + step <= size:
        for group in groups[done : done + step]:
            levels[0] = levels[0] + group
        done += step
        for level in range(1, _LEVELS):
            levels[level] = levels[level] + levels[level - 1]
            levels[level - 1] = np.zeros_like(levels[0])
            if done & ((step - 1) << (level * power)):
                break
    for group in groups[done:]:
        levels[0] = levels[0] + group
    total = levels[0]
    for level in levels[1:]:
        total = total + level
    return total
