"""What views do to geometry, in plain integers; no tensor is known here.

A function takes a shape, the strides and arguments that are parsed already,
and returns the shape, the strides and the number of elements by which the
storage offset moves.  It raises torch's errors in torch's order.  Where the
size of an element counts (`as_strided`, `view_dtype`, `view_as_real`,
`view_as_complex`), the third is the new storage offset itself.

The rules are those of aten/src/ATen/native/TensorShape.cpp.  It counts in 64
bits that wrap around; so does this, where only absurd arguments can tell.
"""

import warnings
from builtins import slice as Slice  # noqa: N812  # the function `slice` below is torch's
from collections.abc import Sequence
from math import prod
from operator import index as as_index
from typing import Any, NoReturn

from .errors import check, type_name
from .strides import contiguous, infer_size, numel, reshape_stride, storage_size

Ints = tuple[int, ...]
View = tuple[Ints, Ints, int]
"""A view's shape, its strides, and the elements by which its storage offset is moved."""

_INT64_MAX = 2**63 - 1
_SMALLEST = -(2**62)
"""The smallest integer that torch can tell from a symbolic one (c10/core/SymInt.h)."""

_TRIGGERED = "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:"
T_WARNING = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated"
    " and it will throw an error in a future release. Consider `x.mT` to transpose batches of"
    " matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a"
    f" tensor. {_TRIGGERED}4314.)"
)
"""What ``x.T`` warns of once, as a UserWarning, unless the rank is 2 or 0."""

_IDENTITY = "deprecated on 0-D tensors. This function is the identity in these cases."
_CONJUGATE = "deprecated on 0-D tensors. Consider using x.conj()."
ZERO_DIM_WARNINGS = {
    "T": f"Tensor.T is {_IDENTITY} {_TRIGGERED}4321.)",
    "H": f"Tensor.H is {_CONJUGATE} {_TRIGGERED}4335.)",
    "mT": f"Tensor.mT is {_IDENTITY} {_TRIGGERED}4373.)",
    "mH": f"Tensor.mH is {_CONJUGATE} {_TRIGGERED}4382.)",
    "adjoint": f"adjoint() is {_CONJUGATE} {_TRIGGERED}4390.)",
}
"""What these warn of once, as a UserWarning, if the rank is 0."""


# Dimensions.


def wrap_dim(dim: int, rank: int) -> int:
    """Return a dimension counted from the front; a tensor of rank 0 has the dimensions 0 and -1.

    >>> wrap_dim(-1, 3), wrap_dim(1, 3), wrap_dim(-1, 0)
    (2, 1, 0)
    """
    if -rank <= dim < rank:
        return dim + rank if dim < 0 else dim
    rank = rank or 1
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}],"
            f" but got {dim})"
        )
    return 0


def wrap_dims(dims: Sequence[int], rank: int) -> Ints:
    """Return dimensions counted from the front; one may come up more than once."""
    return tuple([wrap_dim(dim, rank) for dim in dims])


def distinct_dims(dims: Sequence[int], rank: int) -> Ints:
    """Return dimensions counted from the front, or raise if one comes up more than once."""
    # dim_list_to_bitset, ATen/WrapDimUtilsMulti.h
    if rank > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    seen: list[int] = []
    for dim in dims:
        wrapped = wrap_dim(dim, rank)
        if wrapped in seen:
            raise RuntimeError(f"dim {wrapped} appears multiple times in the list of dims")
        seen.append(wrapped)
    return tuple(seen)


def existing_dim(dim: int, rank: int) -> int:
    """Return a dimension counted from the front of a tensor that has any."""
    dim = wrap_dim(dim, rank)
    if not rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return dim


# The checks of as_strided, which nearly all views are made with (ATen/native/Resize.h).


def _int64(value: int) -> int:
    """Wrap a number around, as 64-bit arithmetic does."""
    return (value + 2**63) % 2**64 - 2**63


def _divide(number: int, divisor: int) -> int:
    """Divide a sum that may have wrapped around, rounding towards zero as C does."""
    number = _int64(number)
    return number // divisor if number >= 0 else -(-number // divisor)


def _unsigned(shape: Ints) -> Ints:
    return shape if min(shape, default=0) >= 0 else tuple([size % 2**64 for size in shape])


def _check_numel(shape: Ints) -> None:
    """Raise if there are more elements than int64 can count; a negative size counts as unsigned."""
    numel(_unsigned(shape))


