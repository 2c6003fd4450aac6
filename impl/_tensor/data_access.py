"""The elements of tensors: as NumPy arrays over their memory."""

from typing import Any

from .._arrays.numpy_bridge import np, numpy_storage_dtype
from .._arrays.opaque_dtypes import check_copy, is_opaque, warn_of_discarding
from .._devices import cuda_backend
from .._devices.device import CPU, META, device
from .._dtypes.constants import BOOL, FLOAT16, FLOAT32
from .._dtypes.table import dtype
from .._geometry.broadcasting import is_non_overlapping
from .._geometry.geometry import Geometry, dense
from .._geometry.strides import is_non_overlapping_and_dense
from .._numerics.cast import convert, convert_into
from .._numerics.conj_neg import CONJUGATE, applied, check_applied
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.lazy_import import LazyModule
from .._storage.untyped_storage import buffer, check_has_elements, storage_from_array
from .tensor import Tensor, new_tensor

_casts: Any = LazyModule(f"{PACKAGE}._codegen.casts")


def raw_array(tensor: Tensor) -> Any:
    """Return a NumPy array over the tensor's own memory; what it carries is `arrays.carrier`'s.

    It shows the memory as it is, whatever the conjugate and the negative bit say.
    """
    seen, geometry = tensor._array, tensor._geometry
    if seen is not None and seen[0] is geometry and seen[1] is tensor._storage._array:
        return seen[2]
    kind = numpy_storage_dtype(tensor._dtype)
    if not geometry.numel:
        check_has_elements(tensor._storage)
        # Torch lets negative sizes pass beside a size of 0.
        return np.empty([max(0, size) for size in geometry.shape], kind)
    start, memory = tensor._offset * kind.itemsize, buffer(tensor._storage)
    if geometry.is_contiguous:
        found = np.ndarray(geometry.shape, kind, memory, start)
    else:
        steps = byte_strides(geometry, kind.itemsize)
        found = np.ndarray(geometry.shape, kind, memory, start, steps)
    if tensor._storage._size <= _SMALL and geometry.device.index is None:
        tensor._array = geometry, memory, found, None
    return found


def permuted_raw_array(tensor: Tensor, order: tuple[int, ...]) -> Any:
    """Return what `raw_array` does, with the dimensions in another order: that of the memory."""
    found = raw_array(tensor)
    seen = tensor._array
    if seen is None:
        return found.transpose(order)
    if seen[3] is None:
        seen = tensor._array = (*seen[:3], found.transpose(order))
    return seen[3]


_SMALL = 2**16
"""The array of a tensor in a storage up to this many bytes is kept; larger memory is not held on to, nor a device's."""


def resolved_array(tensor: Tensor) -> Any:
    """Return the tensor's elements as codes for reading: an array that is not to be written to.

    It is the memory itself, or a conjugated or negated copy where a bit says so.
    """
    found = raw_array(tensor)
    return applied(found, tensor._dtype, tensor._conj_neg) if tensor._conj_neg else found


def byte_strides(geometry: Geometry, itemsize: int) -> tuple[int, ...]:
    """Return the strides of a geometry in bytes."""
    known = geometry.cache.get(itemsize)
    if known is not None:
        return known  # type: ignore[no-any-return]
    return geometry.remember(itemsize, tuple([each * itemsize for each in geometry.stride]))  # type: ignore[no-any-return]


def tensor_from_raw(array: Any, dtype: dtype, device: device = CPU) -> Tensor:
    """Make a contiguous tensor of a new contiguous array, whose memory it keeps on the CPU."""
    return new_tensor(storage_from_array(array, device), dense(array.shape), 0, dtype)


def strided_placeholder(tensor: Tensor) -> Any:
    """Return what `raw_array` does; on meta an array that lies as the elements would, and must not be looked into."""
    geometry = tensor._geometry
    if geometry.device is not META:
        return raw_array(tensor)
    kind = numpy_storage_dtype(tensor._dtype)
    if not geometry.numel:
        return np.empty([max(0, size) for size in geometry.shape], kind)
    lay, steps = np.lib.stride_tricks.as_strided, byte_strides(geometry, kind.itemsize)
    return lay(np.empty(1, kind), geometry.shape, steps)


def check_cast(target: Tensor, source: Tensor) -> None:
    """Refuse, or warn of, a conversion of elements that there are not, as where there are some."""
    dtype, wanted = source._dtype, target._dtype
    if not target._geometry.numel:
        return
    if is_opaque(dtype) or is_opaque(wanted):
        check_copy(dtype, wanted, strided_placeholder(source), strided_placeholder(target))
    elif dtype.is_complex and not (wanted.is_complex or wanted is BOOL):
        warn_of_discarding()


def runs_on_device(device: device, kernel: Any, out: Any, inputs: tuple[Any, ...]) -> bool:
    """Let a device compute a large array of its memory by a kernel; False if there is none, or it cannot."""
    if device.index is None or kernel is None or out.size <= _FEW:
        return False
    return cuda_backend.require_cuda().run(kernel, out, inputs, device.index)


