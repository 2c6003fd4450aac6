"""UntypedStorage: the bytes of tensors on a device."""

from collections.abc import Sequence
from math import prod
from types import FunctionType
from typing import Any

from .._argparser.parser import Parser
from .._argparser.schema import Signature
from .._argparser.types import is_long, is_tensor
from .._arrays.foreign_memory import is_shared, shared_bytes
from .._arrays.numpy_bridge import np
from .._devices import cuda_backend
from .._devices.availability import check_guard, initialize_device, resolve_device
from .._devices.device import CPU, META, PINNED, as_device, device
from .._dtypes.cpp_names import TorchNamed
from .._geometry.extents import INT64_END, unpack_int64
from .._runtime.c_methods import ReadOnlyAttribute, noargs_method, one_arg_method
from .._runtime.c_types import PACKAGE
from .._runtime.device_modes import without_device_mode
from .._runtime.errors import check, type_name
from .from_buffer import read_buffer
from .from_file import read_file
from .storage_base import _StorageBase

_LAZY_BYTES = 2**16
"""The size up to which the memory of a storage is allocated at its first use."""


class StorageBase(metaclass=TorchNamed, called="torch._C.StorageBase"):
    """The methods of torch's C class; the memory is a NumPy array, as returned by `memory`."""

    __slots__ = ("__dict__", "__weakref__", "_array", "_device", "_filename", "_resizable", "_size")

    _array: Any
    _device: device
    _filename: str | None
    _resizable: bool
    _size: int

    def __new__(cls, *args: Any, **keywords: Any) -> "StorageBase":
        """Create a storage of a size, or of the bytes of a sequence."""
        if cls is UntypedStorage and len(args) == 1 and not keywords and type(args[0]) is int:
            size = args[0]
            if 0 <= size <= _LAZY_BYTES:
                return new_storage(size)
        check(
            cls is not StorageBase,
            lambda: "Cannot directly construct StorageBase; subclass it and then construct that",
        )
        signature, values = without_device_mode(_parse_new.match)(args, keywords)
        allocator, device_arg = values[-2:]
        if allocator is not None and device_arg is not None:
            raise RuntimeError(
                f"{_NAME}: only one or neither of 'allocator' or 'device' can be given, but not"
                " both"
            )
        device = _check_storage_device(None if device_arg is None else as_device(device_arg))
        size_arg = signature.convert(values)[0]
        if signature.index == 2:
            return storage_from_array(_bytes_from_sequence(size_arg), device, cls=cls)
        return new_storage(size_arg if signature.index else 0, device, cls)

    @ReadOnlyAttribute
    def device(self) -> "device":
        """Return the device of the memory."""
        return self._device

    @ReadOnlyAttribute
    def _cdata(self) -> int:
        """Return an identifier of the storage."""
        return id(self)

    def __len__(self) -> int:
        if self._size < 0:  # as resize_() accepts on meta
            raise SystemError("<built-in function len> returned NULL without setting an exception")
        return self._size

    @noargs_method
    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._size

    @noargs_method
    def element_size(self) -> int:
        """Return 1: the elements are bytes."""
        return 1

    @noargs_method
    def resizable(self) -> bool:
        """Return whether `resize_` may change the size."""
        return self._resizable

    @noargs_method
    def is_shared(self) -> bool:
        """Return whether the memory is shared between processes; always true on CUDA."""
        return self._device.type == "cuda" or is_shared(self._array)

    @noargs_method
    def data_ptr(self) -> int:
        """Return the address of the first byte; 0 if there is none."""
        if not self._size or self._device is META:
            return 0
        return memory(self).__array_interface__["data"][0]  # type: ignore[no-any-return]

    @noargs_method
    def new(self) -> "UntypedStorage":
        """Return an empty storage."""
        return new_storage(0, self._device)

    def __getitem__(self, key: Any) -> Any:
        check_readable(self)
        if is_long(key):
            size = self._size
            index = unpack_int64(key)
            if index < 0:
                index += size
            if not 0 <= index < size:
                raise IndexError(f"index {index} out of range for storage of size {size}")
            return int(memory(self)[index])
        if isinstance(key, slice):
            view = storage_from_array(memory(self)[self._byte_range(key)], resizable=False)
            view._device = self._device
            return view
        raise TypeError(f"can't index a torch.UntypedStorage with {type_name(key)}")

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(value, int):
            raise RuntimeError(
                f"can only set storage content with a int types, but got {type_name(value)} instead"
            )
        byte = _byte(value)
        if is_long(key):
            index = unpack_int64(key)
            check(0 <= index < self._size, lambda: "out of bounds")
            key = slice(index, index + 1)
        if not isinstance(key, slice):
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type_name(key)}")
        part = self._byte_range(key)
        if self._device is not META:
            memory(self)[part] = byte

    def _byte_range(self, key: slice) -> slice:
        start, stop, step = key.indices(self._size)
        check(
            step == 1,
            lambda: f"Trying to slice with a step of {step}, but only a step of 1 is supported",
        )
        return slice(start, max(start, stop))

    @one_arg_method
    def fill_(self, value: Any) -> "StorageBase":
        """Set every byte to the low eight bits of ``value``."""
        check(isinstance(value, int), lambda: f"fill_ expects int, but got {type_name(value)}")
        fits = -INT64_END <= value < INT64_END
        # Torch reads such a number as -1, and returns although that sets an error.
        byte = _byte(value) if fits else 255
        if self._device is not META:
            memory(self).fill(byte)
        if not fits:
            raise SystemError(_ERROR_SET) from _too_big()
        return self

    def copy_(self, *args: Any, **keywords: Any) -> "StorageBase":
        """copy_(src, non_blocking=None): copy the bytes of a storage of the same size."""
        src_arg = _parse_copy(args, keywords)[0]
        source = src_arg if isinstance(src_arg, StorageBase) else src_arg._untyped_storage
        if source._size != self._size:
            raise RuntimeError(
                f"size does not match, self was {self._size} bytes but src was {source._size} bytes"
            )
        if self._device is not META:
            check_can_copy(source)
            memory(self)[:] = memory(source)
        return self

    @one_arg_method
    def resize_(self, size: Any) -> "StorageBase":
        """Resize to ``size`` bytes; additional bytes are uninitialized."""
        check(is_long(size), lambda: f"resize_ expects an int, but got {type_name(size)}")
        resize(self, unpack_int64(size))
        return self

    @one_arg_method
    def _byteswap(self, size: int) -> None:
        """Reverse the bytes of each element of ``size`` bytes."""
        check(size in (1, 2, 4, 8), lambda: "elem_size must be 1, 2, 4, or 8")
        check(self._size % size == 0, lambda: f"the length of data is not a multiple of {size}")
        elements = memory(self).reshape(-1, size)
        elements[:] = elements[:, ::-1].copy()

    @staticmethod
    def from_buffer(*args: Any, **keywords: Any) -> "UntypedStorage":
        """from_buffer(buffer, byte_order, count=-1, offset=0, dtype): copy the bytes of a buffer.

        ``count`` is a number of elements of ``dtype``.  The byte order is "big", "little" or
        "native"; dtypes of one byte do not need it.
        """
        return storage_from_array(read_buffer(args, keywords))

    @staticmethod
    def from_file(*args: Any, **keywords: Any) -> "UntypedStorage":
        """from_file(filename, shared=False, nbytes=0): map the first bytes of a file to memory.

        Writes to a shared storage change the file, which is created or stretched if needed.
        """
        array, filename = read_file(args, keywords)
        return mapped_storage(array, filename)


