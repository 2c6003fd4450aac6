"""TypedStorage: an untyped storage with a dtype, deprecated in torch (torch/storage.py)."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from operator import attrgetter
from typing import Any

from .._argparser.parser import Parser
from .._argparser.types import is_long, register
from .._devices.availability import resolve_device
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
from .._numerics.from_python import elements_from_data
from .._runtime.errors import check
from .._runtime.lazy_exports import lazy_members, public_in
from .._runtime.warnings import is_python_frame, warn
from .._storage.storage_base import (
    _load_untyped_from_bytes,
    as_device_object,
    element_size,
    validate_cuda_device,
)
from .._storage.untyped_storage import (
    UntypedStorage,
    check_can_copy,
    check_readable,
    storage_from_array,
)
from .allocation import warn_complex32
from .tensor import Tensor, new_tensor


class _Removal:
    """Whether this process has emitted the warning about TypedStorage's removal."""

    warned = False


def warn_typed_storage_removal() -> None:
    """Warn once per process that TypedStorage will be removed."""
    if not _Removal.warned:
        _Removal.warned = True
        warn(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will"
            " be the only storage class. This should only matter to you if you are using storages"
            " directly.  To access UntypedStorage directly, use tensor.untyped_storage() instead"
            " of tensor.storage()"
        )


def _reset_warn_typed_storage_removal() -> None:
    """Reset the warning, so the next use of a TypedStorage warns again."""
    _Removal.warned = False


LEGACY_NAMES = {
    DTYPES[name]: f"{spec_of(DTYPES[name]).cpp_name}Storage"
    for name in (
        "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool",
        "bfloat16", "complex128", "complex64", "qint8", "qint32", "quint8", "quint4x2", "quint2x4",
    )
}  # fmt: skip
"""The names of the legacy storage classes by dtype; newer dtypes have none."""

QUANTIZED_STORAGE_DTYPES = {
    QUINT8: UINT8,
    QUINT4X2: UINT8,
    QUINT2X4: UINT8,
    QINT32: INT32,
    QINT8: INT8,
}
"""The integer dtypes that read and write elements of quantized dtypes."""


def argument_check(forms: str) -> Callable[..., None]:
    """Return a check of a constructor's arguments, with their forms before the message."""

    def require(condition: object, message: str, cls: type[Exception] = RuntimeError) -> None:
        check(condition, lambda: forms + message, cls)

    return require


_require = argument_check(
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)\n"
)


