"""How much there is of a geometry, in plain integers: elements, and bytes.

Torch computes in int64, and says in different words what overflowed: the
number of elements (`numel`), the bytes (`contiguous_bytes`, `strided_bytes`)
or the strides (`replace_negative_strides`).
"""

from math import prod
from operator import mul
from typing import Final

from .._runtime.errors import check

Ints = tuple[int, ...]

INT64_END: Final = 2**63
_UINT64_END: Final = 2**64
REMEMBERED: Final = 4096
"""How many answers a function keeps that is asked for the same few shapes again and again."""


def numel(shape: Ints) -> int:
    """Return the number of elements; raise if torch cannot count them.

    >>> numel((2, 3)), numel(()), numel((2, 0))
    (6, 1, 0)
    """
    count = prod(shape)
    if 0 < count < INT64_END:
        return count
    check(_can_be_multiplied(shape), lambda: "numel: integer multiplication overflow")
    return count


def storage_size(shape: Ints, stride: Ints, offset: int = 0) -> int:
    """Return how many elements a storage must hold for this geometry; 0 for an empty one.

    >>> storage_size((2, 3), (3, 1), 4), storage_size((2, 0), (3, 1), 4)
    (10, 0)
    """
    if 0 in shape:
        return 0
    behind: int = sum(map(mul, shape, stride)) - sum(stride)
    return offset + behind + 1


def check_nonnegative(shape: Ints) -> None:
    """Raise as torch does when a tensor is made with a negative size."""
    for size in shape:
        if size < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {size}: {[*shape]}"
            )


def contiguous_bytes(shape: Ints, itemsize: int) -> int:
    """Return the bytes of a new contiguous tensor; raise if torch cannot count them."""
    size = prod(shape) * itemsize
    if 0 < size < INT64_END:
        return size
    check(
        size < INT64_END and _can_be_multiplied(shape),
        lambda: f"Storage size calculation overflowed with sizes={[*shape]}",
    )
    return size


def strided_bytes(shape: Ints, stride: Ints, itemsize: int, offset: int = 0) -> int:
    """Return the bytes that a storage must have for this geometry; raise if torch cannot count them."""
    size = storage_size(shape, stride, offset) * itemsize
    # Torch computes in uint64, where what is negative is very large.
    backwards = 0 not in shape and any(
        each > 1 and step < 0 for each, step in zip(shape, stride, strict=True)
    )
    check(
        size < INT64_END and not backwards,
        lambda: (
            f"Storage size calculation overflowed with sizes={[*shape]} and strides={[*stride]}"
        ),
    )
    return size


def replace_negative_strides(shape: Ints, stride: Ints) -> Ints:
    """Return the strides that a tensor takes when it is given these: none is negative.

    Torch replaces a negative one by that of a contiguous dimension, where it lets it come so far
    (size 0 or 1; TensorImpl::set_sizes_and_strides).

    >>> replace_negative_strides((3, 1), (1, -5)), replace_negative_strides((0, 2), (-1, 4))
    ((1, 1), (8, 4))
    """
    if not stride or min(stride) >= 0:
        return stride
    found = [*stride]
    outer = 1
    for dim in range(len(shape) - 1, -1, -1):
        if found[dim] < 0:
            found[dim] = outer
            check(outer < INT64_END, lambda: "Stride calculation overflowed")
        outer = max(shape[dim], 1) * found[dim]
    return tuple(found)


def _can_be_multiplied(sizes: Ints) -> bool:
    """Tell whether c10::safe_multiplies_u64 can: what comes before a 0 overflows all the same."""
    if 0 in sizes:
        return prod(sizes[: sizes.index(0)]) < _UINT64_END
    return prod(sizes) < INT64_END


def as_int64(value: int) -> int:
    """Wrap around, as C++ does where it does not look."""
    return (value + INT64_END) % _UINT64_END - INT64_END
