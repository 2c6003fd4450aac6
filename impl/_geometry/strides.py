"""Strides and memory formats, in plain integers.

Strides count elements.  New tensors are dense: their dimensions have some order in memory
without gaps.  Some functions compute the strides of a new tensor (`contiguous`,
`channels_last`, `permuted`, `like`, `elementwise`).  Others analyze given strides
(`is_contiguous`, `suggested_format`, `dim_order`).  An order is listed innermost dimension
first.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from .._runtime.errors import check
from .extents import (
    INT64_END,
    REMEMBERED,
    Ints,
    as_int64,
    check_nonnegative,
    contiguous_bytes,
    numel,
)

Geometry = tuple[Ints, Ints]
"""A shape and its strides."""

_CHANNELS_LAST: Final = (1, 3, 2, 0)
_CHANNELS_LAST_3D: Final = (1, 4, 3, 2, 0)


# Dense formats


@lru_cache(REMEMBERED)
def contiguous(shape: Ints) -> Ints:
    """Return the strides of a new contiguous tensor; a dimension of size 0 counts as 1.

    >>> contiguous((2, 3, 4)), contiguous((2, 0, 4))
    ((12, 4, 1), (4, 4, 1))
    """
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        if size > 1:
            step *= size
    check(not strides or strides[-1] < INT64_END, lambda: "Stride calculation overflowed")
    return tuple(strides[::-1])


def channels_last(shape: Ints, order: Ints = _CHANNELS_LAST, name: str = "channels_last") -> Ints:
    """Return the strides of a new channels_last tensor (N, H, W, C in memory).

    >>> channels_last((2, 3, 4, 5))
    (60, 1, 15, 3)
    """
    contiguous(shape)  # torch gives a new tensor contiguous strides first, which may overflow
    rank = len(order)
    check(len(shape) == rank, lambda: f"required rank {rank} tensor to use {name} format")
    return _without_gaps(shape, order)


def channels_last_3d(shape: Ints) -> Ints:
    """Return the strides of a new channels_last_3d tensor (N, D, H, W, C in memory)."""
    return channels_last(shape, _CHANNELS_LAST_3D, "channels_last_3d")


@lru_cache(REMEMBERED)
def permuted(shape: Ints, physical_layout: Ints, itemsize: int = 1) -> Ints:
    """Return the strides of empty_permuted; the physical layout is outermost dimension first.

    >>> permuted((2, 3, 4), (1, 2, 0))
    (1, 8, 2)
    """
    rank = len(shape)
    if rank != len(physical_layout):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout;"
            f" i.e. len(size) = {rank} is not equal to len(physical_layout) ="
            f" {len(physical_layout)}"
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
    # Torch's errors show the physical shape: it creates a contiguous tensor of that shape.
    physical = tuple([shape[dim] for dim in physical_layout])
    check_nonnegative(physical)
    contiguous_bytes(physical, itemsize)
    strides = sorted(zip(physical_layout, contiguous(physical), strict=True))
    numel(shape)  # may overflow alone if one of the two shapes begins with 0
    return tuple([step for _, step in strides])


def _without_gaps(shape: Ints, order: Sequence[int]) -> Ints:
    """Return the dense strides in an order; they are 0 outside a dimension of size 0."""
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def is_contiguous(shape: Ints, stride: Ints) -> bool:
    """Return Tensor.is_contiguous(); the stride of a dimension of size 1 is ignored.

    >>> is_contiguous((2, 1), (1, 7)), is_contiguous((2, 3), (1, 2)), is_contiguous((0, 3), (1, 2))
    (True, False, True)
    """
    if 0 in shape or stride == contiguous(shape):
        return True
    return _is_dense_in_order(shape, stride, range(len(shape) - 1, -1, -1))


def is_channels_last(shape: Ints, stride: Ints) -> bool:
    """Return Tensor.is_contiguous(memory_format=torch.channels_last)."""
    return len(shape) == 4 and _is_dense_in_order(shape, stride, _CHANNELS_LAST)


def is_channels_last_3d(shape: Ints, stride: Ints) -> bool:
    """Return Tensor.is_contiguous(memory_format=torch.channels_last_3d)."""
    return len(shape) == 5 and _is_dense_in_order(shape, stride, _CHANNELS_LAST_3D)


def _is_dense_in_order(shape: Ints, stride: Ints, order: Sequence[int]) -> bool:
    """Return whether the dimensions are dense in this order (c10/core/Contiguity.h)."""
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
"""The predicates of Tensor.is_contiguous(memory_format=...), by the name of the format."""


@lru_cache(REMEMBERED)
def is_non_overlapping_and_dense(shape: Ints, stride: Ints) -> bool:
    """Return whether some order of the dimensions has neither gaps nor overlap.

    >>> is_non_overlapping_and_dense((2, 3), (1, 2)), is_non_overlapping_and_dense((2, 3), (6, 2))
    (True, False)
    """
    if is_contiguous(shape, stride) or is_channels_last(shape, stride):
        return True
    order = sorted(range(len(shape)), key=[*zip(stride, shape, strict=True)].__getitem__)
    return _is_dense_in_order(shape, stride, order)


def suggested_format(
    shape: Ints, stride: Ints
) -> Literal["contiguous_format", "channels_last", "channels_last_3d"]:
    """Return the memory format of strides, even with gaps (Tensor::suggest_memory_format)."""
    if len(shape) == 4 and _strides_increase(shape, stride, _CHANNELS_LAST):
        return "channels_last"
    if len(shape) == 5 and _strides_increase(shape, stride, _CHANNELS_LAST_3D):
        return "channels_last_3d"
    return "contiguous_format"


def _strides_increase(shape: Ints, stride: Ints, order: Sequence[int]) -> bool:
    """Return whether strides increase unambiguously (#24090, c10/core/MemoryFormat.h)."""
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


# Dimension orders, and new strides in the same order


@lru_cache(REMEMBERED)
def like(shape: Ints, stride: Ints) -> Ints:
    """Return the strides of empty_like, clone and to(dtype): dense in the same order.

    >>> like((2, 3), (1, 2)), like((2, 3), (1, 4)), like((2, 3), (0, 1))
    ((1, 2), (1, 2), (3, 1))
    """
    if is_non_overlapping_and_dense(shape, stride):
        return stride
    return _without_gaps(shape, memory_order(shape, (stride,)))


@lru_cache(REMEMBERED)
def elementwise(shape: Ints, operands: tuple[Geometry, ...], itemsize: int = 1) -> Ints:
    """Return the strides of a new result of an elementwise operator.

    ``shape`` is the broadcast shape.  ``operands`` are the inputs in torch's order; scalars have
    the shape ().  If the CPU first casts an input to the common dtype, its strides are those of
    `like`.

    The rules are those of aten/src/ATen/TensorIterator.cpp.  Inputs of equal shape and equal
    strides decide at once.  Otherwise two dimensions are ordered by the first input with
    distinct nonzero strides for them, compared in bytes, which wrap around.

    >>> a, b = ((2, 3), (1, 2)), ((2, 3), (3, 1))
    >>> elementwise((2, 3), (a, b)), elementwise((2, 3), (b, a)), elementwise((2, 3), (a, ((), ())))
    ((1, 2), (3, 1), (1, 2))
    """
    if all(operand_shape == shape for operand_shape, _ in operands):
        if all(is_contiguous(shape, stride) for _, stride in operands):
            return contiguous(shape)
        if all(is_channels_last(shape, stride) for _, stride in operands):
            return channels_last(shape)
        first = operands[0][1]
        if is_non_overlapping_and_dense(shape, first) and all(
            stride == first for _, stride in operands
        ):
            return first
    expanded = [_expanded(shape, *operand) for operand in operands]
    if any(stride and max(stride) >= _WRAPPED_STRIDES for stride in expanded):
        expanded = [tuple([as_int64(step * itemsize) for step in stride]) for stride in expanded]
    order = memory_order(shape, expanded)
    # Torch allocates a contiguous tensor here, in which size 0 counts as 1.
    if order == [*range(len(shape) - 1, -1, -1)]:
        return contiguous(shape)
    return _without_gaps(shape, order)


@lru_cache(REMEMBERED)
def by_reference(shape: Ints, tensors: tuple[Geometry, ...]) -> Ints:
    """Return the strides of a new result of torch's references, for tensors on meta.

    The rules are those of compute_elementwise_output_logical_to_physical_perm in
    torch/_prims_common. Other than in `elementwise`, sizes of 0 and 1 have no part in the order of
    contiguous tensors.

    >>> by_reference((2, 1), (((2, 1), (1, 7)),)), by_reference((2, 3), (((2, 3), (1, 4)),))
    ((1, 1), (1, 2))
    """
    expanded = [expand_stride(shape, *tensor) for tensor in tensors]
    formats = [
        all(is_format(shape, stride) for stride in expanded)
        for is_format in (is_contiguous, is_channels_last)
    ]
    if formats == [True, False]:
        return contiguous(shape)
    if formats == [False, True]:
        return channels_last(shape)
    sizes = tuple([max(1, size) for size in shape])  # torch permutes a contiguous tensor
    return _without_gaps(sizes, memory_order(shape, expanded))


_WRAPPED_STRIDES = 2**58
"""The least stride that may not fit in int64 in bytes."""


def expand_stride(shape: Ints, old_shape: Ints, old_stride: Ints) -> Ints:
    """Return the strides of a tensor's expand(shape), which must be valid.

    >>> expand_stride((2, 1, 3), (1, 3), (7, 1)), expand_stride((1, 3), (3,), (1,))
    ((0, 7, 1), (3, 1))
    """
    if not old_shape:
        return (0,) * len(shape)
    missing = len(shape) - len(old_shape)
    strides = [
        step if old_size == size else 0
        for old_size, step, size in zip(old_shape, old_stride, shape[missing:], strict=True)
    ]
    for dim in range(missing - 1, -1, -1):
        # A new dimension of size 1 gets the stride of a contiguous one.
        strides.insert(0, shape[dim + 1] * strides[0] if shape[dim] == 1 else 0)
    return tuple(strides)


def _expanded(shape: Ints, old_shape: Ints, old_stride: Ints) -> Ints:
    """Return the strides of an operand for the broadcast shape."""
    missing = len(shape) - len(old_shape)
    strides = [
        0 if old_size == 1 and size != 1 else step
        for old_size, step, size in zip(old_shape, old_stride, shape[missing:], strict=True)
    ]
    return (0,) * missing + tuple(strides)


def memory_order(
    shape: Ints, strides: Sequence[Ints], innermost: Collection[int] = ()
) -> list[int]:
    """Return the dimensions, innermost first, ordered by the strides of several operands.

    The ``innermost`` ones, which are reduced, come before all others.

    The insertion sort of TensorIterator continues past ambiguous pairs.  Its comparison is not
    transitive, so another sort would give other results.
    """
    order = list(range(len(shape) - 1, -1, -1))
    for start in range(1, len(order)):
        moving = start
        for index in range(start - 1, -1, -1):
            left, right = order[index], order[moving]
            comparison = (right in innermost) - (left in innermost)
            comparison = comparison or _compare(left, right, shape, strides)
            if comparison > 0:
                order[index], order[moving] = order[moving], order[index]
                moving = index
            elif comparison < 0:
                break
    return order


def _compare(left: int, right: int, shape: Ints, strides: Sequence[Ints]) -> int:
    """Return -1 if dimension ``left`` is inside ``right``, 1 if outside, 0 if ambiguous."""
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
    """Return Tensor.dim_order(): the dimensions in memory order, outermost first.

    With True or names of memory formats (``"channels_last"``), raise if the order is ambiguous
    by torch's criteria (torch/_tensor.py).

    >>> dim_order((2, 3, 4), (12, 1, 3))
    (0, 2, 1)
    """
    rank = len(shape)
    if ambiguity_check is not False:
        formats = () if ambiguity_check is True else ambiguity_check
        ambiguous = 1 in shape or any(a == b for a, b in pairwise(stride))
        if ambiguous and [IS_FORMAT[name](shape, stride) for name in formats].count(True) != 1:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the"
                " given memory formats."
            )
    if rank < 2:
        return tuple(range(rank))
    is_default = is_contiguous(shape, stride)
    if is_default != is_channels_last(shape, stride):
        return tuple(range(rank)) if is_default else _CHANNELS_LAST[::-1]
    order = memory_order(shape, (stride,))
    if ambiguity_check:
        unique = all(_compare(a, b, shape, (stride,)) < 0 for a, b in pairwise(order))
        check(unique, lambda: "The tensor does not have unique dim order.")
    return tuple(reversed(order))
