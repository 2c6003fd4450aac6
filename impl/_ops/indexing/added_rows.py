"""The kernels of index_add: rows are added one after the other, at indices along a dimension.

Torch has three of them (index_add_cpu_out in ATen/native/TensorAdvancedIndexing.cpp), which differ
in rounding, errors, and what they write before an error.
"""

from collections.abc import Callable
from functools import partial
from math import frexp, prod
from typing import Any

from ..._arrays.numpy_bridge import is_native, np
from ..._arrays.parallel import without_fp_warnings
from ..._codegen import row_sums
from ..._dtypes.constants import BFLOAT16, COMPLEX32, FLOAT16, FLOAT32, INT64
from ..._dtypes.table import dtype
from ..._geometry.strides import memory_order
from ..._kernels import elementwise
from ..._kernels.elementwise import OPMATH_DTYPE, multiply_complex, round_through
from ..._numerics.cast import convert
from ..._numerics.encode_scalar import ScalarPath, encode_scalar
from ..._numerics.rounding import check_has_opmath, raise_not_implemented
from ..._tensor.data_access import (
    has_separate_elements,
    raw_array,
    write_in_order,
    write_raw_cast,
)
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import plain_view
from ..common.memory_overlap import check_no_overlap
from ..common.vector_loops import vector_positions
from ..elementwise.plan import BOOLS, COMPLEX, HALF_COMPLEX, NUMBERS
from .advanced import iter_rounds
from .along_dim import find_beyond, with_dim
from .selection import (
    coalesced_count,
    contiguous_indices,
    may_share,
    out_of_range,
    valid_indices,
)

_DTYPES = BOOLS | NUMBERS | COMPLEX | HALF_COMPLEX
HALVES = frozenset({FLOAT16, BFLOAT16})
"""The dtypes whose elements scatter_add_ adds in float32."""
Sum = Callable[[Any, Any], Any]
"""A function that returns the raw sum of raw elements."""


