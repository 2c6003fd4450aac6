"""Access to the elements of tensors, as NumPy arrays over their memory."""

from contextlib import suppress
from math import prod
from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.opaque_dtypes import is_opaque
from .._devices import cuda_backend
from .._devices.device import CPU, META, device
from .._dtypes.constants import BOOL, FLOAT16, FLOAT32
from .._dtypes.table import dtype
from .._geometry.broadcasting import is_non_overlapping
from .._geometry.extents import INT64_END, as_int64, strided_bytes
from .._geometry.geometry import Geometry, dense
from .._geometry.strides import is_non_overlapping_and_dense, memory_order
from .._geometry.view_checks import out_of_bounds
from .._numerics.cast import convert, convert_into
from .._numerics.conj_neg import CONJUGATE, resolve_raw
from .._runtime.c_types import PACKAGE
from .._runtime.lazy_import import LazyModule
from .._storage.untyped_storage import check_has_elements, storage_array, storage_from_array
from .tensor import Tensor, new_tensor

_casts: Any = LazyModule(f"{PACKAGE}._codegen.casts")


def raw_array(tensor: Tensor) -> Any:
    """Return an array over a tensor's memory, of its `numpy_storage_dtype`.

    The conj and neg bits are not resolved.
    """
    cached, geometry = tensor._array, tensor._geometry
    if cached is not None and cached[0] is geometry and cached[1] is tensor._storage._array:
        return cached[2]
    storage_dtype = numpy_storage_dtype(tensor._dtype)
    if not geometry.numel:
        check_has_elements(tensor._storage)
        return _empty_array(geometry.shape, storage_dtype)
    itemsize, memory = storage_dtype.itemsize, storage_array(tensor._storage)
    steps = None if geometry.is_contiguous else byte_strides(geometry, itemsize)
    offset = tensor._offset
    try:
        result = np.ndarray(geometry.shape, storage_dtype, memory, offset * itemsize, steps)
    except (TypeError, ValueError, OverflowError):
        start = as_int64(offset * itemsize)
        if start != offset * itemsize:  # addresses wrap around
            with suppress(TypeError, ValueError):
                return np.ndarray(geometry.shape, storage_dtype, memory, start, steps)
        # Where torch reads or writes foreign memory.
        shape, stride = geometry.shape, geometry.stride
        needed = strided_bytes(shape, stride, itemsize, offset)
        if needed <= tensor._storage._size:
            raise
        sizes = itemsize, needed, tensor._storage._size
        raise out_of_bounds(shape, stride, offset, *sizes) from None
    if tensor._storage._size <= _CACHED_BYTES and geometry.device.index is None:
        tensor._array = geometry, memory, result, None
    return result


def _empty_array(shape: tuple[int, ...], storage_dtype: Any) -> Any:
    """Return an array of a shape without elements; sizes beyond NumPy's limit become 0."""
    sizes = [max(0, size) for size in shape]  # torch allows negative sizes beside a size of 0
    if prod(filter(None, sizes)) >= _NUMPY_SIZES_END:
        sizes = [size if size == 1 else 0 for size in sizes]
    return np.empty(sizes, storage_dtype)


_NUMPY_SIZES_END = 2**58
"""The end of the products of sizes that NumPy allows for all dtypes of up to 16 bytes."""


def permuted_raw_array(tensor: Tensor, order: tuple[int, ...]) -> Any:
    """Return `raw_array` with its dimensions permuted to the order of the memory."""
    array = raw_array(tensor)
    cached = tensor._array
    if cached is None:
        return array.transpose(order)
    if cached[3] is None:
        cached = tensor._array = (*cached[:3], array.transpose(order))
    return cached[3]


_CACHED_BYTES = 2**16
"""The largest storage, in bytes, whose tensors cache their array; device memory is never cached."""


def resolved_array(tensor: Tensor) -> Any:
    """Return the raw elements of a tensor, with its conj and neg bits resolved, for reading only.

    Without bits this is the memory itself, else a conjugated or negated copy.
    """
    array = raw_array(tensor)
    return resolve_raw(array, tensor._dtype, tensor._conj_neg) if tensor._conj_neg else array


