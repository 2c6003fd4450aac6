"""Geometry: shapes and strides in plain integers.  No tensor is known here.

Strides count elements.  What torch allocates is dense: the dimensions lie in
some order without gaps, and the functions here find that order (`contiguous`,
`channels_last`, `permuted`, `like`, `elementwise`) or tell it from a geometry
(`is_contiguous`, `suggested_format`, `dim_order`).  An order is written
innermost dimension first.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from .._runtime.errors import check
from .extents import INT64_END, REMEMBERED, Ints, check_nonnegative, contiguous_bytes, numel

Geometry = tuple[Ints, Ints]
"""A shape and its strides."""

_CHANNELS_LAST: Final = (1, 3, 2, 0)
_CHANNELS_LAST_3D: Final = (1, 4, 3, 2, 0)


# Dense formats


@lru_cache(REMEMBERED)
def contiguous(shape: Ints) -> Ints:
    """Return the strides of a new tensor whose last dimension lies innermost.  Empty ones count as 1.

    >>> contiguous((2, 3, 4)), contiguous((2, 0, 4))
    ((12, 4, 1), (4, 4, 1))
    """
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        if size > 1:
            step *= size
    strides.reverse()
    check(not strides or strides[0] < INT64_END, lambda: "Stride calculation overflowed")
    return tuple(strides)


def channels_last(shape: Ints) -> Ints:
    """Return the strides of a new channels_last tensor (N, H, W, C in memory).

    >>> channels_last((2, 3, 4, 5))
    (60, 1, 15, 3)
    """
    return _channels_last(shape, _CHANNELS_LAST, "channels_last")


def channels_last_3d(shape: Ints) -> Ints:
    """Return the strides of a new channels_last_3d tensor (N, D, H, W, C in memory)."""
    return _channels_last(shape, _CHANNELS_LAST_3D, "channels_last_3d")


def _channels_last(shape: Ints, order: Ints, name: str) -> Ints:
    # Torch gives a new tensor contiguous strides first, which may overflow.
    contiguous(shape)
    rank = len(order)
    check(len(shape) == rank, lambda: f"required rank {rank} tensor to use {name} format")
    return _without_gaps(shape, order)


@lru_cache(REMEMBERED)
def permuted(shape: Ints, physical_layout: Ints, itemsize: int = 1) -> Ints:
    """Return the strides of empty_permuted: the dimensions lie as listed, outermost first.

    >>> permuted((2, 3, 4), (1, 2, 0))
    (1, 8, 2)
    """
    rank = len(shape)
    check(
        rank == len(physical_layout),
        lambda: (
            "Number of dimensions in size does not match the length of the physical_layout;"
            f" i.e. len(size) = {rank} is not equal to len(physical_layout) = {len(physical_layout)}"
        ),
    )
    seen = set()
    for index, dim in enumerate(physical_layout):
        if not 0 <= dim < rank:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {rank - 1}, but got {dim}"
                f" at index {index}).  NB: negative dims not currently supported; file an issue if"
                " you want it."
            )
        if dim in seen:
            raise RuntimeError("Duplicate dim not allowed")
        seen.add(dim)
    # Torch makes a contiguous tensor of the physical shape: that is what its errors show.
    physical = tuple([shape[dim] for dim in physical_layout])
    check_nonnegative(physical)
    contiguous_bytes(physical, itemsize)
    strides = _scattered(contiguous(physical), physical_layout)
    numel(shape)  # which may overflow where the physical one does not, if one of them begins with 0
    return strides


def _scattered(values: Sequence[int], dims: Sequence[int]) -> Ints:
    """Put each value where its dimension is."""
    found = [0] * len(dims)
    for dim, value in zip(dims, values, strict=True):
        found[dim] = value
    return tuple(found)


def _scattered_contiguous(shape: Ints, order: Sequence[int]) -> Ints:
    """Return the strides of dimensions that lie in this order.  Empty ones count as 1."""
    physical = tuple([shape[dim] for dim in reversed(order)])
    return _scattered(contiguous(physical), order[::-1])


def _without_gaps(shape: Ints, order: Sequence[int]) -> Ints:
    """Return the strides of dimensions that lie in this order.  Outside an empty one, all are 0."""
    steps = []
    step = 1
    for dim in order:
        steps.append(step)
        step *= shape[dim]
    return _scattered(steps, order)


def is_contiguous(shape: Ints, stride: Ints) -> bool:
    """Answer Tensor.is_contiguous(): strides of dimensions of size 1 may be any.

    >>> is_contiguous((2, 1), (1, 7)), is_contiguous((2, 3), (1, 2)), is_contiguous((0, 3), (1, 2))
    (True, False, True)
    """
    if 0 in shape or stride == contiguous(shape):
        return True
    return _lie_so(shape, stride, range(len(shape) - 1, -1, -1))


def is_channels_last(shape: Ints, stride: Ints) -> bool:
    """Answer Tensor.is_contiguous(memory_format=torch.channels_last)."""
    return len(shape) == 4 and _lie_so(shape, stride, _CHANNELS_LAST)


def is_channels_last_3d(shape: Ints, stride: Ints) -> bool:
    """Answer Tensor.is_contiguous(memory_format=torch.channels_last_3d)."""
    return len(shape) == 5 and _lie_so(shape, stride, _CHANNELS_LAST_3D)


def _lie_so(shape: Ints, stride: Ints, order: Sequence[int]) -> bool:
    """Tell whether the dimensions lie in this order without gaps (c10/core/Contiguity.h)."""
    expected = 1
    for dim in order:
        size = shape[dim]
        if size != 1:
            if stride[dim] != expected:
                return False
            expected *= size
    return True


IS_FORMAT: Final[dict[str, Callable[[Ints, Ints], bool]]] = {
    "contiguous_format": is_contiguous,
    "preserve_format": is_contiguous,
    "channels_last": is_channels_last,
    "channels_last_3d": is_channels_last_3d,
}
"""What Tensor.is_contiguous(memory_format=...) asks, by the format's name."""


