"""The checks of as_strided, which creates nearly all views, with int64 that wraps around.

The rules are those of aten/src/ATen/native/Resize.h and c10/core/SymInt.h.
"""

from collections.abc import Sequence

from .._runtime.errors import check
from .extents import INT64_MAX, Ints, as_int64, numel, storage_size

View = tuple[Ints, Ints, int]
"""A view's shape, its strides, and the change of the storage offset."""

MIN_SYMINT = -(2**62)
"""The smallest integer that c10::SymInt represents directly (c10/core/SymInt.h)."""


def _unsigned(shape: Ints) -> Ints:
    return shape if min(shape, default=0) >= 0 else tuple([size % 2**64 for size in shape])


def check_numel(shape: Ints) -> None:
    """Raise if the number of elements exceeds int64; negative sizes count as unsigned."""
    numel(_unsigned(shape))


def check_strides(stride: Ints) -> None:
    """Raise if a stride is negative."""
    if min(stride, default=0) < 0:
        raise RuntimeError(_negative_strides(stride))


def _negative_strides(stride: Ints) -> str:
    return f"as_strided: Negative strides are not supported at the moment, got strides: {[*stride]}"


def bytes_needed(shape: Ints, stride: Ints, offset: int, itemsize: int) -> int:
    """Return the required storage size in bytes; 0 if there are no elements."""
    needed = storage_size(_unsigned(shape), stride, offset) * itemsize
    if needed > INT64_MAX:
        raise RuntimeError(_too_many_bytes(shape, stride))
    return needed


def _too_many_bytes(shape: Ints, stride: Ints) -> str:
    strides = f" and strides={[*stride]}" if stride else ""
    return f"Storage size calculation overflowed with sizes={[*shape]}{strides}"


def out_of_bounds(
    shape: Ints, stride: Ints, offset: int, itemsize: int, needed: int, storage_bytes: int
) -> RuntimeError:
    """Return the error for a geometry whose elements need more bytes than the storage has."""
    return RuntimeError(
        f"setStorage: sizes {[*shape]}, strides {[*stride]}, storage offset {offset}, and itemsize"
        f" {itemsize} requiring a storage size of {needed} are out of bounds for storage of size"
        f" {storage_bytes}"
    )


def check_sym_ints(values: Sequence[int]) -> None:
    """Raise if an integer is too small for the tagged ones of torch (c10/core/SymInt.h)."""
    minimum = min(values, default=0)
    check(
        minimum >= MIN_SYMINT,
        lambda: f"IntArrayRef contains an int that cannot be represented as a SymInt: {minimum}",
    )


def wrap_to_int64(shape: Ints, stride: Ints, offset: int) -> View:
    """Return a geometry with sizes and strides wrapped to int64, or raise torch's error."""
    shape, stride = tuple(map(as_int64, shape)), tuple(map(as_int64, stride))
    check_sym_ints(shape + stride)
    check_strides(stride)
    if min(shape) < 0 and storage_size(_unsigned(shape), stride) > INT64_MAX:
        raise DeviceError(_too_many_bytes(shape, stride), "numel: integer multiplication overflow")
    check_numel(shape)
    return shape, stride, offset


class DeviceError(Exception):
    """An error of which devices have different messages."""

    def __init__(self, on_cpu: str, on_meta: str) -> None:
        super().__init__()
        self._messages = on_cpu, on_meta

    def of(self, *, is_meta: bool) -> RuntimeError:
        """Return the error of a device."""
        return RuntimeError(self._messages[is_meta])


_SYMBOLIC = (
    "/__w/pytorch/pytorch/build/aten/src/ATen/RegisterCPU_{}: SymIntArrayRef expected to"
    " contain only concrete integers"
)


def symbolic_stride(stride: Ints) -> DeviceError:
    """Return the error for a stride so negative that torch takes it for a symbolic one."""
    return DeviceError(_SYMBOLIC.format("0.cpp:1754"), _negative_strides(stride))


def check_concrete(stride: Ints) -> None:
    """Raise if torch takes a stride, wrapped around by view_as_real, for a symbolic one."""
    check(
        min(stride, default=0) >= MIN_SYMINT,
        lambda: "Cannot call numel() on tensor with symbolic sizes/strides",
    )


def check_shifts(shifts: Ints) -> None:
    """Raise if torch takes a shift of roll, which is so negative, for a symbolic one."""
    check(min(shifts, default=0) >= MIN_SYMINT, lambda: _SYMBOLIC.format("3.cpp:4890"))


def wrapped_offset(offset: int) -> int:
    """Return a storage offset wrapped to int64; raise if it becomes negative."""
    offset = as_int64(offset)
    check(offset >= 0, lambda: f"Tensor: invalid storage offset {offset}")
    return offset


def stride_of_new_dim(sizes: Sequence[int], strides: Sequence[int], dim: int) -> int:
    """Return the stride of a new dimension of size 1, wrapped to int64."""
    step = sizes[dim] * strides[dim] if dim < len(sizes) else 1
    if step > INT64_MAX:
        step = as_int64(step)
        stride = *strides[:dim], step, *strides[dim:]
        if step < MIN_SYMINT:
            raise symbolic_stride(stride)
        check_strides(stride)
    return step
