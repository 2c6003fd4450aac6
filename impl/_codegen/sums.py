"""Compiled sums of large arrays along axes, in float64 or int64.

The parts of a sum do not depend on the number of threads.  If the reduced axes are the innermost in
memory, a kernel adds up runs of adjacent elements.  Otherwise it adds rows to a row of totals.
"""

from functools import cache, partial
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import block_keys, coalesce_dimensions, parallel_for
from .._dtypes.constants import FLOAT64, INT64
from .._dtypes.table import Kind, dtype, spec_of
from .casts import cast_number
from .loops import Kernel
from .scalar_ir import IRBuilder, constant, is_compilable, opmath_type

_RUN, _RUN_OF_DOUBLES = 2**12, 2**9
"""The largest number of adjacent elements in a run; the sums of runs are added pairwise."""

_DOUBLES_APART = 2**6
"""The number of strided float64 elements in a run; they are added one by one."""

_ROWS = 2**9
"""The largest number of rows for one row of totals."""

_AT_ONCE = 8
"""The number of rows that are added before their sum is added to the totals."""

_COLUMNS = 2**11
"""The number of totals that fit into the L1 cache."""

_LARGE = 2**17
"""The least number of elements for a kernel; equal inputs always give equal sums."""

_PART = 2**19
"""The least number of elements in a part for one thread."""


class Sum(NamedTuple):
    """The kernels of a sum.

    total: the dtype of totals
    run, run_apart: the largest number of adjacent or of strided elements in a run
    runs, rows, row: the kernels for runs, for `_AT_ONCE` rows and for one row
    """

    total: dtype
    run: int
    run_apart: int
    runs: Kernel
    rows: Kernel
    row: Kernel


@cache
def sum_kernels(source: dtype, dtype: dtype, computed: dtype) -> Sum | None:
    """Return the kernels that sum ``source`` elements, cast to ``dtype`` and then to ``computed``.

    Return None if NumPy computes the sum.
    """
    if not all(map(is_compilable, (source, dtype, computed))):
        return None
    is_float = spec_of(computed).kind is Kind.FLOAT
    if not is_float and computed is not INT64:
        return None
    total = FLOAT64 if is_float else INT64
    name, start = ("fadd reassoc", constant(0.0)) if is_float else ("add", "0")
    ty = opmath_type(total).type

    def body(code: IRBuilder, *numbers: str) -> str:
        accumulated, *addends = numbers
        added = ""
        for number in addends:
            for cast in ((source, dtype), (dtype, computed), (computed, total)):
                number = cast_number(code, number, *cast, rounds=True)
            added = code.add(f"{name} {ty} {added}, {number}") if added else number
        return code.add(f"{name} {ty} {accumulated}, {added}")

    return Sum(
        total,
        *((_RUN_OF_DOUBLES, _DOUBLES_APART) if computed is FLOAT64 else (_RUN, _RUN)),
        Kernel(total, [source], body, start=start),
        Kernel(total, [total, *[source] * _AT_ONCE], body),
        Kernel(total, [total, source], body),
    )


def sum_axes(sums: Sum | None, raw: Any, axes: tuple[int, ...]) -> Any:
    """Return the sums of a raw array along axes; None if NumPy computes them."""
    if sums is None or not axes or not raw.size:
        return None
    kept = [axis for axis in range(raw.ndim) if axis not in axes]
    reduced = sorted(axes, key=lambda axis: -abs(raw.strides[axis]))
    outer, [outer_steps] = coalesce_dimensions(raw.shape, [raw.strides], kept)
    inner, [inner_steps] = coalesce_dimensions(raw.shape, [raw.strides], reduced)
    if not inner:
        return None
    permuted = np.lib.stride_tricks.as_strided(
        raw, (*outer, *inner), (*outer_steps, *inner_steps), writeable=False
    )
    shape = [raw.shape[axis] for axis in kept]
    nearest = min(map(abs, outer_steps), default=None)
    if nearest is None or abs(inner_steps[-1]) <= nearest:
        if not sums.runs.is_for(raw.size, _LARGE):
            return None
        return _sum_runs(sums, permuted, len(outer)).reshape(shape)
    if len(inner) > 1 or abs(outer_steps[-1]) != nearest or not sums.rows.is_for(raw.size, _LARGE):
        return None
    return _sum_rows(sums, permuted.swapaxes(-1, -2)).reshape(shape)


