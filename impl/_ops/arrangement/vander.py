"""vander, the matrix of the powers of elements (TensorFactories.cpp in ATen/native)."""

from ..._dtypes.constants import INT64
from ..._geometry.extents import contiguous_bytes
from ..._geometry.geometry import dense
from ..._numerics.promotion import promote_types
from ..._runtime.errors import check
from ..._tensor.allocation import empty_on_meta, warn_if_complex32
from ..._tensor.factories import empty
from ..._tensor.tensor import METHODS, Tensor
from ..common.meta_reference import is_on_meta
from ..common.registration import Op, register_operator


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
    return result


register_operator(
    Op(
        "vander",
        {"int64_t? N=None, bool increasing=False": _vander},
        method=False,
        input="Tensor x",
    )
)
