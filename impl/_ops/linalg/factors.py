"""Factors of raw matrices: LU with the pivots of LAPACK, Cholesky, singular and eigenvalues.

NumPy calls LAPACK for all of them but LU, which it does not offer.
"""

from functools import partial
from math import prod
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings

_NARROW = 16
"""The most columns that are factored one by one; more of them are two halves."""

_TINY = 4
"""The most rows of matrices for which the LAPACK of MKL has other loops."""


class LU(NamedTuple):
    """The factors of square matrices with permuted rows.

    packed: U, and below its diagonal L, whose diagonal of ones is left out
    pivots: the row that was swapped with each one, from 0
    is_odd: whether the number of swapped rows is odd, by matrix
    zero: the number, from 1, of the first pivot that is zero, or 0, by matrix
    """

    packed: Any
    pivots: Any
    is_odd: Any
    zero: Any


def lu(matrices: Any) -> LU:
    """Return the factors of a batch of square matrices (getrf of LAPACK)."""
    *batch, size, _ = matrices.shape
    packed = np.array(matrices.reshape(prod(batch), size, size))
    pivots = np.empty((len(packed), size), np.int64)
    with np.errstate(all="ignore"):
        _factor(packed, pivots)
    is_odd = (pivots != np.arange(size)).sum(1) % 2 == 1
    is_zero = np.diagonal(packed, 0, 1, 2) == 0
    zero = np.where(is_zero.any(1), is_zero.argmax(1) + 1 if size else 0, 0)
    pivots = pivots.reshape(*batch, size)
    return LU(packed.reshape(matrices.shape), pivots, is_odd.reshape(batch), zero.reshape(batch))


def _factor(columns: Any, pivots: Any) -> None:
    """Factor tall matrices in place, and write the rows that were swapped with each one."""
    width = columns.shape[-1]
    if width <= _NARROW:
        for index in range(width):
            if len(columns) != 1 or not _eliminate_one(columns[0], index, pivots[0]):
                _eliminate(columns, index, pivots)
        return
    half = width // 2
    left, right = columns[:, :, :half], columns[:, :, half:]
    _factor(left, pivots[:, :half])
    _swap_rows(right, pivots[:, :half])
    _solve_unit_lower(left[:, :half], right[:, :half])
    right[:, half:] -= left[:, half:] @ right[:, :half]
    _factor(right[:, half:], pivots[:, half:])
    _swap_rows(left[:, half:], pivots[:, half:])
    pivots[:, half:] += half


def _eliminate(columns: Any, index: int, pivots: Any) -> None:
    """Swap the row of the largest element of a column up, and clear what is below it."""
    count, size, width = columns.shape
    pivots[:, index] = index + _sizes(columns[:, index:, index]).argmax(1)
    each = np.arange(count)
    chosen = columns[each, pivots[:, index]]
    columns[each, pivots[:, index]] = columns[:, index]
    columns[:, index] = chosen
    pivot = chosen[:, index, None]
    below = columns[:, index + 1 :, index]
    is_divided = size <= _TINY and index == size - 2
    quotients = below / pivot if is_divided else below * (1 / pivot)
    below[...] = np.where(pivot == 0, below, quotients)
    rest = columns[:, index + 1 :, index + 1 :]
    if width - index > 1:
        rest -= below[..., None] * chosen[:, None, index + 1 :]


def _eliminate_one(columns: Any, index: int, pivots: Any) -> bool:
    """Do what `_eliminate` does for one matrix, in less time; return False if it has a NaN."""
    size, width = columns.shape
    column = columns[index:, index]
    sizes = abs(column.real) + abs(column.imag) if column.dtype.kind == "c" else abs(column)
    place = int(sizes.argmax())
    if sizes[place] != sizes[place]:
        return False
    pivots[index] = index + place
    if place:
        columns[[index, index + place]] = columns[[index + place, index]]
    pivot = columns[index, index]
    if pivot != 0:
        below = columns[index + 1 :, index]
        if size <= _TINY and index == size - 2:
            below /= pivot
        else:
            below *= 1 / pivot
        if width - index > 1:
            columns[index + 1 :, index + 1 :] -= below[:, None] * columns[index, index + 1 :]
    return True


def _sizes(column: Any) -> Any:
    """Return by which pivots are chosen: no NaN but one in the first place."""
    sizes = np.abs(column.real) + np.abs(column.imag) if column.dtype.kind == "c" else abs(column)
    sizes = np.where(np.isnan(sizes), -1, sizes)
    sizes[:, 0] = np.where(sizes[:, 0] < 0, np.inf, sizes[:, 0])
    return sizes


