"""The cast methods of storages, such as float() and int(), which return typed storages."""

from typing import Any

from .._dtypes.constants import UINT8
from .._dtypes.cpp_names import class_text
from .._dtypes.table import DTYPES, Kind, dtype, spec_of
from .._geometry.geometry import dense
from .._runtime.warnings import is_python_frame
from .._storage.storage_base import METHODS
from .._storage.untyped_storage import UntypedStorage
from .._tensor.tensor import Tensor, new_tensor
from .._tensor.typed_storage import (
    TYPED_METHODS,
    TypedStorage,
    storage_tensor,
    typed_storage,
    warn_typed_storage_removal,
)


def _cast(elements: Tensor, dtype_arg: Any) -> TypedStorage:
    if type(dtype_arg) is not dtype:
        raise TypeError(f"Argument 'dtype' must be torch.dtype, not {class_text(type(dtype_arg))}")
    return typed_storage(_to_copy(elements, dtype_arg)._storage, dtype_arg)


@is_python_frame
def _to_copy(elements: Tensor, dtype: dtype) -> Any:
    warn_typed_storage_removal()  # torch asks the typed storage of the copy for its address
    return elements.to(dtype, copy=True)  # type: ignore[attr-defined]


def _untyped_to(self: UntypedStorage, dtype: Any) -> TypedStorage:
    """Return a typed storage with the bytes cast to a dtype."""
    return _cast(new_tensor(self, dense((self._size,)), 0, UINT8), dtype)


def _typed_to(self: TypedStorage, dtype: Any) -> TypedStorage:
    """Return a typed storage with the elements cast to a dtype."""
    if spec_of(self.dtype).kind is Kind.QUANTIZED:
        raise NotImplementedError("impl has no quantized tensors")
    return _cast(storage_tensor(self), dtype)


_CAST_DTYPES = {
    "double": "float64", "float": "float32", "half": "float16", "long": "int64", "int": "int32",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "bfloat16": "bfloat16",
    "complex_double": "complex128", "complex_float": "complex64", "float8_e5m2": "float8_e5m2",
    "float8_e4m3fn": "float8_e4m3fn", "float8_e5m2fnuz": "float8_e5m2fnuz",
    "float8_e4m3fnuz": "float8_e4m3fnuz",
}  # fmt: skip


def _install_cast(name: str, dtype: dtype) -> None:
    def from_untyped(self: UntypedStorage) -> TypedStorage:
        return _untyped_to(self, dtype)

    def from_typed(self: TypedStorage) -> TypedStorage:
        warn_typed_storage_removal()
        return _typed_to(self, dtype)

    for class_name, methods, method in (
        ("_StorageBase", METHODS, from_untyped),
        ("TypedStorage", TYPED_METHODS, from_typed),
    ):
        method.__name__, method.__qualname__ = name, f"{class_name}.{name}"
        method.__doc__ = f"Return a typed storage of {spec_of(dtype).name} with the same numbers."
        methods[name] = method


for _name, _dtype_name in _CAST_DTYPES.items():
    _install_cast(_name, DTYPES[_dtype_name])
METHODS["_to"] = _untyped_to
TYPED_METHODS["_to"] = _typed_to
