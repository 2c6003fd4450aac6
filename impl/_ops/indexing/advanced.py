"""Advanced indexing: reads and writes of elements through index tensors and masks.

It follows ATen/native/TensorAdvancedIndexing.cpp.  Masks become index tensors, and all index
tensors are broadcast together.  A TensorIterator over the tensor and the indices then decides the
strides of the result.  Torch ignores the negative bit of index tensors of int64 (MathBitsFallback.h
resolves no optional tensors); it converts those of other dtypes.
"""

from math import prod
from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from ..._arrays.opaque_dtypes import is_opaque
from ..._devices.device import META
from ..._dtypes.constants import COMPLEX32, FLOAT32
from ..._dtypes.table import DTYPES, dtype, spec_of
from ..._geometry import broadcasting, strides
from ..._geometry.basic_indexing import AdvancedIndices
from ..._geometry.extents import Ints
from ..._geometry.geometry import strided
from ..._kernels.elementwise import OPMATH_DTYPE
from ..._numerics.cast import convert, to_numbers
from ..._numerics.rounding import raise_not_implemented
from ..._runtime.errors import check
from ..._storage.untyped_storage import storage_array
from ..._tensor.allocation import empty_with, warn_complex32
from ..._tensor.data_access import raw_array
from ..._tensor.tensor import Tensor, new_tensor
from ..common.conj_neg_fallback import resolve_conj_neg
from ..common.device_checks import common_device
from ..common.memory_overlap import check_no_overlap_with
from ..common.meta_reference import is_on_meta
from .index_tensors import (
    IndexTensor,
    check_index_devices,
    check_mask,
    index_tensors,
    is_mask,
)
from .masked_fill import fill_where, warn_if_expanded
from .selection import may_share


class _AdvancedIndex(NamedTuple):
    """The elements that indices select from a tensor (AdvancedIndex)."""

    view: Tensor
    index_of_dim: tuple[IndexTensor | None, ...]
    """The index tensor of each dimension; None selects the whole dimension."""
    shape: Ints
    """The shape of the result."""
    stride: Ints
    """The strides of the tensor, restrided to ``shape``."""
    operands: tuple[tuple[Ints, Ints], ...]
    """The shapes and strides of the index tensors as operands."""
    index_dim: int
    """The first dimension of the result that the indices make."""
    by_reference: bool
    """Whether a tensor is on meta (meta_index_Tensor in torch/_meta_registrations.py)."""

    def result_stride(self, *others: tuple[Ints, Ints]) -> Ints:
        """Return the strides that TensorIterator gives the result; they define its order."""
        source = self.shape, self.stride
        geometry = self.view._geometry
        if self.by_reference:
            if not geometry.numel:
                return strides.contiguous(self.shape)
            return strides.by_reference(self.shape, (source,))
        operands = source, *others, *self.operands
        return strides.elementwise(self.shape, operands, self.view._dtype.itemsize)

    def numpy_index(self) -> tuple[Any, ...]:
        """Return the index for a NumPy array of the tensor's elements."""
        return tuple([slice(None) if index is None else index.array for index in self.index_of_dim])

    def positions(self) -> Any:
        """Return the positions in the storage of the selected elements."""
        geometry, rank = self.view._geometry, len(self.shape)
        index_rank = rank - sum(index is None for index in self.index_of_dim)
        positions = np.full(self.shape, self.view._offset)
        axis = 0
        for size, step, index in zip(
            geometry.shape, geometry.stride, self.index_of_dim, strict=True
        ):
            if index is not None:
                array = np.where(index.array < 0, index.array + size, index.array)
                after = rank - self.index_dim - index_rank
                positions += (array * step).reshape((*array.shape, *[1] * after))
                continue
            own_axis = axis if axis < self.index_dim else axis + index_rank
            positions += (np.arange(size) * step).reshape((-1, *[1] * (rank - own_axis - 1)))
            axis += 1
        return positions


