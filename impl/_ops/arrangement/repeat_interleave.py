"""repeat_interleave (ATen/native/Repeat.cpp): each element of a dimension several times."""

from ..._arrays.numpy_bridge import np
from ..._devices.device import META
from ..._dtypes.constants import INT32, INT64
from ..._geometry import extents, view_shapes
from ..._geometry.layout import contiguous_format
from ..._numerics.conj_neg import CONJUGATE, NEGATIVE
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_tensor
from ..._tensor.data_access import raw_array
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.meta_reference import in_reference
from ..elementwise.binding import Overload, install_operator


def _by_tensor(tensor: Tensor, repeats: Tensor, dim: int | None, output_size: int | None) -> Tensor:
    bits = tensor._conj_neg
    if bits & CONJUGATE:
        tensor = METHODS["conj"](tensor)
    if bits & NEGATIVE:
        tensor = PUBLIC["_neg_view"](tensor)
    if dim is None:
        tensor, dim = METHODS["flatten"](tensor), 0
    shape, counts = tensor._geometry.shape, repeats._geometry
    if not counts.rank or counts.shape == (1,):
        repeats = METHODS["expand"](METHODS["reshape"](repeats, (1,)), (_size(shape, dim),))
    else:
        check(counts.rank == 1, lambda: "repeats must be 0-dim or 1-dim tensor")
        size = _size(shape, dim)
        check(
            counts.shape[0] == size,
            lambda: (
                "repeats must have the same size as input along dim, but got repeats.size(0) ="
                f" {counts.shape[0]} and input.size({dim}) = {size}"
            ),
        )
    result: Tensor = METHODS["index_select"](tensor, dim, _indices(repeats, output_size))
    if bits & CONJUGATE:
        result = METHODS["conj"](result)
    if bits & NEGATIVE:
        result = PUBLIC["_neg_view"](result)
    return result


_LEAST_SIZE = -(2**62)
"""The least integer that a SymInt represents (c10/core/SymInt.h)."""


def _size(shape: tuple[int, ...], dim: int) -> int:
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[view_shapes.wrap_dim(dim, len(shape))]


def _indices(repeats: Tensor, output_size: int | None) -> Tensor:
    """Return the index of each repeated element.

    Torch adds the numbers, but reads contiguous elements without their negative bit.
    """
    geometry, dtype = repeats._geometry, repeats._dtype
    if geometry.is_sparse:
        raise no_kernel("repeat_interleave.Tensor", repeats)
    if geometry.device is META:
        check(
            output_size is not None,
            lambda: "cannot repeat_interleave a meta tensor without output_size",
        )
        result: Tensor = in_reference(METHODS["new_empty"], repeats, output_size)
        return result
    if dtype not in (INT32, INT64):
        raise_not_implemented("repeat_interleave_cpu", dtype)
    check(geometry.rank == 1, lambda: "repeat_interleave only accept 1D vector as repeat")
    if not geometry.numel:
        return empty_tensor(geometry.shape, dtype, geometry.device)
    numbers = raw_array(resolve_conj_neg(repeats))
    counts = raw_array(repeats) if geometry.is_contiguous else numbers
    total, is_negative = int(numbers.sum(dtype=np.int64)), bool((counts < 0).any())
    if output_size is None:
        check((numbers >= 0).all(), lambda: "repeats can not be negative")
    size = total if output_size is None else output_size
    check(
        size >= _LEAST_SIZE,
        lambda: f"IntArrayRef contains an int that cannot be represented as a SymInt: {size}",
    )
    extents.check_nonnegative((size,))
    result = empty_tensor((size,), dtype, geometry.device)
    check(size == total, lambda: "allocated size does not match required size")
    check(not is_negative, lambda: "repeats can not be negative")
    raw_array(result)[...] = np.repeat(np.arange(geometry.numel), counts)
    return result


def _by_number(tensor: Tensor, repeats: int, dim: int | None, output_size: int | None) -> Tensor:
    source = METHODS["flatten"](tensor) if dim is None else tensor
    dim = view_shapes.wrap_dim(dim or 0, tensor._geometry.rank)
    check(repeats >= 0, lambda: "Repeats must be non-negative")
    source = METHODS["unsqueeze"](source, dim + 1)
    sizes = [*source._geometry.shape]
    sizes[dim + 1] = repeats
    source = METHODS["expand"](source, sizes)
    size = extents.as_int64(repeats * sizes[dim])
    check(
        output_size in (None, size),
        lambda: f"repeat_interleave: Invalid output_size, expected {size} but got {output_size}",
    )
    copy = METHODS["clone"](source, memory_format=contiguous_format)
    return METHODS["flatten"](copy, dim, dim + 1)  # type: ignore[no-any-return]


_OPTIONS = "int64_t? dim=None, *, SymInt? output_size=None"
install_operator(
    "repeat_interleave",
    Overload(f"Tensor repeats, {_OPTIONS}", _by_tensor, out=False),
    Overload("*, SymInt? output_size=None", _indices, input="Tensor repeats", out=False),
    Overload(f"SymInt repeats, {_OPTIONS}", _by_number, out=False),
    doc="Return a tensor with each element several times.",
)
