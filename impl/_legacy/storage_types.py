"""The legacy storage classes, such as FloatStorage: aliases of TypedStorage with one dtype."""

from collections.abc import Sequence
from typing import Any

from .._dtypes.cpp_names import TorchNamed, class_text
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.table import dtype, spec_of
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.lazy_exports import PUBLIC
from .._runtime.warnings import is_python_frame
from .._storage.untyped_storage import UntypedStorage
from .._tensor.tensor import METHODS, Tensor, storage_of
from .._tensor.typed_storage import (
    LEGACY_NAMES,
    QUANTIZED_STORAGE_DTYPES,
    TypedStorage,
    argument_check,
    is_int,
    typed_storage,
    warn_typed_storage_removal,
    wrap_storage_error,
)


class _LegacyStorageMeta(TorchNamed):
    """The metaclass of the legacy classes, for their dtype and their instance checks."""

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        warn_typed_storage_removal()
        if type(self._dtype) is property:
            raise AttributeError(f"type object '{self.__name__}' has no attribute 'dtype'")
        return self._dtype

    @property
    def _dtype(self) -> Any:
        return self._of  # type: ignore[attr-defined]

    @is_python_frame
    def __instancecheck__(self, instance: object) -> bool:
        return (
            type(instance) is TypedStorage
            and _device_type(self) == instance.device.type
            and self.dtype is instance.dtype
        )


def _device_type(cls: type) -> str:
    name = cls.__module__.rpartition(".")[2]
    return name if name in ("cuda", "hpu") else "cpu"


_LegacyStorageMeta.__module__ = f"{PACKAGE}.storage"


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """The base of the legacy classes; calling one returns a TypedStorage of its dtype."""

    _of: Any = property()
    """The dtype, or torch's property in the base class, which has none."""

    def __new__(  # type: ignore[misc]  # returns a TypedStorage
        cls,
        *args: Any,
        wrap_storage: Any = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
    ) -> TypedStorage:
        """Return a typed storage of the class's dtype."""
        if not _internal:
            warn_typed_storage_removal()
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        require = argument_check(
            f"{class_text(cls)}.__new__ received an invalid combination of arguments."
            " Expected one of:\n"
            " * no arguments\n"
            " * (int size)\n"
            " * (Sequence data)\n"
            " * (*, UntypedStorage wrap_storage)\n"
        )
        require(device is None, "Keyword argument 'device' cannot be specified")
        require(dtype is None, "Keyword argument 'dtype' cannot be specified")
        if wrap_storage is None:
            require(len(args) <= 1, "Too many positional arguments")
            require(
                not args or is_int(args[0]) or isinstance(args[0], Sequence),
                f"Argument type not recognized: {class_text(type(args[0])) if args else ''}",
                TypeError,
            )
            return TypedStorage(*args, dtype=cls._of, device=_device_type(cls), _internal=True)
        require(not args, "No positional arguments should be given when using 'wrap_storage'")
        require(
            isinstance(wrap_storage, UntypedStorage), wrap_storage_error(wrap_storage), TypeError
        )
        expected, actual = _device_type(cls), wrap_storage.device.type
        require(
            expected == actual, f"Device of 'wrap_storage' must be {expected}, but got {actual}"
        )
        return typed_storage(wrap_storage, cls._of)

    @classmethod
    def from_buffer(
        cls, *args: Any, dtype: Any = None, device: Any = None, **keywords: Any
    ) -> TypedStorage:
        """Return a typed storage for the arguments of UntypedStorage.from_buffer."""
        warn_typed_storage_removal()
        only = "can only be specified in UntypedStorage.from_buffer and TypedStorage.from_buffer"
        check(dtype is None and len(args) != 5, lambda: f"from_buffer: 'dtype' {only}")
        check(device is None, lambda: f"from_buffer: 'device' {only}")
        storage = UntypedStorage.from_buffer(*args, dtype=cls._of, **keywords)
        return typed_storage(storage, cls._of)


# CPython's message for an unexpected keyword contains this name, as in torch.
_LegacyStorage.__new__.__qualname__ = "TypedStorage.__new__"


class _CudaLegacyStorage(_LegacyStorage):
    """The base of the legacy classes of torch.cuda, which cannot be created from buffers."""

    @classmethod
    def from_buffer(cls, *args: Any, **keywords: Any) -> Any:
        """Raise RuntimeError."""
        warn_typed_storage_removal()
        raise RuntimeError("from_buffer: Not available for CUDA storage")


def _legacy_class(dtype: dtype, module: str, base: type) -> Any:
    name = LEGACY_NAMES[dtype]
    doc = f"{name}(size or sequence): a TypedStorage of {spec_of(dtype).name}."
    return _LegacyStorageMeta(
        name, (base,), {"_of": dtype, "__doc__": doc}, called=f"{module}.{name}"
    )


LEGACY_STORAGES: dict[str, Any] = {
    name: _legacy_class(dtype, "torch", _LegacyStorage) for dtype, name in LEGACY_NAMES.items()
}
"""The legacy storage classes of torch, by name."""

CUDA_STORAGES: dict[str, Any] = {
    name: _legacy_class(dtype, "torch.cuda", _CudaLegacyStorage)
    for dtype, name in LEGACY_NAMES.items()
    if dtype not in QUANTIZED_STORAGE_DTYPES
}
"""The legacy storage classes of torch.cuda, by name."""

_STORAGE_CLASSES = frozenset({UntypedStorage, TypedStorage, *LEGACY_STORAGES.values()})


def is_storage(obj: Any, /) -> bool:
    """Return whether an object is an instance of a storage class, but not of a subclass."""
    return type(obj) in _STORAGE_CLASSES


def default_storage() -> Any:
    """Return ``torch.Storage``, the legacy class of the default dtype."""
    return LEGACY_STORAGES[LEGACY_NAMES[get_default_dtype()]]


# Methods of tensors


def _tensor_typed_storage(self: Tensor) -> TypedStorage:
    return typed_storage(storage_of(self), self._dtype)


def _tensor_storage(self: Tensor) -> TypedStorage:
    """Return the tensor's storage as a typed storage."""
    warn_typed_storage_removal()
    return _tensor_typed_storage(self)


def _tensor_storage_type(self: Tensor) -> Any:
    """Return the legacy class of the tensor's storage, or None."""
    warn_typed_storage_removal()
    storage_of(self)
    classes = {"cuda": CUDA_STORAGES, "cpu": LEGACY_STORAGES}.get(self._geometry.device.type, {})
    return classes.get(LEGACY_NAMES.get(self._dtype, ""))


for _name, _method in {
    "storage": _tensor_storage,
    "_typed_storage": _tensor_typed_storage,
    "storage_type": _tensor_storage_type,
}.items():
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method

PUBLIC.update(LEGACY_STORAGES)