def _check_strides(stride: Ints) -> None:
    if min(stride, default=0) < 0:
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment,"
            f" got strides: {[*stride]}"
        )


def _bytes_needed(shape: Ints, stride: Ints, offset: int, itemsize: int) -> int:
    """Return how long a storage has to be; 0 if there are no elements."""
    needed = storage_size(_unsigned(shape), stride, offset) * itemsize
    if needed > _INT64_MAX:
        strides = f" and strides={[*stride]}" if stride else ""
        raise RuntimeError(f"Storage size calculation overflowed with sizes={[*shape]}{strides}")
    return needed


def _wrapped_around(shape: Ints, stride: Ints, offset: int) -> View:
    """Return what torch makes of a geometry in which a size or stride is beyond int64."""
    shape, stride = tuple(map(_int64, shape)), tuple(map(_int64, stride))
    least = min(shape + stride)
    check(
        least >= _SMALLEST,
        lambda: f"IntArrayRef contains an int that cannot be represented as a SymInt: {least}",
    )
    _check_strides(stride)
    _bytes_needed(shape, stride, 0, 1)
    _check_numel(shape)
    return shape, stride, offset


def as_strided(
    size: Ints,
    stride: Ints,
    storage_offset: int | None,
    *,
    storage_bytes: int,
    itemsize: int,
    current_offset: int,
) -> View:
    """Return the geometry that is asked for, with its storage offset, if the storage holds it."""
    offset = current_offset if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    _check_strides(stride)
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    needed = _bytes_needed(size, stride, offset, itemsize)
    if needed > storage_bytes:
        raise RuntimeError(
            f"setStorage: sizes {[*size]}, strides {[*stride]}, storage offset {offset},"
            f" and itemsize {itemsize} requiring a storage size of {needed}"
            f" are out of bounds for storage of size {storage_bytes}"
        )
    _check_numel(size)
    return size, stride, offset


# Other shapes.


def reshape(shape: Ints, stride: Ints, size: Ints) -> View | None:
    """Return the view of another shape, or None where only a copy can have it.

    >>> reshape((2, 6), (6, 1), (4, -1)), reshape((2, 3), (1, 2), (6,))
    (((4, 3), (3, 1), 0), None)
    """
    count = numel(shape)
    size = infer_size(size, count)
    new_stride = _strides_of_view(shape, stride, size, count)
    if new_stride is not None:
        return size, new_stride, 0
    if prod(size) != count:  # the product wrapped around: torch fails when it views the copy
        _strides_of_view(shape, contiguous(shape), size, count)
        raise RuntimeError(_NO_VIEW)
    return None


def view(shape: Ints, stride: Ints, size: Ints) -> View:
    """Return the view of another shape, or raise where only a copy can have it."""
    count = numel(shape)
    size = infer_size(size, count)
    new_stride = _strides_of_view(shape, stride, size, count)
    if new_stride is None:
        raise RuntimeError(_NO_VIEW)
    return size, new_stride, 0


_NO_VIEW = (
    "view size is not compatible with input tensor's size and stride (at least one dimension"
    " spans across two contiguous subspaces). Use .reshape(...) instead."
)


def _strides_of_view(shape: Ints, stride: Ints, size: Ints, count: int) -> Ints | None:
    """Return the strides that show ``count`` elements in another shape; None if there are none."""
    new_stride = reshape_stride(shape, stride, size)
    if new_stride is None or (count and prod(size) == count):
        return new_stride
    # Those below 0 are made contiguous: TensorImpl::set_sizes_and_strides, c10/core/TensorImpl.h.
    strides = [*new_stride]
    for dim in range(len(strides) - 2, -1, -1):
        if strides[dim] < 0:
            strides[dim] = max(size[dim + 1], 1) * strides[dim + 1]
            check(strides[dim] <= _INT64_MAX, lambda: "Stride calculation overflowed")
    _check_numel(size)
    return tuple(strides)


def flatten(shape: Ints, start_dim: int, end_dim: int) -> Ints | None:
    """Return the size to which flattening reshapes; None stands for the tensor itself."""
    rank = len(shape)
    start, end = wrap_dim(start_dim, rank), wrap_dim(end_dim, rank)
    check(start <= end, lambda: "flatten() has invalid args: start_dim cannot come after end_dim")
    if not rank:
        return (1,)
    if start == end:
        return None
    return *shape[:start], _int64(prod(shape[start : end + 1])), *shape[end + 1 :]


