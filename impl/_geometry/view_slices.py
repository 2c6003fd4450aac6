"""What views of parts do to geometry: one place, slices, pieces, diagonals, windows.

The functions are of the kind that `views` describes.
"""

from collections.abc import Sequence

from .._runtime.errors import check
from .extents import Ints, as_int64
from .view_shapes import INT64_MAX, View, check_numel, wrap_dim, wrap_dim_nonscalar, wrapped_around


def _divide(number: int, divisor: int) -> int:
    """Divide a sum that may have wrapped around, rounding towards zero as C does."""
    number = as_int64(number)
    return number // divisor if number >= 0 else -(-number // divisor)


def select(shape: Ints, stride: Ints, dim: int, index: int) -> View:
    """Return the view of one place in a dimension, without that dimension."""
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
    """Return the view of every ``step``-th place from ``start`` to before ``end``."""
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    sizes, strides = [*shape], [*stride]
    offset = cut(sizes, strides, dim, start or 0, INT64_MAX if end is None else end, step)
    return tuple(sizes), tuple(strides), offset


def cut(sizes: list[int], strides: list[int], dim: int, start: int, end: int, step: int) -> int:
    """Slice a dimension in place, and return how far the offset moves."""
    size, apart = sizes[dim], strides[dim]
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
    strides[dim] = apart * step
    if length < 0 or apart * step > INT64_MAX:
        _, strides[:], _ = wrapped_around(tuple(sizes), tuple(strides), 0)
    return start * apart


def narrow(shape: Ints, stride: Ints, dim: int, start: int, length: int) -> View:
    """Return the view of ``length`` places of a dimension."""
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
    """Return the views of parts of a size, the last one smaller, or of the sizes in a tuple."""
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
    check(
        split_size or not size,
        lambda: (
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}"
        ),
    )
    parts = max(_divide(size + split_size - 1, split_size), 1) if split_size else 1
    lengths = [split_size] * (parts - 1)
    return _parts(shape, stride, dim, [*lengths, size - split_size * (parts - 1)])


def _split_with_sizes(shape: Ints, stride: Ints, sizes: Ints, dim: int) -> list[View]:
    size = shape[wrap_dim(dim, len(shape))]
    check(
        min(sizes, default=0) >= 0,
        lambda: (
            "split_with_sizes expects split_sizes have only non-negative entries,"
            f" but got split_sizes={[*sizes]}"
        ),
    )
    check(
        sum(sizes) == size,
        lambda: (
            f"split_with_sizes expects split_sizes to sum exactly to {size}"
            f" (input tensor's size at dimension {dim}), but got split_sizes={[*sizes]}"
        ),
    )
    return _parts(shape, stride, wrap_dim(dim, len(shape)), sizes)


def _parts(shape: Ints, stride: Ints, dim: int, lengths: Sequence[int]) -> list[View]:
    """Return the views of parts that follow one another."""
    before, after, step = shape[:dim], shape[dim + 1 :], stride[dim]
    start, views = 0, []
    for length in lengths:
        views.append(((*before, length, *after), stride, start * step))
        start += length
    return views


def chunk(shape: Ints, stride: Ints, chunks: int, dim: int = 0) -> list[View]:
    """Return the views of at most ``chunks`` parts of one size, the last one smaller."""
    check(shape, lambda: "chunk expects at least a 1-dimensional tensor")
    check(chunks > 0, lambda: f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = shape[wrap_dim(dim, len(shape))]
    split_size = _divide(size + chunks - 1, chunks)
    return split(shape, stride, (0,) * chunks if size == 0 else split_size, dim)


def check_can_split(shape: Ints) -> None:
    """Refuse to split what has no dimensions (tensor_split)."""
    check(
        shape,
        lambda: (
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        ),
    )


def tensor_split(shape: Ints, stride: Ints, sections: int, dim: int = 0) -> list[View]:
    """Return the views of ``sections`` parts, the first ones larger by one."""
    check_can_split(shape)
    dim = wrap_dim(dim, len(shape))
    check(sections > 0, lambda: f"number of sections must be larger than 0, got {sections}")
    least, larger = divmod(shape[dim], sections)
    lengths = [least + 1] * larger + [least] * (sections - larger)
    return _parts(shape, stride, dim, lengths)


def tensor_split_at(shape: Ints, stride: Ints, indices: Ints, dim: int = 0) -> list[View]:
    """Return the views between some places, which need not be in order."""
    check_can_split(shape)
    dim = wrap_dim(dim, len(shape))
    bounds = (0, *indices), (*indices, INT64_MAX)
    return [slice(shape, stride, dim, start, end) for start, end in zip(*bounds, strict=True)]


def unbind(shape: Ints, stride: Ints, dim: int = 0) -> list[View]:
    """Return the view of each place in a dimension, without that dimension."""
    dim = wrap_dim_nonscalar(dim, len(shape))
    rest, rest_stride = shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :]
    step = stride[dim]
    return [(rest, rest_stride, index * step) for index in range(shape[dim])]


def diagonal(shape: Ints, stride: Ints, offset: int = 0, dim1: int = 0, dim2: int = 1) -> View:
    """Return the view of a diagonal of two dimensions, which becomes the last one."""
    rank = len(shape)
    row, column = wrap_dim(dim1, rank), wrap_dim(dim2, rank)
    if row == column:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    height, width, down, right = shape[row], shape[column], stride[row], stride[column]
    if offset >= 0:
        length, moved = min(height, width - offset), offset * right
    else:
        length, moved = min(height + offset, width), -offset * down
    if length <= 0:
        length = moved = 0
    sizes, strides = [*shape, length], [*stride, down + right]
    for dim in (row, column) if row > column else (column, row):
        del sizes[dim], strides[dim]
    if down + right > INT64_MAX:
        return wrapped_around(tuple(sizes), tuple(strides), moved)
    return tuple(sizes), tuple(strides), moved


def unfold(shape: Ints, stride: Ints, dimension: int, size: int, step: int) -> View:
    """Return the view of all windows on a dimension; their places become the last dimension.

    >>> unfold((7,), (1,), 0, 3, 2)
    ((3, 3), (2, 1), 0)
    """
    rank = len(shape)
    dim = wrap_dim(dimension, rank)
    whole, apart = (shape[dim], stride[dim]) if rank else (1, 1)
    check(size >= 0, lambda: f"size is {size} but must be >= 0")
    check(
        size <= whole,
        lambda: f"maximum size for tensor at dimension {dim} is {whole} but size is {size}",
    )
    check(step > 0, lambda: f"step is {step} but must be > 0")
    if not rank:
        return (size,), (1,), 0
    windows, leap = (whole - size) // step + 1, apart * step
    new = *shape[:dim], windows, *shape[dim + 1 :], size
    new_stride = *stride[:dim], leap, *stride[dim + 1 :], apart
    if leap > INT64_MAX:
        return wrapped_around(new, new_stride, 0)
    if not apart:
        check_numel(new)  # windows that overlap may be more than an expanded tensor can hold
    return new, new_stride, 0
