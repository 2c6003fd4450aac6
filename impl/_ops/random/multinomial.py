"""multinomial: indices drawn by their probabilities (ATen/native/Distributions.cpp)."""

import math
from math import prod
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.autograd_meta import bump_version
from ..._autograd.grad_mode import no_grad
from ..._dtypes.constants import FLOAT64, INT64
from ..._dtypes.table import spec_of
from ..._geometry.extents import check_nonnegative
from ..._geometry.layout import preserve_format
from ..._numerics.cast import to_numbers
from ..._numerics.rounding import FLOAT_DTYPES, check_supported
from ..._random.generator import Generator, stream_of
from ..._random.mt19937 import MT19937Stream
from ..._random.uniform import double_fractions
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_tensor, empty_with, resize_out
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import METHODS, Tensor
from ..common.clone import empty_like_geometry
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import copy_into
from ..common.memory_overlap import check_no_overlap
from ..common.meta_reference import in_reference, is_on_meta, write_reference
from ..elementwise.binding import Overload, install_operator

_MOST_CATEGORIES = 2**24


@resolves_conj_neg
def _multinomial(
    chances: Tensor,
    count: int,
    replacement: bool,
    generator: Generator | None,
    out: Tensor | None = None,
) -> Tensor:
    """multinomial(input, num_samples, replacement=False): indices drawn by probabilities."""
    if chances._geometry.is_sparse or (out is not None and out._geometry.is_sparse):
        raise NotDense
    if is_on_meta(chances, out):
        result: Tensor = in_reference(_on_meta, chances, count, out)
        return result
    shape = _checked_shape(chances, count, replacement, out)
    result = empty_tensor((0,), INT64, chances._geometry.device) if out is None else out
    resize_out(result, shape)
    if result._geometry.numel:
        if replacement and count > 1:
            _draw_with_replacement(chances, count, generator, result)
        else:
            _draw_distinct(chances, count, generator, result)
    if out is not None:
        bump_version(out)
    return result


def _on_meta(chances: Tensor, count: int, out: Tensor | None) -> Tensor:
    """Return what meta_multinomial in torch/_meta_registrations.py does."""
    rank = chances._geometry.rank
    check(
        0 < rank <= 2,
        lambda: f"The probability distributions dimensions must be 1 or 2, but got {rank}",
    )
    shape = (*chances._geometry.shape[:-1], count)
    check_nonnegative(shape)
    result = empty_tensor(shape, INT64, chances._geometry.device)
    return result if out is None else write_reference("multinomial", out, result)


def _checked_shape(
    chances: Tensor, count: int, replacement: bool, out: Tensor | None
) -> tuple[int, ...]:
    """Return the shape of the result; raise for operands that torch refuses."""
    shape, dtype = chances._geometry.shape, chances._dtype
    check(0 < len(shape) <= 2, lambda: "prob_dist must be 1 or 2 dim")
    check(
        dtype.is_floating_point,
        lambda: (
            "multinomial only supports floating-point dtypes for input, got:"
            f" {spec_of(dtype).cpp_name}"
        ),
    )
    if out is not None:
        name = spec_of(out._dtype).cpp_name
        check(out._dtype is INT64, lambda: f"multinomial expects Long tensor out, got: {name}")
    check(count > 0, lambda: "cannot sample n_sample <= 0 samples")
    check(
        replacement or count <= shape[-1],
        lambda: "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    )
    check(shape[-1] <= _MOST_CATEGORIES, lambda: "number of categories cannot exceed 2^24")
    return (*shape[:-1], count)


def _draw_distinct(
    chances: Tensor, count: int, generator: Generator | None, result: Tensor
) -> None:
    """Write the indices of the largest quotients of probabilities and exponential numbers."""
    with no_grad():
        chances = METHODS["detach"](chances)
        least, largest = METHODS["aminmax"](chances)
        check(
            largest.item() < math.inf and least.item() >= 0,
            lambda: "probability tensor contains either `inf`, `nan` or element < 0",
        )
        rows = to_numbers(raw_array(chances), chances._dtype)
        check(rows.any(-1).all(), lambda: _NO_CHANCE)
        geometry, dtype = chances._geometry, chances._dtype
        geometry = empty_like_geometry(chances, preserve_format, dtype, geometry.device)
        quotients = empty_with(geometry, dtype)
        METHODS["exponential_"](quotients, generator=generator)
        quotients = METHODS["div"](chances, quotients)
        check_no_overlap(result)
        if count == 1:
            found = METHODS["argmax"](quotients, -1, keepdim=True)
        else:
            found = METHODS["topk"](quotients, count)[1]
        copy_into(result, found)


_NO_CHANCE = "invalid multinomial distribution (sum of probabilities <= 0)"


def _draw_with_replacement(
    chances: Tensor, count: int, generator: Generator | None, result: Tensor
) -> None:
    """Write the indices of uniform numbers in the cumulative probabilities, row by row."""
    check_supported("multinomial", chances._dtype, FLOAT_DTYPES)
    stream = stream_of(generator, chances._geometry.device)
    *lead, size = chances._geometry.shape
    rows = to_numbers(raw_array(chances), chances._dtype)
    if chances._dtype is not FLOAT64:
        rows = rows.astype(np.float32, copy=False)
    rows = rows.reshape(prod(lead), size)
    targets = raw_array(result)
    targets = targets if lead else targets[None]
    with stream.lock, np.errstate(all="ignore"):
        for row, target in zip(rows, targets, strict=True):
            target[...] = _indices(row, count, stream)


def _indices(row: Any, count: int, stream: MT19937Stream) -> Any:
    """Return indices drawn by the probabilities of a row."""
    invalid = np.flatnonzero(~((row >= 0) & (row < math.inf)))
    if len(invalid):
        word = "= infinity or NaN" if row[invalid[0]] >= 0 else "< 0"
        raise RuntimeError(
            f"invalid multinomial distribution (encountering probability entry {word})"
        )
    places = np.cumsum(row, dtype=row.dtype)
    check(len(places) and places[-1] > 0, lambda: _NO_CHANCE)
    places = (places / places[-1]).astype(np.float64)
    places[-1] = 1
    return _bisect(places, double_fractions(stream, count))


def _bisect(places: Any, numbers: Any) -> Any:
    """Return the indices of the first places that are not below numbers.

    Places after an infinite sum are NaN, which are not below any number.
    """
    left = np.zeros(len(numbers), np.int64)
    right = np.full(len(numbers), len(places))
    while (left < right).any():
        middle = (left + right) // 2
        is_below = (places[np.minimum(middle, len(places) - 1)] < numbers) & (left < right)
        left = np.where(is_below, middle + 1, left)
        right = np.where(is_below, right, np.minimum(right, middle))
    return left


install_operator(
    "multinomial",
    Overload(
        "SymInt num_samples, bool replacement=False, *, Generator? generator=None", _multinomial
    ),
)
