"""Geometries of views that depend on the element size.

The functions are like those of `view_shapes`, but return the new storage offset.
"""

from typing import NoReturn

from .._runtime.errors import check
from .extents import Ints, as_int64, replace_negative_strides, storage_size
from .view_checks import MIN_SYMINT, View, bytes_needed, check_numel, check_strides, out_of_bounds


def as_strided(
    size: Ints,
    stride: Ints,
    storage_offset: int | None,
    *,
    storage_bytes: int | None,
    itemsize: int,
    current_offset: int,
    wraps: bool = False,
) -> View:
    """Return the requested geometry and storage offset, or raise if the storage is too small.

    ``storage_bytes``: None for a storage that is never too small

    ``wraps``: torch computes the needed bytes without a check for overflow (as_strided__symint), so
    that some elements may be beyond the storage.
    """
    offset = current_offset if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    check_strides(stride)
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if storage_bytes is None:
        check_numel(size)
        return size, stride, offset
    if wraps:
        needed = as_int64(itemsize * storage_size(size, stride, offset))
    else:
        needed = bytes_needed(size, stride, offset, itemsize)
    if needed > storage_bytes:
        raise out_of_bounds(size, stride, offset, itemsize, needed, storage_bytes)
    check_numel(size)
    return size, stride, offset


def view_dtype(
    shape: Ints,
    stride: Ints,
    offset: int,
    old_itemsize: int,
    new_itemsize: int,
    old_name: str,
    new_name: str,
) -> View:
    """Return the geometry of ``x.view(dtype)``; the names are of ScalarType, such as Float."""
    if old_itemsize == new_itemsize:
        return shape, stride, offset
    names = old_name, new_name
    if not shape:
        _raise_view_dtype("dim() cannot be 0", names)
    if old_itemsize > new_itemsize:
        if stride[-1] != 1:
            _raise_view_dtype("stride(-1) must be 1", names, stride[-1])
        ratio = old_itemsize // new_itemsize
        sizes = *shape[:-1], as_int64(shape[-1] * ratio)
        finer = *[as_int64(step * ratio) for step in stride[:-1]], 1
        return sizes, _replaced(sizes, finer), offset * ratio
    ratio = new_itemsize // old_itemsize
    if shape[-1] % ratio:
        _raise_view_dtype(f"size(-1) must be divisible by {ratio}", names, shape[-1])
    if offset % ratio:
        _raise_view_dtype(f"storage_offset() must be divisible by {ratio}", names, offset)
    if stride[-1] != 1:
        _raise_view_dtype("stride(-1) must be 1", names, stride[-1])
    for dim, step in enumerate(stride[:-1]):
        if step % ratio:
            _raise_view_dtype(f"stride({dim}) must be divisible by {ratio}", names, step)
    coarser = *[step // ratio for step in stride[:-1]], 1
    return (*shape[:-1], shape[-1] // ratio), coarser, offset // ratio


def _replaced(shape: Ints, stride: Ints) -> Ints:
    """Return strides with each negative one replaced, unless torch takes one for a symbolic one."""
    is_symbolic = min(stride) < MIN_SYMINT
    return stride if is_symbolic else replace_negative_strides(shape, stride)


def _raise_view_dtype(rule: str, names: tuple[str, str], value: int | None = None) -> NoReturn:
    got = "" if value is None else f", but got {value}"
    raise RuntimeError(
        f"self.{rule} to view {names[0]} as {names[1]} (different element sizes){got}"
    )


def view_as_real(
    shape: Ints, stride: Ints, offset: int, *, is_complex: bool, is_conj: bool = False
) -> View:
    """Return the geometry of complex numbers as pairs of reals, in a new last dimension."""
    check(is_complex, lambda: "view_as_real is only supported for complex tensors")
    if is_conj:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate"
            " tensor so you can view it as real, use self.resolve_conj(); however, be warned that"
            " the resulting tensor will NOT alias the original."
        )
    pairs = *[as_int64(2 * step) for step in stride], 1
    return (*shape, 2), _replaced((*shape, 2), pairs), 2 * offset


def view_as_complex(shape: Ints, stride: Ints, offset: int, scalar_type: str) -> View:
    """Return the geometry of pairs of reals, in the last dimension, as complex numbers."""
    if scalar_type not in ("Half", "Float", "Double"):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors,"
            f" but got a tensor of scalar type: {scalar_type}"
        )
    check(shape, lambda: "Input tensor must have one or more dimensions")
    check(shape[-1] == 2, lambda: "Tensor must have a last dimension of size 2")
    check(stride[-1] == 1, lambda: "Tensor must have a last dimension with stride 1")
    pairs = zip(shape[:-1], stride, strict=False)
    if any(step % 2 and size != 1 for size, step in pairs):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    check(offset % 2 == 0, lambda: "Tensor must have a storage_offset divisible by 2")
    return shape[:-1], tuple([step // 2 for step in stride[:-1]]), offset // 2
