"""Broadcasting, reshaping and memory overlap, in plain integers.

Overlap checks are only as thorough as torch's.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Literal

from .._runtime.c_types import PACKAGE
from .extents import INT64_END, REMEMBERED, Ints, as_int64
from .strides import is_non_overlapping_and_dense

# Broadcasting and reshaping


def broadcast_pair(a: Ints, b: Ints) -> Ints:
    """Return the broadcast shape of two operands; fold from the left for more.

    >>> broadcast_pair((2, 1), (3,)), broadcast_pair((1,), (0,))
    ((2, 3), (0,))
    """
    if a == b:
        return a
    short, long = (a, b) if len(a) < len(b) else (b, a)
    missing = len(long) - len(short)
    sizes = list(long)
    # The message names the first mismatch; torch starts at the last dimension.
    for dim in range(len(long) - 1, missing - 1, -1):
        short_size, long_size = short[dim - missing], long[dim]
        if long_size == 1:
            sizes[dim] = short_size
        elif short_size != long_size and short_size != 1:
            size_a, size_b = (short_size, long_size) if short is a else (long_size, short_size)
            raise RuntimeError(
                f"The size of tensor a ({size_a}) must match the size of tensor b ({size_b})"
                f" at non-singleton dimension {dim}"
            )
    return tuple(sizes)


def broadcast_shapes(*shapes: Sequence[int]) -> Ints:
    """Return the result of torch.broadcast_shapes, which has its own messages (torch/_refs).

    >>> broadcast_shapes((2, 1), [3], ())
    (2, 3)
    """
    common: list[Any] = [1] * max(map(len, shapes), default=0)
    for position, shape in enumerate(shapes):
        for dim in range(-1, -1 - len(shape), -1):
            size = shape[dim]
            if _as_bool(size == common[dim]):
                continue
            if common[dim] == 1:
                if size < 0:
                    raise ValueError("Attempting to broadcast a dimension with negative length!")
                common[dim] = size
            elif not _as_bool(size == 1):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {dim}!"
                    f" Mismatching argument at index {position} had {shape};"
                    f" but expected shape should be broadcastable to {common}"
                )
    return tuple(common)


def _as_bool(result: Any) -> bool:
    """Return the result of a comparison of sizes (guard_or_false in symbolic_shapes.py)."""
    if not isinstance(result, bool):
        name = str(type(result)).replace(f"<class '{PACKAGE}.", "<class 'torch.")
        raise AssertionError(f"Expected bool, got {name}")
    return result


def infer_size(new_shape: Ints, numel: int) -> Ints:
    """Return a shape for ``numel`` elements; a size of -1 is inferred.

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
    """Return the strides of a view of another shape of equal numel; None if there are none.

    >>> reshape_stride((2, 6), (6, 1), (3, 4)), reshape_stride((2, 3), (1, 2), (6,))
    ((4, 1), None)
    """
    if not shape:
        return (1,) * len(new_shape)
    if 0 in shape:
        if shape == new_shape:
            return stride
        # Without elements, the strides and their overflow are not checked.
        strides = [1]
        for size in new_shape[:0:-1]:
            strides.append(as_int64(max(size, 1) * strides[-1]))
        return tuple(reversed(strides[: len(new_shape)]))
    return _compute_stride(shape, stride, new_shape)


def _compute_stride(shape: Ints, stride: Ints, new_shape: Ints) -> Ints | None:
    """Return the strides of a view, or None (computeStride_impl in ATen/TensorUtils.cpp)."""
    strides: list[int] = []
    new_dim = len(new_shape) - 1
    run_numel, run_step = 1, stride[-1]
    for dim in range(len(shape) - 1, -1, -1):
        run_numel *= shape[dim]
        if dim and (shape[dim - 1] == 1 or stride[dim - 1] == run_numel * run_step):
            continue
        view_numel = 1
        while new_dim >= 0 and (view_numel < run_numel or new_shape[new_dim] == 1):
            strides.append(view_numel * run_step)
            view_numel = as_int64(view_numel * new_shape[new_dim])
            new_dim -= 1
        if view_numel != run_numel:
            return None
        if dim:
            run_numel, run_step = 1, stride[dim - 1]
    return tuple(reversed(strides)) if new_dim < 0 else None


# Memory overlap


def has_internal_overlap(shape: Ints, stride: Ints) -> Literal["yes", "no", "too hard"]:
    """Return whether elements of a tensor share memory (aten/src/ATen/MemoryOverlap.cpp)."""
    if is_non_overlapping_and_dense(shape, stride):
        return "no"
    for size, step in zip(shape, stride, strict=True):
        if step == 0 and size > 1:
            return "yes"
    return "too hard"


def is_non_overlapping(shape: Ints, stride: Ints) -> bool:
    """Return whether each stride exceeds the extent of the inner dimensions; then none overlap.

    >>> is_non_overlapping((2, 3), (1, 4)), is_non_overlapping((2, 3), (1, 1))
    (True, False)
    """
    extent = 0
    for step, size in sorted(zip(stride, shape, strict=True)):
        if size > 1:
            if step <= extent:
                return False
            extent += (size - 1) * step
    return True


def check_no_internal_overlap(shape: Ints, stride: Ints) -> None:
    """Raise if elements of an in-place or out= operand share memory."""
    if has_internal_overlap(shape, stride) == "yes":
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a"
            " single memory location. Please clone() the tensor before performing the operation."
        )


def overlaps(
    a: tuple[Ints, Ints, int, int], b: tuple[Ints, Ints, int, int]
) -> Literal["full", "partial", "no", "too hard"]:
    """Return the overlap of two tensors in one storage, if torch can decide.

    ``a`` and ``b`` consist of shape, stride, offset and itemsize.  The caller handles the full
    overlap of a tensor with itself.
    """
    if 0 in a[0] or 0 in b[0]:
        return "no"
    if not (is_non_overlapping_and_dense(*a[:2]) and is_non_overlapping_and_dense(*b[:2])):
        return "too hard"
    (a_begin, a_end), (b_begin, b_end) = _byte_range(*a), _byte_range(*b)
    if (a_begin, a_end) == (b_begin, b_end):
        return "full" if a[1] == b[1] else "partial"
    return "partial" if a_begin < b_end and b_begin < a_end else "no"


def _byte_range(shape: Ints, _: Ints, offset: int, itemsize: int) -> tuple[int, int]:
    begin = offset * itemsize
    return begin, begin + prod(shape) * itemsize
