"""What can be seen of a tensor and of a storage, through torch's public names alone.

Elements are read from the bytes of the storage by shape, strides and offset,
so that no operator of a subject takes part, and what it says of its geometry
has to be true.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np

from ..libraries.library import Library

MOST_SHOWN = 64
"""How many elements are written one by one; of more, a digest."""

_MOST_EVER = 4096
_most_shown = MOST_SHOWN


@contextmanager
def showing_all() -> Iterator[None]:
    """Let more elements be written one by one, to see which of them differ."""
    global _most_shown
    _most_shown = _MOST_EVER
    try:
        yield
    finally:
        _most_shown = MOST_SHOWN


def has_digest(elements: Any) -> bool:
    """Tell whether what was seen of elements is a digest, or that of a part of a sparse tensor."""
    if isinstance(elements, dict):
        return any(map(has_digest, elements.values()))
    return isinstance(elements, str) and "elements, " in elements


def is_sparse(tensor: Any) -> bool:
    """Tell whether a tensor has no storage, but indices and values."""
    return str(tensor.layout) == "torch.sparse_coo"


def _parts(tensor: Any) -> dict[str, Any]:
    """Return the two tensors that a sparse one is made of."""
    return {"indices": tensor._indices(), "values": tensor._values()}


def shape(tensor: Any) -> list[int]:
    """Return the sizes of the dimensions."""
    return [int(each) for each in tensor.shape]


def stride(tensor: Any) -> list[int]:
    """Return the strides, in elements."""
    return [int(each) for each in tensor.stride()]


def strides(tensor: Any) -> Any:
    """Return the strides; of a sparse tensor those of its parts, too."""
    if not is_sparse(tensor):
        return stride(tensor)
    return {"own": stride(tensor), **{name: stride(part) for name, part in _parts(tensor).items()}}


def autograd(tensor: Any) -> dict[str, Any]:
    """Return what the tensor carries of autograd; views may refuse to tell what they came from."""
    return {
        "requires_grad": tensor.requires_grad,
        "is_leaf": _told(lambda: tensor.is_leaf),
        "grad_fn": _told(lambda: _function(tensor)),
        "output_nr": tensor.output_nr,
        "version": _told(lambda: tensor._version),
        "is_view": tensor._is_view(),
        "is_inference": tensor.is_inference(),
        "retains_grad": tensor.retains_grad,
    }


def _function(tensor: Any) -> str | None:
    function = tensor.grad_fn
    return None if function is None else type(function).__name__


def _told(ask: Callable[[], Any]) -> Any:
    """Return an answer, or the words with which it is refused."""
    try:
        return ask()
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"


def conj_neg(tensor: Any) -> dict[str, bool]:
    """Return what is done to the elements when they are read."""
    return {"conjugated": tensor.is_conj(), "negated": tensor.is_neg()}


def elements(tensor: Any) -> Any:
    """Return the bits of each element in memory in order, the highest first; of many, a digest.

    Of a sparse tensor it returns them of its parts, with what these are.
    """
    if is_sparse(tensor):
        return {
            name: {"dtype": str(part.dtype), "shape": shape(part), "elements": elements(part)}
            for name, part in _parts(tensor).items()
        }
    if tensor.device.type == "meta":
        return "none"
    sizes, size = shape(tensor), tensor.element_size()
    number = prod(sizes)
    if not number:
        return []
    content, steps = _bytes(tensor.untyped_storage()), stride(tensor)
    first = tensor.storage_offset()
    last = first + sum((each - 1) * step for each, step in zip(sizes, steps, strict=True))
    if not 0 <= (last + 1) * size <= len(content):
        return "beyond the storage"
    if number == 1:
        ordered = content[first * size : (first + 1) * size]
    else:
        lengths = (*(each * size for each in steps), 1)
        ordered = np.ndarray((*sizes, size), np.uint8, content, first * size, lengths).tobytes()
    if number > _most_shown:
        return f"{number} elements, {sha256(ordered).hexdigest()[:16]}"
    # Backwards, so that the highest byte of each element is the first.
    digits = ordered[::-1].hex()
    return [digits[at : at + 2 * size] for at in range(len(digits) - 2 * size, -1, -2 * size)]


def _bytes(storage: Any) -> bytes:
    """Return the bytes of a storage; those of torch's own class on the CPU by their address, at once."""
    torch = sys.modules.get("torch")
    if torch is not None and type(storage) is torch.UntypedStorage and storage.device.type == "cpu":
        return ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""
    return bytes(storage.tolist())


