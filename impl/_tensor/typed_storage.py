"""TypedStorage: an untyped storage and a dtype.  Torch has deprecated it (torch/storage.py)."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from typing import Any

from .._argparser.parser import Parser
from .._argparser.types import is_long, register
from .._devices.availability import place_on
from .._devices.device import CPU, device
from .._dtypes.constants import (
    COMPLEX32,
    INT8,
    INT32,
    QINT8,
    QINT32,
    QUINT2X4,
    QUINT4X2,
    QUINT8,
    UINT8,
)
from .._dtypes.cpp_names import TorchNamed, class_text, torch_path
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.table import DTYPES, as_dtype, dtype, spec_of
from .._geometry.geometry import dense
from .._numerics.from_python import read
from .._runtime.errors import check
from .._runtime.lazy_exports import lazy_members, public_in
from .._runtime.warnings import shown_in_warnings, warn
from .._storage.storage_base import (
    _load_untyped_from_bytes,
    as_device_object,
    check_loads,
    element_size,
)
from .._storage.untyped_storage import UntypedStorage, check_readable, storage_from_array
from .factories import warn_of_complex32
from .tensor import Tensor, new_tensor


class _Removal:
    """Whether this process has been told that typed storages will be removed."""

    warned = False


def warn_of_removal() -> None:
    """Warn, once in a process, that typed storages will be removed."""
    if not _Removal.warned:
        _Removal.warned = True
        warn(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will"
            " be the only storage class. This should only matter to you if you are using storages"
            " directly.  To access UntypedStorage directly, use tensor.untyped_storage() instead"
            " of tensor.storage()"
        )


def _reset_warn_typed_storage_removal() -> None:
    """Let the next use of a typed storage warn again."""
    _Removal.warned = False


LEGACY_NAMES = {
    DTYPES[name]: f"{spec_of(DTYPES[name]).cpp_name}Storage"
    for name in (
        "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool",
        "bfloat16", "complex128", "complex64", "qint8", "qint32", "quint8", "quint4x2", "quint2x4",
    )
}  # fmt: skip
"""The dtypes that have a legacy storage class, and its name; newer dtypes get none."""

READ_AS = {
    QUINT8: UINT8,
    QUINT4X2: UINT8,
    QUINT2X4: UINT8,
    QINT32: INT32,
    QINT8: INT8,
}
"""The integers that elements of quantized dtypes are read and written as."""

_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)\n"
)


class TypedStorage(metaclass=TorchNamed, called="torch.storage.TypedStorage"):
    """TypedStorage(size or sequence, dtype=None, device=None), or (wrap_storage=, dtype=)."""

    is_sparse = False

    dtype: Any
    _untyped_storage: UntypedStorage

    def __new__(
        cls,
        *args: Any,
        wrap_storage: Any = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
    ) -> "TypedStorage":
        """Warn, and make a storage for ``__init__`` to fill."""
        if not _internal:
            warn_of_removal()
        return object.__new__(cls)

    def __init__(
        self,
        *args: Any,
        device: Any = None,
        dtype: Any = None,
        wrap_storage: Any = None,
        _internal: bool = False,
    ) -> None:
        if wrap_storage is not None:
            _check_wrapping(args, device, dtype, wrap_storage)
            self.dtype, self._untyped_storage = dtype, wrap_storage
            return
        self.dtype = get_default_dtype() if dtype is None else dtype
        place = CPU if device is None else as_device_object(device)
        check(
            place.type != "cuda" or self.dtype not in READ_AS,
            lambda: "Cannot create CUDA storage with quantized dtype",
        )
        check(len(args) <= 1, lambda: f"{_FORMS}Too many positional arguments")
        if not args:
            self._untyped_storage = UntypedStorage(device=place)
        elif is_int(args[0]):
            size = int(args[0]) * element_size(self.dtype)
            self._untyped_storage = UntypedStorage(size, device=place)
        else:
            check(
                isinstance(args[0], Sequence),
                lambda: f"{_FORMS}Argument type not recognized: {class_text(type(args[0]))}",
                TypeError,
            )
            self._untyped_storage = _from_sequence(args[0], self.dtype, place)

    @property
    def _dtype(self) -> Any:
        return self.dtype

    @property
    def device(self) -> Any:
        """The device on which the memory lies."""
        warn_of_removal()
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory lies on a CUDA device."""
        warn_of_removal()
        return self._untyped_storage.is_cuda

    @property
    def is_hpu(self) -> bool:
        """Whether the memory lies on an HPU."""
        warn_of_removal()
        return self._untyped_storage.is_hpu

    @property
    def filename(self) -> None:
        """The file that the memory is mapped from: none is."""
        return self._untyped_storage.filename

    @property
    def _cdata(self) -> Any:
        return self._untyped_storage._cdata

    def untyped(self) -> UntypedStorage:
        """Return the storage without the dtype."""
        warn_of_removal()
        return self._untyped_storage

    def size(self) -> int:
        """Return the number of elements."""
        warn_of_removal()
        return self._size()

    def _size(self) -> int:
        size: int = self._untyped_storage._size
        return size // element_size(self.dtype)

    def __len__(self) -> int:
        return self.size()

    def element_size(self) -> int:
        """Return the number of bytes of an element."""
        warn_of_removal()
        return element_size(self.dtype)

    def __getitem__(self, idx: Any) -> Any:
        warn_of_removal()
        return self._getitem(idx)

    def _getitem(self, idx: Any) -> Any:
        check(
            not isinstance(idx, slice),
            lambda: "slices are only supported in UntypedStorage.__getitem__",
        )
        cannot = f"can't index a {class_text(type(self))} with {class_text(type(idx))}"
        check(isinstance(idx, int), lambda: cannot)
        check(type(idx) is int, lambda: cannot, TypeError)
        size = self._size()
        check(
            -size <= idx < size,
            lambda: f"index {idx} out of range for storage of size {size}",
            IndexError,
        )
        check_readable(self._untyped_storage)
        return elements_of(self)[idx].item()

    def __setitem__(self, idx: Any, value: Any) -> None:
        warn_of_removal()
        check(
            isinstance(idx, int | slice),
            lambda: f"can't index a {class_text(type(self))} with {class_text(type(idx))}",
        )
        check(
            type(value) not in (TypedStorage, UntypedStorage),
            lambda: f"cannot set item with value type {class_text(type(value))}",
        )
        _assign(self, idx, value)

    def fill_(self, value: Any) -> "TypedStorage":
        """Set every element to a value."""
        self[0 : self.size()] = value
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> "TypedStorage":
        """Copy the bytes of a storage of as many bytes; they are not converted."""
        warn_of_removal()
        given = source._untyped_storage if isinstance(source, TypedStorage) else source
        self._untyped_storage.copy_(given, non_blocking)
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the legacy class; or, for a class or its name, a storage of that class.

        The new storage has as many elements as this one has bytes.
        """
        warn_of_removal()
        if dtype is not None:
            return self._untyped_storage.type(dtype, non_blocking)
        legacy = LEGACY_NAMES.get(self.dtype)
        return torch_path(type(self)) if legacy is None else f"torch.{legacy}"

    def pickle_storage_type(self) -> str:
        """Return the name of the legacy class, under which pickles keep the dtype."""
        warn_of_removal()
        return _pickled_name(self.dtype)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> "TypedStorage":
        """Return a copy on a CUDA device."""
        warn_of_removal()
        self._check_not_quantized("CUDA")
        return typed(self._untyped_storage.cuda(device, non_blocking), self.dtype)

    def hpu(self, device: Any = None, non_blocking: bool = False) -> "TypedStorage":
        """Return a copy on an HPU."""
        warn_of_removal()
        self._check_not_quantized("HPU")
        return typed(self._untyped_storage.hpu(device, non_blocking), self.dtype)

    def to(self, *, device: Any, non_blocking: bool = False) -> "TypedStorage":
        """Return a storage on a device: of the same memory if it is there."""
        warn_of_removal()
        place = as_device_object(device)
        self._check_not_quantized(place.type.upper())
        moved = self._untyped_storage.to(device=place, non_blocking=non_blocking)
        return typed(moved, self.dtype)

    def _check_not_quantized(self, kind: str) -> None:
        check(
            self.dtype not in READ_AS,
            lambda: f"Cannot create {kind} storage with quantized dtype",
        )

    def clone(self) -> "TypedStorage":
        """Return a storage of its own with the same elements."""
        warn_of_removal()
        return typed(self._untyped_storage.clone(), self.dtype)

    def cpu(self) -> "TypedStorage":
        """Return a storage of the same memory, as it is on the CPU."""
        warn_of_removal()
        return typed(self._untyped_storage.cpu(), self.dtype)

    def resize_(self, size: Any) -> None:
        """Keep the first ``size`` elements; what comes to them is not initialised."""
        warn_of_removal()
        self._untyped_storage.resize_(size * element_size(self.dtype))

    def tolist(self) -> list[Any]:
        """Return the elements as a list of Python numbers."""
        return [*self]

    def __iter__(self) -> Iterator[Any]:
        warn_of_removal()
        return (self[index] for index in range(self.size()))

    def __str__(self) -> str:
        warn_of_removal()
        is_meta = self.device.type == "meta"
        lines = "..." if is_meta else " " + "\n ".join(map(str, self.tolist()))
        about = f"(dtype={self.dtype}, device={self.device}) of size {len(self)}"
        return f"{lines}\n[{torch_path(type(self))}{about}]"

    __repr__ = __str__

    def __copy__(self) -> "TypedStorage":
        warn_of_removal()
        return typed(copy(self._untyped_storage), self.dtype)

    def __deepcopy__(self, memo: dict[Any, Any]) -> "TypedStorage":
        warn_of_removal()
        return self._deepcopy(memo)

    def _deepcopy(self, memo: dict[Any, Any]) -> "TypedStorage":
        return typed(deepcopy(self._untyped_storage, memo), self.dtype)

    def __reduce__(self) -> Any:
        _pickled_name(self.dtype)
        content, place = bytes(self._untyped_storage.tolist()), self._untyped_storage.device
        return _load_from_bytes, (content, self.dtype, *([] if place is CPU else [str(place)]))

    def __sizeof__(self) -> int:
        warn_of_removal()
        return object.__sizeof__(self) + self._untyped_storage._size

    @classmethod
    def from_buffer(
        cls, *args: Any, dtype: Any = None, device: Any = None, **keywords: Any
    ) -> "TypedStorage":
        """Copy the elements of a buffer; the arguments are those of UntypedStorage.from_buffer."""
        warn_of_removal()
        kind = get_default_dtype() if dtype is None else dtype
        place = CPU if device is None else as_device_object(device)
        check(
            place.type == "cpu",
            lambda: f"TypedStorage.from_buffer: Not available for device {place.type}",
        )
        return typed(UntypedStorage.from_buffer(*args, dtype=kind, **keywords), kind)


def typed(storage: Any, dtype: dtype) -> TypedStorage:
    """Make a typed storage of an untyped one, without a warning."""
    new: TypedStorage = object.__new__(TypedStorage)
    new.dtype, new._untyped_storage = dtype, storage
    return new


def _check_wrapping(args: Any, device: Any, dtype_: Any, storage: Any) -> None:
    """Check the arguments of a constructor that is given an untyped storage."""
    check(
        not args,
        lambda: f"{_FORMS}No positional arguments should be given when using 'wrap_storage'",
    )
    check(dtype_ is not None, lambda: f"{_FORMS}Argument 'dtype' must be specified")
    check(
        type(dtype_) is dtype,
        lambda: f"{_FORMS}Argument 'dtype' must be torch.dtype, not {class_text(type(dtype_))}",
        TypeError,
    )
    check(
        device is None,
        lambda: f"{_FORMS}Argument 'device' should not be specified when 'wrap_storage' is given",
    )
    check(
        isinstance(storage, UntypedStorage),
        lambda: f"{_FORMS}{not_untyped(storage)}",
        TypeError,
    )


def not_untyped(value: Any) -> str:
    """Write what is wrong with something that is to be wrapped."""
    return f"Argument 'wrap_storage' must be UntypedStorage, but got {class_text(type(value))}"


def is_int(value: Any) -> bool:
    """Tell whether a constructor takes a value as a size."""
    return is_long(value) or type(value) is bool


@shown_in_warnings
def _from_sequence(sequence: Any, kind: Any, place: device) -> UntypedStorage:
    (wanted,) = _parse_dtype((), {"dtype": READ_AS.get(kind, kind)})
    kind = as_dtype(wanted)
    array = read(sequence, kind)[2]
    if kind is COMPLEX32:
        warn_of_complex32()
    return storage_from_array(array, place_on(place))


_parse_dtype = Parser("tensor(*, ScalarType dtype)")


@shown_in_warnings
def elements_of(storage: TypedStorage) -> Tensor:
    """Return a tensor over the whole elements of a storage."""
    kind = READ_AS.get(storage.dtype, storage.dtype)
    untyped = storage._untyped_storage
    if kind is COMPLEX32:
        warn_of_complex32()
    return new_tensor(untyped, dense((untyped._size // kind.itemsize,)), 0, kind)


@shown_in_warnings
def _assign(storage: TypedStorage, idx: Any, value: Any) -> None:
    elements_of(storage)[idx] = value


def _pickled_name(dtype: dtype) -> str:
    try:
        return LEGACY_NAMES[dtype]
    except KeyError as error:
        raise KeyError(f"dtype {dtype} is not recognized") from error


@public_in("storage")
def _load_from_bytes(
    content: bytes, dtype: dtype | None = None, place: str = "cpu"
) -> TypedStorage:
    """Make a typed storage of what a pickle holds, on the device where it was."""
    if dtype is None:
        _load_untyped_from_bytes(content)
    storage = UntypedStorage.from_buffer(content, dtype=UINT8)
    if place != "cpu":
        check_loads(int(place.rpartition(":")[2]))
    return typed(storage.to(device=place), dtype)


# The methods that do nothing but ask the untyped storage.


def _asking(name: str) -> Callable[..., Any]:
    def method(self: TypedStorage, *args: Any) -> Any:
        warn_of_removal()
        return getattr(self._untyped_storage, name)(*args)

    method.__name__, method.__qualname__ = name, f"TypedStorage.{name}"
    method.__doc__ = getattr(UntypedStorage, name).__doc__
    return method


for _name in (
    "nbytes",
    "get_device",
    "data_ptr",
    "resizable",
    "is_shared",
    "is_pinned",
    "pin_memory",
):
    setattr(TypedStorage, _name, _asking(_name))


TYPED_METHODS = lazy_members(TypedStorage)
"""The methods of typed storages that other modules make."""

register("Storage", TypedStorage)
