"""Geometries of views with another shape or dimension order, in plain integers.

A view function takes a shape, strides and parsed arguments.  It returns the shape, the
strides and the change of the storage offset, and raises torch's errors in torch's order.

The rules are those of aten/src/ATen/native/TensorShape.cpp, with int64 that wraps around.
"""

from collections.abc import Sequence
from math import prod

from .._runtime.errors import check
from .broadcasting import infer_size, reshape_stride
from .extents import INT64_MAX, Ints, as_int64, numel, replace_negative_strides
from .strides import contiguous
from .view_checks import View, check_numel, stride_of_new_dim, wrap_to_int64

_TRIGGERED = "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:"
T_WARNING = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated"
    " and it will throw an error in a future release. Consider `x.mT` to transpose batches of"
    " matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a"
    f" tensor. {_TRIGGERED}4314.)"
)
"""The UserWarning, shown once, of ``x.T`` if the rank is neither 2 nor 0."""

_IDENTITY = "deprecated on 0-D tensors. This function is the identity in these cases."
_CONJUGATE = "deprecated on 0-D tensors. Consider using x.conj()."
ZERO_DIM_WARNINGS = {
    "T": f"Tensor.T is {_IDENTITY} {_TRIGGERED}4321.)",
    "H": f"Tensor.H is {_CONJUGATE} {_TRIGGERED}4335.)",
    "mT": f"Tensor.mT is {_IDENTITY} {_TRIGGERED}4373.)",
    "mH": f"Tensor.mH is {_CONJUGATE} {_TRIGGERED}4382.)",
    "adjoint": f"adjoint() is {_CONJUGATE} {_TRIGGERED}4390.)",
}
"""The UserWarnings, each shown once, if the rank is 0."""


# Dimension arguments


