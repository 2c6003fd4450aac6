"""DLPack capsules: how array libraries hand each other their memory.

The structures are those of dlpack.h.  NumPy makes the capsules that are given
away, as what frees one has to be C code; the fields in which torch differs
are set afterwards (aten/src/ATen/DLConvertor.cpp).
"""

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .._arrays.foreign_memory import borrow
from .._devices import cuda_backend
from .._devices.availability import check_device, place_on
from .._devices.device import CPU, cuda_device, device, parse_device
from .._dtypes.table import ALL, Kind, dtype, spec_of
from .._geometry import extents, strides
from .._geometry.geometry import Ints, strided
from .._runtime.errors import check
from .._storage.untyped_storage import new_storage, storage_from_array
from .data_access import raw_array
from .tensor import Tensor, new_tensor

DEVICE_TYPES = {
    1: "cpu", 2: "cuda", 4: "opencl", 8: "mps", 10: "hip", 12: "privateuseone", 14: "xpu",
    17: "maia",
}  # fmt: skip
"""The devices of torch by DLPack's numbers."""

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

# With the GIL held, as deleters written for CPython want it; those that take it themselves may.
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
    """What keeps the memory of a capsule, and gives it back at last."""

    __slots__ = ("_address", "_free")

    def __init__(self, address: int, deleter: int | None) -> None:
        self._address = address
        self._free = _function_at(deleter) if deleter else None

    def __del__(self) -> None:
        if self._free is not None:
            self._free(self._address)


# Dtypes.

_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL, _FLOAT4 = 0, 1, 2, 4, 5, 6, 17
_OWN_CODES = {
    "bfloat16": _BFLOAT, "float8_e4m3fn": 10, "float8_e4m3fnuz": 11, "float8_e5m2": 12,
    "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14, "float4_e2m1fn_x2": _FLOAT4,
}  # fmt: skip
_CODES_OF_KINDS = {
    Kind.BOOL: _BOOL, Kind.UNSIGNED: _UINT, Kind.SIGNED: _INT, Kind.FLOAT: _FLOAT,
    Kind.COMPLEX: _COMPLEX,
}  # fmt: skip

_CODE_NAMES = {
    _INT: "kInt", _UINT: "kUInt", _FLOAT: "kFloat", _BFLOAT: "kFloat", _COMPLEX: "kFloat",
    _BOOL: "kDLBool", _FLOAT4: "kDLFloat4_e2m1fn",
    **{code: f"kDLF{name[1:]}" for name, code in _OWN_CODES.items() if 10 <= code < 15},
}  # fmt: skip
"""What torch's messages call the codes that it reads."""


def _describe(dtype: dtype) -> tuple[int, int, int]:
    """Return the code, the bits and the lanes of a dtype, or raise."""
    row = spec_of(dtype)
    check(
        row.kind is not Kind.QUANTIZED,
        lambda: "QUInt/QInt types are not supported by dlpack",
        BufferError,
    )
    check(row.kind is not Kind.BITS, lambda: "Bit types are not supported by dlpack", BufferError)
    code = _OWN_CODES.get(row.name, _CODES_OF_KINDS[row.kind])
    return (code, 4, 2) if code == _FLOAT4 else (code, 8 * dtype.itemsize, 1)


_READABLE = {
    _describe(dtype): dtype
    for dtype in ALL
    if spec_of(dtype).kind in _CODES_OF_KINDS and spec_of(dtype).bits >= 8
}


def _dtype_of(given: _DataType) -> dtype:
    code, bits, lanes = given.code, given.bits, given.lanes
    known = _READABLE.get((code, bits, lanes))
    if known is not None:
        return known
    check(
        lanes == 1 or code == _FLOAT4,
        lambda: f"ATen does not support lanes != 1 for dtype code{code}",
        BufferError,
    )
    check(code in _CODE_NAMES, lambda: f"Unsupported code {code}", BufferError)
    wrong = f"lanes {lanes}" if (code, bits) == (_FLOAT4, 4) else f"bits {bits}"
    raise BufferError(f"Unsupported {_CODE_NAMES[code]} {wrong}")


# Giving away.