def _sum_runs(sums: Sum, raw: Any, kept: int) -> Any:
    """Sum along all axes but the first ``kept`` ones; the last axis is the innermost in memory."""
    *shape, size = raw.shape
    run = sums.run if raw.strides[-1] == raw.itemsize else sums.run_apart
    count, remainder = divmod(size, run)
    partial_sums = np.empty((*shape, count + (remainder > 0)), numpy_storage_dtype(sums.total))
    pieces = []
    if count:
        pieces.append((partial_sums[..., :count], _split_last_axis(raw, run)))
    if remainder:
        pieces.append((partial_sums[..., count], raw[..., count * run :]))
    for out, runs in pieces:
        totals = np.broadcast_to(out[..., None], runs.shape)
        _parallel_parts(runs.shape[:-1], runs.shape[-1], sums.runs, totals, runs)
    return np.add.reduce(partial_sums.reshape(*raw.shape[:kept], -1), axis=-1)


def _split_last_axis(array: Any, size: int) -> Any:
    """Return a view of an array with its last axis split into whole blocks."""
    *strides, stride = array.strides
    shape = (*array.shape[:-1], array.shape[-1] // size, size)
    return np.lib.stride_tricks.as_strided(array, shape, (*strides, stride * size, stride))


def _parallel_parts(shape: tuple[int, ...], inner: int, work: Any, *arrays: Any) -> None:
    """Call ``work`` on parts of arrays on all cores; each index has ``inner`` elements."""
    keys = list(block_keys(shape, max(1, _PART // inner)))
    parallel_for(lambda *key: work(*[array[key] for array in arrays]), keys)


def _sum_rows(sums: Sum, raw: Any) -> Any:
    """Sum along the second to last axis."""
    *shape, rows, columns = raw.shape
    group = _COLUMNS // columns
    if group > 1 and rows >= 2 * group and raw.strides[-2] == columns * raw.strides[-1]:
        # Several rows form one wider row.
        grouped = _split_last_axis(raw.reshape(*shape, -1), group * columns)
        result = _sum_rows(sums, grouped).reshape(*shape, group, columns).sum(-2)
        remainder = rows % group
        return result + _sum_rows(sums, raw[..., rows - remainder :, :]) if remainder else result
    count = -(-rows // _ROWS)
    result = np.zeros((count, *shape, columns), numpy_storage_dtype(sums.total))
    whole_columns = columns // _COLUMNS * _COLUMNS
    for index, totals in enumerate(result):
        part = raw[..., rows * index // count : rows * (index + 1) // count, :]
        if whole_columns:
            blocks = _split_last_axis(part, _COLUMNS).swapaxes(-2, -3)
            _add_parts(sums, _split_last_axis(totals, _COLUMNS), blocks)
        if whole_columns < columns:
            _add_parts(sums, totals[..., whole_columns:], part[..., whole_columns:])
    return result[0] if count == 1 else np.add.reduce(result, axis=0)


def _add_parts(sums: Sum, totals: Any, rows: Any) -> None:
    """Add rows along the second to last axis to totals, on all cores."""
    *shape, count, columns = rows.shape
    _parallel_parts(tuple(shape), count * columns, partial(_add_rows, sums), totals, rows)


def _add_rows(sums: Sum, totals: Any, rows: Any) -> None:
    """Add rows along the second to last axis to totals, in one thread."""
    whole_rows = rows.shape[-2] // _AT_ONCE * _AT_ONCE
    for kernel, operands in (
        (sums.rows, [rows[..., first:whole_rows:_AT_ONCE, :] for first in range(_AT_ONCE)]),
        (sums.row, [rows[..., whole_rows:, :]]),
    ):
        if operands[0].size:
            out = np.broadcast_to(totals[..., None, :], operands[0].shape)
            kernel(out, out, *operands)
