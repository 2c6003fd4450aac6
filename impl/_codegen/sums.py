"""Sums of large arrays along axes, compiled: in float64 or int64, by parts that do not depend on the threads.

Where elements that are summed are neighbours, a kernel adds runs of them up; where
others lie between, rows of them are added to one row of totals.
"""

from functools import cache, partial
from typing import Any, NamedTuple

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import over_places, parts_of
from .._dtypes.constants import FLOAT64, INT64
from .._dtypes.table import Kind, dtype, spec_of
from .casts import cast_number
from .loops import Kernel
from .scalar_ir import Code, constant, has_numbers, number_of

_RUN, _RUN_OF_DOUBLES = 2**12, 2**9
"""How many neighbours are one run, at most: the sums of runs are added up pairwise."""

_DOUBLES_APART = 2**6
"""How many doubles that lie apart are one run: they are added one after the other."""

_ROWS = 2**9
"""How many rows are added to one row of totals, at most."""

_AT_ONCE = 8
"""How many of the rows are added before their sum is added to the totals."""

_COLUMNS = 2**11
"""How many totals stay in the nearest cache."""

_LARGE = 2**17
"""How many elements are summed by kernels, at least: the same elements always add up to the same."""

_PART = 2**19
"""How many elements one thread goes through at least before it takes more."""


class Sum(NamedTuple):
    """The kernels of a sum: of runs, of several rows, and of one row.

    A run has up to ``run`` neighbours, or ``run_apart`` elements that lie apart.
    """

    total: dtype
    run: int
    run_apart: int
    runs: Kernel
    rows: Kernel
    row: Kernel


@cache
def summing(own: dtype, dtype: dtype, computed: dtype) -> Sum | None:
    """Return what sums elements of a dtype, which become another one, and are computed in a third.

    None if it is left to NumPy.
    """
    if not all(map(has_numbers, (own, dtype, computed))):
        return None
    is_float = spec_of(computed).kind is Kind.FLOAT
    if not is_float and computed is not INT64:
        return None
    total = FLOAT64 if is_float else INT64
    name, start = ("fadd reassoc", constant(0.0)) if is_float else ("add", "0")
    type_ = number_of(total).type

    def body(code: Code, *numbers: str) -> str:
        before, *numbers_left = numbers
        found = ""
        for number in numbers_left:
            for step in ((own, dtype), (dtype, computed), (computed, total)):
                number = cast_number(code, number, *step, rounds=True)
            found = code.add(f"{name} {type_} {found}, {number}") if found else number
        return code.add(f"{name} {type_} {before}, {found}")

    return Sum(
        total,
        *((_RUN_OF_DOUBLES, _DOUBLES_APART) if computed is FLOAT64 else (_RUN, _RUN)),
        Kernel(total, [own], body, start=start),
        Kernel(total, [total, *[own] * _AT_ONCE], body),
        Kernel(total, [total, own], body),
    )


def totals(sums: Sum | None, raw: Any, axes: tuple[int, ...]) -> Any:
    """Return the sums of an array of codes along some axes; None if they are left to NumPy."""
    if sums is None or not axes or not raw.size:
        return None
    kept = [axis for axis in range(raw.ndim) if axis not in axes]
    gone = sorted(axes, key=lambda axis: -abs(raw.strides[axis]))
    outside, inside = _joined(raw, kept), _joined(raw, gone)
    laid = np.lib.stride_tricks.as_strided(
        raw,
        [size for size, _ in (*outside, *inside)],
        [step for _, step in (*outside, *inside)],
        writeable=False,
    )
    if not inside:
        return None
    shape = [raw.shape[axis] for axis in kept]
    nearest = min([abs(step) for _, step in outside], default=None)
    if nearest is None or abs(inside[-1][1]) <= nearest:
        if not sums.runs.is_for(raw.size, _LARGE):
            return None
        return _of_runs(sums, laid, len(outside)).reshape(shape)
    if len(inside) > 1 or abs(outside[-1][1]) != nearest or not sums.rows.is_for(raw.size, _LARGE):
        return None
    return _of_rows(sums, laid.swapaxes(-1, -2)).reshape(shape)