def codes(tensor: Any, library: Library, kind: str, parts: int) -> np.ndarray:
    """Return the bits of each part of each element, in a last dimension, as integers of a kind.

    Raises ValueError where the elements are not as large, or lie beyond the storage.
    """
    sizes, part = shape(tensor), np.dtype(kind).itemsize
    size = part * parts
    content = _content(tensor.untyped_storage(), library)
    steps, first = stride(tensor), int(tensor.storage_offset())
    last = first + sum((each - 1) * step for each, step in zip(sizes, steps, strict=True))
    if tensor.element_size() != size or (
        prod(sizes) and not 0 <= (last + 1) * size <= len(content)
    ):
        raise ValueError("elements of another size, or beyond the storage")
    if not prod(sizes):
        return np.zeros((*sizes, parts), kind)
    lengths = (*(each * size for each in steps), part)
    return np.ndarray((*sizes, parts), kind, content, first * size, lengths)


def _content(storage: Any, library: Library) -> np.ndarray:
    """Return the bytes of a storage, at once if the library can, or one by one."""
    root = library.root
    with suppress(Exception):
        array = root.zeros(0, dtype=root.uint8).set_(storage).numpy()
        if type(array) is np.ndarray and (array.dtype, array.ndim) == (np.uint8, 1):
            return array.copy()
    return np.array(storage.tolist(), np.uint8)


def storage(tensor: Any) -> dict[str, Any]:
    """Return how large the storage is, and whether the tensor's address lies in it where it says.

    A sparse tensor has no storage: of it, how it is divided, and what it says of its order.
    """
    if is_sparse(tensor):
        return {
            "sparse_dim": tensor.sparse_dim(),
            "dense_dim": tensor.dense_dim(),
            "nnz": tensor._nnz(),
            "is_coalesced": tensor.is_coalesced(),
        }
    storage = tensor.untyped_storage()
    offset = tensor.storage_offset() * tensor.element_size()
    address = tensor.data_ptr()
    return {
        "bytes": storage.nbytes(),
        "address": "none" if not address else address - storage.data_ptr() == offset,
    }


def relations(value: Any, peers: Mapping[str, Any]) -> dict[str, str]:
    """Say which of some tensors are a tensor itself, and which lie in the same memory.

    The memory of a sparse tensor is that of its values.
    """
    found = {}
    for name, peer in peers.items():
        if peer is value:
            found[name] = "is it"
        elif _shares(peer, value):
            found[name] = "shares its memory"
    return found


def _shares(left: Any, right: Any) -> bool:
    first, second = (
        (each._values() if is_sparse(each) else each).untyped_storage() for each in (left, right)
    )
    if first.device.type == "meta":
        return bool(first.nbytes() and first._cdata == second._cdata)
    return bool(first.nbytes() and first.data_ptr() == second.data_ptr())


def tensor_data(tensor: Any, library: Library, peers: Mapping[str, Any]) -> dict[str, Any]:
    """Write all of a tensor as plain data."""
    return {
        "tensor": library.class_name(type(tensor)),
        "dtype": library.name_of(tensor.dtype),
        "shape": shape(tensor),
        "stride": strides(tensor),
        "offset": tensor.storage_offset(),
        "device": str(tensor.device),
        "layout": library.name_of(tensor.layout),
        "autograd": autograd(tensor),
        "conj_neg": conj_neg(tensor),
        "storage": storage(tensor),
        "elements": elements(tensor),
        "relations": relations(tensor, peers),
    }


def storage_data(storage: Any, library: Library) -> dict[str, Any]:
    """Write all of a storage as plain data."""
    return {
        "storage": library.class_name(type(storage)),
        "device": str(storage.device),
        "resizable": storage.resizable(),
        "elements": "none" if storage.device.type == "meta" else _bytes(storage).hex(),
    }


def array_data(array: np.ndarray) -> dict[str, Any]:
    """Write all of a NumPy array as plain data."""
    return {
        "array": str(array.dtype),
        "shape": list(array.shape),
        "stride": list(array.strides),
        "writeable": bool(array.flags.writeable),
        "elements": array.tolist() if array.dtype.hasobject else array.tobytes().hex(),
    }
