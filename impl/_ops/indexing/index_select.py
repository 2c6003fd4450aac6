"""The operator index_select (ATen/native/TensorAdvancedIndexing.cpp)."""

from collections.abc import Callable
from typing import Any

from ..._arrays.numpy_bridge import np
from ..._arrays.opaque_dtypes import check_copy, is_opaque
from ..._autograd.autograd_meta import bump_version
from ..._dtypes.constants import INT32, INT64
from ..._geometry import view_shapes
from ..._geometry.extents import Ints
from ..._geometry.geometry import dense
from ..._geometry.layout import MEMORY_FORMATS
from ..._geometry.strides import suggested_format
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._runtime.lazy_exports import PUBLIC
from ..._tensor.allocation import empty_with, resize_output, warn_if_complex32
from ..._tensor.data_access import raw_array, tensor_from_raw
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import plain_view, record_grad_fn
from ..common.array_plans import is_noting, note_arrays
from ..common.conj_neg_fallback import resolves_conj_neg
from ..common.memory_overlap import check_no_overlap, check_written_alone
from ..common.meta_reference import in_reference, is_on_meta, write_reference
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, COMPLEX, FLOAT8, HALF_COMPLEX, NUMBERS
from .selection import (
    are_in_one_piece,
    check_one_device,
    contiguous_indices,
    has_sparse,
    is_within,
    out_of_range,
    selected_slices,
    write_slices,
)

_NODE = "IndexSelectBackward0"


def _index_select(tensor: Tensor, dim: int, index: Tensor, out: Tensor | None = None) -> Tensor:
    if has_sparse(tensor, index, out):
        raise NotDense
    if is_on_meta(tensor, index, out):
        if out is None:
            return record_grad_fn(in_reference(_on_meta, tensor, dim, index), (tensor,), _NODE)
        result = in_reference(_reference, tensor, dim, index)
        return write_reference("index_select", out, result)
    if out is None:
        warn_if_complex32(tensor._dtype)  # torch makes an empty result first
        result = record_grad_fn(_selected(tensor, dim, index), (tensor,), _NODE)
        if is_noting():
            _note(result, tensor, dim, index)
        return result
    _select_into(tensor, dim, index, out)
    bump_version(out)
    return out


def _note(result: Tensor, tensor: Tensor, dim: int, index: Tensor) -> None:
    """Note the function of the arrays of a contiguous tensor and its indices."""
    geometry = tensor._geometry
    if not geometry.is_contiguous or not geometry.rank or is_opaque(tensor._dtype):
        return
    dim = view_shapes.wrap_dim(dim, geometry.rank)
    size, shape = geometry.shape[dim], result._geometry.shape

    def function(raw: Any, index: Any) -> Any:
        if not is_within(index, 0, size):
            return None
        return raw.take(index, dim, mode="clip").reshape(shape)

    note_arrays(function, result, tensor, index)


def _selected(tensor: Tensor, dim: int, index: Tensor) -> Tensor:
    dim, shape = _check(tensor, dim, index)
    check_one_device(tensor, index)
    device = tensor._geometry.device
    if not _has_elements(tensor, dim, index):
        return empty_with(dense(shape), tensor._dtype, device, warns=False)
    source, numbers = _arrays(tensor, index)
    if dim == 1:
        _check_copy(tensor)
    elif is_opaque(tensor._dtype):
        _check_slices(tensor, dim, numbers, np.empty(shape, source.dtype))
    error = _error_of_range(source.shape[1]) if dim == 1 else out_of_range
    elements = selected_slices(source, dim, numbers, error)
    elements = np.asarray(elements, order="C").reshape(shape)
    return tensor_from_raw(elements, tensor._dtype, device)


def _select_into(tensor: Tensor, dim: int, index: Tensor, out: Tensor) -> None:
    dim, shape = _check(tensor, dim, index)
    check(
        out._dtype is tensor._dtype,
        lambda: "index_select(): self and result must have the same scalar type",
    )
    check_one_device(tensor, index, out)
    check_written_alone(out, tensor, index)
    resize_output(out, shape)
    if not _has_elements(tensor, dim, index):
        return
    source, numbers = _arrays(tensor, index)
    target = raw_array(out)
    if dim == 1 and out._geometry.is_contiguous:
        _check_copy(tensor)
        target[...] = selected_slices(source, 1, numbers, _error_of_range(source.shape[1]))
        return
    if tensor._geometry.rank > 1 and out._storage is tensor._storage:
        check_no_overlap(_slice(out, dim), _slice(tensor, dim))
    if is_opaque(tensor._dtype):
        _check_slices(tensor, dim, numbers, target)
    write_slices(target if target.ndim else target.reshape(1), source, dim, numbers, out_of_range)


def _slice(tensor: Tensor, dim: int) -> Tensor:
    """Return the first slice of a tensor along a dimension."""
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    return plain_view(tensor, shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :])


