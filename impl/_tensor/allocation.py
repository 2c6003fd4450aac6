"""Allocation of new tensors, and resizing of out= tensors."""

from math import prod
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.parallel import GRAIN_SIZE
from .._devices.device import CPU, META, device
from .._dtypes.constants import COMPLEX32
from .._dtypes.scalars import scalar_dtype
from .._dtypes.table import dtype
from .._geometry import extents
from .._geometry.geometry import Geometry, dense, on_device
from .._geometry.size import Size
from .._geometry.strides import is_non_overlapping_and_dense
from .._numerics.deterministic import SWITCHES, fill_value, fills_uninitialized_memory
from .._numerics.encode_scalar import ScalarPath, check_quantizer, encode_scalar
from .._numerics.python_types import can_store
from .._runtime.errors import check
from .._runtime.warnings import is_python_frame, warn, warn_once
from .._storage.untyped_storage import new_storage, resize, storage_from_array
from .data_access import raw_array, write_raw
from .tensor import Tensor, new_tensor, set_geometry

LARGE_BYTES = 2**30
"""The size in bytes above which torch's allocation error replaces NumPy's."""


def warn_complex32(*, by_reference: bool = False) -> None:
    """Warn once about the creation of a complex32 tensor (c10's ComplexHalf).

    With ``by_reference`` the warning shows a line of this library, as that of torch's reference.
    """
    (_warn_in_reference if by_reference else _warn_complex32)()


@is_python_frame
def _warn_in_reference() -> None:
    _warn_complex32()


def _warn_complex32() -> None:
    warn_once(
        "ComplexHalf support is experimental and many operators don't support it yet. (Triggered"
        " internally at /__w/pytorch/pytorch/aten/src/ATen/EmptyTensor.cpp:54.)"
    )


def warn_if_complex32(dtype: dtype, count: int = 1) -> None:
    """Warn as often as torch creates a tensor of the dtype, if it is complex32.

    A sparse tensor counts thrice: the tensor, its values, and the values that it starts with.
    """
    for _ in range(count if dtype is COMPLEX32 else 0):
        _warn_complex32()


def check_new(shape: tuple[int, ...], dtype: dtype, *, by_reference: bool) -> None:
    """Warn of complex32, and raise if a new contiguous tensor exceeds int64 in bytes or strides."""
    if dtype is COMPLEX32:
        warn_complex32(by_reference=by_reference)
    extents.contiguous_bytes(shape, dtype.itemsize)
    dense(shape)


def empty_tensor(
    shape: tuple[int, ...], dtype: dtype, device: device = CPU, *, by_reference: bool = False
) -> Tensor:
    """Return an uninitialized contiguous tensor."""
    if dtype is COMPLEX32:
        warn_complex32(by_reference=by_reference)
    size = extents.contiguous_bytes(shape, dtype.itemsize)
    tensor = new_tensor(new_storage(size, device), dense(shape), 0, dtype)
    return fill_if_deterministic(tensor) if SWITCHES.enabled else tensor


def empty_with(
    geometry: Geometry, dtype: dtype, device: device | None = None, *, warns: bool = True
) -> Tensor:
    """Return an uninitialized tensor of a geometry, on ``geometry.device`` by default."""
    if dtype is COMPLEX32 and warns:
        warn_complex32()
    size = extents.strided_bytes(geometry.shape, geometry.stride, dtype.itemsize)
    storage = new_storage(size, geometry.device if device is None else device)
    return fill_if_deterministic(new_tensor(storage, geometry, 0, dtype))


def empty_on_meta(geometry: Geometry, nbytes: int, dtype: dtype) -> Tensor:
    """Return a tensor on meta; its storage has so many bytes, which int64 wraps around."""
    storage = new_storage(extents.as_int64(nbytes), META)
    return new_tensor(storage, on_device(geometry, META), 0, dtype)


def fill_if_deterministic(tensor: Tensor) -> Tensor:
    """Fill a new tensor with torch's value for uninitialized memory in deterministic mode."""
    if fills_uninitialized_memory():
        write_raw(tensor, fill_value(tensor._dtype))
    return tensor


