"""Tensors and other libraries' arrays: NumPy's protocols and DLPack's (torch/utils/dlpack.py)."""

from enum import IntEnum
from typing import Any

from ..._argparser.parser import Parser
from ..._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from ..._devices import cuda_backend
from ..._devices.availability import check_move, place_on
from ..._devices.device import CPU, META, device, parse_device
from ..._dtypes.constants import BFLOAT16
from ..._dtypes.table import spec_of
from ..._numerics.conj_neg import CONJUGATE
from ..._runtime.c_types import PACKAGE
from ..._runtime.errors import check
from ..._runtime.lazy_exports import PUBLIC
from ..._runtime.lazy_import import LazyModule
from ..._runtime.warnings import shown_in_warnings
from ..._storage.untyped_storage import buffer
from ..._tensor.data_access import byte_strides
from ..._tensor.tensor import METHODS, Tensor, data_ptr, shallow_copy
from ..common.clone import clone
from ..common.copy import to_place
from ..creation.from_data import from_numpy

dlpack: Any = LazyModule(f"{PACKAGE}._tensor.dlpack")  # it loads ctypes

_parse_numpy = Parser("numpy(*, bool force=False)")


def _numpy(self: Tensor, *args: Any, **keywords: Any) -> Any:
    """Tensor.numpy(*, force=False): a NumPy array over the same memory, which cannot be resized then."""
    (force,) = _parse_numpy(args, keywords) if args or keywords else (False,)
    check(
        not self._geometry.is_sparse,
        lambda: "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.",
        TypeError,
    )
    if force and self._geometry.device is not CPU:
        self = self.detach().cpu()  # type: ignore[attr-defined]
    check(
        self._geometry.device is CPU,
        lambda: (
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the"
            " tensor to host memory first."
        ),
        TypeError,
    )
    check(
        force or not self.requires_grad,
        lambda: (
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        ),
    )
    if self._conj_neg:
        check(
            force or not self._conj_neg & CONJUGATE, lambda: _NO_NUMPY.format("conjugate", "conj")
        )
        check(force, lambda: _NO_NUMPY.format("negative", "neg"))
        self = clone(self)
    dtype, geometry, storage = self._dtype, self._geometry, self._storage
    check(
        is_native(dtype),
        lambda: f"Got unsupported ScalarType {spec_of(dtype).cpp_name}",
        TypeError,
    )
    storage._resizable = False
    own = numpy_storage_dtype(dtype)
    if not geometry.numel:
        return np.empty(geometry.shape, own)
    start, steps = self._offset * own.itemsize, byte_strides(geometry, own.itemsize)
    return np.ndarray(geometry.shape, own, buffer(storage), start, steps)


_NO_NUMPY = (
    "Can't call numpy() on Tensor that has {} bit set. Use tensor.resolve_{}().numpy() instead."
)


def _array(self: Tensor, dtype: Any = None) -> Any:
    """Return what ``numpy.asarray`` makes of the tensor: an array over its memory."""
    array = self.numpy()  # type: ignore[attr-defined]
    return array if dtype is None else array.astype(dtype, copy=False)


def _array_wrap(self: Tensor, array: Any) -> Tensor:
    """Return the result of a function of NumPy's as a tensor; booleans become uint8, as ever in torch."""
    return from_numpy(array.astype("uint8") if array.dtype == bool else array)


def _cuda_interface(self: Tensor) -> dict[str, Any]:
    """Return where a tensor's memory lies, for other libraries; what lies elsewhere than on CUDA has none."""
    geometry, dtype = self._geometry, self._dtype
    check(
        geometry.device.type == "cuda",
        lambda: (
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data is"  # type: ignore[attr-defined]
            " required use tensor.cuda() to copy tensor to device memory."
        ),
        AttributeError,
    )
    check(
        not self.requires_grad,
        lambda: (
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't"
            " required, use var.detach() to get Variable that doesn't require grad."
        ),
    )
    text = (
        "<V2" if dtype is BFLOAT16 else numpy_storage_dtype(dtype).str if is_native(dtype) else None
    )
    if text is None:
        raise KeyError(dtype)
    steps = tuple([each * dtype.itemsize for each in geometry.stride])
    return {
        "typestr": text,
        "shape": tuple(geometry.shape),
        "strides": None if geometry.is_contiguous else steps,
        "data": (data_ptr(self), False),
        "version": 2,
    }


