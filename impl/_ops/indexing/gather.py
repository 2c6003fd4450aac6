"""The operator gather (TensorAdvancedIndexing.cpp and ScatterGatherKernel.cpp in ATen/native)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import BLOCK_ELEMENTS, parallel_blocks
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, INT32, INT64
from ..._dtypes.table import dtype
from ..._geometry import view_shapes
from ..._geometry.extents import Ints
from ..._geometry.geometry import Geometry, dense, on_device
from ..._geometry.size import Size
from ..._geometry.strides import memory_order
from ..._numerics.cast import convert
from ..._numerics.rounding import check_has_opmath, raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor.allocation import empty_with, warn_if_complex32
from ..._tensor.data_access import raw_array, tensor_from_raw, write_raw_cast
from ..._tensor.tensor import METHODS, Tensor
from ..._tensor.views import plain_view, record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.copy import to_dtype
from ..common.memory_overlap import (
    check_no_overlap,
    check_no_overlap_with,
    check_no_partial_overlap,
)
from ..common.meta_reference import in_reference, is_on_meta
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, FLOATS, NUMBERS
from ..reduction.reduce import prepare_out
from .advanced import memory_of
from .selection import (
    Selection,
    check_one_device,
    coalesced_count,
    has_sparse,
    is_within,
    selected_slices,
    write_slices,
)

_NODE = "GatherBackward0"


def _gather(
    tensor: Tensor, dim: int, index: Tensor, sparse_grad: bool = False, out: Tensor | None = None
) -> Tensor:
    if has_sparse(tensor, index, out):
        raise NotDense
    on_meta = is_on_meta(tensor, index, out)
    if on_meta and out is None:
        return record_grad_fn(in_reference(_on_meta, tensor, dim, index), (tensor,), _NODE)
    dim = view_shapes.wrap_dim(dim, tensor._geometry.rank)
    if out is None:
        warn_if_complex32(tensor._dtype)  # torch makes the result first
        result = record_grad_fn(_gathered(tensor, dim, index), (tensor,), _NODE)
        if is_noting() and (function := gather_function(tensor, dim, index)) is not None:
            note_arrays(function, result, tensor, index)
        return result
    geometry = on_device(dense(index._geometry.shape), tensor._geometry.device)
    prepare_out(tensor, geometry, (out, tensor._dtype))
    check_no_overlap(out)
    check_no_overlap_with(out, tensor)
    check_no_partial_overlap(out, index)
    _check(tensor, dim, index)
    if index._geometry.numel and not on_meta:
        _gather_into(tensor, dim, index, out)
    bump_version(out)
    return out


def gather_function(
    tensor: Tensor, dim: int, index: Tensor, *, wraps: bool = False
) -> Callable[[Any, Any], Any] | None:
    """Return the function of two arrays that gathers, which returns None for wrong indices.

    ``wraps``: indices out of bounds count from the start again.  None if there is no such function.
    """
    geometry, shape = tensor._geometry, index._geometry.shape
    if tensor._dtype in _REDUCED or index._dtype is not INT64 or not shape:
        return None
    if not geometry.is_contiguous or not 0 < index._geometry.numel <= BLOCK_ELEMENTS:
        return None
    size, step = (geometry.shape or (1,))[dim], (geometry.stride or (1,))[dim]

    def function(raw: Any, index: Any) -> Any:
        if wraps:
            index = index % size
        elif not is_within(index, 0, size):
            return None
        if len(shape) == 1:
            return raw.take(index)
        return raw.reshape(-1).take(index * step + starts_of(geometry, dim, shape))

    return function


def _check(tensor: Tensor, dim: int, index: Tensor) -> None:
    """Raise for an index of a wrong dtype or shape (gather_shape_check)."""
    if not index._geometry.numel:
        return
    check(
        index._dtype in (INT64, INT32),
        lambda: "gather(): Expected dtype int32/int64 for index",
    )
    _check_shapes(dim, list, tensor, index)


def _check_shapes(dim: int, show: Callable[[Ints], Any], tensor: Tensor, index: Tensor) -> None:
    """Raise if the index is larger than the tensor in another dimension; ``show`` shows shapes."""
    shape, index_shape = tensor._geometry.shape, index._geometry.shape
    sizes, index_sizes = shape or (1,), index_shape or (1,)
    check(
        len(sizes) == len(index_sizes),
        lambda: "Index tensor must have the same number of dimensions as input tensor",
    )
    for other, (size, index_size) in enumerate(zip(sizes, index_sizes, strict=True)):
        if other != dim and index_size > size:
            raise RuntimeError(
                f"Size does not match at dimension {other} expected index {show(index_shape)} to be"
                f" no larger than self {show(shape)} apart from dimension {dim}"
            )


def _on_meta(tensor: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return what the reference does (meta_gather in torch/_meta_registrations.py)."""
    dim, dtype = view_shapes.wrap_dim(dim, tensor._geometry.rank), index._dtype
    if index._geometry.numel:
        check(
            dtype in (INT64, INT32),
            lambda: f"gather(): Expected dtype int32/int64 for index, but got {dtype}",
        )
        _check_shapes(dim, Size, tensor, index)
    return METHODS["new_empty"](tensor, index._geometry.shape)  # type: ignore[no-any-return]