class UntypedStorage(
    StorageBase, _StorageBase, metaclass=TorchNamed, called="torch.storage.UntypedStorage"
):
    """UntypedStorage(size=0) or UntypedStorage(sequence): bytes, without a dtype.

    >>> UntypedStorage([1, 2, 300]).tolist()
    [1, 2, 44]
    """

    __slots__ = ()

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return self._device.type == "cuda"

    @property
    def is_hpu(self) -> bool:
        """Whether the memory is on an HPU."""
        return self._device.type == "hpu"

    @property
    def filename(self) -> str | None:
        """The name of the file to which writes are shared, or None."""
        return getattr(self, "_filename", None)

    def tolist(self) -> list[int]:
        """Return the bytes as a list of integers."""
        check_readable(self)
        return memory(self).tolist()  # type: ignore[no-any-return]

    def share_memory_(self, *args: Any, **kwargs: Any) -> "UntypedStorage":
        """Move the bytes to memory that is shared with forked processes."""
        return _share_memory(self, *args, **kwargs)


def _share_memory(storage: UntypedStorage) -> UntypedStorage:
    check(storage._device is not META, lambda: "_share_fd_: only available on CPU")
    if storage._device is CPU and not is_shared(storage._array):
        array = shared_bytes(storage._size)
        array[:] = memory(storage)
        storage._array = array
    return storage


