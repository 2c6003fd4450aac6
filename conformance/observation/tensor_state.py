"""The state of tensors and storages, read through torch's public names.

Elements are read from the bytes of the storage by shape, strides and storage offset. So no operator
of a subject takes part, and its geometry has to be true.
"""

import ctypes
import sys
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from math import prod
from operator import attrgetter, methodcaller
from types import MappingProxyType
from typing import Any

import numpy as np

from ..libraries.library import Library
from .element_bytes import ON_META, byte_steps, elements_in, is_within


def is_sparse(tensor: Any) -> bool:
    """Return whether a tensor has indices and values instead of a storage."""
    return str(getattr(tensor, "layout", None)) == "torch.sparse_coo"


def _parts(tensor: Any) -> dict[str, Any]:
    return {"indices": tensor._indices(), "values": tensor._values()}


def shape(tensor: Any) -> list[int]:
    """Return the sizes."""
    return list(map(int, tensor.shape))


def stride(tensor: Any) -> list[int]:
    """Return the strides, in elements."""
    return list(map(int, tensor.stride()))


def strides(tensor: Any) -> Any:
    """Return the strides; for a sparse tensor also those of its parts."""
    return _sparse_strides(tensor, _parts(tensor)) if is_sparse(tensor) else stride(tensor)


def _sparse_strides(tensor: Any, parts: Mapping[str, Any]) -> dict[str, list[int]]:
    return {"own": stride(tensor), **{name: stride(part) for name, part in parts.items()}}


def _value_or_error(tensor: Any, name: str) -> Any:
    try:
        return getattr(tensor, name)
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"


AUTOGRAD_READERS: Mapping[str, Callable[[Any], Any]] = {
    "requires_grad": attrgetter("requires_grad"),
    "is_leaf": lambda tensor: _value_or_error(tensor, "is_leaf"),
    "grad_fn": lambda tensor: _function_name(_value_or_error(tensor, "grad_fn")),
    "output_nr": attrgetter("output_nr"),
    "version": lambda tensor: _value_or_error(tensor, "_version"),
    "is_view": methodcaller("_is_view"),
    "is_inference": methodcaller("is_inference"),
    "retains_grad": attrgetter("retains_grad"),
}
"""The parts of the autograd metadata. Some of them raise for invalid views."""


def _function_name(function: Any) -> Any:
    return function if function is None or type(function) is str else type(function).__name__


def autograd(tensor: Any, left_out: Container[str] = ()) -> dict[str, Any]:
    """Return the autograd metadata, without the parts that are left out."""
    return {name: read(tensor) for name, read in AUTOGRAD_READERS.items() if name not in left_out}


def conj_neg(tensor: Any) -> dict[str, bool]:
    """Return the conj and neg bits."""
    return {"conjugated": tensor.is_conj(), "negated": tensor.is_neg()}


UNREADABLE = "looking at it raises "
"""The beginning of the text for a facet whose reader raises."""


def is_unreadable(facet: Any) -> bool:
    """Return whether the reader of a facet has raised."""
    return isinstance(facet, str) and facet.startswith(UNREADABLE)


def elements(tensor: Any) -> Any:
    """Return the bits of each element in order, highest byte first, or a digest of many.

    For a sparse tensor return those of its parts, with their dtypes and shapes.
    """
    if is_sparse(tensor):
        return _sparse_elements(_parts(tensor))
    if tensor.device.type == "meta":
        return ON_META
    sizes = shape(tensor)
    if not prod(sizes):
        return []
    offset, itemsize = int(tensor.storage_offset()), tensor.element_size()
    return elements_in(_bytes(tensor.untyped_storage()), sizes, stride(tensor), offset, itemsize)


def _sparse_elements(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"dtype": str(part.dtype), "shape": shape(part), "elements": elements(part)}
        for name, part in parts.items()
    }


def write_elements(tensor: Any, raw: Mapping[int, str]) -> None:
    """Write the bits of some elements, by their index in the order of `elements`."""
    if not raw:
        return
    storage, itemsize = tensor.untyped_storage(), tensor.element_size()
    sizes, steps, offset = shape(tensor), stride(tensor), int(tensor.storage_offset())
    for index, digits in raw.items():
        position = np.unravel_index(index, sizes) if sizes else ()
        element = offset + sum(int(at) * step for at, step in zip(position, steps, strict=True))
        # The highest byte of an element is its last one.
        for byte, value in enumerate(reversed(bytes.fromhex(digits))):
            storage[element * itemsize + byte] = value


