"""The kernels of scatter, which combine elements at indices along a dimension.

cpu_scatter_gather_base_kernel in ATen/native/cpu/ScatterGatherKernel.cpp takes the elements in the
order of TensorIterator: where an index is out of bounds, it has combined those before it.  Those of
float16 and bfloat16 are combined in float32.
"""

from typing import Any, NamedTuple

from ..._arrays.numpy_bridge import np, numpy_storage_dtype
from ..._dtypes.constants import FLOAT32, INT64
from ..._dtypes.table import dtype
from ..._geometry.geometry import Geometry, dense
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import check_has_opmath, raise_not_implemented
from ..._runtime.errors import check
from ..._tensor.data_access import has_separate_elements, raw_array, write_raw_cast
from ..._tensor.tensor import Tensor
from ..._tensor.views import plain_view
from ..elementwise.plan import FLOATS
from ..indexing.added_rows import HALVES
from ..indexing.advanced import memory_of
from ..indexing.along_dim import with_dim
from ..indexing.gather import loop_order, out_of_bounds, starts_of, with_dims
from ..indexing.selection import first_beyond, is_within, may_share
from .reductions import ASSIGN, MEAN, Reduction, Update


def combine(target: Tensor, dim: int, index: Tensor, source: Any, reduction: Reduction) -> None:
    """Combine the elements of a source, or a number, with those at indices along a dimension."""
    dtype, is_number = target._dtype, not isinstance(source, Tensor)
    check_has_opmath(dtype)
    if dtype not in reduction.dtypes:
        kernel = "scatter_gather_scalar_cpu" if is_number else reduction.kernel
        raise_not_implemented(kernel, dtype)
    if dtype in HALVES:
        buffer = np.array(convert(raw_array(target), dtype, FLOAT32), order="C")
        work = _Work(buffer.reshape(-1), dense(target._geometry.shape), target, dim, index, source)
        work.run(reduction.update)
        write_raw_cast(target, buffer, FLOAT32)
        return
    geometry = target._geometry
    if geometry.is_contiguous:
        memory = raw_array(target).reshape(-1)
    else:
        memory = memory_of(target)[target._offset :]
    _Work(memory, geometry, target, dim, index, source).run(reduction.update)


class _Work(NamedTuple):
    """The elements to combine, in memory with a geometry: that of the target, or of its buffer."""

    memory: Any
    geometry: Geometry
    target: Tensor
    dim: int
    indices: Tensor
    source: Any

    def run(self, update: Update) -> None:
        """Combine the elements; raise for the first index out of bounds."""
        indices, values = with_dims(self.indices), self._values()
        # Torch converts indices of int32 first.
        if self.indices._dtype is INT64 and may_share(self.memory, indices):
            self._run_one_by_one(update, indices, values)
            return
        positions = self._positions()
        if is_within(indices, 0, self._size) and not self._reads_written(values):
            update(self.memory, positions.reshape(-1), self._converted(values))
            return
        order = self._order(values)
        indices, positions = (array.transpose(order).reshape(-1) for array in (indices, positions))
        is_valid = is_within(indices, 0, self._size)
        count = len(indices) if is_valid else first_beyond(indices, 0, self._size)
        self._run_in_order(update, positions[:count], values, order)
        if not is_valid:
            raise out_of_bounds(self.target, self.dim)(indices[count])

    def _run_one_by_one(self, update: Update, indices: Any, values: Any) -> None:
        """Combine the elements at indices that may have been written before they are read."""
        order, step = self._order(values), (self.geometry.stride or (1,))[self.dim]
        starts = starts_of(self.geometry, self.dim, indices.shape) if indices.ndim > 1 else 0
        starts = np.broadcast_to(starts, indices.shape).transpose(order)
        source = np.broadcast_to(self._converted(None) if values is None else values, indices.shape)
        indices, source = indices.transpose(order), source.transpose(order)
        for at in np.ndindex(indices.shape):
            number = int(indices[at])
            if not 0 <= number < self._size:
                raise out_of_bounds(self.target, self.dim)(number)
            update(self.memory, np.array([number * step + starts[at]]), source[at].reshape(1))

    def _order(self, values: Any) -> list[int]:
        """Return the dimensions in torch's order, outermost first."""
        inputs = () if values is None else (with_dim(self.source)._geometry,)
        return loop_order(self.dim, self.indices._geometry, self.geometry, *inputs)

    @property
    def _size(self) -> int:
        return (self.geometry.shape or (1,))[self.dim]

    def _positions(self) -> Any:
        """Return the positions in memory, in the shape of the indices."""
        indices, step = with_dims(self.indices), (self.geometry.stride or (1,))[self.dim]
        positions = indices if step == 1 else indices * np.int64(step)
        if indices.ndim == 1:
            return positions
        return positions + starts_of(self.geometry, self.dim, indices.shape)

    def _values(self) -> Any:
        """Return the part of the source that the indices cover, or None for a number."""
        if not isinstance(self.source, Tensor):
            return None
        values, shape = with_dims(self.source), with_dims(self.indices).shape
        return values if values.shape == shape else values[tuple(map(slice, shape))]

    def _reads_written(self, values: Any) -> bool:
        """Return whether an element may be read after another one was written."""
        if self.target._dtype in HALVES:
            return False
        return not has_separate_elements(raw_array(self.target)) or (
            values is not None and may_share(self.memory, values)
        )

    def _converted(self, values: Any) -> Any:
        """Return values, or the number, as a flat array of the memory's dtype."""
        dtype = self.target._dtype
        if values is None:
            return _number(self.source, dtype)
        return (convert(values, dtype, FLOAT32) if dtype in HALVES else values).reshape(-1)

    def _run_in_order(self, update: Update, positions: Any, values: Any, order: list[int]) -> None:
        """Combine the first elements in torch's order."""
        if not len(positions):
            return
        if values is None:
            update(self.memory, positions, self._converted(None))
            return
        values = values.transpose(order)
        if not self._reads_written(values):
            update(self.memory, positions, self._converted(values)[: len(positions)])
            return
        for place, at in zip(positions, np.ndindex(values.shape), strict=False):
            update(self.memory, place[None], values[at].reshape(1))


