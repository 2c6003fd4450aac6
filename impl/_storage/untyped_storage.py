"""UntypedStorage: bytes on a device, which tensors share."""

from typing import Any, NoReturn

from .._argparser.parser import Parser
from .._argparser.schema import Signature
from .._argparser.types import is_long, is_tensor
from .._arrays.foreign_memory import is_shared, shared_bytes
from .._arrays.numpy_bridge import np
from .._devices import cuda_backend
from .._devices.availability import check_guard, initialise, place_on
from .._devices.device import CPU, META, PINNED, as_device, device
from .._dtypes.cpp_names import TorchNamed
from .._runtime.c_methods import ReadOnly, with_one_argument, without_arguments
from .._runtime.device_modes import without_device_mode
from .._runtime.errors import check, type_name
from .from_buffer import read_buffer
from .storage_base import _StorageBase

_LAZY_LIMIT = 2**16
"""Storages up to this many bytes get their memory when it is first touched."""

_INT64_END = 2**63


class StorageBase(metaclass=TorchNamed, called="torch._C.StorageBase"):
    """What torch's C class does; `UntypedStorage` is the one class made of it.

    Its memory is a NumPy array of bytes, which `memory` hands out.
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_device", "_resizable", "_size")

    _array: Any
    _device: device
    _resizable: bool
    _size: int

    def __new__(cls, *args: Any, **keywords: Any) -> "StorageBase":
        """Make a storage of a size, or of the bytes in a sequence."""
        if cls is UntypedStorage and len(args) == 1 and not keywords and type(args[0]) is int:
            size = args[0]
            if 0 <= size <= _LAZY_LIMIT:
                return new_storage(size)
        check(
            cls is not StorageBase,
            lambda: "Cannot directly construct StorageBase; subclass it and then construct that",
        )
        which, bound = without_device_mode(_parse_new.bind)(args, keywords)
        allocator, wanted = bound[-2:]
        check(
            allocator is None or wanted is None,
            lambda: (
                f"{_NAME}: only one or neither of 'allocator' or 'device' can be given, but not both"
            ),
        )
        where = _check_storage_device(wanted)
        if which == 2:
            array = _bytes_of(bound[0])
            return _filled(object.__new__(cls), _moved(array, where), array.size, where)
        size = bound[0] if which else 0
        return _filled(object.__new__(cls), _new_memory(size, where), size, where)

    @ReadOnly
    def device(self) -> "device":
        """Return the device on which the memory lies."""
        return self._device

    @ReadOnly
    def _cdata(self) -> int:
        """Return a number that storages of other memory do not have."""
        return id(self)

    def __len__(self) -> int:
        return self._size

    @without_arguments
    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._size

    @without_arguments
    def element_size(self) -> int:
        """Return 1: the elements are bytes."""
        return 1

    @without_arguments
    def resizable(self) -> bool:
        """Tell whether `resize_` may change the size."""
        return self._resizable

    @without_arguments
    def is_shared(self) -> bool:
        """Tell whether other processes may see the memory, as all that is on CUDA."""
        return self._device.type == "cuda" or is_shared(self._array)

    @without_arguments
    def data_ptr(self) -> int:
        """Return the address of the first byte; 0 if there is none."""
        if not self._size or self._device is META:
            return 0
        return memory(self).__array_interface__["data"][0]  # type: ignore[no-any-return]

    @without_arguments
    def new(self) -> "UntypedStorage":
        """Return an empty storage."""
        return new_storage(0, self._device)

    def __getitem__(self, key: Any) -> Any:
        check_readable(self)
        if is_long(key):
            size = self._size
            place = _in_int64(key)
            if place < 0:
                place += size
            if not 0 <= place < size:
                raise IndexError(f"index {place} out of range for storage of size {size}")
            return int(memory(self)[place])
        if isinstance(key, slice):
            part = storage_from_array(memory(self)[self._part(key)], resizable=False)
            part._device = self._device
            return part
        raise TypeError(f"can't index a torch.UntypedStorage with {type_name(key)}")

    def __setitem__(self, key: Any, value: Any) -> None:
        check(
            _is_byte(value),
            lambda: (
                f"can only set storage content with a int types, but got {type_name(value)} instead"
            ),
        )
        byte = _byte(value)
        if is_long(key):
            place = _in_int64(key)
            check(0 <= place < self._size, lambda: "out of bounds")
            memory(self)[place] = byte
            return
        check(
            isinstance(key, slice),
            lambda: f"can't index a torch.UntypedStorage with {type_name(key)}",
        )
        memory(self)[self._part(key)] = byte

    def _part(self, key: slice) -> slice:
        start, stop, step = key.indices(self._size)
        check(
            step == 1,
            lambda: f"Trying to slice with a step of {step}, but only a step of 1 is supported",
        )
        return slice(start, max(start, stop))

    @with_one_argument
    def fill_(self, value: Any) -> "StorageBase":
        """Set every byte to ``value``, of which the low eight bits count."""
        check(_is_byte(value), lambda: f"fill_ expects int, but got {type_name(value)}")
        byte = _byte(value)
        if self._device is not META:
            memory(self).fill(byte)
        return self

    def copy_(self, *args: Any, **keywords: Any) -> "StorageBase":
        """copy_(src, non_blocking=None): copy the bytes of a storage of the same size."""
        given = _parse_copy(args, keywords)[0]
        source = given if isinstance(given, StorageBase) else given._untyped_storage
        check(
            source._size == self._size,
            lambda: (
                f"size does not match, self was {self._size} bytes but src was {source._size} bytes"
            ),
        )
        if self._size and self._device is not META:
            check(
                source._device is not META,
                lambda: "Cannot copy out of meta tensor; no data!",
                NotImplementedError,
            )
            memory(self)[:] = memory(source)
        return self

    @with_one_argument
    def resize_(self, size: Any) -> "StorageBase":
        """Keep the first ``size`` bytes; what comes to them is not initialised."""
        check(is_long(size), lambda: f"resize_ expects an int, but got {type_name(size)}")
        resize(self, _in_int64(size))
        return self

    @with_one_argument
    def _byteswap(self, size: int) -> None:
        """Reverse the bytes of each element of ``size`` bytes."""
        check(size in (1, 2, 4, 8), lambda: "elem_size must be 1, 2, 4, or 8")
        check(self._size % size == 0, lambda: f"the length of data is not a multiple of {size}")
        elements = memory(self).reshape(-1, size)
        elements[:] = elements[:, ::-1].copy()

    @staticmethod
    def from_buffer(*args: Any, **keywords: Any) -> "UntypedStorage":
        """from_buffer(buffer, byte_order, count=-1, offset=0, dtype): copy the bytes of a buffer.

        ``count`` and the byte order are about elements of ``dtype``; the byte
        order is "big", "little" or "native", and dtypes of single bytes do
        without it.
        """
        return storage_from_array(read_buffer(args, keywords))


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
        """Whether the memory lies on a CUDA device."""
        return self._device.type == "cuda"

    @property
    def is_hpu(self) -> bool:
        """Whether the memory lies on an HPU."""
        return self._device.type == "hpu"

    @property
    def filename(self) -> None:
        """The file that the memory is mapped from: none is."""
        return None

    def tolist(self) -> list[int]:
        """Return the bytes as a list of integers."""
        check_readable(self)
        return memory(self).tolist()  # type: ignore[no-any-return]

    def share_memory_(self) -> "UntypedStorage":
        """Move the bytes to memory that processes forked from this one share."""
        check(self._device is not META, lambda: "_share_fd_: only available on CPU")
        if self._device is CPU and not is_shared(self._array):
            array = shared_bytes(self._size)
            array[:] = memory(self)
            self._array = array
        return self


_NAME = "torch.UntypedStorage()"

_parse_new = Parser(
    "torch.UntypedStorage(*, int64_t allocator=None, Device? device=None)",
    "torch.UntypedStorage(int64_t size, *, int64_t allocator=None, Device? device=None)",
    "torch.UntypedStorage(PyObject* sequence, *, int64_t allocator=None, Device? device=None)",
)
_parse_copy = Parser("copy_(Storage src, bool? non_blocking=None)")


def _filled(storage: "StorageBase", array: Any, size: int, device: device = CPU) -> "StorageBase":
    """Fill the slots of a new storage, and return it."""
    storage._array = array
    storage._device = device
    storage._resizable = True
    storage._size = size
    return storage


def memory(storage: StorageBase) -> Any:
    """Return the bytes as a NumPy array, which the storage keeps."""
    array = storage._array
    if array is None:
        array = storage._array = _allocated(storage)
    elif array.itemsize != 1 or array.dtype.kind != "u" or array.ndim != 1:
        array = storage._array = array.reshape(-1).view(np.uint8)
    return array


def buffer(storage: StorageBase) -> Any:
    """Return the memory as a contiguous NumPy array of any dtype, for others to be laid over."""
    array = storage._array
    if array is None:
        array = storage._array = _allocated(storage)
    return array


def _allocated(storage: StorageBase) -> Any:
    check_has_elements(storage)
    return _allocate(storage._size)


def check_readable(storage: StorageBase) -> None:
    """Refuse to read bytes of what has none, being on meta."""
    check(
        storage._device is not META,
        lambda: f"Not available for '{storage._device.type}' device type",
        NotImplementedError,
    )


def check_has_elements(storage: StorageBase) -> None:
    """Refuse to read or write what has no memory."""
    check(
        storage._device is not META,
        lambda: f"impl cannot do this yet with what lies on {storage._device}",
        NotImplementedError,
    )


def new_storage(size: int, device: device = CPU) -> UntypedStorage:
    """Make a storage of ``size`` bytes that are not initialised; on meta there is nothing but the size."""
    if device is PINNED:
        return storage_from_array(cuda_backend.pinned_bytes(size))
    storage = object.__new__(UntypedStorage)
    is_late = device is CPU and 0 <= size <= _LAZY_LIMIT
    storage._array = None if is_late else _new_memory(size, device)
    storage._device = device
    storage._resizable = True
    storage._size = size
    return storage


def _new_memory(size: int, device: device) -> Any:
    """Return memory on a device; None if there is none yet, or never."""
    if device is META or (device is CPU and 0 <= size <= _LAZY_LIMIT):
        return None
    return _allocate(size, device)


def storage_from_array(
    array: Any, device: device = CPU, *, resizable: bool = True
) -> UntypedStorage:
    """Make a storage of a contiguous array of the host, whose memory it keeps if it is on the CPU."""
    if device is PINNED:
        array, content = cuda_backend.pinned_bytes(array.nbytes), array
        array[:] = content.reshape(-1).view(np.uint8)
        device = CPU
    storage = object.__new__(UntypedStorage)
    storage._array = array if device is CPU else _moved(array, device)
    storage._device = device
    storage._resizable = resizable
    storage._size = array.nbytes
    return storage


def _moved(array: Any, device: device) -> Any:
    """Return the memory on a device that holds what an array of the host does."""
    if device.index is None:
        return array if device is CPU else None
    return cuda_backend.moved(array, device.index)


def resize(storage: StorageBase, size: int) -> None:
    """Change the number of bytes; those that remain keep what they hold."""
    check(storage._resizable, lambda: "Trying to resize storage that is not resizable")
    if storage._device is META:
        storage._size = size
        return
    new = _allocate(size, storage._device)
    if storage._array is not None:
        kept = min(size, storage._size)
        new[:kept] = memory(storage)[:kept]
    storage._array, storage._size = new, size


def check_named_device(signature: Signature, values: list[Any], *, guards: bool = False) -> None:
    """Refuse a device that cannot be initialised, if one is given; it is read here, and only once.

    What ``guards`` a device in the call itself asks for more (c10/core/DeviceGuard.h).
    """
    place = signature.place_of("device")
    if place is not None and values[place] is not None:
        values[place] = as_device(values[place])
        initialise(values[place])
        if guards:
            check_guard(values[place])


def _check_storage_device(wanted: device | None) -> device:
    """Return where to make a storage, or refuse it, in the words of its constructor."""
    kind = "cpu" if wanted is None else wanted.type
    check(kind != "maia", lambda: "PyTorch is not linked with support for maia devices")
    check(
        kind in ("cpu", "meta", "cuda", "xpu", "mtia", "hpu", "privateuseone"),
        lambda: f"{_NAME}: Storage device not recognized: {kind}",
    )
    return place_on(wanted)


def _allocate(size: int, device: device = CPU) -> Any:
    """Return an array of bytes, or raise what torch's allocator does (c10/core/impl/alloc_cpu.cpp)."""
    if device.index is not None:
        return cuda_backend.new_bytes(size, device.index)
    check(
        size >= 0,
        lambda: (
            "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have"
            f" been called with negative number: {size % 2**64}"
        ),
    )
    try:
        return np.empty(size, np.uint8)
    except (MemoryError, ValueError):
        _no_memory(size)