def _warns(get: Callable[[Any], Any], doc: str | None = None) -> Any:
    """Return a method without parameters that warns, then returns ``get(self)``."""

    def method(self: "TypedStorage") -> Any:
        warn_typed_storage_removal()
        return get(self)

    method.__doc__ = doc
    return method


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
        """Warn, and return a storage without attributes."""
        if not _internal:
            warn_typed_storage_removal()
        if cls is not TypedStorage:
            element_size(cls._dtype)  # raises: such a subclass has no dtype
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
        device = CPU if device is None else as_device_object(device)
        # Torch looks for the dtype first, which raises if its comparison has no truth value.
        if self.dtype in [*QUANTIZED_STORAGE_DTYPES] and device.type == "cuda":
            self._check_not_quantized("CUDA")
        _require(len(args) <= 1, "Too many positional arguments")
        if not args:
            self._untyped_storage = UntypedStorage(device=device)
        elif is_int(args[0]):
            size = int(args[0]) * element_size(self.dtype)
            self._untyped_storage = UntypedStorage(size, device=device)
        else:
            _require(
                isinstance(args[0], Sequence),
                f"Argument type not recognized: {class_text(type(args[0]))}",
                TypeError,
            )
            self._untyped_storage = _from_sequence(args[0], self.dtype, device)

    _dtype = property(attrgetter("dtype"))
    _cdata = property(attrgetter("_untyped_storage._cdata"))
    filename = property(
        attrgetter("_untyped_storage.filename"), doc="The file to which writes are shared, or None."
    )
    device = property(
        _warns(attrgetter("_untyped_storage.device")), doc="The device of the memory."
    )
    is_cuda = property(
        _warns(attrgetter("_untyped_storage.is_cuda")), doc="Whether the memory is on CUDA."
    )
    is_hpu = property(
        _warns(attrgetter("_untyped_storage.is_hpu")), doc="Whether the memory is on an HPU."
    )
    untyped = _warns(attrgetter("_untyped_storage"), "Return the untyped storage.")
    size = _warns(lambda self: self._size(), "Return the number of elements.")
    __len__ = _warns(lambda self: self._size())
    element_size = _warns(lambda self: element_size(self.dtype), "Return the size of an element.")
    pickle_storage_type = _warns(
        lambda self: pickled_name(self.dtype),
        "Return the name of the legacy class, which stands for the dtype in pickles.",
    )
    clone = _warns(lambda self: self._wrap(self._untyped_storage.clone()), "Return a copy.")
    cpu = _warns(
        lambda self: self._wrap(self._untyped_storage.cpu()),
        "Return a storage on the CPU, over the same memory if that is its device.",
    )
    __copy__ = _warns(lambda self: self._wrap(copy(self._untyped_storage)))
    __sizeof__ = _warns(lambda self: object.__sizeof__(self) + self._untyped_storage._size)

    def _wrap(self, storage: Any) -> "TypedStorage":
        return typed_storage(storage, self.dtype)

    def _size(self) -> int:
        size: int = self._untyped_storage._size
        return size // element_size(self.dtype)

    def __getitem__(self, idx: Any) -> Any:
        warn_typed_storage_removal()
        check_readable(self._untyped_storage)
        if isinstance(idx, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        cannot = f"can't index a {class_text(type(self))} with {class_text(type(idx))}"
        check(isinstance(idx, int), lambda: cannot)
        check(type(idx) is int, lambda: cannot, TypeError)
        size = self._size()
        if not -size <= idx < size:
            raise IndexError(f"index {idx} out of range for storage of size {size}")
        return storage_tensor(self)[idx].item()

    def __setitem__(self, idx: Any, value: Any) -> None:
        warn_typed_storage_removal()
        cannot = f"can't index a {class_text(type(self))} with {class_text(type(idx))}"
        check(isinstance(idx, int | slice), lambda: cannot)
        if type(value) in (TypedStorage, UntypedStorage):
            raise RuntimeError(f"cannot set item with value type {class_text(type(value))}")
        _assign(self, idx, value)

    def fill_(self, value: Any) -> "TypedStorage":
        """Set every element to a value."""
        self[0 : self._size()] = value
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> "TypedStorage":
        """Copy the bytes of a storage of the same number of bytes, without a cast."""
        warn_typed_storage_removal()
        untyped = source._untyped_storage if isinstance(source, TypedStorage) else source
        self._untyped_storage.copy_(untyped, non_blocking)
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the legacy class, or a storage of another legacy class.

        The new storage has one element per byte of this one.
        """
        warn_typed_storage_removal()
        if dtype is not None:
            return self._untyped_storage.type(dtype, non_blocking)
        legacy = LEGACY_NAMES.get(self.dtype)
        module = {"cpu": "torch", "cuda": "torch.cuda"}.get(self._untyped_storage.device.type)
        return f"{module}.{legacy}" if legacy and module else torch_path(type(self))

    def cuda(self, device: Any = None, non_blocking: bool = False) -> "TypedStorage":
        """Return a copy on a CUDA device."""
        warn_typed_storage_removal()
        self._check_not_quantized("CUDA")
        return self._wrap(self._untyped_storage.cuda(device, non_blocking))

    def hpu(self, device: Any = None, non_blocking: bool = False) -> "TypedStorage":
        """Return a copy on an HPU."""
        warn_typed_storage_removal()
        self._check_not_quantized("HPU")
        return self._wrap(self._untyped_storage.hpu(device, non_blocking))

    def to(self, *, device: Any, non_blocking: bool = False) -> "TypedStorage":
        """Return a storage on a device, over the same memory if that is its device."""
        warn_typed_storage_removal()
        target = as_device_object(device)
        self._check_not_quantized(target.type.upper())
        return self._wrap(self._untyped_storage.to(device=target, non_blocking=non_blocking))

    def _check_not_quantized(self, device_name: str) -> None:
        if self.dtype in QUANTIZED_STORAGE_DTYPES:
            raise RuntimeError(f"Cannot create {device_name} storage with quantized dtype")

    def resize_(self, size: Any) -> None:
        """Resize to ``size`` elements; new elements are uninitialized."""
        warn_typed_storage_removal()
        self._untyped_storage.resize_(size * element_size(self.dtype))

    def share_memory_(self) -> "TypedStorage":
        """Move the bytes to memory that is shared with forked processes."""
        warn_typed_storage_removal()
        self._untyped_storage.share_memory_()
        return self

    def is_pinned(self, device: Any = None) -> Any:
        """Return whether the memory is pinned."""
        warn_typed_storage_removal()
        return self._untyped_storage.is_pinned(device)

    def pin_memory(self, device: Any = None) -> "TypedStorage":
        """Return a copy in pinned memory."""
        warn_typed_storage_removal()
        return self._wrap(self._untyped_storage.pin_memory(device=device))

    def tolist(self) -> list[Any]:
        """Return the elements as a list of Python numbers."""
        return [*self]

    def __iter__(self) -> Iterator[Any]:
        warn_typed_storage_removal()
        return (self[index] for index in range(self._size()))

    def __str__(self) -> str:
        warn_typed_storage_removal()
        device = self._untyped_storage.device
        lines = "..." if device.type == "meta" else " " + "\n ".join(map(str, self.tolist()))
        about = f"(dtype={self.dtype}, device={device}) of size {len(self)}"
        return f"{lines}\n[{torch_path(type(self))}{about}]"

    def __repr__(self) -> str:
        return str(self)

    def __deepcopy__(self, memo: dict[Any, Any]) -> "TypedStorage":
        warn_typed_storage_removal()
        return self._wrap(deepcopy(self._untyped_storage, memo))

    def __reduce__(self) -> Any:
        pickled_name(self.dtype)
        check_can_copy(self._untyped_storage)
        content, device = bytes(self._untyped_storage.tolist()), self._untyped_storage.device
        return _load_from_bytes, (content, self.dtype, *([] if device is CPU else [str(device)]))

    @classmethod
    def from_file(cls, filename: Any, shared: Any, size: Any) -> "TypedStorage":
        """Return a storage of ``size`` elements of a file (see UntypedStorage.from_file)."""
        warn_typed_storage_removal()
        check(cls is not TypedStorage, lambda: "from_file can only be called on derived classes")
        dtype: Any = cls.dtype
        untyped = UntypedStorage.from_file(filename, shared, size * element_size(dtype))
        return cls(wrap_storage=untyped)

    @classmethod
    def from_buffer(
        cls, *args: Any, dtype: Any = None, device: Any = None, **keywords: Any
    ) -> "TypedStorage":
        """Return a storage with the elements of a buffer (see UntypedStorage.from_buffer)."""
        warn_typed_storage_removal()
        dtype = get_default_dtype() if dtype is None else dtype
        device = CPU if device is None else as_device_object(device)
        if device.type != "cpu":
            raise RuntimeError(f"TypedStorage.from_buffer: Not available for device {device.type}")
        return typed_storage(UntypedStorage.from_buffer(*args, dtype=dtype, **keywords), dtype)


def typed_storage(storage: Any, dtype: dtype) -> TypedStorage:
    """Return a typed storage over an untyped one, without a warning."""
    result: TypedStorage = object.__new__(TypedStorage)
    result.dtype, result._untyped_storage = dtype, storage
    return result


def _check_wrapping(args: Any, device: Any, dtype_: Any, storage: Any) -> None:
    """Raise if the constructor arguments beside ``wrap_storage`` are invalid."""
    _require(not args, "No positional arguments should be given when using 'wrap_storage'")
    _require(dtype_ is not None, "Argument 'dtype' must be specified")
    wrong = f"Argument 'dtype' must be torch.dtype, not {class_text(type(dtype_))}"
    _require(type(dtype_) is dtype, wrong, TypeError)
    _require(
        device is None, "Argument 'device' should not be specified when 'wrap_storage' is given"
    )
    _require(isinstance(storage, UntypedStorage), wrap_storage_error(storage), TypeError)


def wrap_storage_error(value: Any) -> str:
    """Return the error message for a ``wrap_storage`` of a wrong type."""
    return f"Argument 'wrap_storage' must be UntypedStorage, but got {class_text(type(value))}"


def is_int(value: Any) -> bool:
    """Return whether a constructor argument is a size."""
    return is_long(value) or type(value) is bool


@is_python_frame
def _from_sequence(sequence: Any, dtype: Any, device: device) -> UntypedStorage:
    (read_dtype,) = _parse_dtype((), {"dtype": QUANTIZED_STORAGE_DTYPES.get(dtype, dtype)})
    dtype = as_dtype(read_dtype)
    array = elements_from_data(sequence, dtype)[2]
    if dtype is COMPLEX32:
        warn_complex32()
    return storage_from_array(array, resolve_device(device))


_parse_dtype = Parser("tensor(*, ScalarType dtype)")


@is_python_frame
def storage_tensor(storage: TypedStorage) -> Tensor:
    """Return a tensor over all elements of a storage."""
    dtype = QUANTIZED_STORAGE_DTYPES.get(storage.dtype, storage.dtype)
    untyped = storage._untyped_storage
    if dtype is COMPLEX32:
        warn_complex32()
    return new_tensor(untyped, dense((untyped._size // dtype.itemsize,)), 0, dtype)


@is_python_frame
def _assign(storage: TypedStorage, idx: Any, value: Any) -> None:
    storage_tensor(storage)[idx] = value


def pickled_name(dtype: dtype) -> str:
    """Return the name of the legacy class that stands for a dtype in pickles."""
    try:
        return LEGACY_NAMES[dtype]
    except KeyError as error:
        raise KeyError(f"dtype {dtype} is not recognized") from error


@public_in("storage")
def _load_from_bytes(
    content: bytes, dtype: dtype | None = None, device: str = "cpu"
) -> TypedStorage:
    """Return the typed storage of a pickle, on its device; raise without a dtype, as torch does."""
    if dtype is None:
        _load_untyped_from_bytes(content)
    storage = UntypedStorage.from_buffer(content, dtype=UINT8)
    if device != "cpu":
        validate_cuda_device(int(device.rpartition(":")[2]))
    return typed_storage(storage.to(device=device), dtype)


def _forwarding(name: str) -> Callable[..., Any]:
    """Return a method that warns, then calls that of the untyped storage."""

    def method(self: TypedStorage) -> Any:
        warn_typed_storage_removal()
        return getattr(self._untyped_storage, name)()

    method.__doc__ = getattr(UntypedStorage, name).__doc__
    return method


for _name in ("nbytes", "get_device", "data_ptr", "resizable", "is_shared"):
    setattr(TypedStorage, _name, _forwarding(_name))
for _name, _method in vars(TypedStorage).items():
    if getattr(_method, "__name__", "") == "method":
        _method.__name__, _method.__qualname__ = _name, f"TypedStorage.{_name}"


TYPED_METHODS = lazy_members(TypedStorage)
"""The methods of TypedStorage that other modules define."""

register("Storage", TypedStorage)