_FEW = 2**16
"""Up to how many elements are left to the host, which reaches the memory of devices, too."""


def write_raw_cast(target: Tensor, array: Any, dtype: dtype) -> None:
    """Write codes of a dtype, converted and broadcast, into a tensor's own memory, on the device where it is."""
    device, own, memory = target._geometry.device, target._dtype, raw_array(target)
    if device.index is not None and memory.size > _FEW:
        if own is dtype and own is not BOOL and not is_opaque(own):
            copy_bits(target, array, device)
            return
        if runs_on_device(device, _casts.cast(dtype, own), memory, (array,)):
            return
    convert_into(memory, array, dtype, own)


def copy_bits(target: Tensor, array: Any, device: device) -> None:
    """Write codes, broadcast, into a tensor's own memory, whatever they stand for; a device may do it."""
    memory = raw_array(target)
    is_run = memory.flags.c_contiguous and array.flags.c_contiguous and array.shape == memory.shape
    if is_run and device.index is not None and memory.size > _FEW:
        cuda_backend.require_cuda().copy(memory, array, device.index)
    else:
        memory[...] = array


def write_raw(target: Tensor, codes_: Any) -> None:
    """Write codes, broadcast, into a tensor's own memory; on meta there is none to write to."""
    if target._geometry.device is not META:
        raw_array(target)[...] = codes_


def write_elements(target: Tensor, elements: Any) -> None:
    """Let a tensor have elements, which are codes of its own dtype; they are broadcast.

    A conjugate or negative bit is heeded: what is read from the tensor afterwards are the elements.
    """
    if target._geometry.device is META:
        return
    memory = raw_array(target)
    if target._conj_neg:
        elements = applied(np.asarray(elements, memory.dtype), target._dtype, target._conj_neg)
    memory[...] = elements


def write_cast(target: Tensor, source: Any, dtype: dtype) -> None:
    """Let a tensor have the values of an array of codes of a dtype, converted and broadcast.

    A conjugate or negative bit is heeded: what is read from the tensor afterwards are the values.
    """
    write_elements(target, convert(source, dtype, target._dtype))


def copy_elements(target: Tensor, source: Tensor) -> None:
    """Let a tensor have the elements of another, converted and broadcast.

    A bit that one of them has and the other has not is applied to what is already converted, place
    by place where some lie on each other (aten/src/ATen/native/cpu/CopyKernel.cpp).
    """
    check_copy_across(target, source)
    dtype = target._dtype
    bits = target._conj_neg ^ source._conj_neg
    if not dtype.is_complex:
        bits &= ~CONJUGATE
    if bits and _forgets_bits(target, source):
        bits = 0
    if target._geometry.device is META:
        check_cast(target, source)
        if bits and target._geometry.numel:
            check_applied(dtype, bits)
        return
    if not target._geometry.numel:
        return
    if not bits:
        convert_into(raw_array(target), raw_array(source), source._dtype, dtype)
        return
    elements = convert(raw_array(source), source._dtype, dtype)
    if source._dtype is dtype and not _share_place(target, source):
        elements, bits = applied(elements, dtype, bits), 0
    raw_array(target)[...] = elements
    if bits:
        apply_conj_neg(target, bits)


def check_copy_across(target: Tensor, source: Tensor) -> None:
    """Refuse to copy elements that do not exist to a device where there would have to be some."""
    if target._geometry.device is not META:
        check_has_data(source)


def check_has_data(tensor: Tensor) -> None:
    """Refuse to take elements out of a tensor that has none, being on meta."""
    check(
        tensor._geometry.device is not META,
        lambda: "Cannot copy out of meta tensor; no data!",
        NotImplementedError,
    )


_FAST = {FLOAT16, FLOAT32}


def _forgets_bits(target: Tensor, source: Tensor) -> bool:
    """Tell whether torch converts in a fast way that knows nothing of bits (ATen/native/Copy.cpp)."""
    left, right = target._geometry, source._geometry
    return (
        {target._dtype, source._dtype} == _FAST
        and left.shape == right.shape
        and (
            (left.is_contiguous and right.is_contiguous)
            or (left is right and is_non_overlapping_and_dense(left.shape, left.stride))
        )
    )


def _share_place(left: Tensor, right: Tensor) -> bool:
    """Tell whether two tensors of one dtype are the same memory, whatever it means."""
    return (
        left._storage is right._storage
        and left._geometry is right._geometry
        and left._offset == right._offset
    )


def apply_conj_neg(target: Tensor, bits: int) -> None:
    """Conjugate and negate a tensor's memory, place by place where some lie on each other."""
    if target._geometry.device is META:
        return
    memory, geometry = raw_array(target), target._geometry
    if is_non_overlapping(geometry.shape, geometry.stride):
        memory[...] = applied(memory, target._dtype, bits)
        return
    for place in np.ndindex(*memory.shape):
        memory[place] = applied(memory[place], target._dtype, bits)