def read(view: Tensor, indices: AdvancedIndices) -> Tensor:
    """Return a new tensor of the elements of a view that the indices select."""
    check_index_devices(view, indices)
    info = _make_info(view, indices)
    stride = info.result_stride()
    dtype = view._dtype
    device = view._geometry.device
    if dtype is COMPLEX32:
        warn_complex32(by_reference=device is META)
    result = empty_with(strided(info.shape, stride), dtype, device, warns=False)
    if is_opaque(dtype) and not info.by_reference:  # torch looks for a kernel before elements
        raise_not_implemented("index_cpu", dtype)
    if result._geometry.numel and not info.by_reference:
        beyond = _out_of_bounds(info, stride)
        if beyond is not None:
            raise beyond.error
        raw_array(result)[...] = _selected(info)
    return result


def _selected(info: _AdvancedIndex) -> Any:
    if info.view._geometry.rank < _MAX_INDICES:
        return raw_array(info.view)[info.numpy_index()]
    return memory_of(info.view)[info.positions()]


_MAX_INDICES = 64
"""NumPy takes fewer arrays in an index."""


def memory_of(view: Tensor) -> Any:
    """Return all elements of the storage of a tensor."""
    size = view._storage._size // view._dtype.itemsize
    return np.ndarray((size,), numpy_storage_dtype(view._dtype), storage_array(view._storage))


def write(view: Tensor, indices: AdvancedIndices, value: Tensor, accumulate: bool = False) -> None:
    """Write a value into the elements of a view that the indices select, or add it to them.

    Torch neither checks nor writes anything if a tensor is on meta (meta_index_put_).
    """
    if is_on_meta(view, value, *indices):
        return
    _check_count(view, indices)
    warn_if_expanded(view, "index_put_", "tensor[indices] = tensor", 976)
    is_single = value._geometry.numel == 1 and not accumulate
    # Torch looks for a mask among the indices, and gives it the dimensions of the tensor.
    message = "sym_strides() called on an undefined Tensor" if view._geometry.rank else _NO_MASK
    check(indices or not is_single, lambda: message)
    mask = _single_mask(view, indices) if is_single else None
    if mask is not None and view._geometry.device is mask._geometry.device:
        fill_where(view, mask, value.item())
        return
    check_no_overlap_with(view, value)
    for index in indices:
        if isinstance(index, Tensor):
            check_no_overlap_with(view, index)
    info = _make_info(view, indices)
    _check_value(value, info.shape)
    _check_dtype(value, view._dtype)
    if value._geometry.rank or value._geometry.numel != 1:
        common_device((view, value), allow_cpu_scalars=False)
    if prod(info.shape):
        stride = info.result_stride((value._geometry.shape, value._geometry.stride))
        beyond = _out_of_bounds(info, stride)
        count = None if beyond is None else beyond.elements_before(info.shape, stride)
        _write_in_order(info, stride, raw_array(value), accumulate, count)
        if beyond is not None:
            raise beyond.error


_NO_INDEX_PUT = {DTYPES[name] for name in ("uint16", "uint32", "uint64", "float8_e8m0fnu")}


_NO_MASK = (
    "masked_fill_ only supports boolean masks, but got mask with dtype nullptr (uninitialized)"
)


def _check_count(view: Tensor, indices: AdvancedIndices) -> None:
    """Raise if there are more indices than dimensions, as several ellipses can cause."""
    rank = view._geometry.rank
    if len(indices) > rank:
        raise IndexError(f"too many indices for tensor of dimension {rank} (got {len(indices)})")


def _check_value(value: Tensor, shape: Ints) -> None:
    value_shape = value._geometry.shape
    check(
        len(value_shape) <= len(shape)
        and all(
            size in (1, result_size)
            for size, result_size in zip(reversed(value_shape), reversed(shape), strict=False)
        ),
        lambda: (
            f"shape mismatch: value tensor of shape {[*value_shape]} cannot be broadcast to"
            f" indexing result of shape {[*shape]}"
        ),
    )