def pack(tensor: Tensor, versioned: bool) -> Any:
    """Return a capsule with the tensor's own memory, of DLPack 1 or of the older kind.

    A NumPy that makes no versioned ones makes the older kind, as DLPack allows.
    """
    description = _describe(tensor._dtype)
    array, numel = raw_array(tensor), tensor._geometry.numel
    capsule = _capsule_of(array, versioned)
    managed, _ = _opened(capsule)
    inner = managed.tensor
    inner.dtype = _DataType(*description)
    ordinal = tensor._geometry.device.index
    if ordinal is not None:
        inner.device = _Device(_CUDA, ordinal)
    if not numel:
        inner.data = None
    if inner.strides:
        for index, stride in enumerate(tensor._geometry.stride):
            inner.strides[index] = stride
    if isinstance(managed, _ManagedVersioned):
        managed.major, managed.minor = VERSION
        managed.flags = 0
    return capsule


def _capsule_of(array: Any, versioned: bool) -> Any:
    if not versioned:
        return array.__dlpack__()
    try:
        return array.__dlpack__(max_version=(1, 0))
    except TypeError:  # NumPy before 2.1
        return array.__dlpack__()


# Taking over.


def is_capsule(value: Any) -> bool:
    """Tell whether a value is a capsule that nobody has taken over yet."""
    return any(_is_valid(value, name) for name in _USED)


def _opened(capsule: Any) -> tuple[Any, bytes]:
    """Return what a capsule holds, and its name."""
    for name, kind in ((_UNVERSIONED, _Managed), (_VERSIONED, _ManagedVersioned)):
        if _is_valid(capsule, name):
            return kind.from_address(_pointer(capsule, name)), name
    raise RuntimeError(
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only"
        " once, so you might have already constructed a tensor from it once."
    )


def unpack(capsule: Any) -> Tensor:
    """Return a tensor over the memory of a capsule, which it takes over; or raise, and leave it as it is."""
    managed, name = _opened(capsule)
    if isinstance(managed, _ManagedVersioned):
        check(
            managed.major <= VERSION[0],
            lambda: (
                f"unsupported DLPack capsule major version: {managed.major}."
                f" Maximum supported version: {VERSION[0]}"
            ),
        )
    given = managed.tensor
    where = _device_of(given.device)
    kind = _dtype_of(given.dtype)
    shape = tuple(given.shape[: given.rank]) if given.rank else ()
    extents.check_nonnegative(shape)
    stride, offset = _layout(given, shape, kind.itemsize)
    size = extents.strided_bytes(shape, stride, kind.itemsize, offset)
    stride = extents.replace_negative_strides(shape, stride)
    check(given.data or not size, lambda: "impl reads no elements at address 0", BufferError)
    owner = _Owner(ctypes.addressof(managed), managed.deleter)
    _set_name(capsule, _USED[name])
    memory = borrow(given.data or 0, size, owner)
    if where is CPU or cuda_backend.require_cuda().host_reads(given.data or 0):
        storage = storage_from_array(memory, resizable=False)
        storage._device = where
    else:
        storage = new_storage(size, where)
        cuda_backend.require_cuda().copy(storage._array, memory, given.device.index)
    return new_tensor(storage, strided(shape, stride), offset, kind)


def _device_of(given: _Device) -> device:
    """Return the device of what is in a capsule, or refuse one that has no memory here."""
    number = given.type
    check(number in DEVICE_TYPES, lambda: f"Unsupported device_type: {number}", BufferError)
    if number == _CUDA and cuda_backend.cuda() is not None:
        return place_on(cuda_device(given.index))
    check_device(parse_device(DEVICE_TYPES[number]))
    return CPU


def _layout(given: _Tensor, shape: Ints, itemsize: int) -> tuple[Ints, int]:
    """Return the strides and the offset, in elements."""
    if not given.strides:
        check(not given.byte_offset, lambda: "Expected zero byte_offset", ValueError)
        return strides.contiguous(shape), 0
    check(
        given.byte_offset % itemsize == 0,
        lambda: "byte offset must be multiple of element size",
        ValueError,
    )
    return tuple(given.strides[: given.rank]), given.byte_offset // itemsize
