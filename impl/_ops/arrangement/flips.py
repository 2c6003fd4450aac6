"""Elements in another order: flip, fliplr, flipud, roll and rot90.

They follow TensorTransformations.cpp in ATen/native.
"""

from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._devices.device import META
from ..._geometry import extents, view_shapes, view_slices
from ..._geometry.extents import Ints
from ..._geometry.geometry import strided
from ..._geometry.layout import contiguous_format
from ..._geometry.strides import memory_order
from ..._geometry.view_checks import check_shifts
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with
from ..._tensor.data_access import raw_array
from ..._tensor.sparse_dispatch import no_kernel
from ..._tensor.tensor import METHODS, Tensor, set_geometry, shallow_copy
from ..._tensor.views import plain_view, record_grad_fn
from ..common.array_plans import is_noting, note_arrays, with_array_plans
from ..common.clone import clone, empty_like_geometry, like_geometry
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import copy_into
from ..common.meta_reference import in_reference, is_on_meta
from ..common.registration import Op, register_operator
from ..elementwise.plan import BOOLS, COMPLEX, NUMBERS


@resolves_conj_neg
def _flip(tensor: Tensor, dims: Ints) -> Tensor:
    """flip(input, dims): reverse the order of the elements along dimensions."""
    result = record_grad_fn(_flipped(tensor, dims), (tensor,), "FlipBackward0")
    if is_noting():
        rank = tensor._geometry.rank
        wrapped = {dim % rank for dim in dims} if rank else ()
        key = tuple([slice(None, None, -1 if dim in wrapped else 1) for dim in range(rank)])
        note_arrays(lambda raw: raw[key].copy(), result, tensor)
    return result


def _flipped(tensor: Tensor, dims: Ints) -> Tensor:
    if tensor._geometry.is_sparse:
        raise no_kernel("flip", tensor)
    if is_on_meta(tensor):
        return in_reference(_flip_on_meta, tensor, dims)  # type: ignore[no-any-return]
    geometry = tensor._geometry
    dims = view_shapes.distinct_dims(dims, geometry.rank)
    result = empty_with(like_geometry(tensor, None, tensor._dtype), tensor._dtype)
    moved = [dim for dim in dims if geometry.shape[dim : dim + 1] > (1,) and geometry.stride[dim]]
    if not moved or geometry.numel <= 1:
        copy_into(result, tensor)
        return result
    if tensor._dtype not in _FLIPPED and not _copies_rows(tensor, result, moved):
        raise_not_implemented("flip_cpu", tensor._dtype)
    steps = [slice(None, None, -1 if dim in moved else 1) for dim in range(geometry.rank)]
    raw_array(result)[...] = raw_array(tensor)[tuple(steps)]
    return result


_FLIPPED = BOOLS | NUMBERS | COMPLEX
"""The dtypes with a kernel that reverses the elements of a row."""


def _copies_rows(tensor: Tensor, result: Tensor, moved: list[int]) -> bool:
    """Return whether torch copies the bytes of whole rows, of any dtype (cpu_vflip_memcpy)."""
    geometry, stride = tensor._geometry, result._geometry.stride
    # Torch gives a third operand the stride 0 for each dimension that it flips.
    flipped = tuple([0 if dim in moved else step for dim, step in enumerate(geometry.stride)])
    order = memory_order(geometry.shape, (stride, geometry.stride, flipped))
    inner = next(dim for dim in order if geometry.shape[dim] > 1)
    return inner not in moved and stride[inner] == geometry.stride[inner] == 1


def _flip_on_meta(tensor: Tensor, dims: Ints) -> Tensor:
    """Return what the reference does (flip in torch/_refs)."""
    rank = tensor._geometry.rank
    wrapped = view_shapes.wrap_dims(dims, rank)
    check(len({*wrapped}) == len(wrapped), lambda: "duplicate value in the list of dims")
    if not rank:
        return clone(shallow_copy(tensor))
    geometry = empty_like_geometry(tensor, None, tensor._dtype, META)
    return empty_with(geometry, tensor._dtype)


def _fliplr(tensor: Tensor) -> Tensor:
    """fliplr(input): reverse the order of the elements along dimension 1."""
    check(tensor._geometry.rank > 1, lambda: "Input must be >= 2-d.")
    return METHODS["flip"](tensor, (1,))  # type: ignore[no-any-return]


def _flipud(tensor: Tensor) -> Tensor:
    """flipud(input): reverse the order of the elements along dimension 0."""
    check(tensor._geometry.rank, lambda: "Input must be >= 1-d.")
    return METHODS["flip"](tensor, (0,))  # type: ignore[no-any-return]


@resolves_conj_neg
def _roll(tensor: Tensor, shifts: Ints, dims: Ints | None = None) -> Tensor:
    """roll(input, shifts, dims=None): move elements along dimensions, from the end to the start."""
    if tensor._geometry.is_sparse:
        raise NotDense
    if is_on_meta(tensor):
        result = in_reference(_roll_on_meta, tensor, shifts, dims or ())
    else:
        check_shifts(shifts)
        result = _rolled(tensor, shifts, dims or ())
        if is_noting() and len(shifts) == 1 and tensor._geometry.numel:
            _note_rolled(result, tensor, shifts[0], dims)
    return record_grad_fn(result, (tensor,), "RollBackward0")


