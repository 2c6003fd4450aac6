"""cdist, the distances between the rows of two matrices.

From Distance.cpp and cpu/DistanceOpsKernel.cpp in ATen/native, and torch/_meta_registrations.py.
"""

from collections.abc import Callable
from functools import partial
from math import inf, prod
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import without_fp_warnings
from ..._autograd.grad_mode import no_grad
from ..._devices.device import META
from ..._dtypes.constants import FLOAT32, FLOAT64
from ..._dtypes.table import dtype
from ..._geometry.broadcasting import broadcast_pair, broadcast_shapes
from ..._geometry.extents import Ints
from ..._geometry.geometry import dense, on_device
from ..._kernels.power import power
from ..._numerics.fma import fused
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.warnings import is_python_frame
from ..._tensor.data_access import resolved_array
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import record_grad_fn
from ..common.meta_reference import in_reference
from ..reduction.reduce import to_tensor
from .checks import cpp_name

Pair = tuple[Tensor, Tensor]

_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}

_MOST_ROWS = 25
"""The most rows whose Euclidean distances torch does not compute by a matrix product."""

_parse = Parser("cdist(Tensor x1, Tensor x2, double p=2, int64_t? compute_mode=None)")


@is_python_frame
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Return the p-norms of the differences of each row of one matrix and each of another.

    Batches broadcast.  With ``p=2`` and more than 25 rows, or if ``compute_mode`` says so, a matrix
    product computes them, which is less accurate for rows that are close.
    """
    for text, mode in _MODES.items():
        if compute_mode == text:
            _, (x1, x2, p, mode) = _parse.bind((x1, x2, p, mode), {})
            return _cdist((x1, x2), p, mode)
    raise ValueError(f"{compute_mode} is not a valid value for compute_mode")


def _cdist(pair: Pair, order: float, mode: int | None) -> Tensor:
    _check_shapes(pair)
    rows = [x._geometry.shape[-2] for x in pair]
    by_product = order == 2 and (mode == 1 or (mode is None and max(rows) > _MOST_ROWS))
    if by_product and all(x._geometry.numel for x in pair):
        return _by_prod(pair, order)
    if any(x._geometry.is_sparse for x in pair):
        raise no_kernel("_cdist_forward", *pair)
    if any(x._geometry.device is META for x in pair):
        result = in_reference(_refer, *pair, order)
    else:
        result = _direct(pair, order)
    return record_grad_fn(result, pair, "CdistBackward0")


_FLAT = "cdist only supports at least 2D tensors, X{} got: {}D"
_NO_FLOATS = "cdist only supports floating-point dtypes, X{} got: {}"


def _check_shapes(pair: Pair) -> None:
    for number, tensor in enumerate(pair, 1):
        rank = tensor._geometry.rank
        check(rank >= 2, partial(_FLAT.format, number, rank))
    columns = [x._geometry.shape[-1] for x in pair]
    check(
        columns[0] == columns[1],
        lambda: (
            f"X1 and X2 must have the same number of columns. X1: {columns[0]} X2: {columns[1]}"
        ),
    )


def _check_numbers(pair: Pair, order: float, name_of: Callable[[dtype], str] = cpp_name) -> None:
    for number, tensor in enumerate(pair, 1):
        dtype = tensor._dtype
        check(dtype.is_floating_point, partial(_NO_FLOATS.format, number, name_of(dtype)))
    check(order >= 0, lambda: "cdist only supports non-negative p values")


def _refer(left: Tensor, right: Tensor, order: float) -> Tensor:
    """Return what the reference does (meta_cdist_forward)."""
    pair = left, right
    _check_numbers(pair, order, str)
    shapes = [x.shape for x in pair]
    batch = broadcast_shapes(*[shape[:-2] for shape in shapes])
    shape = (*batch, *[shape[-2] for shape in shapes])
    result: Tensor = METHODS["new_empty"](left, shape)
    return result


def _shape(pair: Pair) -> tuple[Ints, Ints]:
    """Return the shape of the batch, and that of the distances."""
    left, right = [x._geometry.shape for x in pair]
    batch = broadcast_pair(left[:-2], right[:-2])
    return batch, (*batch, left[-2], right[-2])


def _by_prod(pair: Pair, order: float) -> Tensor:
    """Return Euclidean distances by the product of rows and their squares (_euclidean_dist)."""
    _check_numbers(pair, order)
    devices = [x._geometry.device.type for x in pair]
    check(
        devices[0] == devices[1],
        lambda: f"X1 and X2 must have the same device type. X1: {devices[0]} X2: {devices[1]}",
    )
    batch, shape = _shape(pair)
    count = prod(batch)
    expanded = [
        METHODS["reshape"](
            METHODS["expand"](x, (*batch, *x._geometry.shape[-2:])),
            (count, *x._geometry.shape[-2:]),
        )
        for x in pair
    ]
    operands: Any = pair if count == 1 else tuple(expanded)
    with no_grad():
        norms = [METHODS["sum"](METHODS["pow"](x, 2), -1, keepdim=True) for x in operands]
        ones = [PUBLIC["ones_like"](x) for x in norms]
        left = PUBLIC["cat"]([METHODS["mul"](operands[0], -2), norms[0], ones[0]], -1)
        right = PUBLIC["cat"]([operands[1], ones[1], norms[1]], -1)
        squares = METHODS["matmul"](left, METHODS["transpose"](right, -2, -1))
        distances = METHODS["sqrt"](METHODS["clamp_min"](squares, 0))
    record_grad_fn(distances, operands, "EuclideanDistBackward0")
    result: Tensor = METHODS["view"](distances, shape)
    return result


def _direct(pair: Pair, order: float) -> Tensor:
    """Return distances as the kernel computes them."""
    _check_numbers(pair, order)
    batch, shape = _shape(pair)
    own = pair[0]._dtype
    if not prod(shape) or not pair[0]._geometry.shape[-1]:
        zeros: Tensor = METHODS["new_zeros"](METHODS["detach"](pair[0]), shape)
        return zeros
    if own not in (FLOAT32, FLOAT64):
        raise_not_implemented("cdist", own)
    other = pair[1]._dtype
    check(
        other is own,
        lambda: f"expected scalar type {cpp_name(own)} but found {cpp_name(other)}",
    )
    geometry = on_device(dense(shape), pair[0]._geometry.device)
    arrays = [resolved_array(x) for x in pair]
    left, right = [np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in arrays]
    return to_tensor(without_fp_warnings(_distances, own, order, left, right), geometry, own)


_BLOCK = 1 << 16
"""The most differences that are in memory at once, unless one row has more."""

_VECTOR = {FLOAT32: 4, FLOAT64: 2}
"""The number of elements whose squares a vector instruction computes, without a fused sum."""


def _distances(dtype: dtype, order: float, left: Any, right: Any) -> Any:
    """Return the distances of raw rows of batches of one shape, in blocks of bounded size."""
    *batch, rows, columns = left.shape
    others = right.shape[-2]
    lines, matrices = left.reshape(-1, 1, columns), right.reshape(-1, others, columns)
    result = np.empty((len(lines), others), left.dtype)
    width = max(1, _BLOCK // columns)
    height = max(1, width // others)
    for first in range(0, len(lines), height):
        above = slice(first, first + height)
        matrix = matrices[np.arange(first, min(first + height, len(lines))) // rows]
        for start in range(0, others, width):
            beside = slice(start, start + width)
            differences = lines[above] - matrix[:, beside]
            result[above, beside] = _norms(dtype, order, differences)
    return result.reshape(*batch, rows, others)


def _norms(dtype: dtype, order: float, differences: Any) -> Any:
    """Return the norms of rows of differences."""
    if order == 2:
        return np.sqrt(_sums_of_squares(dtype, differences))
    differences = np.abs(differences)
    if order == inf:
        return np.fmax.reduce(differences, -1, initial=0)
    if order == 0:
        return _sums(np.where(np.isnan(differences), differences, differences != 0))
    if order == 1:
        return _sums(differences)
    exponent = differences.dtype.type(order)
    sums = _sums(power(dtype, differences, np.asarray(exponent)))
    # C++ divides in double precision, and so takes the root in it.
    roots = power(FLOAT64, sums.astype(np.float64), np.asarray(1 / float(exponent)))
    return roots.astype(sums.dtype)


def _sums_of_squares(dtype: dtype, numbers: Any) -> Any:
    """Return the sums of squares of rows, in order; that of the last squares is fused."""
    whole = numbers.shape[-1] // _VECTOR[dtype] * _VECTOR[dtype]
    squares = _sums(numbers[..., :whole] ** 2)
    for column in np.moveaxis(numbers[..., whole:], -1, 0):
        squares = fused(column, column, squares)
    return squares


def _sums(numbers: Any) -> Any:
    """Return the sums of rows, in order."""
    if not numbers.shape[-1]:
        return np.zeros(numbers.shape[:-1], numbers.dtype)
    return np.add.accumulate(numbers, -1)[..., -1]


cdist.__qualname__ = "cdist"
PUBLIC["cdist"] = cdist