METHODS["__cuda_array_interface__"] = property(_cuda_interface)


# DLPack.


class DLDeviceType(IntEnum):
    """The types of devices by DLPack's numbers."""

    kDLCPU = 1  # noqa: N815  # the names are those of dlpack.h
    kDLCUDA = 2  # noqa: N815
    kDLCUDAHost = 3  # noqa: N815
    kDLOpenCL = 4  # noqa: N815
    kDLVulkan = 7  # noqa: N815
    kDLMetal = 8  # noqa: N815
    kDLVPI = 9  # noqa: N815
    kDLROCM = 10  # noqa: N815
    kDLROCMHost = 11  # noqa: N815
    kDLExtDev = 12  # noqa: N815
    kDLCUDAManaged = 13  # noqa: N815
    kDLOneAPI = 14  # noqa: N815
    kDLWebGPU = 15  # noqa: N815
    kDLHexagon = 16  # noqa: N815
    kDLMAIA = 17  # noqa: N815


DLDeviceType.__module__ = f"{PACKAGE}.utils.dlpack"


def _dlpack(
    self: Tensor,
    *,
    stream: Any = -1,
    max_version: Any = None,
    dl_device: Any = None,
    copy: Any = None,
) -> Any:
    """Return a DLPack capsule with the tensor's memory, or with a copy's.

    It is of DLPack 1 if ``max_version`` allows it.
    """
    check(
        not self._geometry.is_sparse,
        lambda: "Can't export tensors with layout other than torch.strided",
        BufferError,
    )
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self._conj_neg & CONJUGATE:
        raise BufferError("Can't export tensors with the conjugate bit set")
    check(
        stream is None or type(stream) is int,
        lambda: "stream must be ``int`` or ``none``",
        TypeError,
    )
    device = self._geometry.device
    if device.type == "cuda":
        check(
            device.index == cuda_backend.current(),
            lambda: (
                "Can't export tensors on a different CUDA device index. Expected:"
                f" {device.index}. Current device: {cuda_backend.current()}."
            ),
            BufferError,
        )
        check(stream != 2, lambda: "per-thread default stream is not supported.", BufferError)
        check(stream != 0, lambda: "unsupported stream on CUDA: 0.", AssertionError)
    else:
        check(stream in (None, -1), lambda: "stream should be None on cpu.", AssertionError)
    versioned = max_version is not None and not max_version[0] < 1
    return _capsule((self,), {"dl_device": dl_device, "copy": copy}, versioned)


@shown_in_warnings
def _dlpack_device(self: Tensor) -> tuple[DLDeviceType, int]:
    """Return DLPack's number of the device type, and the ordinal."""
    is_pinned = self.is_pinned()  # type: ignore[attr-defined]  # torch asks, and would say so
    device = self._geometry.device
    if device.index is not None:
        return DLDeviceType.kDLCUDA, device.index
    check(device is CPU, lambda: f"Unknown device type {device.type} for Dlpack", ValueError)
    return DLDeviceType.kDLCUDAHost if is_pinned else DLDeviceType.kDLCPU, 0


_parse_to_dlpack = Parser(
    "_to_dlpack(Tensor data, *, IntArrayRef? dl_device=None, bool? copy=None)"
)


def to_dlpack(*args: Any, **keywords: Any) -> Any:
    """to_dlpack(tensor): return a capsule with the tensor's memory, of the kind before DLPack 1."""
    return _capsule(args, keywords, versioned=False)


def _capsule(args: tuple[Any, ...], keywords: dict[str, Any], versioned: bool) -> Any:
    tensor, wanted, copy = _parse_to_dlpack(args, keywords)
    if wanted:
        check(len(wanted) == 2, lambda: "dl_device must be either None or a tuple of ints")
        tensor = to_place(
            tensor, _place_of(tensor, wanted[0], wanted[1], copy), tensor._dtype, False, None
        )
    if tensor._geometry.device is META:
        raise BufferError(f"Cannot pack tensors on {tensor.device}")
    return dlpack.pack(shallow_copy(clone(tensor)) if copy else tensor, versioned)