def byte_strides(geometry: Geometry, itemsize: int) -> tuple[int, ...]:
    """Return the strides of a geometry in bytes."""
    steps: tuple[int, ...] | None = geometry.cache.get(itemsize)
    if steps is None:
        steps = tuple([stride * itemsize for stride in geometry.stride])
        if steps and max(steps) >= INT64_END:  # only the stride of one element may be so large
            steps = tuple([step if step < INT64_END else 0 for step in steps])
        geometry.remember(itemsize, steps)
    return steps


def tensor_from_raw(array: Any, dtype: dtype, device: device = CPU) -> Tensor:
    """Return a contiguous tensor of a new contiguous array, whose memory it shares on the CPU."""
    return new_tensor(storage_from_array(array, device), dense(array.shape), 0, dtype)


def run_on_device(device: device, kernel: Any, out: Any, inputs: tuple[Any, ...]) -> bool:
    """Run a kernel on a CUDA device for a large array; return whether it ran."""
    if device.index is None or kernel is None or out.size <= _HOST_NUMEL:
        return False
    return cuda_backend.require_cuda().run(kernel, out, inputs, device.index)


_HOST_NUMEL = 2**16
"""The largest number of elements that the host computes, also in device memory."""


def write_raw_cast(target: Tensor, array: Any, dtype: dtype) -> None:
    """Write raw elements of a dtype, cast and broadcast, into a tensor's memory."""
    device, target_dtype, memory = target._geometry.device, target._dtype, raw_array(target)
    if device.index is not None and memory.size > _HOST_NUMEL:
        if target_dtype is dtype and target_dtype is not BOOL and not is_opaque(target_dtype):
            copy_bits(target, array, device)
            return
        if run_on_device(device, _casts.cast_kernel(dtype, target_dtype), memory, (array,)):
            return
    memory, array = _in_write_order(memory, array)
    convert_into(memory, array, dtype, target_dtype)


def copy_bits(target: Tensor, array: Any, device: device) -> None:
    """Write raw elements, broadcast, into a tensor's memory without a cast."""
    memory = raw_array(target)
    direct = memory.flags.c_contiguous and array.flags.c_contiguous and array.shape == memory.shape
    if direct and device.index is not None and memory.size > _HOST_NUMEL:
        cuda_backend.require_cuda().copy(memory, array, device.index)
    elif not _copy_on_device(target._geometry, memory, array):
        memory[...] = array


def _copy_on_device(geometry: Geometry, memory: Any, raw: Any) -> bool:
    """Write raw elements by a kernel, into memory with this geometry; return whether it ran."""
    if geometry.device.index is None or memory.size <= _HOST_NUMEL:
        return False
    array = np.asarray(raw, memory.dtype)
    is_apart = is_non_overlapping(geometry.shape, geometry.stride)
    if not is_apart or np.may_share_memory(memory, array):
        return False
    return run_on_device(geometry.device, _casts.copy_kernel(memory.itemsize), memory, (array,))


def write_raw(target: Tensor, raw: Any) -> None:
    """Write raw elements, broadcast, into a tensor's memory; do nothing on meta."""
    geometry = target._geometry
    if geometry.device is META:
        return
    memory = raw_array(target)
    if not _copy_on_device(geometry, memory, raw):
        memory[...] = raw


def write_elements(target: Tensor, elements: Any, *, is_cast: bool = False) -> None:
    """Write raw elements of the tensor's dtype, broadcast, with its conj and neg bits applied.

    The resolved elements of the tensor are then ``elements``; do nothing on meta. ``is_cast`` is
    that of `write_in_order`.
    """
    if target._geometry.device is META:
        return
    memory = raw_array(target)
    if target._conj_neg:
        elements = resolve_raw(np.asarray(elements, memory.dtype), target._dtype, target._conj_neg)
    write_in_order(memory, elements, is_cast=is_cast)


