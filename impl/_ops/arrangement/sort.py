"""sort and argsort (ATen/native/Sorting.cpp and ATen/native/cpu/SortingKernel.cpp)."""

from functools import partial
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np
from ..._arrays.parallel import GRAIN_SIZE
from ..._autograd.autograd_meta import bump_version
from ..._devices.device import META
from ..._dtypes.constants import INT64
from ..._dtypes.table import dtype
from ..._geometry import view_checks, view_shapes
from ..._geometry.geometry import Geometry, dense, on_device, strided
from ..._geometry.strides import memory_order
from ..._kernels.sorting import sort_order, take_in_rows
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import NotDense, check
from ..._tensor import structseq
from ..._tensor.allocation import empty_with, resize_wrapped_out, warn_if_complex32
from ..._tensor.data_access import (
    has_separate_elements,
    raw_array,
    tensor_from_raw,
    write_in_order,
)
from ..._tensor.out_autograd import check_no_complex_gradient
from ..._tensor.tensor import Tensor, set_geometry
from ..._tensor.views import plain_view
from ..common.array_plans import note_arrays
from ..common.clone import empty_like_geometry, like_geometry
from ..common.copy import copy_into
from ..common.memory_overlap import check_copy_overlap, check_no_overlap, is_same_view
from ..common.meta_reference import in_reference, into_meta, is_on_meta
from ..elementwise.binding import Overload, install_operator
from ..elementwise.plan import BOOLS, INTEGERS, NUMBERS, WIDE_UNSIGNED
from ..reduction.reduce import prepare_out, resolves_bits, with_grad_fn

_DTYPES = BOOLS | NUMBERS | WIDE_UNSIGNED

_Pair = tuple[Tensor, Tensor]


class _Order(NamedTuple):
    """How elements are sorted."""

    dim: int
    descending: bool
    stable: bool


def _sort(tensor: Tensor, dim: int, descending: bool, out: _Pair | None = None) -> Any:
    order = _Order(dim, descending, stable=False)
    return _sorted(tensor, order, "SortBackward0", out)


def _sort_stable(
    tensor: Tensor, stable: bool | None, dim: int, descending: bool, out: _Pair | None = None
) -> Any:
    order = _Order(dim, descending, bool(stable))
    return _sorted(tensor, order, "SortBackward1", out)


def _sorted(tensor: Tensor, order: _Order, node: str, out: _Pair | None) -> Any:
    geometry, dtype = tensor._geometry, tensor._dtype
    if any(x._geometry.is_sparse for x in (tensor, *(out or ()))):
        raise NotDense
    if is_on_meta(tensor, *(out or ())):
        results, find = in_reference(_on_meta, tensor, out), None
    else:
        order = order._replace(dim=view_shapes.wrap_dim(order.dim, geometry.rank))
        check(not dtype.is_complex, lambda: " Sort does not support complex dtypes on CPU")
        if out is None and _is_simple(geometry, order.dim) and dtype in _DTYPES:
            find = partial(_sorted_rows, geometry, dtype, order)
            raws = find(raw_array(tensor))
            results = tensor_from_raw(raws[0], dtype), tensor_from_raw(raws[1], INT64)
        else:
            find = None
            results = _prepared(tensor, out)
            _sort_into(tensor, order, *results)
    if out is not None:
        for each in out:
            bump_version(each)
        return structseq.sort_out(out)
    check_no_complex_gradient("sort", dtype, tensor)
    named = structseq.sort((with_grad_fn(results[0], tensor, node), results[1]))
    return named if find is None else note_arrays(find, named, tensor)


def _is_simple(geometry: Geometry, dim: int) -> bool:
    """Return whether the lines to sort are the rows of a contiguous tensor."""
    return (
        dim == geometry.rank - 1 >= 0 and geometry is dense(geometry.shape) and geometry.numel > 0
    )


def _sorted_rows(geometry: Geometry, dtype: dtype, order: _Order, raw: Any) -> tuple[Any, Any]:
    """Return the sorted elements and their indices of rows of raw elements."""
    shape = geometry.shape
    rows = convert(raw, dtype, dtype).reshape(-1, shape[-1])
    stable = order.stable or _sorts_by_digits(geometry, order, dtype)
    places = sort_order(rows, dtype, descending=order.descending, stable=stable)
    values, places = take_in_rows(rows, places).reshape(shape), places.reshape(shape)
    return values, np.ascontiguousarray(places)


def _on_meta(tensor: Tensor, out: _Pair | None) -> _Pair:
    """Return what meta_sort in torch/_meta_registrations.py does, which checks no dimension."""
    if tensor._geometry.device is META:
        geometry = empty_like_geometry(tensor, None, tensor._dtype, META)
    else:
        geometry = like_geometry(tensor, None, tensor._dtype)
    results = empty_with(geometry, tensor._dtype), empty_with(geometry, INT64)
    if out is None:
        return results
    for target in out:
        resize_wrapped_out(target, geometry.shape)
    for target in out:
        restride(target, geometry)
    for target, result in zip(out, results, strict=True):
        copy_into(into_meta("sort", target, geometry, result._dtype), result)
    return out


def restride(target: Tensor, geometry: Geometry) -> None:
    """Give ``target`` a geometry, as as_strided_ does."""
    shape, stride, offset = geometry.shape, geometry.stride, target._offset
    size, itemsize = target._storage._size, target._dtype.itemsize
    needed = view_checks.bytes_needed(shape, stride, offset, itemsize)
    if needed > size:
        raise view_checks.out_of_bounds(shape, stride, offset, itemsize, needed, size)
    set_geometry(target, strided(shape, stride))