@lru_cache(REMEMBERED)
def is_non_overlapping_and_dense(shape: Ints, stride: Ints) -> bool:
    """Tell whether the elements lie in some order without gaps, and none on another.

    >>> is_non_overlapping_and_dense((2, 3), (1, 2)), is_non_overlapping_and_dense((2, 3), (6, 2))
    (True, False)
    """
    if is_contiguous(shape, stride) or is_channels_last(shape, stride):
        return True
    expected = 1
    for step, size in sorted(zip(stride, shape, strict=True)):
        if size != 1:
            if step != expected:
                return False
            expected *= size
    return True


def suggested_format(
    shape: Ints, stride: Ints
) -> Literal["contiguous_format", "channels_last", "channels_last_3d"]:
    """Name the format that strides look like, gaps or not (Tensor::suggest_memory_format)."""
    rank = len(shape)
    if rank == 4 and _looks_like(shape, stride, _CHANNELS_LAST):
        return "channels_last"
    if rank == 5 and _looks_like(shape, stride, _CHANNELS_LAST_3D):
        return "channels_last_3d"
    return "contiguous_format"


def _looks_like(shape: Ints, stride: Ints, order: Sequence[int]) -> bool:
    """Tell whether strides grow in this order; in doubt, no (#24090, c10/core/MemoryFormat.h)."""
    innermost = stride[1]
    if innermost == 0:
        return False
    least = 0
    for dim in order:
        size, step = shape[dim], stride[dim]
        if size == 0 or step < least or (dim == 0 and least == innermost):
            return False
        least = step * size
    return True


# The order of a geometry's dimensions, and new geometries in the same order


@lru_cache(REMEMBERED)
def like(shape: Ints, stride: Ints) -> Ints:
    """Return the strides of empty_like, clone and to(dtype): the same order, without gaps.

    >>> like((2, 3), (1, 2)), like((2, 3), (1, 4)), like((2, 3), (0, 1))
    ((1, 2), (1, 2), (3, 1))
    """
    if is_non_overlapping_and_dense(shape, stride):
        return stride
    return _without_gaps(shape, memory_order(shape, (stride,)))


@lru_cache(REMEMBERED)
def elementwise(shape: Ints, operands: tuple[Geometry, ...]) -> Ints:
    """Return the strides of a new result of an elementwise operator.

    ``shape`` is what the operands' shapes broadcast to.  ``operands`` are the
    inputs in torch's order, numbers being of shape ().  Where the CPU first
    converts an input to the common dtype, its strides are those of `like`.

    The rules are those of aten/src/ATen/TensorIterator.cpp.  Inputs of one
    shape that lie alike decide at once; else the first input that has two
    strides to compare says which of two dimensions lies inside the other.

    >>> a, b = ((2, 3), (1, 2)), ((2, 3), (3, 1))
    >>> elementwise((2, 3), (a, b)), elementwise((2, 3), (b, a)), elementwise((2, 3), (a, ((), ())))
    ((1, 2), (3, 1), (1, 2))
    """
    if all(each == shape for each, _ in operands):
        if all(is_contiguous(shape, stride) for _, stride in operands):
            return contiguous(shape)
        if all(is_channels_last(shape, stride) for _, stride in operands):
            return channels_last(shape)
        first = operands[0][1]
        if is_non_overlapping_and_dense(shape, first) and all(
            stride == first for _, stride in operands
        ):
            return first
    order = memory_order(shape, [_expanded(shape, *each) for each in operands])
    # Torch asks for a contiguous tensor here, in which an empty dimension counts as 1.
    if order == [*range(len(shape) - 1, -1, -1)]:
        return contiguous(shape)
    return _without_gaps(shape, order)