def _check_dtype(value: Tensor, dtype: dtype) -> None:
    """Raise if the value has another dtype than the tensor, or torch has no kernel for it."""
    check(
        value._dtype is dtype,
        lambda: (
            "Index put requires the source and destination dtypes match, got"
            f" {spec_of(dtype).cpp_name} for the destination and"
            f" {spec_of(value._dtype).cpp_name} for the source."
        ),
    )
    if is_opaque(dtype) or dtype in _NO_INDEX_PUT:
        raise_not_implemented("index_put", dtype)


# From indices to an AdvancedIndex.


def _make_info(view: Tensor, indices: AdvancedIndices) -> _AdvancedIndex:
    """Return the elements of a view that indices select (make_info)."""
    _check_count(view, indices)
    index_of_dim, geometry = index_tensors(view, indices), view._geometry
    by_reference = is_on_meta(view, *indices)
    indexed = [dim for dim, index in enumerate(index_of_dim) if index is not None]
    if not indexed:
        return _AdvancedIndex(
            view, tuple(index_of_dim), geometry.shape, geometry.stride, (), 0, by_reference
        )
    adjacent = indexed[-1] - indexed[0] == len(indexed) - 1
    before = indexed[0] if adjacent else 0
    present = [index for index in index_of_dim if index is not None]
    index_shape = present[0].shape
    is_empty = not all(geometry.shape[dim] for dim in indexed)
    if is_empty and 0 not in index_shape and not by_reference:
        raise IndexError("index is out of bounds for dimension with size 0")
    rest = [dim for dim, index in enumerate(index_of_dim) if index is None]
    sizes, steps = ([whole[dim] for dim in rest] for whole in (geometry.shape, geometry.stride))
    after = len(rest) - before
    return _AdvancedIndex(
        view,
        tuple(index_of_dim),
        (*sizes[:before], *index_shape, *sizes[before:]),
        (*steps[:before], *(0 for _ in index_shape), *steps[before:]),
        tuple([_reshape_indexer(index, before, after) for index in present]),
        before,
        by_reference,
    )


def _reshape_indexer(index: IndexTensor, before: int, after: int) -> tuple[Ints, Ints]:
    """Return shape and strides of an index with 1 for other dimensions (reshape_indexer)."""
    shape = (1,) * before + index.shape + (1,) * after
    return shape, broadcasting.reshape_stride(index.shape, index.stride, shape) or ()


def _single_mask(view: Tensor, indices: AdvancedIndices) -> Tensor | None:
    """Return the single mask among indices with the rank of the view; None for other indices.

    Torch then writes a single value by masked_fill (canDispatchToMaskedFill).
    """
    mask: Tensor | None = None
    start = dim = 0
    for index in indices:
        if index is None:
            dim += 1
        elif not is_mask(index) or mask is not None:
            return None
        else:
            check_mask(view, index, dim)
            mask, start = index, dim
            dim += index._geometry.rank
    assert mask is not None
    geometry = mask._geometry
    missing = view._geometry.rank - start - geometry.rank
    shape, stride = geometry.shape + (1,) * missing, geometry.stride + (1,) * missing
    mask = new_tensor(
        mask._storage, strided(shape, stride), mask._offset, mask._dtype, conj_neg=mask._conj_neg
    )
    return resolve_conj_neg(mask)


# Access to the elements.


class _Beyond(NamedTuple):
    """The indices out of bounds.

    where: whether an index is out of bounds, in the shape of the indices and the dimensions after
    error: the error for the first of them in iterator order
    """

    where: Any
    error: IndexError

    def elements_before(self, shape: tuple[int, ...], stride: Ints) -> int:
        """Return the number of selected elements that torch writes before it raises."""
        where = np.broadcast_to(self.where, shape).transpose(_outer_first(stride))
        return int(where.reshape(-1).argmax())


def _outer_first(stride: Ints) -> list[int]:
    """Return the dimensions in iterator order."""
    return sorted(range(len(stride)), key=lambda dim: -stride[dim])