# CPython names the function in its errors.
_share_memory.__qualname__ = "_StorageBase.share_memory_"

for _method in (UntypedStorage.tolist, UntypedStorage.share_memory_):
    _method.__qualname__ = f"_StorageBase.{_method.__name__}"
    setattr(_StorageBase, _method.__name__, _method)
for _cls in (StorageBase, UntypedStorage):
    for _name, _member in vars(_cls).items():
        _method = _member.__func__ if isinstance(_member, staticmethod) else _member
        if isinstance(_method, FunctionType):
            # Pickles find the method of a C class by its public subclass.
            _method.__module__ = f"{PACKAGE}.storage"
            if _cls is StorageBase:
                _method.__qualname__ = f"UntypedStorage.{_name}"

_NAME = "torch.UntypedStorage()"

_parse_new = Parser(
    "torch.UntypedStorage(*, int64_t allocator=None, Device? device=None)",
    "torch.UntypedStorage(int64_t size, *, int64_t allocator=None, Device? device=None)",
    "torch.UntypedStorage(PyObject* sequence, *, int64_t allocator=None, Device? device=None)",
)
_parse_copy = Parser("copy_(Storage src, bool? non_blocking=None)")


def memory(storage: StorageBase) -> Any:
    """Return the bytes as a NumPy array, which the storage keeps."""
    array = storage._array
    if array is None or array.itemsize != 1 or array.dtype.kind != "u" or array.ndim != 1:
        array = storage._array = storage_array(storage).reshape(-1).view(np.uint8)
    return array


def storage_array(storage: StorageBase) -> Any:
    """Return the memory as a contiguous NumPy array of any dtype."""
    array = storage._array
    if array is None:
        check_has_elements(storage)
        array = storage._array = _allocate(storage._size)
    return array


def check_readable(storage: StorageBase) -> None:
    """Raise if the storage is on meta, where it has no bytes."""
    if storage._device is META:
        raise NotImplementedError("Not available for 'meta' device type")


def check_can_copy(storage: StorageBase) -> None:
    """Raise if there are bytes to copy from meta."""
    if storage._device is META:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def check_has_elements(storage: StorageBase) -> None:
    """Raise if the storage is on meta, where it has no memory."""
    if storage._device is META:
        raise NotImplementedError("impl cannot do this yet with what lies on meta")


def new_storage(size: int, device: device = CPU, cls: Any = UntypedStorage) -> UntypedStorage:
    """Return a storage of ``size`` uninitialized bytes; on meta it has only a size."""
    if device is PINNED:
        return storage_from_array(cuda_backend.pinned_bytes(size))
    storage: UntypedStorage = object.__new__(cls)
    is_lazy = (device is CPU and 0 <= size <= _LAZY_BYTES) or device is META
    storage._array = None if is_lazy else _allocate(size, device)
    storage._device = device
    storage._resizable = True
    storage._size = size
    return storage


def storage_from_array(
    array: Any, device: device = CPU, *, resizable: bool = True, cls: Any = UntypedStorage
) -> UntypedStorage:
    """Return a storage of a contiguous host array; on the CPU it shares the memory."""
    if device is PINNED:
        array, source = cuda_backend.pinned_bytes(array.nbytes), array
        array[:] = source.reshape(-1).view(np.uint8)
        device = CPU
    storage: UntypedStorage = object.__new__(cls)
    storage._size = array.nbytes
    if device is not CPU:
        index = device.index
        array = None if index is None else cuda_backend.copied_to_device(array, index)
    storage._array = array
    storage._device = device
    storage._resizable = resizable
    return storage