def add_along(target: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> None:
    """Add the rows of a source, times alpha, at the indices along a dimension."""
    geometry = target._geometry
    indices = indices_into(target, index)
    if geometry.rank < 2:
        add_numbers(with_dim(target), indices, with_dim(source), alpha)
    elif not geometry.numel or not indices.size:
        return
    elif (
        dim in (0, geometry.rank - 1)
        and type(alpha) is not bool
        and alpha == 1
        and index._dtype is INT64
        and target._dtype is not COMPLEX32
    ):
        if may_share(raw_array(target), indices):  # which _scatter_add reads before
            METHODS["scatter_add_"](
                shallow_copy(target), dim, _expanded(index, dim, source), source
            )
        else:
            _scatter_add(target, dim, indices, source)
    else:
        add_slices(target, dim, indices, source, alpha)


def indices_into(target: Tensor, index: Tensor) -> Any:
    """Return indices of int64, or those in the target's memory, which torch reads one by one."""
    indices = contiguous_indices(index)
    if may_share(raw_array(target), indices):
        return indices
    return indices.astype(np.int64, copy=False)


def _expanded(index: Tensor, dim: int, source: Tensor) -> Tensor:
    """Return indices along a dimension in the shape of a source."""
    shape = source._geometry.shape
    return plain_view(index, shape, tuple([int(x == dim) for x in range(len(shape))]))


def add_numbers(target: Tensor, indices: Any, source: Tensor, alpha: Any) -> None:
    """Add numbers to a tensor of one dimension; each product and each sum is rounded."""
    dtype = target._dtype
    if dtype not in _DTYPES:
        raise_not_implemented("index_add_", dtype)
    factor = _factor(alpha, dtype)
    memory, values = raw_array(target), raw_array(source)
    if reads_written(memory, values, indices):
        for place, row in zip(
            valid_indices(indices, len(memory), out_of_range), values, strict=False
        ):
            memory[place] = _plain_sum(dtype, memory[place], _product(dtype, row, factor))
        return
    count = count_before(indices, target._geometry.shape[0])
    _add_rows(memory, 0, indices[:count], _product(dtype, values, factor)[:count], dtype)
    if count < len(indices):
        raise out_of_range(indices[count])


def reads_written(memory: Any, values: Any, indices: Any) -> bool:
    """Return whether an element or an index may have been written before it is read."""
    return (
        may_share(memory, values) or may_share(memory, indices) or not has_separate_elements(memory)
    )


def count_before(indices: Any, size: int) -> int:
    """Return the number of indices before the first one out of bounds."""
    beyond = find_beyond(indices, 0, size)
    return len(indices) if beyond is None else int(beyond.argmax())


# Where torch calls scatter_add_.


def _scatter_add(target: Tensor, dim: int, indices: Any, source: Tensor) -> None:
    """Add rows as scatter_add_ does, which adds the numbers of narrow formats in float32."""
    dtype, geometry = target._dtype, target._geometry
    size = geometry.shape[dim]
    check_has_opmath(dtype)
    is_sorted = _is_sorted_first(target, dim, source)
    if dtype not in BOOLS | NUMBERS | COMPLEX:
        name = "scatter_add_expanded_index" if is_sorted else "scatter_gather_tensor_cpu"
        raise_not_implemented(name, dtype)
    count = count_before(indices, size)
    memory, values = raw_array(target), raw_array(source)
    is_narrow = dtype in HALVES
    if count < len(indices):
        if not (is_narrow or is_sorted):
            order = _row_order(target, dim, source)
            first = [_first_row(array, dim, order) for array in (memory, values)]
            _scatter_rows(first[0], first[1], indices[:count], dtype)
        raise RuntimeError(
            f"index {indices[count]} is out of bounds for dimension {dim} with size {size}"
        )
    if is_narrow:
        totals = np.array(convert(memory, dtype, FLOAT32), order="C")
        _add_rows(totals, dim, indices, convert(values, dtype, FLOAT32), FLOAT32)
        write_raw_cast(target, totals, FLOAT32)
    elif may_share(memory, values) or not has_separate_elements(memory):
        _scatter_in_order(target, dim, indices, source)
    else:
        _add_rows(memory, dim, indices, values, dtype)


def _is_sorted_first(target: Tensor, dim: int, source: Tensor) -> bool:
    """Return whether torch checks and sorts all indices first (can_use_expanded_index_path)."""
    geometry = target._geometry
    return (
        not dim
        and target._dtype.is_floating_point
        and prod(geometry.shape[1:]) >= _MIN_ROW
        and geometry.is_contiguous
        and source._geometry.is_contiguous
    )


_MIN_ROW = 16


def _row_order(target: Tensor, dim: int, source: Tensor) -> tuple[list[int], int]:
    """Return the dimensions except ``dim``, innermost first, and how many are the inner loop."""
    shape = [*target._geometry.shape]
    shape[dim] = 1
    steps = [x._geometry.stride for x in (target, source)]
    index_stride = tuple([int(axis == dim) for axis in range(len(shape))])
    order = memory_order(tuple(shape), [*steps, index_stride])
    order = [axis for axis in order if axis != dim]
    return order, coalesced_count(order, shape, steps) if dim < len(shape) - 1 else 0


def _first_row(array: Any, dim: int, order: tuple[list[int], int]) -> Any:
    """Return the part of the target or source that torch takes first, with ``dim`` in front."""
    axes, inner = order
    place = (slice(None), *[slice(None)] * inner, *[0] * (len(axes) - inner))
    return array.transpose(dim, *axes)[place]


def _scatter_in_order(target: Tensor, dim: int, indices: Any, source: Tensor) -> None:
    order, inner = _row_order(target, dim, source)
    outer = order[inner:][::-1]
    arrays = [
        array.transpose(*outer, dim, *order[:inner][::-1])
        for array in (raw_array(target), raw_array(source))
    ]
    for place in np.ndindex(arrays[0].shape[: len(outer)]):
        _scatter_rows(arrays[0][place], arrays[1][place], indices, target._dtype)


def _scatter_rows(memory: Any, values: Any, indices: Any, dtype: dtype) -> None:
    """Add the elements of rows one after the other, as many as there are indices."""
    values = values[: len(indices)]
    if not may_share(memory, values) and has_separate_elements(memory):
        _add_rows(memory, 0, indices, values, dtype)
        return
    for row, place in enumerate(indices):
        for element in np.ndindex(memory.shape[1:]):
            left, right = memory[(place, *element)], values[(row, *element)]
            memory[(place, *element)] = _plain_sum(dtype, left, right)


# Where torch adds slices as add_ does.


def add_slices(target: Tensor, dim: int, indices: Any, source: Tensor, alpha: Any) -> None:
    """Add slices, times alpha, at the indices along a dimension, each as add_ does."""
    dtype, geometry = target._dtype, target._geometry
    part, added = (first_slice(x, dim) for x in (target, source))
    check_no_overlap(part, added)
    count = count_before(indices, geometry.shape[dim])
    if count:
        if dtype not in _DTYPES:
            raise_not_implemented("add_stub", dtype)
        factor = _factor(alpha, dtype)
        memory, values = (np.moveaxis(raw_array(x), dim, 0) for x in (target, source))
        layouts = [(x._geometry.shape, x._geometry.stride) for x in (part, added)]
        is_plain = type(alpha) in (int, float) and alpha == 1
        add = _slice_sum(dtype, factor, layouts, is_plain=is_plain)
        if reads_written(memory, values, indices):
            without_fp_warnings(_add_lines, memory, indices, values, add, layouts)
            return
        if (rows := _products(dtype, values[:count], factor, is_plain=is_plain)) is not None:
            _add_rows(memory, 0, indices[:count], rows, dtype)
        else:
            _in_rounds(memory, indices[:count], values[:count], add)
    if count < len(indices):
        raise out_of_range(indices[count])


def _products(dtype: dtype, rows: Any, factor: Any, *, is_plain: bool) -> Any:
    """Return rows times a factor if torch rounds them, or if they are exact; else None."""
    if dtype.is_complex or (dtype.is_floating_point and is_plain):
        return _product(dtype, rows, factor) if dtype.is_complex or is_native(dtype) else None
    if not dtype.is_floating_point:
        return _product(dtype, rows, factor)
    if not is_native(dtype) or dtype is FLOAT16 or frexp(factor)[0] not in (0.5, -0.5):
        return None
    products = _product(dtype, rows, factor)
    return products if abs(factor) >= 1 and np.isfinite(products).all() else None


def _add_lines(memory: Any, indices: Any, values: Any, add: Any, layouts: Any) -> None:
    """Add slices, of which elements or indices share memory, by their innermost dimension."""
    shape, stride = layouts[0]
    order = memory_order(shape, [stride, stride, layouts[1][1]])[::-1]
    axes = [0, *[axis + 1 for axis in order]]
    memory, values = memory.transpose(axes), values.transpose(axes)
    for place, row in zip(valid_indices(indices, len(memory), out_of_range), values, strict=False):
        for outer in np.ndindex(row.shape[:-1]):
            write_in_order(memory[(place, *outer)], add(memory[(place, *outer)], row[outer]))


def first_slice(tensor: Tensor, dim: int) -> Tensor:
    """Return the first slice along a dimension."""
    shape, stride = tensor._geometry.shape, tensor._geometry.stride
    return plain_view(tensor, shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :])


