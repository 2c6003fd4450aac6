"""Geometries of views of parts: select, slice, split, diagonal, unfold.

The functions follow the conventions of `view_shapes`.
"""

from collections.abc import Sequence

from .._runtime.errors import check
from .extents import INT64_MAX, Ints, as_int64
from .view_checks import View, check_numel, wrap_to_int64
from .view_shapes import wrap_dim, wrap_dim_nonscalar


def _divide(number: int, divisor: int) -> int:
    """Divide an int64 sum, which may have wrapped around, and round towards zero."""
    number = as_int64(number)
    return number // divisor if number >= 0 else -(-number // divisor)


def select(shape: Ints, stride: Ints, dim: int, index: int) -> View:
    """Return the view of one index of a dimension, without that dimension."""
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {[*shape]} at dimension {dim}"
        )
    offset = (index + size if index < 0 else index) * stride[dim]
    return shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :], offset


def slice(
    shape: Ints,
    stride: Ints,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> View:
    """Return the view of every ``step``-th index from ``start`` until ``end``."""
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    sizes, strides = [*shape], [*stride]
    offset = slice_dim(sizes, strides, dim, start or 0, INT64_MAX if end is None else end, step)
    return tuple(sizes), tuple(strides), offset


def slice_dim(
    sizes: list[int], strides: list[int], dim: int, start: int, end: int, step: int
) -> int:
    """Slice a dimension in place, and return the change of the storage offset."""
    size, stride = sizes[dim], strides[dim]
    if start < 0:
        start += size
        if start < 0:
            start = 0
    elif start > size:
        start = size
    if end < 0:
        end += size
    elif end > size:
        end = size
    if end < start:
        end = start
    sizes[dim] = length = end - start if step == 1 else _divide(end - start + step - 1, step)
    strides[dim] = stride * step
    if length < 0 or stride * step > INT64_MAX:
        _, strides[:], _ = wrap_to_int64(tuple(sizes), tuple(strides), 0)
    return start * stride


def narrow(shape: Ints, stride: Ints, dim: int, start: int, length: int) -> View:
    """Return the view of ``length`` indices of a dimension."""
    check(shape, lambda: "narrow() cannot be applied to a 0-dim tensor.")
    check(length >= 0, lambda: "narrow(): length must be non-negative.")
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= start <= size:
        raise IndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    first = start + size if start < 0 else start
    if first > size - length:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return (*shape[:dim], length, *shape[dim + 1 :]), stride, first * stride[dim]


def split(shape: Ints, stride: Ints, split_size: int | Ints, dim: int = 0) -> list[View]:
    """Return the views of parts of one size, the last one smaller, or of the sizes in a tuple."""
    check(shape, lambda: "split expects at least a 1-dimensional tensor")
    if isinstance(split_size, tuple):
        return _split_with_sizes(shape, stride, split_size, dim)
    # get_num_splits, ATen/native/TensorShape.h
    check(
        split_size >= 0,
        lambda: f"split expects split_size be non-negative, but got split_size={split_size}",
    )
    dim = wrap_dim(dim, len(shape))
    size = shape[dim]
    if not split_size and size:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}"
        )
    num_splits = max(_divide(size + split_size - 1, split_size), 1) if split_size else 1
    lengths = [split_size] * (num_splits - 1)
    return _parts(shape, stride, dim, [*lengths, size - split_size * (num_splits - 1)])


def _split_with_sizes(shape: Ints, stride: Ints, sizes: Ints, dim: int) -> list[View]:
    size = shape[wrap_dim(dim, len(shape))]
    if min(sizes, default=0) < 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries,"
            f" but got split_sizes={[*sizes]}"
        )
    if sum(sizes) != size:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size}"
            f" (input tensor's size at dimension {dim}), but got split_sizes={[*sizes]}"
        )
    return _parts(shape, stride, wrap_dim(dim, len(shape)), sizes)


def _parts(shape: Ints, stride: Ints, dim: int, lengths: Sequence[int]) -> list[View]:
    """Return the views of consecutive parts."""
    before, after, step = shape[:dim], shape[dim + 1 :], stride[dim]
    start, views = 0, []
    for length in lengths:
        views.append(((*before, length, *after), stride, start * step))
        start += length
    return views


def chunk(shape: Ints, stride: Ints, chunks: int, dim: int = 0) -> list[View]:
    """Return the views of at most ``chunks`` parts of one size, the last one smaller."""
    return split(shape, stride, chunk_size(shape, chunks, dim), dim)