def mapped_storage(array: Any, filename: str | None) -> UntypedStorage:
    """Return a storage over a memory-mapped array; ``filename`` is the name of a shared file."""
    storage = storage_from_array(array, resizable=False)
    if filename is not None:
        storage._filename = filename
    return storage


def resize(storage: StorageBase, size: int) -> None:
    """Change the number of bytes; the remaining bytes keep their values."""
    check(storage._resizable, lambda: "Trying to resize storage that is not resizable")
    if storage._device is META:
        storage._size = size
        return
    new = _allocate(size, storage._device)
    if storage._array is not None:
        kept = min(size, storage._size)
        new[:kept] = memory(storage)[:kept]
    storage._array, storage._size = new, size


def check_named_device(
    signature: Signature, values: list[Any], *, initializes: bool = True, guards: bool = False
) -> None:
    """Parse the device argument of a signature once, and raise if it cannot be initialized.

    With ``guards``, raise if a DeviceGuard for it fails (c10/core/DeviceGuard.h).
    """
    position = signature.index_of("device")
    if position is not None and values[position] is not None:
        values[position] = as_device(values[position])
        if initializes:
            initialize_device(values[position])
        if guards:
            check_guard(values[position])


def _check_storage_device(device_arg: device | None) -> device:
    """Return the device for a storage, or raise the constructor's error."""
    device_type = "cpu" if device_arg is None else device_arg.type
    check(device_type != "maia", lambda: "PyTorch is not linked with support for maia devices")
    if device_type not in ("cpu", "meta", "cuda", "xpu", "mtia", "hpu", "privateuseone"):
        raise RuntimeError(f"{_NAME}: Storage device not recognized: {device_type}")
    return resolve_device(device_arg)


def _allocate(size: int, device: device = CPU) -> Any:
    """Return an array of bytes, or raise the allocator's error (c10/core/impl/alloc_cpu.cpp)."""
    if device.index is not None:
        return cuda_backend.new_bytes(size, device.index)
    if size < 0:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have"
            f" been called with negative number: {size % 2**64}"
        )
    try:
        return np.empty(size, np.uint8)
    except (MemoryError, ValueError):
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate"
            f" memory: you tried to allocate {size} bytes. Error code 12 (Cannot allocate memory)"
        ) from None


def new_array(shape: Sequence[int], numpy_dtype: Any) -> Any:
    """Return an array with undefined elements; raise as the allocator if there is no memory."""
    try:
        return np.empty(shape, numpy_dtype)
    except (MemoryError, ValueError):
        return _allocate(prod(shape) * numpy_dtype.itemsize)  # raises the allocator's error


def _byte(value: int) -> int:
    if not -INT64_END <= value < INT64_END:
        raise _too_big()
    return value % 256


def _too_big() -> OverflowError:
    return OverflowError("int too big to convert")


_ERROR_SET = (
    "<method 'fill_' of 'torch._C.StorageBase' objects> returned a result with an exception set"
)


def _bytes_from_sequence(sequence: Any) -> Any:
    """Return an array of the low eight bits of the integers in a sequence."""
    cls = type(sequence)
    is_sequence = hasattr(cls, "__getitem__") and hasattr(cls, "__len__")
    if not is_sequence or issubclass(cls, dict) or is_tensor(sequence):
        raise RuntimeError(f"{_NAME}: Expected a sequence type, but got {type_name(sequence)}")
    items = [sequence[index] for index in range(len(sequence))]
    for item in items:
        if not isinstance(item, int):
            raise RuntimeError(
                f"{_NAME}: tried to construct a storage from a sequence ({type_name(sequence)}),"
                f" but one of the items was of type {type_name(item)} instead of int"
            )
    return np.array([*map(_byte, items)], np.uint8)