def _slice_sum(dtype: dtype, factor: Any, layouts: Any, *, is_plain: bool) -> Sum:
    """Return the function that adds slices of a dtype, the second ones times a factor."""
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    if dtype in BOOLS:
        return partial(elementwise.add_scaled_booleans, factor)
    if opmath is dtype:
        return partial(elementwise.add_scaled, factor)
    rounded = partial(round_through, opmath, dtype)
    kernel: Any = partial(elementwise.add_scaled_narrow, factor, rounded=rounded)
    in_vector = True if is_plain or dtype.is_complex else vector_positions(layouts[0], layouts)

    def add(left: Any, right: Any) -> Any:
        numbers = (convert(np.asarray(raw), dtype, opmath) for raw in (left, right))
        return convert(np.ascontiguousarray(kernel(*numbers, in_vector)), opmath, dtype)

    return add


# Sums of elements.


def _factor(alpha: Any, dtype: dtype) -> Any:
    """Return alpha as a number of a dtype; raise if it is out of range."""
    encode_scalar(alpha, dtype, ScalarPath.MASKED)
    if dtype in BOOLS:
        return bool(alpha)
    if not dtype.is_complex and isinstance(alpha, complex):
        alpha = alpha.real
    return alpha if dtype.is_floating_point or dtype.is_complex else int(alpha)


