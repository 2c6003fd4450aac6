"""The elements of tensors on a device whose storages the host cannot read."""

import ctypes
from typing import Any


def why_unreadable(tensor: Any) -> str:
    """Return why the elements of a tensor cannot be read through its storage, or ""."""
    try:
        storage = tensor.untyped_storage()
        address = (storage if storage.device.type == "cpu" else storage.cpu()).data_ptr()
    except Exception as error:  # noqa: BLE001  # a library may raise anything
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    return "" if address else "its storage has no address"


def elements_of_copy(tensor: Any) -> bytes:
    """Return the bytes of the elements in their order, of a copy of the tensor on the CPU."""
    copy = tensor.detach().cpu().contiguous().resolve_conj().resolve_neg()
    return ctypes.string_at(copy.data_ptr(), size) if (size := copy.nbytes) else b""