@lru_cache(REMEMBERED)
def elementwise_on_meta(shape: Ints, operands: tuple[Geometry, ...]) -> Ints:
    """Return the strides of a new result on the meta device, where torch has other rules.

    It runs its Python references there (torch/_prims): inputs are expanded
    before they are compared, and numbers are no operands.  What is converted
    to the dtype of the computation, which is float32 for float16 and
    bfloat16, has the strides of `like`.

    >>> row, line = ((1, 4), (1, 1)), ((4,), (1,))
    >>> elementwise_on_meta((1, 4), (line, row)), elementwise((1, 4), (line, row))
    ((4, 1), (1, 1))
    """
    rank = len(shape)
    if rank < 2:
        return (1,) * rank
    strides = [expand_stride(shape, *each) for each in operands]
    in_order = all(is_contiguous(shape, each) for each in strides)
    last = all(is_channels_last(shape, each) for each in strides)
    if in_order != last:
        return contiguous(shape) if in_order else _scattered_contiguous(shape, _CHANNELS_LAST)
    return _scattered_contiguous(shape, memory_order(shape, strides))


def expand_stride(shape: Ints, own_shape: Ints, own_stride: Ints) -> Ints:
    """Return the strides of a tensor's expand(shape), which has to be possible.

    >>> expand_stride((2, 1, 3), (1, 3), (7, 1)), expand_stride((1, 3), (3,), (1,))
    ((0, 7, 1), (3, 1))
    """
    if not own_shape:
        return (0,) * len(shape)
    missing = len(shape) - len(own_shape)
    steps = [
        step if own == size else 0
        for own, step, size in zip(own_shape, own_stride, shape[missing:], strict=True)
    ]
    for dim in range(missing - 1, -1, -1):
        # A new dimension of size 1 looks as if it lay outside the next one.
        steps.insert(0, shape[dim + 1] * steps[0] if shape[dim] == 1 else 0)
    return tuple(steps)


def _expanded(shape: Ints, own_shape: Ints, own_stride: Ints) -> Ints:
    """Return the strides that walk through an operand along the broadcast shape."""
    missing = len(shape) - len(own_shape)
    steps = [
        0 if own == 1 and size != 1 else step
        for own, step, size in zip(own_shape, own_stride, shape[missing:], strict=True)
    ]
    return (0,) * missing + tuple(steps)


def memory_order(shape: Ints, strides: Sequence[Ints]) -> list[int]:
    """Return the order of the dimensions, innermost first, by several operands' strides.

    An insertion sort that goes on past what it cannot tell: comparisons are
    not transitive, so another sort would give other answers.
    """
    order = list(range(len(shape) - 1, -1, -1))
    for start in range(1, len(order)):
        moving = start
        for index in range(start - 1, -1, -1):
            found = _compare(order[index], order[moving], shape, strides)
            if found > 0:
                order[index], order[moving] = order[moving], order[index]
                moving = index
            elif found < 0:
                break
    return order


def _compare(left: int, right: int, shape: Ints, strides: Sequence[Ints]) -> int:
    """Return -1 if dimension ``left`` lies inside ``right``, 1 if outside, 0 if nobody can tell."""
    for stride in strides:
        a, b = stride[left], stride[right]
        if a == 0 or b == 0:
            continue
        if a != b:
            return -1 if a < b else 1
        if shape[left] > shape[right]:
            return 1
    return 0


def dim_order(
    shape: Ints, stride: Ints, ambiguity_check: bool | tuple[str, ...] = False
) -> tuple[int, ...]:
    """Return Tensor.dim_order(): the dimensions as they lie in memory, outermost first.

    With True, or names of memory formats (``"channels_last"``), raise where
    the order is not the only one, in the way that torch tells (torch/_tensor.py).

    >>> dim_order((2, 3, 4), (12, 1, 3))
    (0, 2, 1)
    """
    rank = len(shape)
    if ambiguity_check is not False:
        formats = () if ambiguity_check is True else ambiguity_check
        ambiguous = 1 in shape or any(a == b for a, b in pairwise(stride))
        check(
            not ambiguous or [IS_FORMAT[each](shape, stride) for each in formats].count(True) == 1,
            lambda: (
                "The tensor does not have unique dim order, or cannot map to exact one of the"
                " given memory formats."
            ),
        )
    if rank < 2:
        return tuple(range(rank))
    in_order, last = is_contiguous(shape, stride), is_channels_last(shape, stride)
    if in_order != last:
        return tuple(range(rank)) if in_order else (0, 2, 3, 1)
    order = memory_order(shape, (stride,))
    if ambiguity_check:
        unique = all(_compare(a, b, shape, (stride,)) < 0 for a, b in pairwise(order))
        check(unique, lambda: "The tensor does not have unique dim order.")
    return tuple(reversed(order))
