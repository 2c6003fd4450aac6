"""Element and byte counts of a geometry, in plain integers.

Torch computes in int64, and each overflow has its own message: of the number of elements
(`numel`), of the bytes (`contiguous_bytes`, `strided_bytes`), of the strides
(`replace_negative_strides`).
"""

from math import prod
from operator import mul
from typing import Any, Final

from .._runtime.errors import check

Ints = tuple[int, ...]
Layout = tuple[Ints, Ints]
"""A shape and strides."""

INT64_END: Final = 2**63
INT64_MAX: Final = INT64_END - 1
_UINT64_END: Final = 2**64
REMEMBERED: Final = 4096
"""The maximal size of the caches of functions of shapes."""


def numel(shape: Ints) -> int:
    """Return the number of elements; raise if it exceeds int64.

    >>> numel((2, 3)), numel(()), numel((2, 0))
    (6, 1, 0)
    """
    count = prod(shape)
    if 0 < count < INT64_END:
        return count
    check(_product_fits(shape), lambda: "numel: integer multiplication overflow")
    return count


def check_numel(shape: Ints) -> None:
    """Raise if the number of elements of new sizes, which torch reads as unsigned, exceeds int64.

    A negative size passes beside one of 0.
    """
    if not shape or min(shape) >= 0:
        numel(shape)
        return
    unsigned = tuple([size % _UINT64_END for size in shape])
    check(_product_fits(unsigned), lambda: "numel: integer multiplication overflow")


def storage_size(shape: Ints, stride: Ints, offset: int = 0) -> int:
    """Return the number of elements that a storage needs for a geometry; 0 for an empty one.

    >>> storage_size((2, 3), (3, 1), 4), storage_size((2, 0), (3, 1), 4)
    (10, 0)
    """
    if 0 in shape:
        return 0
    last: int = sum(map(mul, shape, stride)) - sum(stride)
    return offset + last + 1


def check_nonnegative(shape: Ints) -> None:
    """Raise if a new tensor would have a negative size."""
    for size in shape:
        if size < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {size}: {[*shape]}"
            )


def contiguous_bytes(shape: Ints, itemsize: int, offset: int = 0) -> int:
    """Return the bytes that a storage needs for a contiguous tensor; raise if they exceed int64."""
    nbytes = (prod(shape) + offset) * itemsize
    if 0 < nbytes < INT64_END:
        return nbytes
    if nbytes >= INT64_END or not _product_fits(shape):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={[*shape]}")
    return nbytes


def strided_bytes(shape: Ints, stride: Ints, itemsize: int, offset: int = 0) -> int:
    """Return the bytes that a storage needs for a geometry; raise if they exceed int64."""
    nbytes = storage_size(shape, stride, offset) * itemsize
    # Torch computes in uint64, in which a negative stride overflows.
    has_negative_stride = (
        min(stride, default=0) < 0
        and 0 not in shape
        and any(size > 1 and step < 0 for size, step in zip(shape, stride, strict=True))
    )
    if nbytes >= INT64_END or has_negative_stride:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={[*shape]} and strides={[*stride]}"
        )
    return nbytes


def replace_negative_strides(shape: Ints, stride: Ints) -> Ints:
    """Return the strides of a tensor with each negative stride replaced.

    A negative stride, possible for size 0 or 1, becomes that of a contiguous dimension
    (TensorImpl::set_sizes_and_strides).

    >>> replace_negative_strides((3, 1), (1, -5)), replace_negative_strides((0, 2), (-1, 4))
    ((1, 1), (8, 4))
    """
    if not stride or min(stride) >= 0:
        return stride
    strides = [*stride]
    outer = 1
    for dim in range(len(shape) - 1, -1, -1):
        if strides[dim] < 0:
            strides[dim] = outer
            check(outer < INT64_END, lambda: "Stride calculation overflowed")
        outer = max(shape[dim], 1) * strides[dim]
    return tuple(strides)


def _product_fits(sizes: Ints) -> bool:
    """Return whether c10::safe_multiplies_u64 succeeds; sizes before a 0 can overflow, too."""
    if 0 in sizes:
        return prod(sizes[: sizes.index(0)]) < _UINT64_END
    return prod(sizes) < INT64_END


def as_int64(value: int) -> int:
    """Return a value wrapped around to int64, as in C++."""
    return (value + INT64_END) % _UINT64_END - INT64_END


def unpack_int64(value: Any) -> int:
    """Return a plain int for an integer; raise if it exceeds int64 (THPUtils_unpackLong)."""
    number = int(value)
    check(-INT64_END <= number < INT64_END, lambda: "Overflow when unpacking long long", ValueError)
    return number