def unflatten(shape: Ints, dim: int, sizes: Ints) -> Ints:
    """Return the size of the view in which a dimension is split up."""
    check(sizes, lambda: "unflatten: sizes must be non-empty")
    dim = wrap_dim(dim, len(shape))
    try:
        inferred = infer_size(sizes, shape[existing_dim(dim, len(shape))])
    except (RuntimeError, IndexError) as error:
        if "is invalid for input of size" not in str(error):
            # Here torch adds a trace of its C++ stack.
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {[*sizes]} don't multiply up to the size of dim {dim}"
            f" ({shape[dim]}) in the input tensor"
        ) from None
    return *shape[:dim], *inferred, *shape[dim + 1 :]


def expand(shape: Ints, stride: Ints, size: Ints, type_string: str) -> View:
    """Return the view in which dimensions of size 1 are repeated; -1 keeps a size.

    ``type_string`` is what torch's message calls the tensor, such as torch.FloatTensor.

    >>> expand((3, 1), (1, 1), (2, -1, 4), "torch.FloatTensor")
    ((2, 3, 4), (0, 1, 0), 0)
    """
    rank, new_rank = len(shape), len(size)
    extra = new_rank - rank
    check(
        extra >= 0,
        lambda: (
            f"expand({type_string}{{{[*shape]}}}, size={[*size]}): the number of sizes provided"
            f" ({new_rank}) must be greater or equal to the number of dimensions in the tensor"
            f" ({rank})"
        ),
    )
    if not rank:
        _check_numel(size)
        return size, (0,) * new_rank, 0
    new_shape, new_stride = [0] * new_rank, [0] * new_rank
    repeated = overflowed = False
    # inferExpandGeometry, ATen/ExpandUtils.cpp, goes from the last dimension to the first.
    for dim in range(new_rank - 1, -1, -1):
        target = size[dim]
        if dim >= extra:
            own, step = shape[dim - extra], stride[dim - extra]
            if target == -1:
                target = own
        else:
            own, step = 1, new_shape[dim + 1] * new_stride[dim + 1]
            if target == -1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({target}) isn't allowed in a leading,"
                    f" non-existing dimension {dim}"
                )
        if own != target:
            if own != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({target}) must match the existing size"
                    f" ({own}) at non-singleton dimension {dim}.  Target sizes: {[*size]}."
                    f"  Tensor sizes: {[*shape]}"
                )
            step, repeated = 0, True
        elif step > _INT64_MAX:
            step, overflowed = _int64(step), True
        new_shape[dim], new_stride[dim] = target, step
    if overflowed:
        return _wrapped_around(tuple(new_shape), tuple(new_stride), 0)
    if repeated:
        _check_numel(tuple(new_shape))
    return tuple(new_shape), tuple(new_stride), 0


# Other orders of the dimensions.


def transpose(shape: Ints, stride: Ints, dim0: int, dim1: int) -> View:
    """Return the view with two dimensions exchanged."""
    rank = len(shape)
    dim0, dim1 = wrap_dim(dim0, rank), wrap_dim(dim1, rank)
    if dim0 == dim1:
        return shape, stride, 0
    sizes, strides = [*shape], [*stride]
    sizes[dim0], sizes[dim1] = sizes[dim1], sizes[dim0]
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    return tuple(sizes), tuple(strides), 0


swapaxes = swapdims = transpose


def permute(shape: Ints, stride: Ints, dims: Ints) -> View:
    """Return the view with its dimensions in another order."""
    rank = len(shape)
    if len(dims) != rank:
        # Torch names sparse_coo here, whatever the layout.
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the"
            f" length of the desired ordering of dimensions i.e. input.dim() = {rank}"
            f" is not equal to len(dims) = {len(dims)}"
        )
    order = [dim if 0 <= dim < rank else wrap_dim(dim, rank) for dim in dims]
    if len({*order}) != rank:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return tuple([shape[dim] for dim in order]), tuple([stride[dim] for dim in order]), 0