def _place_of(tensor: Tensor, kind: int, ordinal: int, copy: bool | None) -> device:
    """Return the device on which a tensor is to be handed out; refuse another than its own if it must not be copied."""
    kind = (kind + 2**31) % 2**32 - 2**31
    check(kind in dlpack.DEVICE_TYPES, lambda: f"Unsupported device_type: {kind}", BufferError)
    name = dlpack.DEVICE_TYPES[kind]
    if name == tensor._geometry.device.type:
        return tensor._geometry.device
    check(name != "xpu", lambda: "Can't get ATen device for XPU without XPU data.")
    ordinal = (ordinal + 128) % 256 - 128
    check(
        copy is not False,
        lambda: (
            f"cannot move (i.e. copy=False) tensor from {tensor.device} to"
            f" {name if ordinal == -1 else f'{name}:{ordinal}'} without copying."
        ),
        ValueError,
    )
    return place_on(parse_device(name if ordinal == -1 else f"{name}:{ordinal}"))


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: Any = None) -> Tensor:
    """Return a tensor over the memory of another library's array, or of a capsule.

    The array is asked for a capsule in the newest way that it understands.
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        check(
            device is None and copy is None,
            lambda: (
                "device and copy kwargs not supported when ext_tensor is already a DLPack capsule."
            ),
            AssertionError,
        )
        held: Tensor = dlpack.unpack(ext_tensor)
        return held
    asked: dict[str, Any] = {"max_version": (1, 0)}
    if copy is not None:
        asked["copy"] = copy
    lies_on = ext_tensor.__dlpack_device__()
    wanted = None if device is None else _as_device(device)
    moves = False
    if wanted is not None:
        target = _dlpack_numbers(wanted)
        moves = lies_on != target
        check(
            not moves or copy is not False,
            lambda: (
                f"cannot move DLPack tensor from device {lies_on} to {target} without copying."
                " Set copy=None or copy=True."
            ),
            ValueError,
        )
        if not moves:
            asked["dl_device"] = target
    capsule, understands_copy = _ask(ext_tensor, asked)
    tensor: Tensor = dlpack.unpack(capsule)
    if copy is True and not understands_copy and not moves:
        tensor = clone(tensor)
    place = check_move(wanted) if moves else None
    return to_place(tensor, place, tensor._dtype, False, None) if moves else tensor


def _ask(source: Any, asked: dict[str, Any]) -> tuple[Any, bool]:
    """Ask for a capsule; what is refused by a TypeError is asked again with less.

    Returns whether ``copy`` was among what was understood, too.
    """
    for dropped in ("", "max_version", "copy"):
        asked.pop(dropped, None)
        try:
            return source.__dlpack__(**asked), dropped != "copy"
        except TypeError:
            pass
    asked.pop("dl_device", None)
    return source.__dlpack__(**asked), False


def _as_device(value: Any) -> device:
    parsed = parse_device(value) if isinstance(value, str) else value
    check(
        type(parsed) is device,
        lambda: f"from_dlpack: unsupported device type: {type(parsed)}",
        AssertionError,
    )
    return parsed


def _dlpack_numbers(wanted: device) -> tuple[int, int]:
    """Return a device as DLPack tells it; only some types have ordinals there (torchDeviceToDLDevice)."""
    kind = wanted.type
    check(kind != "xpu", lambda: "Cannot get XPU global device index without ATen_xpu library.")
    check(
        kind in dlpack.DEVICE_TYPES.values(),
        lambda: f"Cannot pack tensors on {wanted}",
        BufferError,
    )
    number = next(number for number, name in dlpack.DEVICE_TYPES.items() if name == kind)
    if kind not in ("cuda", "privateuseone"):
        return number, 0
    return number, 255 if wanted.index is None else wanted.index % 256


for _name, _method in {
    "numpy": _numpy, "__array__": _array, "__array_wrap__": _array_wrap, "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
}.items():  # fmt: skip
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method

PUBLIC["from_dlpack"] = from_dlpack
PUBLIC["to_dlpack"] = to_dlpack
