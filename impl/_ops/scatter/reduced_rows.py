"""The kernels of index_reduce: rows are combined one after the other, at indices along a dimension.

Torch combines numbers by a loop, and slices as its operators in place do (index_reduce_func_impl in
ATen/native/TensorAdvancedIndexing.cpp).
"""

from typing import Any

from ..._arrays.numpy_bridge import is_native, np
from ..._arrays.parallel import without_fp_warnings
from ..._dtypes.constants import BFLOAT16, FLOAT16, FLOAT32, INT64
from ..._dtypes.table import dtype
from ..._numerics.cast import convert
from ..._numerics.rounding import raise_not_implemented
from ..._tensor.data_access import has_separate_elements, raw_array, tensor_from_raw
from ..._tensor.tensor import METHODS, Tensor, shallow_copy
from ..._tensor.views import plain_view
from ..common.copy import to_dtype
from ..common.memory_overlap import check_no_overlap
from ..common.vector_loops import vector_positions, write_in_turn
from ..elementwise.plan import BOOLS, NUMBERS
from ..indexing.added_rows import (
    HALVES,
    add_numbers,
    add_slices,
    count_before,
    first_slice,
    indices_into,
    reads_written,
)
from ..indexing.advanced import iter_rounds
from ..indexing.along_dim import with_dim
from ..indexing.selection import may_share, out_of_range, valid_indices
from .mean import counts_like, divide_sums
from .reductions import REDUCTIONS, all_bits


def reduce_rows(
    target: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, with_own: bool
) -> None:
    """Combine the rows of a source with those at the indices along a dimension.

    ``with_own`` is whether the elements of the target count.
    """
    if not with_own:
        dtype = target._dtype
        if dtype not in NUMBERS:
            raise_not_implemented("index_reduce_func_exclude_input_init", dtype)
        initial = REDUCTIONS[reduce].initial(dtype)
        METHODS["index_fill_"](
            shallow_copy(target), dim, to_dtype(index, INT64, True, None), initial
        )
    indices = indices_into(target, index)
    if target._geometry.rank < 2:
        _reduce_numbers(with_dim(target), indices, with_dim(source), reduce, with_own=with_own)
    elif indices.size:
        _reduce_slices(target, dim, indices, source, reduce)
        if reduce == "mean":
            counts = counts_like(target, with_own=with_own)
            METHODS["index_add_"](counts, dim, index, counts_like(source, with_own=True))
            divide_sums(target, counts)


def _reduce_numbers(
    target: Tensor, indices: Any, source: Tensor, reduce: str, *, with_own: bool
) -> None:
    """Combine numbers with those of a tensor of one dimension; each result is rounded."""
    dtype = target._dtype
    if dtype not in NUMBERS:
        counts_like(target, with_own=with_own)  # torch makes it first
        raise_not_implemented("index_func_", dtype)
    if reduce == "mean":
        add_numbers(target, indices, source, 1)
        divide_sums(target, _counts(target, indices, with_own=with_own))
        return
    memory, values = raw_array(target), raw_array(source)
    if reads_written(memory, values, indices):
        for number, index in enumerate(valid_indices(indices, len(memory), out_of_range)):
            _combine_numbers(reduce, dtype, memory, np.array([index]), values[number, None])
        return
    count = count_before(indices, target._geometry.shape[0])
    _combine_numbers(reduce, dtype, memory, indices[:count], values[:count])
    if count < len(indices):
        raise out_of_range(indices[count])


def _combine_numbers(reduce: str, dtype: dtype, memory: Any, indices: Any, values: Any) -> None:
    if dtype not in HALVES:
        REDUCTIONS[reduce].update(memory, indices, values)
        return
    numbers = convert(np.ascontiguousarray(memory), dtype, FLOAT32)
    values = convert(np.ascontiguousarray(values), dtype, FLOAT32)
    if reduce == "prod":
        for selected in iter_rounds(indices):
            places = indices[selected]
            products = without_fp_warnings(np.multiply, numbers[places], values[selected])
            memory[places] = convert(products, FLOAT32, dtype)
            numbers[places] = convert(memory[places], dtype, FLOAT32)
        return
    REDUCTIONS[reduce].update(numbers, indices, values)
    memory[indices] = convert(numbers[indices], FLOAT32, dtype)


def _counts(target: Tensor, indices: Any, *, with_own: bool) -> Tensor:
    """Return the number of elements at each place, counted in the target's dtype."""
    dtype = target._dtype
    counts = np.bincount(indices, minlength=target._geometry.shape[0]) + with_own
    if dtype in HALVES:  # the next number is rounded to the largest one that is exact
        counts = np.minimum(counts, _LARGEST[dtype])
    if not is_native(dtype):
        raw = convert(counts.astype(np.float32), FLOAT32, dtype)
    else:
        raw = counts.astype(raw_array(target).dtype)
    return tensor_from_raw(raw, dtype, target._geometry.device)


_LARGEST = {FLOAT16: 2048, BFLOAT16: 256}


# Slices.