def chunk_size(shape: Ints, chunks: int, dim: int = 0) -> int | Ints:
    """Return the size of each of at most ``chunks`` parts; of an empty dimension, all sizes."""
    check(shape, lambda: "chunk expects at least a 1-dimensional tensor")
    check(chunks > 0, lambda: f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = shape[wrap_dim(dim, len(shape))]
    return _divide(size + chunks - 1, chunks) if size else _vector_of_zeros(chunks)


def _vector_of_zeros(size: int) -> Ints:
    """Return zeros, or raise the error of a C++ vector."""
    check(size < _MAX_VECTOR_SIZE, lambda: "cannot create std::vector larger than max_size()")
    try:
        return (0,) * size
    except MemoryError:
        raise RuntimeError("std::bad_alloc") from None


def check_can_split(shape: Ints) -> None:
    """Raise if a tensor has no dimensions (tensor_split)."""
    if not shape:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )


_MAX_VECTOR_SIZE = 2**60
"""The sizes that a C++ vector of pointers cannot have start here."""


def tensor_split(shape: Ints, stride: Ints, sections: int, dim: int = 0) -> list[View]:
    """Return the views of ``sections`` parts; the first ones are larger by one."""
    check_can_split(shape)
    dim = wrap_dim(dim, len(shape))
    check(sections > 0, lambda: f"number of sections must be larger than 0, got {sections}")
    check(
        sections < _MAX_VECTOR_SIZE,
        lambda: "cannot create std::vector larger than max_size()",
    )
    min_length, num_larger = divmod(shape[dim], sections)
    try:
        lengths = [min_length + 1] * num_larger + [min_length] * (sections - num_larger)
    except MemoryError:
        raise RuntimeError("std::bad_alloc") from None
    return _parts(shape, stride, dim, lengths)


def tensor_split_at(shape: Ints, stride: Ints, indices: Ints, dim: int = 0) -> list[View]:
    """Return the views between indices, which need not be sorted."""
    check_can_split(shape)
    dim = wrap_dim(dim, len(shape))
    bounds = (0, *indices), (*indices, INT64_MAX)
    return [slice(shape, stride, dim, start, end) for start, end in zip(*bounds, strict=True)]


def unbind(shape: Ints, stride: Ints, dim: int = 0) -> list[View]:
    """Return the view of each index of a dimension, without that dimension."""
    dim = wrap_dim_nonscalar(dim, len(shape))
    rest, rest_stride = shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :]
    step = stride[dim]
    return [(rest, rest_stride, index * step) for index in range(shape[dim])]


def diagonal(shape: Ints, stride: Ints, offset: int = 0, dim1: int = 0, dim2: int = 1) -> View:
    """Return the view of a diagonal of two dimensions, which becomes the last dimension."""
    rank = len(shape)
    row, column = wrap_dim(dim1, rank), wrap_dim(dim2, rank)
    if row == column:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    height, width, row_step, column_step = shape[row], shape[column], stride[row], stride[column]
    if offset >= 0:
        length, moved_by = min(height, width - offset), offset * column_step
    else:
        length, moved_by = min(height + offset, width), -offset * row_step
    if length <= 0:
        length = moved_by = 0
    sizes, strides = [*shape, length], [*stride, row_step + column_step]
    for dim in (row, column) if row > column else (column, row):
        del sizes[dim], strides[dim]
    if row_step + column_step > INT64_MAX:
        return wrap_to_int64(tuple(sizes), tuple(strides), moved_by)
    return tuple(sizes), tuple(strides), moved_by


def unfold(shape: Ints, stride: Ints, dimension: int, size: int, step: int) -> View:
    """Return the view of all windows of a dimension; their elements become the last dimension.

    >>> unfold((7,), (1,), 0, 3, 2)
    ((3, 3), (2, 1), 0)
    """
    rank = len(shape)
    dim = wrap_dim(dimension, rank)
    dim_size, dim_stride = (shape[dim], stride[dim]) if rank else (1, 1)
    check(size >= 0, lambda: f"size is {size} but must be >= 0")
    check(
        size <= dim_size,
        lambda: f"maximum size for tensor at dimension {dim} is {dim_size} but size is {size}",
    )
    check(step > 0, lambda: f"step is {step} but must be > 0")
    if not rank:
        return (size,), (1,), 0
    windows, window_step = (dim_size - size) // step + 1, dim_stride * step
    new_shape = *shape[:dim], windows, *shape[dim + 1 :], size
    new_stride = *stride[:dim], window_step, *stride[dim + 1 :], dim_stride
    if window_step > INT64_MAX:
        return wrap_to_int64(new_shape, new_stride, 0)
    if not dim_stride:
        check_numel(new_shape)  # overlapping windows of an expanded dimension may exceed int64
    return new_shape, new_stride, 0
