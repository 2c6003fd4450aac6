"""The legacy storage classes, such as FloatStorage: names for typed storages of one dtype."""

from collections.abc import Sequence
from typing import Any

from .._dtypes.cpp_names import TorchNamed, class_text
from .._dtypes.default_dtype import get_default_dtype
from .._dtypes.table import dtype, spec_of
from .._runtime.errors import check
from .._runtime.lazy_exports import PUBLIC
from .._storage.untyped_storage import UntypedStorage
from .._tensor.tensor import METHODS, Tensor, storage_of
from .._tensor.typed_storage import (
    LEGACY_NAMES,
    READ_AS,
    TypedStorage,
    is_int,
    not_untyped,
    typed,
    warn_of_removal,
)


class _LegacyStorageMeta(TorchNamed):
    """The metaclass of legacy classes: their dtype, and which storages count as theirs."""

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        warn_of_removal()
        return self._dtype

    @property
    def _dtype(self) -> Any:
        kind = vars(self).get("_of")
        if kind is None:
            raise AttributeError(f"type object '{self.__name__}' has no attribute 'dtype'")
        return kind

    def __instancecheck__(self, instance: object) -> bool:
        return (
            type(instance) is TypedStorage
            and _device_type(self) == instance.device.type
            and self.dtype is instance.dtype
        )


def _device_type(cls: type) -> str:
    last = cls.__module__.rpartition(".")[2]
    return last if last in ("cuda", "hpu") else "cpu"


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """What the legacy classes have in common: called, they make a TypedStorage of their dtype."""

    _of: dtype

    def __new__(  # type: ignore[misc]  # what is made is of the class above
        cls,
        *args: Any,
        wrap_storage: Any = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
    ) -> TypedStorage:
        """Make a typed storage of the class's dtype."""
        if not _internal:
            warn_of_removal()
        check(
            cls is not _LegacyStorage,
            lambda: "Only child classes of _LegacyStorage can be instantiated",
        )
        refuse = _Refusals(cls)
        refuse.unless(device is None, "Keyword argument 'device' cannot be specified")
        refuse.unless(dtype is None, "Keyword argument 'dtype' cannot be specified")
        if wrap_storage is None:
            refuse.unless(len(args) <= 1, "Too many positional arguments")
            refuse.unless(
                not args or is_int(args[0]) or isinstance(args[0], Sequence),
                f"Argument type not recognized: {class_text(type(args[0])) if args else ''}",
                TypeError,
            )
            place = _device_type(cls)
            return TypedStorage(*args, dtype=cls._of, device=place, _internal=True)
        refuse.unless(not args, "No positional arguments should be given when using 'wrap_storage'")
        refuse.unless(
            isinstance(wrap_storage, UntypedStorage), not_untyped(wrap_storage), TypeError
        )
        place, given = _device_type(cls), wrap_storage.device.type
        refuse.unless(place == given, f"Device of 'wrap_storage' must be {place}, but got {given}")
        return typed(wrap_storage, cls._of)

    @classmethod
    def from_buffer(
        cls, *args: Any, dtype: Any = None, device: Any = None, **keywords: Any
    ) -> TypedStorage:
        """Copy the elements of a buffer; the arguments are those of UntypedStorage.from_buffer."""
        warn_of_removal()
        only = "can only be specified in UntypedStorage.from_buffer and TypedStorage.from_buffer"
        check(dtype is None and len(args) != 5, lambda: f"from_buffer: 'dtype' {only}")
        check(device is None, lambda: f"from_buffer: 'device' {only}")
        kind = cls._of
        return typed(UntypedStorage.from_buffer(*args, dtype=kind, **keywords), kind)


# The words of CPython for a wrong keyword name the class that has the constructor in torch.
_LegacyStorage.__new__.__qualname__ = "TypedStorage.__new__"


class _CudaLegacyStorage(_LegacyStorage):
    """What the legacy classes of torch.cuda have in common: their memory is no buffer's."""

    @classmethod
    def from_buffer(cls, *args: Any, **keywords: Any) -> Any:
        """Refuse."""
        warn_of_removal()
        raise RuntimeError("from_buffer: Not available for CUDA storage")


class _Refusals:
    """Writes what the constructors of legacy classes refuse."""

    def __init__(self, cls: type) -> None:
        self.start = (
            f"{class_text(cls)}.__new__ received an invalid combination of arguments."
            " Expected one of:\n"
            " * no arguments\n"
            " * (int size)\n"
            " * (Sequence data)\n"
            " * (*, UntypedStorage wrap_storage)\n"
        )

    def unless(self, condition: bool, message: str, cls: type[Exception] = RuntimeError) -> None:
        """Raise unless a condition holds."""
        check(condition, lambda: self.start + message, cls)


def _legacy_class(dtype: dtype, module: str, base: type) -> Any:
    name = LEGACY_NAMES[dtype]
    doc = f"{name}(size or sequence): a TypedStorage of {spec_of(dtype).name}."
    return _LegacyStorageMeta(
        name, (base,), {"_of": dtype, "__doc__": doc}, called=f"{module}.{name}"
    )


LEGACY_STORAGES: dict[str, Any] = {
    name: _legacy_class(kind, "torch", _LegacyStorage) for kind, name in LEGACY_NAMES.items()
}
"""The legacy storage classes of the namespace torch, by name."""

CUDA_STORAGES: dict[str, Any] = {
    name: _legacy_class(kind, "torch.cuda", _CudaLegacyStorage)
    for kind, name in LEGACY_NAMES.items()
    if kind not in READ_AS
}
"""The legacy storage classes of the namespace torch.cuda, by name."""

_STORAGE_CLASSES = frozenset({UntypedStorage, TypedStorage, *LEGACY_STORAGES.values()})


def is_storage(obj: Any, /) -> bool:
    """Tell whether an object is a storage: of one of torch's own classes, not of a subclass."""
    return type(obj) in _STORAGE_CLASSES


def default_storage() -> Any:
    """Return what ``torch.Storage`` is: the legacy class of the default dtype."""
    return LEGACY_STORAGES[LEGACY_NAMES[get_default_dtype()]]


# The methods of tensors.


def _tensor_storage(self: Tensor) -> TypedStorage:
    """Return the storage with the tensor's dtype."""
    warn_of_removal()
    return typed(storage_of(self), self._dtype)


def _tensor_typed_storage(self: Tensor) -> TypedStorage:
    return typed(storage_of(self), self._dtype)


def _tensor_storage_type(self: Tensor) -> Any:
    """Return the legacy class of the tensor's storage, or None if there is none."""
    warn_of_removal()
    storage_of(self)
    classes = CUDA_STORAGES if self._geometry.device.type == "cuda" else LEGACY_STORAGES
    return classes.get(LEGACY_NAMES.get(self._dtype, ""))


for _name, _method in {
    "storage": _tensor_storage,
    "_typed_storage": _tensor_typed_storage,
    "storage_type": _tensor_storage_type,
}.items():
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method

PUBLIC.update(LEGACY_STORAGES)
