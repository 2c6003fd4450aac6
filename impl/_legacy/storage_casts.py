"""The named conversions of storages: float(), int() and their kin make typed storages."""

from typing import Any

from .._dtypes.constants import UINT8
from .._dtypes.cpp_names import class_text
from .._dtypes.table import DTYPES, Kind, dtype, spec_of
from .._geometry.geometry import dense
from .._runtime.errors import check
from .._runtime.warnings import shown_in_warnings
from .._storage.storage_base import METHODS
from .._storage.untyped_storage import UntypedStorage
from .._tensor.tensor import Tensor, new_tensor
from .._tensor.typed_storage import TYPED_METHODS, TypedStorage, elements_of, typed, warn_of_removal


def _converted(elements: Tensor, kind: Any) -> TypedStorage:
    check(
        type(kind) is dtype,
        lambda: f"Argument 'dtype' must be torch.dtype, not {class_text(type(kind))}",
        TypeError,
    )
    return typed(_copied(elements, kind)._storage, kind)


@shown_in_warnings
def _copied(elements: Tensor, dtype: dtype) -> Any:
    return elements.to(dtype, copy=True)  # type: ignore[attr-defined]


def _untyped_to(self: UntypedStorage, dtype: Any) -> TypedStorage:
    """Return a typed storage of the bytes, as numbers of a dtype."""
    return _converted(new_tensor(self, dense((self._size,)), 0, UINT8), dtype)


def _typed_to(self: TypedStorage, dtype: Any) -> TypedStorage:
    """Return a typed storage of the same numbers in another dtype."""
    check(
        spec_of(self.dtype).kind is not Kind.QUANTIZED,
        lambda: "impl has no quantized tensors",
        NotImplementedError,
    )
    return _converted(elements_of(self), dtype)


_NAMED = {
    "double": "float64", "float": "float32", "half": "float16", "long": "int64", "int": "int32",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "bfloat16": "bfloat16",
    "complex_double": "complex128", "complex_float": "complex64", "float8_e5m2": "float8_e5m2",
    "float8_e4m3fn": "float8_e4m3fn", "float8_e5m2fnuz": "float8_e5m2fnuz",
    "float8_e4m3fnuz": "float8_e4m3fnuz",
}  # fmt: skip


def _install_conversion(name: str, dtype: dtype) -> None:
    def from_untyped(self: UntypedStorage) -> TypedStorage:
        return _untyped_to(self, dtype)

    def from_typed(self: TypedStorage) -> TypedStorage:
        warn_of_removal()
        return _typed_to(self, dtype)

    for owner, methods, method in (
        ("_StorageBase", METHODS, from_untyped),
        ("TypedStorage", TYPED_METHODS, from_typed),
    ):
        method.__name__, method.__qualname__ = name, f"{owner}.{name}"
        method.__doc__ = f"Return a typed storage of {spec_of(dtype).name} with the same numbers."
        methods[name] = method


for _name, _kind in _NAMED.items():
    _install_conversion(_name, DTYPES[_kind])
METHODS["_to"] = _untyped_to
TYPED_METHODS["_to"] = _typed_to
