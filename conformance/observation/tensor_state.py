"""The state of tensors and storages, read through torch's public names.

Elements are read from the bytes of the storage by shape, strides and storage offset. So no operator
of a subject takes part, and its geometry has to be true.
"""

import ctypes
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ..libraries.library import Library

MAX_WRITTEN = 64
"""The maximum number of elements in an observation; more are replaced by a digest."""

_MAX_WRITTEN_ALL = 2**22
_max_written = MAX_WRITTEN

_ON_META, BEYOND = "none", "beyond the storage"
NO_ELEMENTS = (_ON_META, BEYOND)
"""The texts for elements that cannot be read."""

_MAX_REPORTED = 4096
_MAX_KEPT = 1024
_DIGEST = re.compile(r"\d+ elements, [0-9a-f]{16}")


@contextmanager
def all_elements_written() -> Iterator[None]:
    """Write all elements inside the context, to see which of them differ."""
    global _max_written
    before, _max_written = _max_written, _MAX_WRITTEN_ALL
    try:
        yield
    finally:
        _max_written = before


def has_digest(answer: Any) -> bool:
    """Return whether an answer has a digest instead of elements."""
    if isinstance(answer, dict | list):
        return any(map(has_digest, answer.values() if isinstance(answer, dict) else answer))
    return isinstance(answer, str) and _DIGEST.fullmatch(answer) is not None


def with_digests(answer: Any) -> Any:
    """Return an answer with digests instead of very many elements."""
    if isinstance(answer, dict):
        return {key: with_digests(value) for key, value in answer.items()}
    if not isinstance(answer, list):
        return answer
    if len(answer) > _MAX_REPORTED and isinstance(answer[0], str):
        return f"{len(answer)} elements, {sha256(''.join(answer).encode()).hexdigest()[:16]}"
    return [with_digests(item) for item in answer]


def is_sparse(tensor: Any) -> bool:
    """Return whether a tensor has indices and values instead of a storage."""
    return str(tensor.layout) == "torch.sparse_coo"


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


def autograd(tensor: Any) -> dict[str, Any]:
    """Return the autograd metadata; some of it raises for invalid views."""
    try:
        is_leaf, version, function = tensor.is_leaf, tensor._version, tensor.grad_fn
    except RuntimeError:
        is_leaf, version, function = (
            _value_or_error(tensor, name) for name in ("is_leaf", "_version", "grad_fn")
        )
    is_function = function is not None and type(function) is not str
    return {
        "requires_grad": tensor.requires_grad,
        "is_leaf": is_leaf,
        "grad_fn": type(function).__name__ if is_function else function,
        "output_nr": tensor.output_nr,
        "version": version,
        "is_view": tensor._is_view(),
        "is_inference": tensor.is_inference(),
        "retains_grad": tensor.retains_grad,
    }


def _value_or_error(tensor: Any, name: str) -> Any:
    try:
        return getattr(tensor, name)
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"


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
        return _ON_META
    sizes = shape(tensor)
    if not prod(sizes):
        return []
    offset, itemsize = int(tensor.storage_offset()), tensor.element_size()
    return _elements(_bytes(tensor.untyped_storage()), sizes, stride(tensor), offset, itemsize)


def _sparse_elements(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"dtype": str(part.dtype), "shape": shape(part), "elements": elements(part)}
        for name, part in parts.items()
    }


def _elements(
    content: bytes, sizes: list[int], steps: list[int], offset: int, itemsize: int
) -> list[str] | str:
    """Return the elements with a geometry in the bytes of a storage."""
    read = _texts if len(content) <= _MAX_KEPT else _texts.__wrapped__
    texts = read(content, tuple(sizes), tuple(steps), offset, itemsize, _max_written)
    return texts if isinstance(texts, str) else [*texts]