def _swap_rows(columns: Any, pivots: Any) -> None:
    """Swap rows of matrices in place, in the order of the pivots."""
    rows = columns.shape[1]
    orders = [list(range(rows)) for _ in columns]
    for order, swapped in zip(orders, pivots.tolist(), strict=True):
        for index, other in enumerate(swapped):
            order[index], order[other] = order[other], order[index]
    for matrix, order in zip(columns, np.array(orders), strict=True):
        moved = (order != np.arange(rows)).nonzero()[0]
        if len(moved):
            matrix[moved] = matrix[order[moved]]


def _solve_unit_lower(lower: Any, columns: Any) -> None:
    """Divide matrices in place by the lower part of others, with ones on the diagonal."""
    size = lower.shape[-1]
    if size <= _NARROW:
        for index in range(1, size):
            columns[:, index] -= (lower[:, index, None, :index] @ columns[:, :index])[:, 0]
        return
    half = size // 2
    _solve_unit_lower(lower[:, :half, :half], columns[:, :half])
    columns[:, half:] -= lower[:, half:, :half] @ columns[:, :half]
    _solve_unit_lower(lower[:, half:, half:], columns[:, half:])


def solve(matrices: Any, columns: Any) -> tuple[Any, Any]:
    """Return the solutions of equations, and the zeros of `LU` if a matrix is singular.

    NumPy's LAPACK solves them, as it is fast, unless a matrix is nearly singular: then the rounding
    of each step decides, and it is that of `lu`.
    """
    if not matrices.size or not columns.size:
        return np.linalg.solve(matrices, columns), None
    probe = np.cos(np.arange(matrices.shape[-1]))[:, None]
    probes = np.broadcast_to(probe, (*columns.shape[:-1], 1)).astype(columns.dtype)
    try:
        solutions = without_fp_warnings(
            np.linalg.solve, matrices, np.concatenate([columns, probes], -1)
        )
        if _is_certain(matrices, solutions[..., -1]):
            return solutions[..., :-1], None
    except np.linalg.LinAlgError:
        pass
    factors = lu(matrices)
    return without_fp_warnings(_substitute, factors, columns), factors.zero


_CERTAIN = 1e3
"""By how much the largest condition must be below that at which all digits are lost."""


def _is_certain(matrices: Any, probed: Any) -> bool:
    """Return whether matrices are so far from singular ones that rounding does not matter.

    The solutions for a column that no matrix favors tell their condition.
    """
    condition = float(np.abs(matrices).max()) * float(np.abs(probed).max())
    return condition * _CERTAIN * float(np.finfo(matrices.dtype).eps) <= 1  # not so for a NaN


def _substitute(factors: LU, columns: Any) -> Any:
    """Return the solutions of equations with factored matrices (getrs of LAPACK)."""
    packed, size = factors.packed, factors.packed.shape[-1]
    batch = np.broadcast_shapes(packed.shape[:-2], columns.shape[:-2])
    packed = np.broadcast_to(packed, (*batch, size, size)).reshape(-1, size, size)
    pivots = np.broadcast_to(factors.pivots, (*batch, size)).reshape(-1, size)
    shape = (*batch, *columns.shape[-2:])
    solutions = np.array(np.broadcast_to(columns, shape).reshape(-1, *shape[-2:]))
    _swap_rows(solutions, pivots)
    for order in (range(size), range(size)[::-1]):
        _eliminate_rows(packed, solutions, order, divides=order.step < 0)
    return solutions.reshape(shape)


def _eliminate_rows(packed: Any, rows: Any, order: range, *, divides: bool) -> None:
    """Solve triangular equations in place, one row after another.

    Small ones take the sums of a row at once and multiply by reciprocals, as those of MKL do.
    """
    size = len(order)
    for place, row in enumerate(order):
        pivot = packed[:, row, row, None]
        if size <= _TINY:
            sums = np.zeros_like(rows[:, row])
            for other in sorted(order[:place]):
                sums = sums + packed[:, row, other, None] * rows[:, other]
            rows[:, row] -= sums
        if divides:
            rows[:, row] = rows[:, row] * (1 / pivot) if size <= _TINY else rows[:, row] / pivot
        if size > _TINY:
            rest = order[place + 1 :]
            others = slice(row + 1, None) if order.step > 0 else slice(None, row)
            if rest:
                rows[:, others] -= packed[:, others, row, None] * rows[:, row, None]