def write_in_order(memory: Any, elements: Any, *, is_cast: bool = False) -> None:
    """Write elements, broadcast, into memory that some of them may share, in torch's order.

    ``is_cast`` is whether torch computes them in another dtype, into a tensor laid out like the
    target, from which it copies them.
    """
    memory, elements = _in_write_order(memory, elements, decides=not is_cast)
    memory[...] = elements


def write_cast(target: Tensor, source: Any, dtype: dtype) -> None:
    """Write raw elements of a dtype, cast and broadcast, as `write_elements` does."""
    write_elements(target, convert(source, dtype, target._dtype))


def copy_elements(target: Tensor, source: Tensor) -> None:
    """Copy the elements of another tensor, cast and broadcast; do nothing on meta.

    A bit of only one of the tensors is applied after the cast, element by element if the elements
    of ``target`` overlap (aten/src/ATen/native/cpu/CopyKernel.cpp).
    """
    check_copy_across(target, source)
    dtype = target._dtype
    bits = target._conj_neg ^ source._conj_neg
    if not dtype.is_complex:
        bits &= ~CONJUGATE
    if bits and _ignores_bits(target, source):
        bits = 0
    if target._geometry.device is META or not target._geometry.numel:
        return
    memory, read = _in_write_order(raw_array(target), raw_array(source))
    if not bits:
        convert_into(memory, read, source._dtype, dtype)
        return
    elements = convert(read, source._dtype, dtype)
    is_same_memory = (
        target._storage is source._storage
        and target._geometry is source._geometry
        and target._offset == source._offset
    )
    if source._dtype is dtype and not is_same_memory:
        elements, bits = resolve_raw(elements, dtype, bits), 0
    memory[...] = elements
    if bits:
        apply_conj_neg(target, bits)


def _in_write_order(memory: Any, elements: Any, *, decides: bool = True) -> tuple[Any, Any]:
    """Return a tensor's memory and elements to write, with dimensions in the order of writes.

    It matters where elements overlap: the last one stays. Torch's order is that of TensorIterator,
    NumPy's that of the strides, and of the dimensions where strides are equal. ``decides`` is
    whether the strides of the elements decide where those of the memory are equal.
    """
    if has_separate_elements(memory):
        return memory, elements
    if np.shape(elements) != memory.shape:
        elements = np.broadcast_to(elements, memory.shape)
    decisive = (memory.strides, elements.strides) if decides else (memory.strides,)
    order = memory_order(memory.shape, decisive)[::-1]
    return memory.transpose(order), elements.transpose(order)


def has_separate_elements(memory: Any) -> bool:
    """Return whether it is known that no elements of an array share memory."""
    return memory.flags.c_contiguous or is_non_overlapping(memory.shape, memory.strides)


def check_copy_across(target: Tensor, source: Tensor) -> None:
    """Raise if ``source`` is on meta and ``target`` is not."""
    if target._geometry.device is not META:
        check_has_data(source)


def check_has_data(tensor: Tensor) -> None:
    """Raise if a tensor is on meta and has no data."""
    if tensor._geometry.device is META:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def _ignores_bits(target: Tensor, source: Tensor) -> bool:
    """Return whether torch's cast takes a fast path that ignores bits (ATen/native/Copy.cpp)."""
    left, right = target._geometry, source._geometry
    return (
        {target._dtype, source._dtype} == {FLOAT16, FLOAT32}
        and left.shape == right.shape
        and (
            (left.is_contiguous and right.is_contiguous)
            or (left is right and is_non_overlapping_and_dense(left.shape, left.stride))
        )
    )


def apply_conj_neg(target: Tensor, bits: int) -> None:
    """Conjugate or negate a tensor's memory, element by element if the elements overlap."""
    if target._geometry.device is META:
        return
    memory = raw_array(target)
    if has_separate_elements(memory):
        memory[...] = resolve_raw(memory, target._dtype, bits)
        return
    for index in np.ndindex(*memory.shape):
        memory[index] = resolve_raw(memory[index], target._dtype, bits)