def _note_rolled(result: Tensor, tensor: Tensor, shift: int, dims: Ints | None) -> None:
    """Note the function of an array that joins its last and its first elements."""
    geometry, axis = tensor._geometry, 0
    sizes: Ints = geometry.shape
    if dims:
        axis = dims[0] % geometry.rank
    else:
        sizes = (geometry.numel,)
    start = -shift % sizes[axis]
    before = (slice(None),) * axis
    keys = (*before, slice(start, None)), (*before, slice(start))

    def rolled(raw: Any) -> Any:
        elements = raw.reshape(sizes)
        return np.concatenate([elements[key] for key in keys], axis).reshape(geometry.shape)

    note_arrays(rolled, result, tensor)


def _rolled(tensor: Tensor, shifts: Ints, dims: Ints) -> Tensor:
    geometry = tensor._geometry
    if len(shifts) == len(dims) == 1:
        if not geometry.numel:
            return clone(shallow_copy(tensor))
        return _rolled_along(tensor, shifts[0], dims[0])
    check(shifts, lambda: "`shifts` required")
    if not dims and len(shifts) == 1:
        flat = METHODS["view"](METHODS["contiguous"](shallow_copy(tensor)), (geometry.numel,))
        return _reshaped(_rolled(flat, shifts, (0,)), geometry.shape)
    check(
        len(shifts) == len(dims),
        lambda: f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}",
    )
    first = _rolled(tensor, shifts[:1], dims[:1])
    return _rolled(first, shifts[1:], dims[1:])


def _rolled_along(tensor: Tensor, shift: int, dim: int) -> Tensor:
    geometry = tensor._geometry
    if not geometry.rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    size = geometry.shape[dim]
    start = extents.as_int64(size - shift) % size
    parts = []
    for first, length in ((start, size - start), (0, start)):
        view = view_slices.narrow(geometry.shape, geometry.stride, dim, first, length)
        parts.append(plain_view(tensor, *view))
    return PUBLIC["cat"](parts, dim)  # type: ignore[no-any-return]


def _roll_on_meta(tensor: Tensor, shifts: Ints, dims: Ints) -> Tensor:
    """Return what the reference does (roll in torch/_refs)."""
    shape, rank = tensor._geometry.shape, tensor._geometry.rank
    dims = view_shapes.wrap_dims(dims, rank)
    if not tensor._geometry.numel:
        return clone(shallow_copy(tensor))
    if not rank and dims:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if len(shifts) == len(dims) == 1:
        return METHODS["new_empty"](tensor, shape)  # type: ignore[no-any-return]
    check(shifts, lambda: "`shifts` required")
    if not dims and len(shifts) == 1:
        flat = METHODS["reshape"](shallow_copy(tensor), (-1,))
        return _reshaped(_roll_on_meta(flat, shifts, (0,)), shape)
    check(
        len(shifts) == len(dims),
        lambda: f"shifts and dimensions must align. shifts: {len(shifts)}, dims: {len(dims)}",
    )
    first = _roll_on_meta(tensor, shifts[:1], dims[:1])
    return _roll_on_meta(first, shifts[1:], dims[1:])


@resolves_conj_neg
def _rot90(tensor: Tensor, k: int = 1, dims: Ints = (0, 1)) -> Tensor:
    """rot90(input, k=1, dims=(0, 1)): rotate the elements of a plane k times by 90 degrees."""
    return record_grad_fn(_rotated(tensor, k, dims), (tensor,), "Rot90Backward0")


def _rotated(tensor: Tensor, k: int, dims: Ints) -> Tensor:
    rank = tensor._geometry.rank
    check(
        len(dims) == 2,
        lambda: f"expected total rotation dims == 2, but got dims = {len(dims)}",
    )
    check(rank > 1, lambda: f"expected total dims >= 2, but got total dims = {rank}")
    first, second = view_shapes.wrap_dims(dims, rank)
    check(
        first != second,
        lambda: (
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        ),
    )
    if k % 4 == 0:
        copy = partial(METHODS["clone"], shallow_copy(tensor), memory_format=contiguous_format)
        is_reference = tensor._geometry.device is META and not tensor._geometry.is_sparse
        return in_reference(copy) if is_reference else copy()  # type: ignore[no-any-return]
    if k % 4 == 2:
        return _flipped(tensor, dims)
    result = _flipped(tensor, (dims[k % 4 == 1],))
    shape, stride, _ = view_shapes.transpose(
        result._geometry.shape, result._geometry.stride, first, second
    )
    set_geometry(result, strided(shape, stride))
    return result


def _reshaped(tensor: Tensor, shape: Ints) -> Tensor:
    """Return a contiguous tensor after it got another shape."""
    sizes, steps, _ = view_shapes.view(tensor._geometry.shape, tensor._geometry.stride, shape)
    set_geometry(tensor, strided(sizes, steps))
    return tensor


for _op in (
    Op("flip", {"IntArrayRef dims": _flip}, wrap=with_array_plans),
    Op("fliplr", {"": _fliplr}, wrap=with_array_plans),
    Op("flipud", {"": _flipud}, wrap=with_array_plans),
    Op(
        "roll",
        {"SymIntArrayRef[1] shifts, IntArrayRef[1] dims=None": _roll},
        wrap=with_array_plans,
    ),
    Op("rot90", {"int64_t k=1, IntArrayRef dims={0,1}": _rot90}),
):
    register_operator(_op)