def _reduce_slices(target: Tensor, dim: int, indices: Any, source: Tensor, reduce: str) -> None:
    size = target._geometry.shape[dim]
    if not size:
        METHODS["select"](shallow_copy(target), dim, 0)  # raises
    if reduce == "mean":
        add_slices(target, dim, indices, source, 1)
        return
    check_no_overlap(first_slice(target, dim), first_slice(source, dim))
    combine = _multiply_slices if reduce == "prod" else _extreme_slices
    if may_share(raw_array(target), indices):
        for number, index in enumerate(valid_indices(indices, size, out_of_range)):
            row = _row(source, dim, number)
            combine(target, dim, np.array([index]), row, reduce)
        return
    count = count_before(indices, size)
    if count:
        combine(target, dim, indices[:count], source, reduce)
    if count < len(indices):
        raise out_of_range(indices[count])


def _row(source: Tensor, dim: int, number: int) -> Tensor:
    """Return one slice along a dimension, which has size 1."""
    shape, stride = source._geometry.shape, source._geometry.stride
    return plain_view(source, (*shape[:dim], 1, *shape[dim + 1 :]), stride, number * stride[dim])


def _are_apart(target: Tensor, source: Tensor) -> bool:
    memory = raw_array(target)
    return has_separate_elements(memory) and not may_share(memory, raw_array(source))


def _multiply_slices(target: Tensor, dim: int, indices: Any, source: Tensor, _: str) -> None:
    target, source = shallow_copy(target), shallow_copy(source)
    dtype = target._dtype
    if dtype in HALVES and first_slice(source, dim)._geometry.numel == 1 < len(indices):
        _multiply_by_number(target, dim, int(indices[0]), source)
    if dtype in BOOLS | NUMBERS and _are_apart(target, source):
        memory, values = (np.moveaxis(raw_array(x), dim, 0) for x in (target, source))
        for selected in iter_rounds(indices):
            places = indices[selected]
            left, right = (
                tensor_from_raw(np.ascontiguousarray(x), dtype, target._geometry.device)
                for x in (memory[places], values[: len(indices)][selected])
            )
            METHODS["mul_"](left, right)
            memory[places] = raw_array(left)
        return
    if dtype not in BOOLS | NUMBERS:
        for place, index in enumerate(indices.tolist()):
            row = METHODS["select"](target, dim, index)
            METHODS["mul_"](row, METHODS["select"](source, dim, place))
        return

    def multiply(*arrays: Any) -> Any:
        device = target._geometry.device
        left, right = (tensor_from_raw(np.array(x), dtype, device) for x in arrays)
        return raw_array(METHODS["mul_"](left, right))

    # Torch checks only the first slices for an overlap.
    memory, values = (np.moveaxis(raw_array(x), dim, 0) for x in (target, source))
    for place, index in enumerate(indices.tolist()):
        write_in_turn(multiply, memory[index, ...], [memory[index, ...], values[place, ...]])


def _multiply_by_number(target: Tensor, dim: int, index: int, source: Tensor) -> None:
    """Multiply the first slice, and raise for the second one.

    The kernel takes a number out of the TensorIterator, which torch then uses once more
    (binary_kernel_reduced_floating_vec_opmath_support_scalar in BinaryOpsKernel.cpp).
    """
    row = METHODS["select"](target, dim, index)
    METHODS["mul_"](row, METHODS["select"](source, dim, 0))
    raise RuntimeError(
        "iter.ninputs() == traits::arity INTERNAL ASSERT FAILED at"
        ' "/__w/pytorch/pytorch/aten/src/ATen/native/cpu/Loops.h":351, please report a bug to'
        " PyTorch. "
    )


def _extreme_slices(target: Tensor, dim: int, indices: Any, source: Tensor, reduce: str) -> None:
    dtype = target._dtype
    name = {"amax": "maximum", "amin": "minimum"}[reduce]
    if dtype not in BOOLS | NUMBERS:
        raise_not_implemented(f"{name}_cpu", dtype)
    memory, values = (np.moveaxis(raw_array(x), dim, 0) for x in (target, source))
    parts = [x._geometry for x in (first_slice(target, dim), first_slice(source, dim))]
    own, added = ((x.shape, x.stride) for x in parts)
    in_vector = vector_positions(own, (own, added))
    values = values[: len(indices)]
    rounds = iter_rounds(indices) if _are_apart(target, source) else range(len(indices))
    for selected in rounds:
        if isinstance(selected, int):
            selected = slice(selected, selected + 1)
        places = indices[selected]
        left, right = memory[places], values[selected]
        memory[places] = without_fp_warnings(_extreme, name, dtype, left, right, in_vector)


def _extreme(name: str, dtype: dtype, left: Any, right: Any, in_vector: Any) -> Any:
    """Return the raw extremes of raw elements as maximum and minimum do.

    Of equal zeros, vectors keep the right one, and loops the left one. A NaN has all bits in
    vectors, and none but that of a quiet one in loops.
    """
    extreme = getattr(np, name)
    if not dtype.is_floating_point:
        return extreme(left, right)
    if dtype in HALVES:
        left, right = (convert(np.ascontiguousarray(x), dtype, FLOAT32) for x in (left, right))
    result = extreme(left, right)
    result = np.where(left == right, np.where(in_vector, right, left), result)
    result = np.where(
        np.isnan(result), np.where(in_vector, all_bits(result.dtype), np.nan), result
    ).astype(result.dtype)
    return convert(result, FLOAT32, dtype) if dtype in HALVES else result