@lru_cache(maxsize=2**12)
def _texts(
    content: bytes,
    sizes: tuple[int, ...],
    steps: tuple[int, ...],
    offset: int,
    itemsize: int,
    max_written: int,
) -> list[str] | str:
    """Return the bits of each element, `BEYOND`, or a digest of more than ``max_written``.

    The oracle's and the subject's are mostly the same.
    """
    if not _is_within(sizes, steps, offset, len(content) // itemsize):
        return BEYOND
    count, ordered = prod(sizes), _ordered(content, sizes, steps, offset, itemsize)
    if count > max_written:
        return f"{count} elements, {sha256(ordered).hexdigest()[:16]}"
    # Reversed, so that the highest byte of each element comes first.
    return ordered[::-1].hex(" ", itemsize).split(" ")[::-1]


def _ordered(
    content: bytes, sizes: Sequence[int], steps: Sequence[int], offset: int, itemsize: int
) -> bytes:
    """Return the bytes of all elements in order."""
    if prod(sizes) == 1:
        return content[offset * itemsize : (offset + 1) * itemsize]
    in_bytes = _byte_steps(sizes, steps, itemsize)
    shape = (*sizes, itemsize)
    return np.ndarray(shape, np.uint8, content, offset * itemsize, (*in_bytes, 1)).tobytes()


def _byte_steps(sizes: Sequence[int], steps: Sequence[int], itemsize: int) -> list[int]:
    """Return the strides in bytes; that of a single element has no effect, but may be too large."""
    return [step * itemsize if size > 1 else 0 for size, step in zip(sizes, steps, strict=True)]


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


def _is_within(sizes: Sequence[int], steps: Sequence[int], offset: int, available: int) -> bool:
    """Return whether a storage with so many elements has all elements of a geometry."""
    last = offset + sum([(size - 1) * step for size, step in zip(sizes, steps, strict=True)])
    return 0 <= last < available


def _bytes(storage: Any) -> bytes:
    """Return the bytes of a storage; for torch on the CPU with one copy."""
    torch = sys.modules.get("torch")
    count = storage.nbytes()
    if torch is not None and type(storage) is torch.UntypedStorage and storage.device.type == "cpu":
        return ctypes.string_at(storage.data_ptr(), count) if count else b""
    return bytes(storage.tolist())


def raw_parts(tensor: Any, library: Library, dtype: str, parts: int) -> np.ndarray:
    """Return the raw bits of the parts of each element, along a last dimension.

    Raise ValueError if elements have another size or are beyond the storage.
    """
    sizes, part_size = shape(tensor), np.dtype(dtype).itemsize
    content, itemsize = _content(tensor.untyped_storage(), library), part_size * parts
    steps, offset = stride(tensor), int(tensor.storage_offset())
    is_empty = not prod(sizes)
    is_within = is_empty or _is_within(sizes, steps, offset, len(content) // itemsize)
    if not is_within or tensor.element_size() != itemsize:
        raise ValueError("elements of another size, or beyond the storage")
    if is_empty:
        return np.zeros((*sizes, parts), dtype)
    strides = *_byte_steps(sizes, steps, itemsize), part_size
    return np.ndarray((*sizes, parts), dtype, content, offset * itemsize, strides)


def _content(storage: Any, library: Library) -> np.ndarray:
    """Return the bytes of a storage, in one copy if the library supports it."""
    root = library.root
    with suppress(Exception):
        array = root.zeros(0, dtype=root.uint8).set_(storage).numpy()
        if type(array) is np.ndarray and (array.dtype, array.ndim) == (np.uint8, 1):
            return array.copy()
    return np.array(storage.tolist(), np.uint8)


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
            data["elements"] = _ON_META
        elif not prod(sizes):
            data["elements"] = []
        else:
            data["elements"] = _elements(_bytes(memory), sizes, steps, int(offset), itemsize)
        data["relations"] = peers.of_strided(tensor, memory)
    return data


def storage_data(storage: Any, library: Library) -> dict[str, Any]:
    """Return a storage as plain data."""
    return {
        "storage": library.class_name(type(storage)),
        "device": str(storage.device),
        "resizable": storage.resizable(),
        "elements": _ON_META if storage.device.type == "meta" else _bytes(storage).hex(),
    }


def array_data(array: np.ndarray) -> dict[str, Any]:
    """Return a NumPy array as plain data."""
    return {
        "array": str(array.dtype),
        "shape": list(array.shape),
        "stride": list(array.strides),
        "writeable": bool(array.flags.writeable),
        "elements": array.tolist() if array.dtype.hasobject else array.tobytes().hex(),
    }
