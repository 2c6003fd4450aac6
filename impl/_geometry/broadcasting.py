"""Several shapes, in plain integers: broadcasting, other shapes for the same elements, overlap.

An order that lies without gaps can be carried over to another shape
(`reshape_stride`).  Whether elements lie on one another is told as far as
torch looks, which is not always to the end.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Literal

from .._runtime.errors import check
from .extents import INT64_END, REMEMBERED, Ints, as_int64
from .strides import is_non_overlapping_and_dense

# Other shapes


def broadcast_pair(a: Ints, b: Ints) -> Ints:
    """Broadcast two shapes as operators do; of more than two, fold from the left.

    >>> broadcast_pair((2, 1), (3,)), broadcast_pair((1,), (0,))
    ((2, 3), (0,))
    """
    if a == b:
        return a
    short, long = (a, b) if len(a) < len(b) else (b, a)
    missing = len(long) - len(short)
    sizes = list(long)
    # Torch goes from the last dimension to the first, and says what differs first.
    for dim in range(len(long) - 1, missing - 1, -1):
        one, other = short[dim - missing], long[dim]
        if other == 1:
            sizes[dim] = one
        elif one != other and one != 1:
            size_a, size_b = (one, other) if short is a else (other, one)
            raise RuntimeError(
                f"The size of tensor a ({size_a}) must match the size of tensor b ({size_b})"
                f" at non-singleton dimension {dim}"
            )
    return tuple(sizes)


def broadcast_shapes(*shapes: Sequence[int]) -> Ints:
    """Broadcast shapes as torch.broadcast_shapes does, which has words of its own (torch/_refs).

    >>> broadcast_shapes((2, 1), [3], ())
    (2, 3)
    """
    common = [1] * max(map(len, shapes), default=0)
    for position, shape in enumerate(shapes):
        for dim in range(-1, -1 - len(shape), -1):
            size = shape[dim]
            if common[dim] == 1 and size != 1:
                if size < 0:
                    raise ValueError("Attempting to broadcast a dimension with negative length!")
                common[dim] = size
            elif size not in (1, common[dim]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {dim}!"
                    f" Mismatching argument at index {position} had {shape};"
                    f" but expected shape should be broadcastable to {common}"
                )
    return tuple(common)


def infer_size(new_shape: Ints, numel: int) -> Ints:
    """Return a shape for ``numel`` elements: a size of -1 is computed from the others.

    >>> infer_size((2, -1), 6)
    (2, 3)
    """
    known, unknown = 1, None
    for dim, size in enumerate(new_shape):
        if size >= 0:
            known *= size
        elif size != -1:
            raise RuntimeError(
                f"invalid shape dimension {size} at index {dim} of shape {[*new_shape]}"
            )
        elif unknown is not None:
            raise RuntimeError("only one dimension can be inferred")
        else:
            unknown = dim
    if known >= INT64_END:
        known = as_int64(known)
    if known != numel and (unknown is None or known <= 0 or numel % known):
        raise RuntimeError(f"shape '{[*new_shape]}' is invalid for input of size {numel}")
    if unknown is None:
        return new_shape
    if known == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {[*new_shape]} because the"
            " unspecified dimension size -1 can be any value and is ambiguous"
        )
    return (*new_shape[:unknown], numel // known, *new_shape[unknown + 1 :])


@lru_cache(REMEMBERED)
def reshape_stride(shape: Ints, stride: Ints, new_shape: Ints) -> Ints | None:
    """Return the strides of a view of another shape with as many elements; None if there is none.

    >>> reshape_stride((2, 6), (6, 1), (3, 4)), reshape_stride((2, 3), (1, 2), (6,))
    ((4, 1), None)
    """
    if not shape:
        return (1,) * len(new_shape)
    if 0 in shape:
        if shape == new_shape:
            return stride
        # Nobody looks at the strides of what is empty, nor at their overflow.
        steps = [1]
        for size in new_shape[:0:-1]:
            steps.append(as_int64(max(size, 1) * steps[-1]))
        return tuple(reversed(steps[: len(new_shape)]))
    return _regrouped(shape, stride, new_shape)


def _regrouped(shape: Ints, stride: Ints, new_shape: Ints) -> Ints | None:
    """Fit new dimensions into the runs of old ones that lie without a gap, from the last on."""
    steps: list[int] = []
    new_dim = len(new_shape) - 1
    run_numel, run_step = 1, stride[-1]
    for dim in range(len(shape) - 1, -1, -1):
        run_numel *= shape[dim]
        if dim and (shape[dim - 1] == 1 or stride[dim - 1] == run_numel * run_step):
            continue
        filled = 1
        while new_dim >= 0 and (filled < run_numel or new_shape[new_dim] == 1):
            steps.append(filled * run_step)
            filled = as_int64(filled * new_shape[new_dim])
            new_dim -= 1
        if filled != run_numel:
            return None
        if dim:
            run_numel, run_step = 1, stride[dim - 1]
    return tuple(reversed(steps)) if new_dim < 0 else None


# Elements that lie on one another


def has_internal_overlap(shape: Ints, stride: Ints) -> Literal["yes", "no", "too hard"]:
    """Tell whether two elements share a place, as far as torch looks (aten/src/ATen/MemoryOverlap.cpp)."""
    if is_non_overlapping_and_dense(shape, stride):
        return "no"
    for size, step in zip(shape, stride, strict=True):
        if step == 0 and size > 1:
            return "yes"
    return "too hard"


def is_non_overlapping(shape: Ints, stride: Ints) -> bool:
    """Tell whether each dimension steps over all that the inner ones reach; then no places are shared.

    >>> is_non_overlapping((2, 3), (1, 4)), is_non_overlapping((2, 3), (1, 1))
    (True, False)
    """
    reached = 0
    for step, size in sorted(zip(stride, shape, strict=True)):
        if size > 1:
            if step <= reached:
                return False
            reached += (size - 1) * step
    return True


def check_no_internal_overlap(shape: Ints, stride: Ints) -> None:
    """Refuse to write where elements lie on each other."""
    check(
        has_internal_overlap(shape, stride) != "yes",
        lambda: (
            "unsupported operation: more than one element of the written-to tensor refers to a"
            " single memory location. Please clone() the tensor before performing the operation."
        ),
    )


def overlaps(
    a: tuple[Ints, Ints, int, int], b: tuple[Ints, Ints, int, int]
) -> Literal["full", "partial", "no", "too hard"]:
    """Tell how two tensors in one storage share it, as far as torch looks.

    Each is its shape, stride, offset and itemsize.  That a tensor overlaps
    with itself in full, however it lies, is for the caller to see.
    """
    if 0 in a[0] or 0 in b[0]:
        return "no"
    if not (is_non_overlapping_and_dense(*a[:2]) and is_non_overlapping_and_dense(*b[:2])):
        return "too hard"
    (a_begin, a_end), (b_begin, b_end) = _bytes_of(*a), _bytes_of(*b)
    if (a_begin, a_end) == (b_begin, b_end):
        return "full" if a[1] == b[1] else "partial"
    return "partial" if a_begin < b_end and b_begin < a_end else "no"


def _bytes_of(shape: Ints, _: Ints, offset: int, itemsize: int) -> tuple[int, int]:
    begin = offset * itemsize
    return begin, begin + prod(shape) * itemsize
