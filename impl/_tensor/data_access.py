"""The elements of tensors: as NumPy arrays over their memory."""

from typing import Any

from .._arrays.numpy_bridge import carrier, np
from .._arrays.opaque_dtypes import check_copy, is_opaque, warn_of_discarding
from .._devices import cuda_backend
from .._devices.device import CPU, META, device
from .._dtypes.constants import BOOL, FLOAT16, FLOAT32
from .._dtypes.table import dtype
from .._geometry.broadcasting import lie_apart
from .._geometry.geometry import Geometry, dense
from .._geometry.strides import is_non_overlapping_and_dense
from .._numerics.cast import convert, convert_into
from .._numerics.conj_neg import CONJUGATE, applied, check_applied
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.lazy_import import Late
from .._storage.untyped_storage import adopt, buffer, check_has_elements
from .tensor import Tensor, make

_casts: Any = Late(f"{PACKAGE}._codegen.casts")


def codes(tensor: Tensor) -> Any:
    """Return a NumPy array over the tensor's own memory; what it carries is `arrays.carrier`'s.

    It shows the memory as it is, whatever the conjugate and the negative bit say.
    """
    seen, geometry = tensor._array, tensor._geometry
    if seen is not None and seen[0] is geometry and seen[1] is tensor._storage._array:
        return seen[2]
    kind = carrier(tensor._dtype)
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


def flat(tensor: Tensor, order: tuple[int, ...]) -> Any:
    """Return what `codes` does, with the dimensions in another order: that of the memory."""
    found = codes(tensor)
    seen = tensor._array
    if seen is None:
        return found.transpose(order)
    if seen[3] is None:
        seen = tensor._array = (*seen[:3], found.transpose(order))
    return seen[3]


_SMALL = 2**16
"""The array of a tensor in a storage up to this many bytes is kept; larger memory is not held on to, nor a device's."""


def values(tensor: Tensor) -> Any:
    """Return the tensor's elements as codes for reading: an array that is not to be written to.

    It is the memory itself, or a conjugated or negated copy where a bit says so.
    """
    found = codes(tensor)
    return applied(found, tensor._dtype, tensor._lazy) if tensor._lazy else found


def byte_strides(geometry: Geometry, itemsize: int) -> tuple[int, ...]:
    """Return the strides of a geometry in bytes."""
    known = geometry.plans.get(itemsize)
    if known is not None:
        return known  # type: ignore[no-any-return]
    return geometry.keep(itemsize, tuple([each * itemsize for each in geometry.stride]))  # type: ignore[no-any-return]


def from_codes(array: Any, kind: dtype, where: device = CPU) -> Tensor:
    """Make a contiguous tensor of a new contiguous array, whose memory it keeps on the CPU."""
    return make(adopt(array, where), dense(array.shape), 0, kind)


def lying(tensor: Tensor) -> Any:
    """Return what `codes` does; on meta an array that lies as the elements would, and must not be looked into."""
    geometry = tensor._geometry
    if geometry.device is not META:
        return codes(tensor)
    kind = carrier(tensor._dtype)
    if not geometry.numel:
        return np.empty([max(0, size) for size in geometry.shape], kind)
    lay, steps = np.lib.stride_tricks.as_strided, byte_strides(geometry, kind.itemsize)
    return lay(np.empty(1, kind), geometry.shape, steps)


def check_conversion(target: Tensor, source: Tensor) -> None:
    """Refuse, or warn of, a conversion of elements that there are not, as where there are some."""
    kind, wanted = source._dtype, target._dtype
    if not target._geometry.numel:
        return
    if is_opaque(kind) or is_opaque(wanted):
        check_copy(kind, wanted, lying(source), lying(target))
    elif kind.is_complex and not (wanted.is_complex or wanted is BOOL):
        warn_of_discarding()


def runs_on_device(where: device, kernel: Any, out: Any, inputs: tuple[Any, ...]) -> bool:
    """Let a device compute a large array of its memory by a kernel; False if there is none, or it cannot."""
    if where.index is None or kernel is None or out.size <= _FEW:
        return False
    return cuda_backend.check_there().run(kernel, out, inputs, where.index)


_FEW = 2**16
"""Up to how many elements are left to the host, which reaches the memory of devices, too."""


def write_converted(target: Tensor, array: Any, kind: dtype) -> None:
    """Write codes of a dtype, converted and broadcast, into a tensor's own memory, on the device where it is."""
    where, own, memory = target._geometry.device, target._dtype, codes(target)
    if where.index is not None and memory.size > _FEW:
        if own is kind and own is not BOOL and not is_opaque(own):
            copy_bits(target, array, where)
            return
        if runs_on_device(where, _casts.cast(kind, own), memory, (array,)):
            return
    convert_into(memory, array, kind, own)


def copy_bits(target: Tensor, array: Any, where: device) -> None:
    """Write codes, broadcast, into a tensor's own memory, whatever they stand for; a device may do it."""
    memory = codes(target)
    is_run = memory.flags.c_contiguous and array.flags.c_contiguous and array.shape == memory.shape
    if is_run and where.index is not None and memory.size > _FEW:
        cuda_backend.check_there().copy(memory, array, where.index)
    else:
        memory[...] = array


def put(target: Tensor, codes_: Any) -> None:
    """Write codes, broadcast, into a tensor's own memory; on meta there is none to write to."""
    if target._geometry.device is not META:
        codes(target)[...] = codes_


def store(target: Tensor, elements: Any) -> None:
    """Let a tensor have elements, which are codes of its own dtype; they are broadcast.

    A conjugate or negative bit is heeded: what is read from the tensor afterwards are the elements.
    """
    if target._geometry.device is META:
        return
    memory = codes(target)
    if target._lazy:
        elements = applied(np.asarray(elements, memory.dtype), target._dtype, target._lazy)
    memory[...] = elements


def write(target: Tensor, source: Any, kind: dtype) -> None:
    """Let a tensor have the values of an array of codes of a dtype, converted and broadcast.

    A conjugate or negative bit is heeded: what is read from the tensor afterwards are the values.
    """
    store(target, convert(source, kind, target._dtype))


def copy_elements(target: Tensor, source: Tensor) -> None:
    """Let a tensor have the elements of another, converted and broadcast.

    A bit that one of them has and the other has not is applied to what is already converted, place
    by place where some lie on each other (aten/src/ATen/native/cpu/CopyKernel.cpp).
    """
    check_copy_across(target, source)
    kind = target._dtype
    bits = target._lazy ^ source._lazy
    if not kind.is_complex:
        bits &= ~CONJUGATE
    if bits and _forgets_bits(target, source):
        bits = 0
    if target._geometry.device is META:
        check_conversion(target, source)
        if bits and target._geometry.numel:
            check_applied(kind, bits)
        return
    if not target._geometry.numel:
        return
    if not bits:
        convert_into(codes(target), codes(source), source._dtype, kind)
        return
    elements = convert(codes(source), source._dtype, kind)
    if source._dtype is kind and not _share_place(target, source):
        elements, bits = applied(elements, kind, bits), 0
    codes(target)[...] = elements
    if bits:
        apply(target, bits)


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


def apply(target: Tensor, bits: int) -> None:
    """Conjugate and negate a tensor's memory, place by place where some lie on each other."""
    if target._geometry.device is META:
        return
    memory, geometry = codes(target), target._geometry
    if lie_apart(geometry.shape, geometry.stride):
        memory[...] = applied(memory, target._dtype, bits)
        return
    for place in np.ndindex(*memory.shape):
        memory[place] = applied(memory[place], target._dtype, bits)
