"""vander, the matrix of the powers of elements (TensorFactories.cpp in ATen/native)."""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._autograd.tracking import bump_version_if_filled
from ..._dtypes.constants import FLOAT64, INT64
from ..._dtypes.table import dtype
from ..._geometry.extents import contiguous_bytes
from ..._geometry.geometry import dense
from ..._numerics.cast import convert
from ..._numerics.promotion import promote_types
from ..._runtime.errors import check
from ..._tensor.allocation import empty_on_meta, warn_if_complex32
from ..._tensor.factories import empty
from ..._tensor.tensor import METHODS, Tensor
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.meta_reference import is_on_meta
from ..common.registration import Op, register_operator
from ..reduction.cumulative import PROD, cumulate


def _vander(vector: Tensor, columns: int | None, increasing: bool) -> Tensor:
    """vander(x, N): return the matrix whose columns are powers of a vector's elements."""
    shape = vector._geometry.shape
    check(len(shape) == 1, lambda: "x must be a one-dimensional tensor.")
    count = shape[0] if columns is None else columns
    check(count >= 0, lambda: "N must be non-negative.")
    dtype = promote_types(vector._dtype, INT64)
    sizes = shape[0], count
    if is_on_meta(vector):
        nbytes = contiguous_bytes(sizes, dtype.itemsize)
        result = empty_on_meta(dense(sizes), nbytes, dtype)
    else:
        options = {"layout": vector.layout, "device": vector._geometry.device}
        result = empty(sizes, dtype=dtype, **options)
        bump_version_if_filled(result)
    if count:
        METHODS["fill_"](METHODS["select"](result, 1, 0), 1)
    if count > 1:
        powers = METHODS["narrow"](result, 1, 1, count - 1)
        METHODS["copy_"](powers, METHODS["unsqueeze"](vector, 1))
        METHODS["copy_"](powers, METHODS["cumprod"](powers, 1))
    if not increasing:
        result = METHODS["flip"](result, (1,))
    if is_on_meta(vector):
        warn_if_complex32(dtype)  # which torch shows after the warnings of references
    elif is_noting() and dtype is vector._dtype and count > 1:
        note_arrays(partial(_powers, dtype, count, increasing), result, vector)
    return result


def _powers(dtype: dtype, count: int, increasing: bool, raw: Any) -> Any:
    """Return the matrix of powers of the elements of a raw array."""
    powers = np.broadcast_to(raw[:, None], (len(raw), count - 1))
    result = np.empty((len(raw), count), raw.dtype)
    ordered = result if increasing else result[:, ::-1]
    ordered[:, 0] = convert(np.ones(1), FLOAT64, dtype)
    ordered[:, 1:] = cumulate(PROD, dtype, dtype, 1, powers)
    return result


register_operator(
    Op(
        "vander",
        {"int64_t? N=None, bool increasing=False": _vander},
        method=False,
        input="Tensor x",
        wrap=with_array_plans,
    )
)
