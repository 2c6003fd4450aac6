"""DLPack capsules, for the exchange of memory between array libraries.

The structures are those of dlpack.h.  NumPy creates the exported capsules, because a
deleter has to be C code.  Fields in which torch differs are then overwritten
(aten/src/ATen/DLConvertor.cpp).
"""

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from .._arrays.foreign_memory import array_from_address
from .._arrays.numpy_bridge import np
from .._devices import cuda_backend
from .._devices.availability import check_device, resolve_device
from .._devices.device import CPU, cuda_device, device, parse_device
from .._dtypes.table import ALL_DTYPES, Kind, dtype, spec_of
from .._geometry import extents, strides
from .._geometry.extents import Ints
from .._geometry.geometry import strided
from .._runtime.errors import check
from .._storage.untyped_storage import new_storage, storage_from_array
from .data_access import raw_array
from .tensor import Tensor, new_tensor

DEVICE_TYPES = {
    1: "cpu", 2: "cuda", 4: "opencl", 8: "mps", 10: "hip", 12: "privateuseone", 14: "xpu",
    17: "maia",
}  # fmt: skip
"""Torch's device types by DLDeviceType."""

_CUDA = 2
VERSION = (1, 3)


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("index", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("rank", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class _ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_UNVERSIONED, _VERSIONED = b"dltensor", b"dltensor_versioned"
_USED = {_UNVERSIONED: b"used_dltensor", _VERSIONED: b"used_dltensor_versioned"}

# PYFUNCTYPE holds the GIL, which CPython deleters need; others may acquire it again.
_Deleter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = (ctypes.py_object, ctypes.c_char_p)
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)


@lru_cache(maxsize=64)
def _function_at(address: int) -> Callable[[int], None]:
    return _Deleter(address)


class _Owner:
    """The owner of a capsule's memory, which calls the deleter in the end."""

    __slots__ = ("_address", "_free")

    def __init__(self, address: int, deleter: int | None) -> None:
        self._address = address
        self._free = _function_at(deleter) if deleter else None

    def __del__(self) -> None:
        if self._free is not None:
            self._free(self._address)


# Dtypes.

_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL, _FLOAT4 = 0, 1, 2, 4, 5, 6, 17
_CODES_BY_NAME = {
    "bfloat16": _BFLOAT, "float8_e4m3fn": 10, "float8_e4m3fnuz": 11, "float8_e5m2": 12,
    "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14, "float4_e2m1fn_x2": _FLOAT4,
}  # fmt: skip
_CODES_BY_KIND = {
    Kind.BOOL: _BOOL, Kind.UNSIGNED: _UINT, Kind.SIGNED: _INT, Kind.FLOAT: _FLOAT,
    Kind.COMPLEX: _COMPLEX,
}  # fmt: skip

_CODE_NAMES = {
    _INT: "kInt", _UINT: "kUInt", _FLOAT: "kFloat", _BFLOAT: "kFloat", _COMPLEX: "kFloat",
    _BOOL: "kDLBool", _FLOAT4: "kDLFloat4_e2m1fn",
    **{code: f"kDLF{name[1:]}" for name, code in _CODES_BY_NAME.items() if 10 <= code < 15},
}  # fmt: skip
"""The names in torch's messages of the type codes that it reads."""


def _data_type_of(dtype: dtype) -> tuple[int, int, int]:
    """Return the type code, bits and lanes of a dtype; raise if DLPack has none."""
    row = spec_of(dtype)
    if row.kind is Kind.QUANTIZED:
        raise BufferError("QUInt/QInt types are not supported by dlpack")
    check(row.kind is not Kind.BITS, lambda: "Bit types are not supported by dlpack", BufferError)
    code = _CODES_BY_NAME.get(row.name, _CODES_BY_KIND[row.kind])
    return (code, 4, 2) if code == _FLOAT4 else (code, 8 * dtype.itemsize, 1)


_DTYPES = {
    _data_type_of(dtype): dtype
    for dtype in ALL_DTYPES
    if spec_of(dtype).kind in _CODES_BY_KIND and spec_of(dtype).bits >= 8
}


def _dtype_of(data_type: _DataType) -> dtype:
    code, bits, lanes = data_type.code, data_type.bits, data_type.lanes
    result = _DTYPES.get((code, bits, lanes))
    if result is not None:
        return result
    if lanes != 1 and code != _FLOAT4:
        raise BufferError(f"ATen does not support lanes != 1 for dtype code{code}")
    check(code in _CODE_NAMES, lambda: f"Unsupported code {code}", BufferError)
    unsupported = f"lanes {lanes}" if (code, bits) == (_FLOAT4, 4) else f"bits {bits}"
    raise BufferError(f"Unsupported {_CODE_NAMES[code]} {unsupported}")


# Export.


def pack(tensor: Tensor, versioned: bool) -> Any:
    """Return a capsule over the tensor's memory, versioned (DLPack 1) or not.

    A NumPy without versioned capsules creates an unversioned one, as DLPack allows.
    """
    data_type = _data_type_of(tensor._dtype)
    array, numel = raw_array(tensor).view(_array_class()), tensor._geometry.numel
    array.tensor = tensor
    capsule = _numpy_capsule(array, versioned)
    managed, _ = _managed_tensor(capsule)
    dl_tensor = managed.tensor
    dl_tensor.dtype = _DataType(*data_type)
    device_index = tensor._geometry.device.index
    if device_index is not None:
        dl_tensor.device = _Device(_CUDA, device_index)
    if not numel:
        dl_tensor.data = None
    if dl_tensor.strides:
        for index, stride in enumerate(tensor._geometry.stride):
            dl_tensor.strides[index] = stride
    if isinstance(managed, _ManagedVersioned):
        managed.major, managed.minor = VERSION
        managed.flags = 0
    return capsule


@cache
def _array_class() -> type:
    """Return a class of arrays with attributes: a capsule keeps its tensor alive, as in torch."""
    return type("ExportedArray", (np.ndarray,), {})


def _numpy_capsule(array: Any, versioned: bool) -> Any:
    if not versioned:
        return array.__dlpack__()
    try:
        return array.__dlpack__(max_version=(1, 0))
    except TypeError:  # NumPy before 2.1
        return array.__dlpack__()


# Import.


def is_capsule(value: Any) -> bool:
    """Return whether a value is an unused DLPack capsule."""
    return any(_is_valid(value, name) for name in _USED)


def _managed_tensor(capsule: Any) -> tuple[Any, bytes]:
    """Return the managed tensor and the name of a capsule; raise if it is used or invalid."""
    for name, struct in ((_UNVERSIONED, _Managed), (_VERSIONED, _ManagedVersioned)):
        if _is_valid(capsule, name):
            return struct.from_address(_pointer(capsule, name)), name
    raise RuntimeError(
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only"
        " once, so you might have already constructed a tensor from it once."
    )


def unpack(capsule: Any) -> Tensor:
    """Return a tensor over the memory of a capsule, now marked as used unless this raises."""
    managed, name = _managed_tensor(capsule)
    if isinstance(managed, _ManagedVersioned) and managed.major > VERSION[0]:
        raise RuntimeError(
            f"unsupported DLPack capsule major version: {managed.major}."
            f" Maximum supported version: {VERSION[0]}"
        )
    dl_tensor = managed.tensor
    device = _device_of(dl_tensor.device)
    dtype = _dtype_of(dl_tensor.dtype)
    shape = tuple(dl_tensor.shape[: dl_tensor.rank]) if dl_tensor.rank else ()
    extents.check_nonnegative(shape)
    stride, offset = _strides_and_offset(dl_tensor, shape, dtype.itemsize)
    size = extents.strided_bytes(shape, stride, dtype.itemsize, offset)
    stride = extents.replace_negative_strides(shape, stride)
    check(dl_tensor.data or not size, lambda: "impl reads no elements at address 0", BufferError)
    owner = _Owner(ctypes.addressof(managed), managed.deleter)
    _set_name(capsule, _USED[name])
    if dl_tensor.device.type == _CUDA:
        cuda_backend.require_cuda()  # torch initializes CUDA when the capsule is used
    memory = array_from_address(dl_tensor.data or 0, size, owner)
    if device is CPU or cuda_backend.require_cuda().is_host_accessible(dl_tensor.data or 0):
        storage = storage_from_array(memory, resizable=False)
        storage._device = device
    else:
        storage = new_storage(size, device)
        cuda_backend.require_cuda().copy(storage._array, memory, dl_tensor.device.index)
    return new_tensor(storage, strided(shape, stride), offset, dtype)


def _device_of(dl_device: _Device) -> device:
    """Return the device of a capsule; raise if impl has no such device."""
    code = dl_device.type
    check(code in DEVICE_TYPES, lambda: f"Unsupported device_type: {code}", BufferError)
    if code == _CUDA:
        has_cuda = cuda_backend.active_backend() is not None
        return resolve_device(cuda_device(dl_device.index)) if has_cuda else CPU
    check_device(parse_device(DEVICE_TYPES[code]))
    return CPU


def _strides_and_offset(dl_tensor: _Tensor, shape: Ints, itemsize: int) -> tuple[Ints, int]:
    """Return the strides and the storage offset, in elements."""
    if not dl_tensor.strides:
        check(not dl_tensor.byte_offset, lambda: "Expected zero byte_offset", ValueError)
        return strides.contiguous(shape), 0
    if dl_tensor.byte_offset % itemsize:
        raise ValueError("byte offset must be multiple of element size")
    return tuple(dl_tensor.strides[: dl_tensor.rank]), dl_tensor.byte_offset // itemsize