def _product(dtype: dtype, raw: Any, factor: Any) -> Any:
    """Return raw elements times a factor, rounded to a dtype."""
    if type(factor) is not bool and factor == 1 and not dtype.is_complex:
        return raw
    return without_fp_warnings(_rounded_product, dtype, raw, factor)


def _rounded_product(dtype: dtype, raw: Any, factor: Any) -> Any:
    if dtype in BOOLS:
        return raw & factor
    opmath = OPMATH_DTYPE.get(dtype, dtype)
    numbers = convert(np.asarray(raw), dtype, opmath)
    if numbers.dtype.kind in "iu":
        return numbers * np.array(factor % 2**64, np.uint64).astype(numbers.dtype)
    factor = np.array(factor, numbers.dtype)
    if opmath is not dtype:
        factor = round_through(opmath, dtype, factor)
    product = multiply_complex(numbers, factor) if dtype.is_complex else numbers * factor
    return convert(np.ascontiguousarray(product), opmath, dtype).reshape(numbers.shape)


def _plain_sum(dtype: dtype, left: Any, right: Any) -> Any:
    """Return the raw sum of raw elements, rounded to a dtype."""
    return without_fp_warnings(_rounded_sum, dtype, left, right)


def _rounded_sum(dtype: dtype, left: Any, right: Any) -> Any:
    if is_native(dtype) and dtype is not FLOAT16:
        return left + right
    opmath = OPMATH_DTYPE[dtype]
    first, second = (convert(np.asarray(raw), dtype, opmath) for raw in (left, right))
    total = first + second
    return convert(np.ascontiguousarray(total), opmath, dtype).reshape(total.shape)


def _add_rows(memory: Any, dim: int, indices: Any, rows: Any, dtype: dtype) -> None:
    """Add rows at indices along a dimension, in order; elements of the target are separate."""
    if not is_native(dtype):
        memory, rows = np.moveaxis(memory, dim, 0), np.moveaxis(rows, dim, 0)
        _in_rounds(memory, indices, rows, partial(_rounded_sum, dtype))
        return
    without_fp_warnings(_add_native, memory, dim, indices, rows)


def _add_native(memory: Any, dim: int, indices: Any, rows: Any) -> None:
    shape = memory.shape
    outer, inner = prod(shape[:dim]), prod(shape[dim + 1 :])
    row_size = outer * inner
    if inner and row_sums.add_rows(memory, dim, indices, rows):
        return
    if row_size >= _SHORT_ROW and np.bincount(indices).max(initial=0) * _IN_ROUND <= len(indices):
        memory, rows = np.moveaxis(memory, dim, 0), np.moveaxis(rows, dim, 0)
        for selected in iter_rounds(indices):
            memory[indices[selected]] += rows[selected]
        return
    if row_size >= _LONG_ROW or len(indices) < _IN_ROUND:
        memory, rows = np.moveaxis(memory, dim, 0), np.moveaxis(rows, dim, 0)
        for place, row in zip(indices.tolist(), rows, strict=False):
            memory[place] += row
        return
    target = memory.reshape(-1)  # a copy if the memory is not contiguous
    if row_size == 1:
        places = indices
    else:
        places = np.arange(outer)[:, None] * shape[dim] + indices
        places = (places[..., None] * inner + np.arange(inner)).reshape(-1)
    np.add.at(target, places, rows.reshape(-1))
    if not memory.flags.c_contiguous:
        memory[...] = target.reshape(shape)


_SHORT_ROW, _LONG_ROW = 8, 256
"""The elements of a row from which on it is faster to add several at once, or the row by itself."""

_IN_ROUND = 8
"""The mean number of rows of a round from which on rounds are faster."""


def _in_rounds(memory: Any, indices: Any, rows: Any, add: Sum) -> None:
    """Add the first row of each index, then the second of each, and so on."""
    for selected in iter_rounds(indices):
        places = indices[selected]
        memory[places] = without_fp_warnings(add, memory[places], rows[selected])