def _number(number: Any, dtype: dtype) -> Any:
    """Return a number as an element of a dtype, or of the dtype in which that is combined."""
    raw = np.array(encode_scalar(number, dtype, ScalarPath.MASKED), numpy_storage_dtype(dtype))
    return convert(raw, dtype, FLOAT32) if dtype in HALVES else raw


# Rows: an index that is expanded stands for a whole row (cpu_scatter_reduce_expanded_index).


def are_rows(target: Tensor, dim: int, index: Tensor, source: Tensor) -> bool:
    """Return whether torch combines rows (can_use_expanded_index_path).

    In ATen/native/TensorAdvancedIndexing.cpp.
    """
    own, rows, indices = target._geometry, source._geometry, index._geometry
    if dim or not target._dtype.is_floating_point or not (own.rank and rows.rank and indices.rank):
        return False
    (count, *shape), (first, *stride) = indices.shape, indices.stride
    return (
        first == 1
        and bool(own.numel and rows.numel and indices.numel)
        and [*rows.shape[1:]] == shape
        and indices.numel // count >= _MIN_ROW
        and all(not step or size == step == 1 for size, step in zip(shape, stride, strict=True))
        and own.is_contiguous
        and rows.is_contiguous
    )


_MIN_ROW = 16


def combine_rows(
    name: str,
    target: Tensor,
    index: Tensor,
    source: Tensor,
    reduction: Reduction,
    *,
    with_own: bool,
) -> None:
    """Combine the rows of a source with those at indices, after all indices were checked.

    The rows of the target begin at multiples of the size of those of the index, as in torch, also
    if they are longer.  ``with_own`` is whether the elements of the target count.
    """
    dtype = target._dtype
    if dtype not in FLOATS:
        raise_not_implemented(name, dtype)
    check(index._dtype is INT64, lambda: "expected scalar type Long but found Int")
    count = index._geometry.shape[0]
    size = index._geometry.numel // count
    indices = raw_array(plain_view(index, (count,), (1,)))
    if not is_within(indices, 0, target._geometry.shape[0]):
        beyond = first_beyond(indices, 0, target._geometry.shape[0])
        raise out_of_bounds(target, 0)(indices[beyond])
    places, rows = np.unique(indices, return_inverse=True)
    columns = np.arange(size)
    memory = raw_array(target).reshape(-1)
    positions = places[:, None] * size + columns
    opmath = FLOAT32 if dtype in HALVES else dtype
    totals = _converted(memory[positions], dtype, opmath)
    if not with_own:
        totals[...] = reduction.initial(dtype)
    values = raw_array(source).reshape(-1)[: count * size]
    steps = (rows.reshape(-1, 1) * size + columns).reshape(-1)
    reduction.update_rows(totals.reshape(-1), steps, _converted(values, dtype, opmath))
    if reduction is MEAN:
        totals = _converted(_converted(totals, opmath, dtype), dtype, opmath)
        counts = np.bincount(rows.reshape(-1)) + with_own
        totals /= counts.astype(totals.dtype)[:, None]
    memory[positions] = _converted(totals, opmath, dtype)


def _converted(array: Any, source: dtype, to: dtype) -> Any:
    return array if source is to else convert(np.ascontiguousarray(array), source, to)


def exclude(target: Tensor, dim: int, index: Tensor, reduction: Reduction) -> None:
    """Write the number to begin with to the elements that are combined."""
    if target._dtype not in ASSIGN.dtypes:
        raise_not_implemented("scatter_reduce_exclude_input_init", target._dtype)
    combine(target, dim, index, reduction.initial(target._dtype), ASSIGN)