def _joined(raw: Any, axes: list[int]) -> list[tuple[int, int]]:
    """Return the sizes and strides of some axes, those that are one run joined."""
    found: list[tuple[int, int]] = []
    for axis in axes:
        size, step = raw.shape[axis], raw.strides[axis]
        if size == 1:
            continue
        if found and found[-1][1] == step * size:
            size *= found.pop()[0]
        found.append((size, step))
    return found


def _of_runs(sums: Sum, raw: Any, kept: int) -> Any:
    """Sum along all axes but the first ones, of which the last one goes through neighbours."""
    *shape, size = raw.shape
    run = sums.run if raw.strides[-1] == raw.itemsize else sums.run_apart
    count, rest = divmod(size, run)
    found = np.empty((*shape, count + (rest > 0)), numpy_storage_dtype(sums.total))
    pieces = []
    if count:
        pieces.append((found[..., :count], _in_blocks(raw, run)))
    if rest:
        pieces.append((found[..., count], raw[..., count * run :]))
    for out, runs in pieces:
        totals = np.broadcast_to(out[..., None], runs.shape)
        _by_parts(runs.shape[:-1], runs.shape[-1], sums.runs, totals, runs)
    return np.add.reduce(found.reshape(*raw.shape[:kept], -1), axis=-1)


def _in_blocks(array: Any, size: int) -> Any:
    """Return a view of an array with its last axis cut into blocks, but for the rest."""
    *strides, step = array.strides
    shape = (*array.shape[:-1], array.shape[-1] // size, size)
    return np.lib.stride_tricks.as_strided(array, shape, (*strides, step * size, step))


def _by_parts(shape: tuple[int, ...], inside: int, work: Any, *arrays: Any) -> None:
    """Work on parts of the first axes of arrays, on all cores; ``inside`` elements lie behind one place."""
    keys = list(parts_of(shape, max(1, _PART // inside)))
    over_places(lambda *key: work(*[each[key] for each in arrays]), keys)


def _of_rows(sums: Sum, raw: Any) -> Any:
    """Sum along the last axis but one."""
    *shape, rows, columns = raw.shape
    several = _COLUMNS // columns
    if several > 1 and rows >= 2 * several and raw.strides[-2] == columns * raw.strides[-1]:
        # Several rows are one that is wider.
        joined = _in_blocks(raw.reshape(*shape, -1), several * columns)
        found = _of_rows(sums, joined).reshape(*shape, several, columns).sum(-2)
        rest = rows % several
        return found + _of_rows(sums, raw[..., rows - rest :, :]) if rest else found
    count = -(-rows // _ROWS)
    found = np.zeros((count, *shape, columns), numpy_storage_dtype(sums.total))
    whole = columns // _COLUMNS * _COLUMNS
    for index, totals in enumerate(found):
        some = raw[..., rows * index // count : rows * (index + 1) // count, :]
        if whole:
            blocks = _in_blocks(some, _COLUMNS).swapaxes(-2, -3)
            _add_parts(sums, _in_blocks(totals, _COLUMNS), blocks)
        if whole < columns:
            _add_parts(sums, totals[..., whole:], some[..., whole:])
    return found[0] if count == 1 else np.add.reduce(found, axis=0)


def _add_parts(sums: Sum, totals: Any, rows: Any) -> None:
    """Add rows along the last axis but one to totals."""
    *shape, count, columns = rows.shape
    _by_parts(tuple(shape), count * columns, partial(_add_rows, sums), totals, rows)


def _add_rows(sums: Sum, totals: Any, rows: Any) -> None:
    """Do so in one thread."""
    whole = rows.shape[-2] // _AT_ONCE * _AT_ONCE
    for kernel, some in (
        (sums.rows, [rows[..., first:whole:_AT_ONCE, :] for first in range(_AT_ONCE)]),
        (sums.row, [rows[..., whole:, :]]),
    ):
        if some[0].size:
            out = np.broadcast_to(totals[..., None, :], some[0].shape)
            kernel(out, out, *some)