def movedim(shape: Ints, stride: Ints, source: int | Ints, destination: int | Ints) -> View:
    """Return the view with some dimensions moved, the others in their order."""
    if isinstance(source, int):
        source = (source,)
    if isinstance(destination, int):
        destination = (destination,)
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({[*source]} dims) should"
            f" contain the same number of dims as destination ({[*destination]} dims)"
        )
    rank = len(shape)
    sources, destinations = wrap_dims(source, rank), wrap_dims(destination, rank)
    if len({*sources}) != len(sources):
        raise RuntimeError(f"movedim: repeated dim in `source` ({[*source]})")
    if len({*destinations}) != len(destinations):
        raise RuntimeError(f"movedim: repeated dim in `destination` ({[*destination]})")
    if not rank:
        return shape, stride, 0
    order = [dim for dim in range(rank) if dim not in sources]
    for place, dim in sorted(zip(destinations, sources, strict=True)):
        order.insert(place, dim)
    return tuple([shape[dim] for dim in order]), tuple([stride[dim] for dim in order]), 0


def numpy_t(shape: Ints, stride: Ints) -> View:
    """Return ``x.T``: all dimensions reversed.  Of a rank other than 2, the caller warns."""
    return shape[::-1], stride[::-1], 0


def t(shape: Ints, stride: Ints) -> View:
    """Return ``x.t()``: a matrix transposed; less than a matrix as it is."""
    check(
        len(shape) <= 2,
        lambda: f"t() expects a tensor with <= 2 dimensions, but self is {len(shape)}D",
    )
    return shape[::-1], stride[::-1], 0


def matrix_transpose(shape: Ints, stride: Ints, name: str) -> View:
    """Return ``x.mT``, ``x.mH`` or ``x.adjoint()``; the caller conjugates, and warns of rank 0."""
    rank = len(shape)
    if rank == 1:
        raise RuntimeError(
            f"tensor.{name}{'()' if name == 'adjoint' else ''} is only supported on matrices or"
            " batches of matrices. Got 1-D tensor."
        )
    return (shape, stride, 0) if not rank else transpose(shape, stride, -2, -1)


def matrix_h(shape: Ints, stride: Ints) -> View:
    """Return ``x.H``; the caller conjugates, and warns of rank 0."""
    rank = len(shape)
    if rank not in (0, 2):
        batches = "" if rank < 2 else " For batches of matrices, consider using tensor.mH"
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {rank}-D tensor.{batches}"
        )
    return shape[::-1], stride[::-1], 0


# Dimensions of size 1.


def unsqueeze(shape: Ints, stride: Ints, dim: int) -> View:
    """Return the view with a dimension of size 1 more."""
    dim = wrap_dim(dim, len(shape) + 1)
    step = shape[dim] * stride[dim] if dim < len(shape) else 1
    new = *shape[:dim], 1, *shape[dim:]
    new_stride = *stride[:dim], step, *stride[dim:]
    return (new, new_stride, 0) if step <= _INT64_MAX else _wrapped_around(new, new_stride, 0)


def squeeze(shape: Ints, stride: Ints, dim: int | Ints | None = None) -> View:
    """Return the view without dimensions of size 1: all, or those that are named and have it."""
    if dim is None:
        kept = [at for at, size in enumerate(shape) if size != 1]
    elif isinstance(dim, tuple):
        gone = distinct_dims(dim, len(shape))
        kept = [at for at, size in enumerate(shape) if size != 1 or at not in gone]
    else:
        dim = wrap_dim(dim, len(shape))
        if not shape or shape[dim] != 1:
            return shape, stride, 0
        return shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :], 0
    return tuple([shape[at] for at in kept]), tuple([stride[at] for at in kept]), 0


# Parts.


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
    offset = _cut(sizes, strides, dim, start or 0, _INT64_MAX if end is None else end, step)
    return tuple(sizes), tuple(strides), offset


def _cut(sizes: list[int], strides: list[int], dim: int, start: int, end: int, step: int) -> int:
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
    if length < 0 or apart * step > _INT64_MAX:
        _, strides[:], _ = _wrapped_around(tuple(sizes), tuple(strides), 0)
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


def unbind(shape: Ints, stride: Ints, dim: int = 0) -> list[View]:
    """Return the view of each place in a dimension, without that dimension."""
    dim = existing_dim(dim, len(shape))
    rest, rest_stride = shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :]
    step = stride[dim]
    return [(rest, rest_stride, place * step) for place in range(shape[dim])]


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
    if down + right > _INT64_MAX:
        return _wrapped_around(tuple(sizes), tuple(strides), moved)
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
    if leap > _INT64_MAX:
        return _wrapped_around(new, new_stride, 0)
    if not apart:
        _check_numel(new)  # windows that overlap may be more than an expanded tensor can hold
    return new, new_stride, 0


# Elements of another size.  The third result is the new storage offset.