def full_of_raw(shape: tuple[int, ...], value: Any, dtype: dtype, device: device = CPU) -> Tensor:
    """Return a contiguous tensor with the same raw value in every element, without a warning."""
    size = extents.contiguous_bytes(shape, dtype.itemsize)
    if device is not CPU:
        result = new_tensor(new_storage(size, device), dense(shape), 0, dtype)
        write_raw(result, value)
        return result
    if size > LARGE_BYTES:
        new_storage(size)  # raises if the allocation fails
    array = np.empty(size // dtype.itemsize, numpy_storage_dtype(dtype))
    array.fill(value)
    return new_tensor(storage_from_array(array), dense(shape), 0, dtype)


def full_scalar(size: tuple[int, ...], value: Any, dtype: dtype, device: device = CPU) -> Tensor:
    """Return a contiguous tensor with the same number in every element, without a warning."""
    return full_of_raw(size, new_code(value, dtype, size, device), dtype, device)


def new_code(value: Any, dtype: dtype, size: tuple[int, ...], device: device) -> Any:
    """Return the raw value for every element of a new tensor; raise for quantized dtypes."""
    check_quantizer(dtype, isinstance(value, complex))
    return fill_code(value, dtype, fill_path(size), device)


def fill_scalar(tensor: Tensor, value: Any) -> None:
    """Write a number into every element."""
    geometry = tensor._geometry
    path = ScalarPath.SCALAR_ZERO_DIM if geometry.numel == 1 else ScalarPath.SCALAR
    write_raw(tensor, fill_code(value, tensor._dtype, path, geometry.device))


def fill_code(value: Any, dtype: dtype, path: ScalarPath, device: device) -> Any:
    """Return the raw value of a number; on meta torch ignores the number (meta_fill_)."""
    if device is META:
        scalar_dtype(value)  # raises if the number is no Scalar
        return 0
    return encode_scalar(value, dtype, path)


def fill_path(size: tuple[int, ...]) -> ScalarPath:
    """Return torch's conversion of a fill value; a single element has its own path."""
    return ScalarPath.SCALAR_ZERO_DIM if prod(size) == 1 else ScalarPath.SCALAR


def check_zeroed(geometry: Geometry, dtype: dtype) -> None:
    """Raise if torch zeroes elements by a fill kernel that the dtype lacks.

    It zeroes the bytes of small dense tensors of any dtype (zero_ in ATen/native/Fill.cpp).
    """
    if geometry.device is META:
        return
    is_small = 0 < geometry.numel < GRAIN_SIZE
    if not (is_small and is_non_overlapping_and_dense(geometry.shape, geometry.stride)):
        encode_scalar(0, dtype, ScalarPath.SCALAR)


def write_zeros(tensor: Tensor) -> None:
    """Write zero into every element."""
    check_zeroed(tensor._geometry, tensor._dtype)
    write_raw(tensor, 0)


def resize_out(out: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return an out= tensor, resized without a warning."""
    extents.numel(tuple([size % 2**64 for size in shape]))  # torch multiplies in uint64
    if out._geometry.shape != shape:
        geometry, storage = dense(shape), out._storage
        offset = out._offset if geometry.numel else 0
        size = extents.contiguous_bytes(shape, out._dtype.itemsize, offset)
        old_size = storage._size
        if size > old_size:  # a storage never shrinks
            resize(storage, size)
        set_geometry(out, geometry)
        fill_new_part(out, old_size)
    return out


def resize_contiguous(tensor: Tensor, geometry: Geometry) -> None:
    """Set a contiguous geometry as `resize_` does: on meta a number of bytes may wrap around."""
    end, itemsize = tensor._offset + geometry.numel, tensor._dtype.itemsize
    if tensor._geometry.device is META:
        needed = extents.as_int64(end * itemsize)
    else:
        needed = extents.contiguous_bytes((end,), itemsize)
    old_bytes = tensor._storage._size
    grows = geometry.numel and needed > old_bytes
    if grows:  # a storage never shrinks
        resize(tensor._storage, needed)
    set_geometry(tensor, geometry)
    if grows:
        fill_new_part(tensor, old_bytes)


def fill_new_part(tensor: Tensor, before: int) -> None:
    """Fill the bytes of a storage after the first ``before``, in deterministic mode."""
    if not fills_uninitialized_memory():
        return
    if tensor._dtype is COMPLEX32:
        warn_complex32()  # torch creates a tensor over the new part
    if tensor._storage._device is META:
        return
    itemsize, size = tensor._dtype.itemsize, tensor._storage._size
    if size > before:
        whole = new_tensor(tensor._storage, dense((size // itemsize,)), 0, tensor._dtype)
        raw_array(whole)[before // itemsize :] = fill_value(tensor._dtype)


def resize_wrapped_out(out: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return an out= tensor, resized as by torch's references (out_wrapper)."""
    if out._geometry.shape != shape:
        if out._geometry.numel:
            _warn_resized_by_reference(out)
        resize_out(out, shape)
    return out


@is_python_frame
def _warn_resized_by_reference(out: Tensor) -> None:
    """Warn that ``out`` is resized; the warning shows this line, not the caller's."""
    warn(_RESIZED.format(Size(out._geometry.shape)))


_RESIZED = (
    "An output with one or more elements was resized since it had shape {} which does not match the"
    " required output shape {{str(shape)}}. This behavior is deprecated, and in a future PyTorch"
    " release outputs will not be resized unless they have zero elements. You can explicitly reuse"
    " an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)


def resize_factory_out(
    out: Tensor, shape: tuple[int, ...], *, with_strides: bool = False
) -> Tensor:
    """Return an out= tensor of a factory, resized; on meta a reference allocates the result.

    ``with_strides``: the reference passes strides (empty in torch/_refs).
    """
    if out._geometry.device is not META:
        return resize_out(out, shape)
    if with_strides:
        check_strides_of_reference(shape)
        extents.numel(shape)
    extents.check_nonnegative(shape)
    extents.contiguous_bytes(shape, out._dtype.itemsize)
    resize_wrapped_out(out, shape)
    can_store(out._dtype, out._dtype)  # raises for a dtype that references do not know
    return out


def check_sizes_of_reference(shape: tuple[int, ...]) -> None:
    """Raise for negative sizes as a reference does that computes strides (torch/_prims_common)."""
    check(
        not shape or min(shape) >= 0,
        lambda: (
            "Expected cond to be True, but got False. (Could this error message be improved? If so,"
            " please report an enhancement request to PyTorch.)"
        ),
    )


def check_strides_of_reference(shape: tuple[int, ...]) -> None:
    """Raise for sizes of which a reference cannot pass the strides (empty in torch/_refs)."""
    check_sizes_of_reference(shape)
    outer = prod(max(size, 1) for size in shape[1:])
    check(
        outer < 2**63,
        lambda: (
            "empty_strided(): argument 'stride' failed to unpack the object at pos 1 with error"
            ' "Overflow when unpacking long long"'
        ),
        TypeError,
    )


def resize_output(out: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return an out= tensor, resized; warn if it had elements."""
    warn_resized_output(out._geometry.shape, shape)
    return resize_out(out, shape)


def warn_resized_output(before: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Warn that an output with elements is resized to another shape."""
    if before == shape or not extents.numel(before):
        return
    warn(
        "An output with one or more elements was resized since it had shape"
        f" {[*before]}, which does not match the required output shape"
        f" {[*shape]}. This behavior is deprecated, and in a future PyTorch release outputs"
        " will not be resized unless they have zero elements. You can explicitly reuse an out"
        " tensor t by resizing it, inplace, to zero elements with t.resize_(0). (Triggered"
        " internally at /__w/pytorch/pytorch/aten/src/ATen/native/Resize.cpp:30.)"
    )