def _out_of_bounds(info: _AdvancedIndex, stride: Ints) -> _Beyond | None:
    """Return the indices out of bounds, or None; indices on meta are unknown."""
    shape = info.view._geometry.shape
    pairs = [
        (index, shape[dim]) for dim, index in enumerate(info.index_of_dim) if index is not None
    ]
    check(
        pairs,
        lambda: (
            'ntensor >= 3 INTERNAL ASSERT FAILED at "aten/src/ATen/native/cpu/IndexKernelUtils.h":8'
            ", please report a bug to PyTorch. "
        ),
    )
    if not all(index.known for index, _ in pairs):
        return None
    invalid = [(index.array < -size) | (index.array >= size) for index, size in pairs]
    if not any(flags.any() for flags in invalid):
        return None
    rank, first = len(pairs[0][0].shape), info.index_dim
    outer_first = _outer_first(stride[first : first + rank])
    stacked = np.stack([flags.transpose(outer_first).reshape(-1) for flags in invalid])
    position = int(stacked.any(0).argmax())
    dim = int(stacked[:, position].argmax())
    indices, size = pairs[dim]
    value = indices.array.transpose(outer_first).reshape(-1)[position]
    where = np.stack(invalid).any(0)
    return _Beyond(
        where.reshape(*where.shape, *[1] * (len(stride) - first - rank)),
        IndexError(f"index {value} is out of bounds for dimension {dim} with size {size}"),
    )


def _write_in_order(
    info: _AdvancedIndex, stride: Ints, source: Any, accumulate: bool, count: int | None
) -> None:
    """Write or add the first ``count`` elements, or all, in iterator order.

    The last of several writes to an element wins. A write may change a value that is read later.
    """
    view, outer_first = info.view, _outer_first(stride)
    selected = info.positions().transpose(outer_first).reshape(-1)[:count]
    values = np.broadcast_to(source, info.shape).transpose(outer_first)
    elements, dtype = memory_of(view), view._dtype
    if may_share(raw_array(view), source):
        for place, where in zip(selected, np.ndindex(values.shape), strict=False):
            _write(elements, place.reshape(1), values[where].reshape(1), accumulate, dtype)
    else:
        _write(elements, selected, values.reshape(-1)[:count], accumulate, dtype)


def _write(elements: Any, places: Any, values: Any, accumulate: bool, dtype: dtype) -> None:
    """Write or add raw values at places."""
    if accumulate:
        add_rows(elements, places, values, dtype)
    else:
        elements[places] = values


def add_rows(target: Any, index: Any, rows: Any, dtype: dtype) -> None:
    """Add raw rows to the target rows at ``index``, in order; each addition rounds."""
    with np.errstate(all="ignore"):
        if is_native(dtype):  # a sum of bools is True if one of them is
            np.add.at(target, index, rows)
            return
        for selected in iter_rounds(index):
            total = to_numbers(target[index[selected]], dtype) + to_numbers(rows[selected], dtype)
            opmath_dtype = OPMATH_DTYPE.get(dtype, FLOAT32)
            target[index[selected]] = convert(np.ascontiguousarray(total), opmath_dtype, dtype)


_MOST_COUNTED = 32
"""Positions are counted if they are below so many times their number."""


def iter_rounds(index: Any) -> Any:
    """Yield the first row of each position, then the second of each, and so on.

    The positions are not negative.
    """
    most = int(index.max(initial=-1)) + 1
    if most < _MOST_COUNTED * len(index) and np.bincount(index).max(initial=0) < 2:
        yield slice(None)  # all at once
        return
    # NumPy sorts 16-bit numbers by their digits.
    order = index.astype(np.uint16 if most <= 2**16 else np.int64).argsort(kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(index) else ordered
    sizes = np.diff(np.r_[starts, len(index)]) if len(index) else starts
    for round_ in range(int(sizes.max(initial=0))):
        yield order[starts[sizes > round_] + round_]