def view_dtype(
    shape: Ints,
    stride: Ints,
    offset: int,
    old_itemsize: int,
    new_itemsize: int,
    old_name: str,
    new_name: str,
) -> View:
    """Return the geometry of ``x.view(dtype)``.  The names are those of ScalarType, such as Float."""
    if old_itemsize == new_itemsize:
        return shape, stride, offset
    names = old_name, new_name
    if not shape:
        _refuse_dtype("dim() cannot be 0", names)
    if old_itemsize > new_itemsize:
        if stride[-1] != 1:
            _refuse_dtype("stride(-1) must be 1", names, stride[-1])
        ratio = old_itemsize // new_itemsize
        finer = *[step * ratio for step in stride[:-1]], 1
        return (*shape[:-1], shape[-1] * ratio), finer, offset * ratio
    ratio = new_itemsize // old_itemsize
    if shape[-1] % ratio:
        _refuse_dtype(f"size(-1) must be divisible by {ratio}", names, shape[-1])
    if offset % ratio:
        _refuse_dtype(f"storage_offset() must be divisible by {ratio}", names, offset)
    if stride[-1] != 1:
        _refuse_dtype("stride(-1) must be 1", names, stride[-1])
    for dim, step in enumerate(stride[:-1]):
        if step % ratio:
            _refuse_dtype(f"stride({dim}) must be divisible by {ratio}", names, step)
    coarser = *[step // ratio for step in stride[:-1]], 1
    return (*shape[:-1], shape[-1] // ratio), coarser, offset // ratio


def _refuse_dtype(rule: str, names: tuple[str, str], found: int | None = None) -> NoReturn:
    got = "" if found is None else f", but got {found}"
    raise RuntimeError(
        f"self.{rule} to view {names[0]} as {names[1]} (different element sizes){got}"
    )


def view_as_real(
    shape: Ints, stride: Ints, offset: int, *, is_complex: bool, is_conj: bool = False
) -> View:
    """Return complex numbers as pairs of reals: a last dimension of size 2 more."""
    check(is_complex, lambda: "view_as_real is only supported for complex tensors")
    check(
        not is_conj,
        lambda: (
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate"
            " tensor so you can view it as real, use self.resolve_conj(); however, be warned that"
            " the resulting tensor will NOT alias the original."
        ),
    )
    return (*shape, 2), (*[2 * step for step in stride], 1), 2 * offset


def view_as_complex(shape: Ints, stride: Ints, offset: int, scalar_type: str) -> View:
    """Return pairs of reals, which are the last dimension, as complex numbers."""
    check(
        scalar_type in ("Half", "Float", "Double"),
        lambda: (
            "view_as_complex is only supported for half, float and double tensors,"
            f" but got a tensor of scalar type: {scalar_type}"
        ),
    )
    check(shape, lambda: "Input tensor must have one or more dimensions")
    check(shape[-1] == 2, lambda: "Tensor must have a last dimension of size 2")
    check(stride[-1] == 1, lambda: "Tensor must have a last dimension with stride 1")
    pairs = zip(shape[:-1], stride, strict=False)
    check(
        not any(step % 2 and size != 1 for size, step in pairs),
        lambda: "Tensor must have a stride divisible by 2 for all but last dimension",
    )
    check(offset % 2 == 0, lambda: "Tensor must have a storage_offset divisible by 2")
    return shape[:-1], tuple([step // 2 for step in stride[:-1]]), offset // 2


# Basic indexing (torch/csrc/autograd/python_variable_indexing.cpp, ATen/TensorIndexing.h).


def index(shape: Ints, stride: Ints, item: Any) -> tuple[Ints, Ints, int, int | None]:
    """Return what ``x[item]`` is, for an item without tensors and sequences in it.

    The item is what ``__getitem__`` gets: a tuple, or one index; NumPy's integers are to be plain
    ones.  The fourth result is None for a view.  With booleans in it, the item asks for a copy:
    the result is made of the elements that the view shows, and the fourth is the dimension that
    the booleans make together, of size 1, or 0 if one of them is False, and of stride 0 in the
    view.  Indices that are set are the same, but for ``x[False] = value``, which does nothing.

    >>> index((2, 3), (3, 1), (1, ..., None)), index((2, 3), (3, 1), (1, True))
    (((3, 1), (1, 1), 3, None), ((1, 3), (0, 1), 3, 0))
    """
    if type(item) is int and shape and -shape[0] <= item < shape[0]:
        return shape[1:], stride[1:], (item % shape[0]) * stride[0], None
    rank = len(shape)
    items = item if isinstance(item, tuple) else (item,)
    if items is not item and isinstance(item, int | Slice):
        given = 1  # of a rank of 0, torch says more about a single index
    else:
        given = sum(
            [each is not None and each is not ... and type(each) is not bool for each in items]
        )
        check(given <= rank, lambda: f"too many indices for tensor of dimension {rank}", IndexError)
    sizes, strides, offset, dim = [*shape], [*stride], 0, 0
    flags: list[int] = []
    matched = True
    for position, each in enumerate(items):
        if isinstance(each, Slice):
            offset += _slice_in_place(sizes, strides, dim, *_slice_bounds(each))
            dim += 1
        elif each is ...:
            # Torch lets a second ellipsis pass, and skips as many dimensions once more.
            dim += rank - given
        elif each is None or type(each) is bool:
            _unsqueeze_in_place(sizes, strides, dim)
            if each is not None:
                flags.append(dim)
                matched = matched and each
            dim += 1
        else:
            offset += _select_in_place(sizes, strides, dim, _integer(each), position)
    if not flags:
        return tuple(sizes), tuple(strides), offset, None
    # All booleans make one dimension; it comes first, unless they stand side by side.
    made = flags[0] if flags[-1] - flags[0] == len(flags) - 1 else 0
    for flag in reversed(flags):
        del sizes[flag], strides[flag]
    sizes.insert(made, int(matched))
    strides.insert(made, 0)
    return tuple(sizes), tuple(strides), offset, made


def _unsqueeze_in_place(sizes: list[int], strides: list[int], dim: int) -> None:
    step = sizes[dim] * strides[dim] if dim < len(sizes) else 1
    sizes.insert(wrap_dim(dim, len(sizes) + 1), 1)
    strides.insert(dim, step)
    if step > _INT64_MAX:
        _, strides[:], _ = _wrapped_around(tuple(sizes), tuple(strides), 0)


def _select_in_place(
    sizes: list[int], strides: list[int], dim: int, place: int, position: int
) -> int:
    """Take one place of a dimension, and return how far the offset moves."""
    size = sizes[dim] if dim < len(sizes) else 0  # past the end torch reads a 0
    if -size <= place < size:
        del sizes[dim]
        return (place + size if place < 0 else place) * strides.pop(dim)
    if not sizes and not place:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or"
            " `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    raise IndexError(f"index {place} is out of bounds for dimension {position} with size {size}")


def _slice_in_place(
    sizes: list[int], strides: list[int], dim: int, start: int, stop: int, step: int
) -> int:
    """Slice a dimension, and return how far the offset moves."""
    if dim < len(sizes):
        return _cut(sizes, strides, dim, start, stop, step)
    if not sizes:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    # Past the end torch reads a size of 0, and skips a slice that is the whole of that.
    if not (start == 0 and stop >= 0 and step == 1):
        wrap_dim(dim, len(sizes))
    return 0


def _slice_bounds(bounds: Slice) -> tuple[int, int, int]:
    """Return start, stop and step of a slice."""
    start, stop, step = bounds.start, bounds.stop, bounds.step
    step = 1 if step is None else _slice_bound(step)
    start = 0 if start is None else _slice_bound(start)
    stop = _INT64_MAX if stop is None else _slice_bound(stop)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    return start, stop, step


def _slice_bound(value: Any) -> int:
    """Return a bound as torch reads it: an integer that is cut to what torch can tell."""
    if type(value) is not int:
        if not hasattr(type(value), "__index__"):
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        value = as_index(value)
    if value > _INT64_MAX:
        return _INT64_MAX
    if value < _SMALLEST:
        warnings.warn(
            "Truncating the start/stop/step of slice. This is likely because of saved old models"
            " when the start/stop/step were larger.",
            UserWarning,
            stacklevel=5,  # whoever called what called index()
        )
        return _SMALLEST
    return int(value)


def _integer(value: Any) -> int:
    """Return an index that is an integer, or can be taken as one."""
    if type(value) is not int:
        try:
            value = as_index(value)
        except Exception:  # noqa: BLE001  # whatever __index__ raises, torch drops it
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables"
                f" are valid indices (got {type_name(value)})"
            ) from None
    if not -_INT64_MAX - 1 <= value <= _INT64_MAX:
        raise ValueError("Overflow when unpacking long long")
    return int(value)