def _prepared(tensor: Tensor, out: _Pair | None) -> _Pair:
    """Return the tensors for results, of which new ones have the order of dimensions in memory."""
    geometry = like_geometry(tensor, None, tensor._dtype)
    if out is None:
        return empty_with(geometry, tensor._dtype), empty_with(geometry, INT64)
    for target, wanted in zip(out, (tensor._dtype, INT64), strict=True):
        is_resized = target._geometry.shape != geometry.shape
        prepare_out(tensor, geometry, (target, wanted))
        if is_resized:
            set_geometry(target, geometry)
    return out


def _sort_into(tensor: Tensor, order: _Order, values: Tensor, indices: Tensor) -> None:
    """Write the sorted elements of a tensor and their indices.

    As torch does, copy the elements and count the indices, then sort both where they are.
    """
    geometry, dtype, dim = tensor._geometry, tensor._dtype, order.dim
    if values is not tensor and not is_same_view(values, tensor):
        check_copy_overlap(values, tensor)
        copy_into(values, tensor)
    if not geometry.rank:
        raw_array(indices)[...] = 0
        return
    check_no_overlap(indices)
    size = geometry.shape[dim]
    count = np.arange(size).reshape(-1, *(1,) * (geometry.rank - dim - 1))
    write_in_order(raw_array(indices), np.broadcast_to(count, geometry.shape))
    if not geometry.stride[dim]:
        return
    if _sorts_by_digits(geometry, order, dtype):
        order = order._replace(stable=True)
        values, indices = [plain_view(x, (size,), (1,)) for x in (values, indices)]
    else:
        check_no_overlap(values)
        if dtype not in _DTYPES:
            raise_not_implemented("sorting_kernel_method_name", dtype)
    if geometry.numel:
        _sort_in_place(raw_array(values), raw_array(indices), order, dtype)


def _sorts_by_digits(geometry: Geometry, order: _Order, dtype: dtype) -> bool:
    """Return whether torch sorts integers by their digits, of memory without gaps.

    Raise for those for which it has no kernel.
    """
    if geometry.rank != 1 or geometry.numel < GRAIN_SIZE or order.descending:
        return False
    if dtype in WIDE_UNSIGNED:
        raise_not_implemented("parallel_sort1d_kernel", dtype)
    return dtype in INTEGERS


def _sort_in_turn(values: Any, indices: Any, order: _Order, dtype: dtype) -> None:
    """Sort lines, the last dimension, that share memory with each other."""
    lines = [array.strides[:-1] for array in (values, indices)]
    outer = memory_order(values.shape[:-1], lines)[::-1]
    values, indices = (array.transpose(*outer, -1) for array in (values, indices))
    for position in np.ndindex(values.shape[:-1]):
        _sort_in_place(values[position], indices[position], order._replace(dim=0), dtype)


def _sort_in_place(values: Any, indices: Any, order: _Order, dtype: dtype) -> None:
    """Sort raw elements and indices along a dimension."""
    if np.may_share_memory(values, indices):
        raise NotImplementedError("impl cannot sort elements that share memory with their indices")
    is_apart = has_separate_elements(values) and has_separate_elements(indices)
    values, indices = [array.swapaxes(order.dim, -1) for array in (values, indices)]
    if values.ndim > 1 and not is_apart:
        _sort_in_turn(values, indices, order, dtype)
        return
    shape = values.shape
    lines = values.reshape(-1, shape[-1])
    places = sort_order(lines, dtype, descending=order.descending, stable=order.stable)
    values[...] = take_in_rows(lines, places).reshape(shape)
    indices[...] = take_in_rows(indices.reshape(lines.shape), places).reshape(shape)


def _argsort(tensor: Tensor, dim: int, descending: bool) -> Tensor:
    indices: Tensor = resolved_sort(tensor, dim, descending)[1]
    return indices


def _argsort_stable(
    tensor: Tensor, stable: bool, dim: int, descending: bool, out: Tensor | None = None
) -> Tensor:
    if out is None:
        return _resolved_sort_stable(tensor, stable, dim, descending)[1]  # type: ignore[no-any-return]
    geometry, dtype = tensor._geometry, tensor._dtype
    if geometry.is_sparse:
        values, count = tensor, 2
    else:
        values = empty_with(on_device(dense((0,)), geometry.device), dtype, warns=False)
        count = 1
    # Torch shows warnings of C++ after those of references.
    is_later = not (values is tensor or out._geometry.is_sparse) and is_on_meta(tensor, out)
    if not is_later:
        warn_if_complex32(dtype, count)
    try:
        _resolved_sort_stable(tensor, stable, dim, descending, out=(values, out))
    finally:
        if is_later:
            warn_if_complex32(dtype)
    return out


resolved_sort = resolves_bits(_sort, "sort")
_resolved_sort_stable = resolves_bits(_sort_stable, "sort")

_DIM = "int64_t dim=-1, bool descending=False"

install_operator(
    "sort",
    Overload(f"*, bool? stable, {_DIM}", _resolved_sort_stable, out_type="TensorList[2]"),
    Overload(_DIM, resolved_sort, out_type="TensorList[2]"),
    doc="Return the sorted elements along a dimension, and their indices.",
)
install_operator(
    "argsort",
    Overload(f"*, bool stable, {_DIM}", _argsort_stable),
    Overload(_DIM, _argsort, out=False),
    doc="Return the indices that sort the elements along a dimension.",
)