def _gathered(tensor: Tensor, dim: int, index: Tensor) -> Tensor:
    _check(tensor, dim, index)
    check_one_device(tensor, index)
    device = tensor._geometry.device
    geometry = dense(index._geometry.shape)
    if not geometry.numel:
        return empty_with(geometry, tensor._dtype, device, warns=False)
    if tensor._geometry.is_contiguous and _is_expanded(tensor, dim, index):
        elements = selected_slices(*_rows(tensor, index))
    else:
        order = partial(loop_order, dim, index._geometry, geometry, tensor._geometry)
        elements = _selection(tensor, dim, index).elements(order)
        if tensor._dtype in _REDUCED:
            elements = _widened(elements, tensor._dtype)
            elements = convert(elements, FLOAT32, tensor._dtype)
    elements = np.asarray(elements, order="C").reshape(geometry.shape)
    return tensor_from_raw(elements, tensor._dtype, device)


def _gather_into(tensor: Tensor, dim: int, index: Tensor, out: Tensor) -> None:
    check_one_device(tensor, index)
    target = with_dims(out)
    is_contiguous = tensor._geometry.is_contiguous and out._geometry.is_contiguous
    if is_contiguous and _is_expanded(tensor, dim, index):
        write_slices(target, *_rows(tensor, index))
    elif tensor._dtype in _REDUCED:
        result = dense(index._geometry.shape)
        order = partial(loop_order, dim, index._geometry, result, tensor._geometry)
        elements = _widened(_selection(tensor, dim, index).elements(order), tensor._dtype)
        write_raw_cast(out, elements.reshape(out._geometry.shape), FLOAT32)
    else:
        order = partial(loop_order, dim, index._geometry, out._geometry, tensor._geometry)
        _selection(tensor, dim, index).write(target, order)


_REDUCED = frozenset({FLOAT16, BFLOAT16})
"""The dtypes whose elements torch writes to a contiguous float32 tensor, which it then copies."""


def _widened(elements: Any, dtype: dtype) -> Any:
    return convert(elements, dtype, FLOAT32)


def _is_expanded(tensor: Tensor, dim: int, index: Tensor) -> bool:
    """Return whether one index stands for a whole row, so that torch copies rows.

    can_use_expanded_index_path in ATen/native/TensorAdvancedIndexing.h, for contiguous tensors
    """
    geometry, dtype = index._geometry, tensor._dtype
    if dim or not dtype.is_floating_point or not tensor._geometry.rank:
        return False
    (_, *row), (first, *steps) = geometry.shape or (1,), geometry.stride or (0,)
    return (
        first == 1
        and bool(tensor._geometry.numel)
        and row == [*tensor._geometry.shape[1:]]
        and all(not step or size == step == 1 for size, step in zip(row, steps, strict=True))
    )


def _rows(tensor: Tensor, index: Tensor) -> tuple[Any, int, Any, Callable[[int], Exception]]:
    """Return the rows of a tensor, the dimension of rows, the index of each, and the error.

    Of int32 torch reads the first elements of a converted copy, as if that had the same strides.
    """
    if tensor._dtype not in FLOATS:
        raise_not_implemented("gather_expanded_index", tensor._dtype)
    count = index._geometry.shape[0]
    if index._dtype is not INT64:
        index = to_dtype(index, INT64, True, None)
    numbers = raw_array(plain_view(index, (count,), (1,)))
    return raw_array(tensor), 0, numbers, out_of_bounds(tensor, 0)