def _no_memory(size: int) -> NoReturn:
    raise RuntimeError(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory:"
        f" you tried to allocate {size} bytes. Error code 12 (Cannot allocate memory)"
    ) from None


def _in_int64(value: Any) -> int:
    number = int(value)
    check(
        -_INT64_END <= number < _INT64_END,
        lambda: "Overflow when unpacking long long",
        ValueError,
    )
    return number


def _is_byte(value: Any) -> bool:
    """Tell whether a byte can be made of a value: an int of Python's own, or a bool."""
    return isinstance(value, int)


def _byte(value: Any) -> int:
    number = int(value)
    check(-_INT64_END <= number < _INT64_END, lambda: "int too big to convert", OverflowError)
    return number % 256


def _bytes_of(sequence: Any) -> Any:
    """Return an array of the low eight bits of the integers of a sequence."""
    cls = type(sequence)
    check(
        hasattr(cls, "__getitem__") and hasattr(cls, "__len__")
        and not issubclass(cls, dict) and not is_tensor(sequence),
        lambda: f"{_NAME}: Expected a sequence type, but got {type_name(sequence)}",
    )  # fmt: skip
    items = [sequence[index] for index in range(len(sequence))]
    for item in items:
        check(
            _is_byte(item),
            lambda: (
                f"{_NAME}: tried to construct a storage from a sequence ({type_name(sequence)}),"
                f" but one of the items was of type {type_name(item)} instead of int"  # noqa: B023
            ),
        )
    return np.array([_byte(item) for item in items], np.uint8)