def wrap_dim(dim: int, rank: int) -> int:
    """Return a nonnegative dimension; rank 0 has the dimensions 0 and -1.

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
    """Return nonnegative dimensions, which may repeat."""
    return tuple([wrap_dim(dim, rank) for dim in dims])


def distinct_dims(dims: Sequence[int], rank: int) -> Ints:
    """Return nonnegative dimensions; raise if one is repeated."""
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


def wrap_dim_nonscalar(dim: int, rank: int) -> int:
    """Return a nonnegative dimension; raise if the rank is 0."""
    dim = wrap_dim(dim, rank)
    if not rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return dim


# Views with another shape


def reshape(shape: Ints, stride: Ints, size: Ints) -> View | None:
    """Return the view of another shape, or None if only a copy can have that shape.

    >>> reshape((2, 6), (6, 1), (4, -1)), reshape((2, 3), (1, 2), (6,))
    (((4, 3), (3, 1), 0), None)
    """
    num_elements = numel(shape)
    size = infer_size(size, num_elements)
    new_stride = _strides_of_view(shape, stride, size, num_elements)
    if new_stride is not None:
        return size, new_stride, 0
    if prod(size) != num_elements:  # after overflow torch fails to view the copy
        _strides_of_view(shape, contiguous(shape), size, num_elements)
        raise RuntimeError(_NO_VIEW)
    return None


def view(shape: Ints, stride: Ints, size: Ints) -> View:
    """Return the view of another shape, or raise if only a copy can have that shape."""
    num_elements = numel(shape)
    size = infer_size(size, num_elements)
    new_stride = _strides_of_view(shape, stride, size, num_elements)
    if new_stride is None:
        raise RuntimeError(_NO_VIEW)
    return size, new_stride, 0


_NO_VIEW = (
    "view size is not compatible with input tensor's size and stride (at least one dimension"
    " spans across two contiguous subspaces). Use .reshape(...) instead."
)


def _strides_of_view(shape: Ints, stride: Ints, size: Ints, num_elements: int) -> Ints | None:
    """Return the strides of a view with another size; None if there are none."""
    new_stride = reshape_stride(shape, stride, size)
    if new_stride is None or (
        num_elements and prod(size) == num_elements and max(new_stride, default=0) <= INT64_MAX
    ):
        return new_stride
    strides = replace_negative_strides(size, tuple(map(as_int64, new_stride)))
    check_numel(size)
    return strides


def flatten(shape: Ints, start_dim: int, end_dim: int) -> Ints | None:
    """Return the size for reshape; None stands for the tensor itself."""
    rank = len(shape)
    start, end = wrap_dim(start_dim, rank), wrap_dim(end_dim, rank)
    check(start <= end, lambda: "flatten() has invalid args: start_dim cannot come after end_dim")
    if not rank:
        return (1,)
    if start == end:
        return None
    return *shape[:start], as_int64(prod(shape[start : end + 1])), *shape[end + 1 :]


def unflatten(shape: Ints, dim: int, sizes: Ints) -> Ints:
    """Return the size of a view with one dimension split into several."""
    dim = wrap_dim(dim, len(shape))
    check(sizes, lambda: "unflatten: sizes must be non-empty")
    try:
        inferred = infer_size(sizes, shape[wrap_dim_nonscalar(dim, len(shape))])
    except (RuntimeError, IndexError) as error:
        if "is invalid for input of size" not in str(error):
            # Torch adds a C++ stack trace here.
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {[*sizes]} don't multiply up to the size of dim {dim}"
            f" ({shape[dim]}) in the input tensor"
        ) from None
    return *shape[:dim], *inferred, *shape[dim + 1 :]


def expand(shape: Ints, stride: Ints, size: Ints, type_string: str) -> View:
    """Return the view with dimensions of size 1 repeated; -1 keeps a size.

    ``type_string`` is the tensor type in the error message, such as torch.FloatTensor.

    >>> expand((3, 1), (1, 1), (2, -1, 4), "torch.FloatTensor")
    ((2, 3, 4), (0, 1, 0), 0)
    """
    rank, new_rank = len(shape), len(size)
    extra = new_rank - rank
    if extra < 0:
        raise RuntimeError(
            f"expand({type_string}{{{[*shape]}}}, size={[*size]}): the number of sizes provided"
            f" ({new_rank}) must be greater or equal to the number of dimensions in the tensor"
            f" ({rank})"
        )
    if not rank:
        check_numel(size)
        return size, (0,) * new_rank, 0
    new_shape, new_stride = [0] * new_rank, [0] * new_rank
    repeated = overflowed = False
    # inferExpandGeometry, ATen/ExpandUtils.cpp, starts at the last dimension.
    for dim in range(new_rank - 1, -1, -1):
        target = size[dim]
        if dim >= extra:
            old_size, step = shape[dim - extra], stride[dim - extra]
            if target == -1:
                target = old_size
        else:
            old_size, step = 1, new_shape[dim + 1] * new_stride[dim + 1]
            if target == -1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({target}) isn't allowed in a leading,"
                    f" non-existing dimension {dim}"
                )
        if old_size != target:
            if old_size != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({target}) must match the existing size"
                    f" ({old_size}) at non-singleton dimension {dim}.  Target sizes: {[*size]}."
                    f"  Tensor sizes: {[*shape]}"
                )
            step, repeated = 0, True
        elif step > INT64_MAX:
            step, overflowed = as_int64(step), True
        new_shape[dim], new_stride[dim] = target, step
    if overflowed:
        return wrap_to_int64(tuple(new_shape), tuple(new_stride), 0)
    if repeated:
        check_numel(tuple(new_shape))
    return tuple(new_shape), tuple(new_stride), 0


# Views with another order of the dimensions


def transpose(shape: Ints, stride: Ints, dim0: int, dim1: int) -> View:
    """Return the view with two dimensions swapped."""
    rank = len(shape)
    dim0, dim1 = wrap_dim(dim0, rank), wrap_dim(dim1, rank)
    if dim0 == dim1:
        return shape, stride, 0
    sizes, strides = [*shape], [*stride]
    sizes[dim0], sizes[dim1] = sizes[dim1], sizes[dim0]
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    return tuple(sizes), tuple(strides), 0


def permutation(dims: Ints, rank: int) -> list[int]:
    """Return the dimensions of a permutation, each wrapped and checked before the next.

    >>> permutation((-1, 0), 2)
    [1, 0]
    """
    order: list[int] = []
    for dim in dims:
        wrapped = dim if 0 <= dim < rank else wrap_dim(dim, rank)
        if wrapped in order:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        order.append(wrapped)
    return order


def permute(shape: Ints, stride: Ints, dims: Ints) -> View:
    """Return the view with the dimensions in another order."""
    rank = len(shape)
    if len(dims) != rank:
        # Torch names sparse_coo here, whatever the layout.
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the"
            f" length of the desired ordering of dimensions i.e. input.dim() = {rank}"
            f" is not equal to len(dims) = {len(dims)}"
        )
    order = permutation(dims, rank)
    return tuple([shape[dim] for dim in order]), tuple([stride[dim] for dim in order]), 0


def movedim(shape: Ints, stride: Ints, source: int | Ints, destination: int | Ints) -> View:
    """Return the view with some dimensions moved; the others keep their order."""
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
    for index, dim in sorted(zip(destinations, sources, strict=True)):
        order.insert(index, dim)
    return tuple([shape[dim] for dim in order]), tuple([stride[dim] for dim in order]), 0


def numpy_t(shape: Ints, stride: Ints) -> View:
    """Return ``x.T``: all dimensions reversed.  The caller warns if the rank is not 2."""
    return shape[::-1], stride[::-1], 0


def t(shape: Ints, stride: Ints) -> View:
    """Return ``x.t()``: a matrix transposed; lower ranks are unchanged."""
    if len(shape) > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {len(shape)}D")
    return shape[::-1], stride[::-1], 0


def matrix_transpose(shape: Ints, stride: Ints, name: str) -> View:
    """Return ``x.mT``, ``x.mH`` or ``x.adjoint()``; the caller conjugates, and warns for rank 0."""
    rank = len(shape)
    if rank == 1:
        raise RuntimeError(
            f"tensor.{name}{'()' if name == 'adjoint' else ''} is only supported on matrices or"
            " batches of matrices. Got 1-D tensor."
        )
    return (shape, stride, 0) if not rank else transpose(shape, stride, -2, -1)


def matrix_h(shape: Ints, stride: Ints) -> View:
    """Return ``x.H``; the caller conjugates, and warns for rank 0."""
    rank = len(shape)
    if rank not in (0, 2):
        batches = "" if rank < 2 else " For batches of matrices, consider using tensor.mH"
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {rank}-D tensor.{batches}"
        )
    return shape[::-1], stride[::-1], 0


# Dimensions of size 1


def unsqueeze(shape: Ints, stride: Ints, dim: int) -> View:
    """Return the view with a new dimension of size 1."""
    dim = wrap_dim(dim, len(shape) + 1)
    step = stride_of_new_dim(shape, stride, dim)
    return (*shape[:dim], 1, *shape[dim:]), (*stride[:dim], step, *stride[dim:]), 0


def squeeze(shape: Ints, stride: Ints, dim: int | Ints | None = None) -> View:
    """Return the view without dimensions of size 1: all, or those in ``dim``."""
    if dim is None:
        kept = [index for index, size in enumerate(shape) if size != 1]
    elif isinstance(dim, tuple):
        removable = distinct_dims(dim, len(shape))
        kept = [index for index, size in enumerate(shape) if size != 1 or index not in removable]
    else:
        dim = wrap_dim(dim, len(shape))
        if not shape or shape[dim] != 1:
            return shape, stride, 0
        return shape[:dim] + shape[dim + 1 :], stride[:dim] + stride[dim + 1 :], 0
    return tuple([shape[index] for index in kept]), tuple([stride[index] for index in kept]), 0