def out_of_bounds(tensor: Tensor, dim: int) -> Callable[[int], Exception]:
    """Return the error for an index out of bounds."""
    size = (tensor._geometry.shape or (1,))[dim]
    return lambda number: RuntimeError(
        f"index {number} is out of bounds for dimension {dim} with size {size}"
    )


def with_dims(tensor: Tensor) -> Any:
    """Return an array of the elements, with a dimension at least."""
    array = raw_array(tensor)
    return array if array.ndim else array.reshape(1)


def _selection(tensor: Tensor, dim: int, index: Tensor) -> Selection:
    check_has_opmath(tensor._dtype)
    if tensor._dtype not in BOOLS | NUMBERS | COMPLEX:
        raise_not_implemented("scatter_gather_tensor_cpu", tensor._dtype)
    source, numbers = with_dims(tensor), with_dims(index)

    def place(number: int, at: list[int]) -> tuple[int, ...]:
        return (*at[:dim], number, *at[dim + 1 :])

    read = partial(_elements, tensor, dim)
    return Selection(source, numbers, 0, source.shape[dim], read, place, out_of_bounds(tensor, dim))


def _elements(tensor: Tensor, dim: int, numbers: Any) -> Any:
    """Return the elements at indices along a dimension, by their positions in memory."""
    geometry, shape = tensor._geometry, numbers.shape
    step = np.int64((geometry.stride or (1,))[dim])
    if geometry.is_contiguous:
        memory = raw_array(tensor).reshape(-1)
    else:
        memory = memory_of(tensor)[tensor._offset :]
    if numbers.size <= BLOCK_ELEMENTS or len(shape) == 1:
        positions = numbers * step
        if len(shape) > 1:
            positions += starts_of(geometry, dim, shape)
        return memory.take(positions, mode="wrap")
    starts = np.broadcast_to(starts_of(geometry, dim, shape), shape)
    result = np.empty(shape, memory.dtype)

    def work(out: Any, index: Any, start: Any) -> None:
        out[...] = memory.take(start + (index if step == 1 else index * step), mode="wrap")

    parallel_blocks(work, result, numbers, starts)
    return result


def starts_of(geometry: Geometry, dim: int, shape: Ints) -> Any:
    """Return the positions of the first elements along a dimension, in a shape but that of it."""
    key = "starts", dim, shape
    starts = geometry.cache.get(key)
    if starts is None:
        starts = np.int64(0)
        for other, size in enumerate(shape):
            if other != dim:
                steps = np.arange(size) * geometry.stride[other]
                starts = starts + steps.reshape(size, *[1] * (len(shape) - other - 1))
        if starts.size <= _CACHED_STARTS:
            geometry.remember(key, starts)
    return starts


_CACHED_STARTS = 2**10
"""The largest number of positions that a geometry caches."""


def loop_order(dim: int, index: Geometry, *others: Geometry) -> list[int]:
    """Return the dimensions of the indices in the order of the kernel's loops, outermost first.

    ``others`` are the geometries of the result and of the tensor that is read, if one is. The
    loop over ``dim`` is the innermost one if ``dim`` is the last dimension. Otherwise one loop
    is inside it, over the dimensions that TensorIterator coalesces.
    """
    rank = max(1, index.rank)
    if rank == 1:
        return [0]
    shape = [1 if other == dim else size for other, size in enumerate(index.shape)]
    steps = [geometry.stride for geometry in (*others, index)]
    order = [x for x in memory_order(tuple(shape), steps) if x != dim]
    if dim == rank - 1:
        return [*reversed(order), dim]
    inner = coalesced_count(order, shape, steps)
    return [*reversed(order[inner:]), dim, *reversed(order[:inner])]


install_operator(
    "gather",
    Overload(
        "int64_t dim, Tensor index, *, bool sparse_grad=False",
        resolves_conj_neg(_gather, "gather", of=slice(1)),
    ),
    doc="Return the elements at indices along a dimension, in the shape of the indices.",
)