def _check(tensor: Tensor, dim: int, index: Tensor) -> tuple[int, Ints]:
    """Return the dimension and the shape of the result; raise for wrong arguments."""
    shape, rank, numel = tensor._geometry.shape, tensor._geometry.rank, index._geometry.numel
    dim = view_shapes.wrap_dim(dim, rank)
    check(
        index._geometry.rank <= 1,
        lambda: "index_select(): Index is supposed to be a vector",
        IndexError,
    )
    check(
        rank or numel == 1,
        lambda: f"index_select(): Index to scalar can have only 1 value, got {numel} value(s)",
    )
    check(
        index._dtype in (INT64, INT32),
        lambda: "index_select(): Expected dtype int32 or int64 for index",
    )
    return dim, (*shape[:dim], numel, *shape[dim + 1 :]) if rank else ()


def _has_elements(tensor: Tensor, dim: int, index: Tensor) -> bool:
    """Return whether the result has elements; raise for an index without one."""
    geometry, dtype = tensor._geometry, tensor._dtype
    if geometry.rank < 2:
        if dtype not in _KERNEL_DTYPES:
            raise_not_implemented("index_select", dtype)
        return bool(index._geometry.numel)
    if not index._geometry.numel:
        return False
    if geometry.numel:
        return True
    size = geometry.shape[dim]
    check(size, lambda: "index_select(): self indexing axis dim should be positive")
    empty = np.empty((size, 0))
    selected_slices(empty, 0, raw_array(index).reshape(-1), _error_of_range(size))
    return False


def _error_of_range(size: int) -> Callable[[int], Exception]:
    """Return the error for an index that torch checks before it writes anything."""
    return lambda number: RuntimeError(
        f"INDICES element is out of DATA bounds, id={number} axis_dim={size}"
    )


def _check_copy(tensor: Tensor) -> None:
    """Warn of the contiguous copy that torch makes of a tensor; raise if it has no kernel."""
    if not tensor._geometry.is_contiguous:
        dtype, array = tensor._dtype, raw_array(tensor)
        warn_if_complex32(dtype)
        if is_opaque(dtype):
            check_copy(dtype, dtype, array, array)


def _check_slices(tensor: Tensor, dim: int, numbers: Any, target: Any) -> None:
    """Raise if torch lacks a kernel to copy slices that are not one piece of memory each."""
    if 0 <= numbers[0] < tensor._geometry.shape[dim] and tensor._geometry.rank > 1:
        written, read = (np.moveaxis(x, dim, 0)[0] for x in (target, raw_array(tensor)))
        if not are_in_one_piece(written, read):
            check_copy(tensor._dtype, tensor._dtype, read, written)


_KERNEL_DTYPES = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX | FLOAT8
"""The dtypes of the kernel for vectors and numbers."""


def _arrays(tensor: Tensor, index: Tensor) -> tuple[Any, Any]:
    """Return arrays of the elements, with a dimension at least, and of the indices."""
    source = raw_array(tensor)
    return source if source.ndim else source.reshape(1), contiguous_indices(index)


def _on_meta(tensor: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return what the reference does (meta_index_select in torch/_meta_registrations.py)."""
    shape = [*tensor._geometry.shape]
    if shape:
        if not -len(shape) <= dim < len(shape):
            raise IndexError("list assignment index out of range")
        shape[dim] = index._geometry.numel
    return METHODS["new_empty"](tensor, tuple(shape))  # type: ignore[no-any-return]


def _reference(tensor: Tensor, dim: int, index: Tensor) -> Any:
    """Return what the reference for ``out`` does (index_select in torch/_refs)."""
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    dim = view_shapes.wrap_dim(dim, len(shape))
    rank = index._geometry.rank
    check(rank <= 1, lambda: f"Index should have dimension 1 or 0 (got {rank})")
    tensor, index = shallow_copy(tensor), shallow_copy(index)
    if not rank:
        index = METHODS["unsqueeze"](index, 0)
    if shape:
        selected = METHODS["__getitem__"](tensor, (slice(None),) * dim + (index,))
        memory_format = MEMORY_FORMATS[suggested_format(shape, stride)]
        return METHODS["contiguous"](selected, memory_format=memory_format)
    result = PUBLIC["empty_like"](tensor)
    check(
        tensor._geometry.device is index._geometry.device,
        lambda: (
            "index_copy(): self, index and source expected to be in the same device, but got (self)"
            f" {tensor._geometry.device}, (index) {index._geometry.device}, and (source)"
            f" {tensor._geometry.device}"
        ),
    )
    return METHODS["clone"](result)


install_operator(
    "index_select",
    Overload(
        "int64_t dim, Tensor index",
        resolves_conj_neg(_index_select, "index_select", of=slice(1)),
    ),
    doc="Return the slices of a tensor at indices along a dimension.",
)