def cholesky(matrices: Any, *, upper: bool) -> tuple[Any, Any]:
    """Return triangular factors of matrices, and where each failed.

    That is the order of the first leading minor that is not positive-definite, or 0.
    """
    if upper:
        lower, failed = cholesky(_adjoint(matrices), upper=False)
        return _adjoint(lower), failed
    *batch, size, _ = matrices.shape
    flat = matrices.reshape(prod(batch), size, size)
    try:
        factors = without_fp_warnings(np.linalg.cholesky, flat)
        if not size or not np.isnan(factors[:, -1, -1]).any():  # to which a NaN spreads
            return factors.reshape(matrices.shape), None
        failed = np.isnan(factors[:, -1, -1]).astype(np.int64)
    except np.linalg.LinAlgError:
        factors, failed = np.tril(flat), np.ones(len(flat), np.int64)
    for index in failed.nonzero()[0]:
        failed[index] = next((n for n in range(1, size + 1) if _fails(flat[index, :n, :n])), 0)
    return factors.reshape(matrices.shape), failed.reshape(batch)


def _fails(minor: Any) -> bool:
    try:
        last = without_fp_warnings(np.linalg.cholesky, minor)[-1, -1]
    except np.linalg.LinAlgError:
        return True
    return bool(np.isnan(last))


def _adjoint(matrices: Any) -> Any:
    return np.swapaxes(matrices, -1, -2).conj()


def qr(matrices: Any, mode: str) -> tuple[Any, Any]:
    """Return orthogonal and triangular factors; mode "r" leaves the orthogonal ones out."""
    if mode == "r":
        return np.empty(0, matrices.dtype), without_fp_warnings(np.linalg.qr, matrices, "r")
    left, right = without_fp_warnings(np.linalg.qr, matrices, mode)
    return left, right


def svd(matrices: Any, *, full: bool) -> tuple[Any, Any, Any]:
    """Return singular vectors, values, and adjoint vectors; NaN for a matrix with an infinity."""
    *batch, rows, columns = matrices.shape
    if not matrices.size:
        sizes = (rows, columns) if full else (min(rows, columns),) * 2
        left, right = np.eye(rows, sizes[0]), np.eye(sizes[1], columns)
        values = np.zeros((*batch, min(rows, columns)))
        return (
            np.broadcast_to(left, (*batch, *left.shape)),
            values,
            np.broadcast_to(right, (*batch, *right.shape)),
        )
    is_finite, finite = _finite(matrices)
    results = without_fp_warnings(np.linalg.svd, finite, full_matrices=full)
    left, values, right = (np.where(_beside(is_finite, x), x, np.nan) for x in results)
    return left, values, right


def svdvals(matrices: Any) -> Any:
    """Return the singular values of matrices; those of one with an infinity are NaN."""
    *batch, rows, columns = matrices.shape
    if not matrices.size:
        return np.zeros((*batch, min(rows, columns)))
    is_finite, finite = _finite(matrices)
    values = without_fp_warnings(np.linalg.svd, finite, compute_uv=False)
    return np.where(is_finite[..., None], values, np.nan)


def _finite(matrices: Any) -> tuple[Any, Any]:
    """Return which matrices are finite, and matrices with zeros in place of the others."""
    is_finite = np.isfinite(matrices).all((-2, -1))
    return is_finite, np.where(is_finite[..., None, None], matrices, 0)


def _beside(flags: Any, results: Any) -> Any:
    """Return flags of matrices with as many dimensions as results."""
    return flags.reshape(flags.shape + (1,) * (results.ndim - flags.ndim))


def eig(matrices: Any) -> tuple[Any, Any]:
    """Return complex eigenvalues and eigenvectors."""
    values, vectors = without_fp_warnings(np.linalg.eig, matrices)
    return values, vectors


def eigvals(matrices: Any) -> Any:
    """Return complex eigenvalues; those of a matrix that is not finite are NaN."""
    is_finite, finite = _finite(matrices)
    values = without_fp_warnings(np.linalg.eigvals, finite)
    return np.where(is_finite[..., None], values, np.nan)


def eigh(matrices: Any, side: str) -> tuple[Any, Any]:
    """Return real eigenvalues and eigenvectors of Hermitian matrices, given by one triangle."""
    is_finite, finite = _finite(matrices)
    results = without_fp_warnings(partial(np.linalg.eigh, UPLO=side), finite)
    values, vectors = (np.where(_beside(is_finite, x), x, np.nan) for x in results)
    return values, vectors


def eigvalsh(matrices: Any, side: str) -> Any:
    """Return real eigenvalues of Hermitian matrices, given by one triangle."""
    is_finite, finite = _finite(matrices)
    values = without_fp_warnings(partial(np.linalg.eigvalsh, UPLO=side), finite)
    return np.where(is_finite[..., None], values, np.nan)