def _bytes(storage: Any) -> bytes:
    """Return the bytes of a storage; for torch with one copy, or two from another device."""
    torch = sys.modules.get("torch")
    if torch is None or type(storage) is not torch.UntypedStorage:
        return bytes(storage.tolist())
    if storage.device.type != "cpu":
        storage = storage.cpu()
    return ctypes.string_at(storage.data_ptr(), count) if (count := storage.nbytes()) else b""


def raw_parts(tensor: Any, library: Library, dtype: str, parts: int) -> np.ndarray:
    """Return the raw bits of the parts of each element, along a last dimension.

    Raise ValueError if elements have another size or are beyond the storage.
    """
    if library.known is not None:
        recorded: np.ndarray = tensor.raw
        return recorded
    sizes, part_size = shape(tensor), np.dtype(dtype).itemsize
    if library.adapter.elements is not None:
        ordered = np.frombuffer(elements_in_order(tensor, library), dtype)
        return ordered.reshape(*sizes, parts)
    content, itemsize = _content(tensor.untyped_storage(), library), part_size * parts
    steps, offset = stride(tensor), int(tensor.storage_offset())
    is_empty = not prod(sizes)
    has_all = is_empty or is_within(sizes, steps, offset, len(content) // itemsize)
    if not has_all or tensor.element_size() != itemsize:
        raise ValueError("elements of another size, or beyond the storage")
    if is_empty:
        return np.zeros((*sizes, parts), dtype)
    strides = *byte_steps(sizes, steps, itemsize), part_size
    return np.ndarray((*sizes, parts), dtype, content, offset * itemsize, strides)


def _content(storage: Any, library: Library) -> np.ndarray:
    """Return the bytes of a storage, in one copy if the library supports it."""
    root = library.root
    with suppress(Exception):
        array = root.zeros(0, dtype=root.uint8).set_(storage).numpy()
        if type(array) is np.ndarray and (array.dtype, array.ndim) == (np.uint8, 1):
            return array.copy()
    return np.frombuffer(_bytes(storage), np.uint8)


def storage(tensor: Any) -> dict[str, Any]:
    """Return the size of the storage, and whether the tensor's address is that of its offset.

    For a sparse tensor return its dimensions, nnz, and whether it is coalesced.
    """
    if is_sparse(tensor):
        return {
            "sparse_dim": tensor.sparse_dim(),
            "dense_dim": tensor.dense_dim(),
            "nnz": tensor._nnz(),
            "is_coalesced": tensor.is_coalesced(),
        }
    offset = tensor.storage_offset() * tensor.element_size()
    return _strided_storage(tensor, tensor.untyped_storage(), offset)


def _strided_storage(tensor: Any, storage: Any, offset: int) -> dict[str, Any]:
    address = tensor.data_ptr()
    return {
        "bytes": storage.nbytes(),
        "address": "none" if not address else address - storage.data_ptr() == offset,
    }


class Peers:
    """The named tensors of a program, and the identities of their memories, each read once."""

    def __init__(self, tensors: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._tensors = dict(tensors)
        self._memories: dict[str, tuple[bool, int] | None] = {}
        self._last: tuple[Any, bytes] = None, b""

    def __bool__(self) -> bool:
        return bool(self._tensors)

    def add(self, name: str, tensor: Any) -> None:
        """Add a named tensor."""
        self._tensors[name] = tensor

    def relations(self, value: Any) -> dict[str, str]:
        """Return which tensors are identical to a tensor or share its storage.

        The storage of a sparse tensor is that of its values.
        """
        return self._relations(value, _memory(value)) if self._tensors else {}

    def of_strided(self, value: Any, storage: Any) -> dict[str, str]:
        """Return the same for a strided tensor, whose storage is known."""
        return self._relations(value, _identity(storage)) if self._tensors else {}

    def bytes_of(self, storage: Any) -> bytes:
        """Return the bytes of a storage; those that many values share in turn are read once."""
        if not self._tensors:
            return _bytes(storage)
        key = _identity(storage), storage.nbytes()
        if self._last[0] != key:
            self._last = key, _bytes(storage)
        return self._last[1]

    def _relations(self, value: Any, own: tuple[bool, int] | None) -> dict[str, str]:
        return {
            name: "is it" if peer is value else "shares its memory"
            for name, peer in self._tensors.items()
            if peer is value or (own is not None and own == self._memory(name))
        }

    def _memory(self, name: str) -> tuple[bool, int] | None:
        if name not in self._memories:
            self._memories[name] = _memory(self._tensors[name])
        return self._memories[name]


NO_PEERS = Peers()


def _memory(tensor: Any) -> tuple[bool, int] | None:
    """Return the identity of a tensor's memory, or None if it has no bytes."""
    return _identity((tensor._values() if is_sparse(tensor) else tensor).untyped_storage())


def _identity(storage: Any) -> tuple[bool, int] | None:
    """Return the identity of a storage, or None if it has no bytes."""
    if not storage.nbytes():
        return None
    on_meta = storage.device.type == "meta"
    return on_meta, storage._cdata if on_meta else storage.data_ptr()


def tensor_data(tensor: Any, library: Library, peers: Peers = NO_PEERS) -> dict[str, Any]:
    """Return a tensor as plain data, with one reading of each attribute."""
    if library.not_asked or library.adapter.elements is not None:
        return _data_of_facts(tensor, library, peers)
    parts = _parts(tensor) if is_sparse(tensor) else None
    sizes, steps, device = shape(tensor), stride(tensor), tensor.device
    data = {
        "tensor": library.class_name(type(tensor)),
        "dtype": library.name_of(tensor.dtype),
        "shape": sizes,
        "stride": steps if parts is None else _sparse_strides(tensor, parts),
        "offset": (offset := tensor.storage_offset()),
        "device": str(device),
        "layout": library.name_of(tensor.layout),
        "autograd": autograd(tensor),
        "conj_neg": conj_neg(tensor),
    }
    if parts is not None:
        data |= {"storage": storage(tensor), "elements": _sparse_elements(parts)}
        data["relations"] = peers.relations(tensor)
    else:
        memory, itemsize = tensor.untyped_storage(), tensor.element_size()
        data["storage"] = _strided_storage(tensor, memory, offset * itemsize)
        if device.type == "meta":
            data["elements"] = ON_META
        elif not prod(sizes):
            data["elements"] = []
        else:
            data["elements"] = elements_in(
                peers.bytes_of(memory), sizes, steps, int(offset), itemsize
            )
        data["relations"] = peers.of_strided(tensor, memory)
    return data


def _storage_of_facts(tensor: Any, library: Library) -> dict[str, Any]:
    if "address" not in library.not_asked or is_sparse(tensor):
        return storage(tensor)
    return {"bytes": tensor.untyped_storage().nbytes()}


def _elements_of_facts(tensor: Any, library: Library) -> Any:
    """Return the elements as `elements` does, by the library's own reader if it has one."""
    if library.adapter.elements is None:
        return elements(tensor)
    content, count = elements_in_order(tensor, library), prod(shape(tensor))
    if not count:
        return []
    itemsize = len(content) // count
    return elements_in(content, [count], [1], 0, itemsize)


def elements_in_order(tensor: Any, library: Library) -> bytes:
    """Return the bytes of all elements in order, by the library's own reader."""
    read = library.adapter.elements
    assert read is not None
    content = read(tensor)
    return content if isinstance(content, bytes) else np.asarray(content).tobytes()


READERS: Mapping[str, Callable[..., Any]] = {
    "dtype": lambda tensor, library: library.name_of(tensor.dtype),
    "shape": lambda tensor, library: shape(tensor),
    "stride": lambda tensor, library: strides(tensor),
    "offset": lambda tensor, library: tensor.storage_offset(),
    "device": lambda tensor, library: str(tensor.device),
    "layout": lambda tensor, library: library.name_of(tensor.layout),
    "autograd": lambda tensor, library: autograd(tensor, library.not_asked),
    "conj_neg": lambda tensor, library: conj_neg(tensor),
    "storage": _storage_of_facts,
    "elements": _elements_of_facts,
}
"""The facts of a tensor one by one, for libraries that lack some of them."""


def _data_of_facts(tensor: Any, library: Library, peers: Peers) -> dict[str, Any]:
    """Return what `tensor_data` does, without the facts that the library lacks."""
    data: dict[str, Any] = {"tensor": library.class_name(type(tensor))}
    for name, read in READERS.items():
        if name not in library.not_asked:
            data[name] = read(tensor, library)
    if "aliasing" not in library.not_asked:
        data["relations"] = peers.relations(tensor)
    return data


def storage_data(storage: Any, library: Library) -> dict[str, Any]:
    """Return a storage as plain data."""
    return {
        "storage": library.class_name(type(storage)),
        "device": str(storage.device),
        "resizable": storage.resizable(),
        "elements": ON_META if storage.device.type == "meta" else _bytes(storage).hex(),
    }


def array_data(array: np.ndarray, of_object: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a NumPy array as plain data; ``of_object`` returns that of an element of any type."""
    return {
        "array": str(array.dtype),
        "shape": list(array.shape),
        "stride": list(array.strides),
        "writeable": bool(array.flags.writeable),
        "elements": (
            [*map(of_object, array.ravel().tolist())]
            if array.dtype.hasobject
            else array.tobytes().hex()
        ),
    }
