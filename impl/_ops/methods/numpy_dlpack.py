"""NumPy's array protocols and DLPack (torch/utils/dlpack.py)."""

from contextlib import suppress
from enum import IntEnum
from typing import Any

from ..._argparser.parser import Parser
from ..._argparser.schema import MISSING
from ..._arrays.numpy_bridge import is_native, np, numpy_storage_dtype
from ..._devices import cuda_backend
from ..._devices.availability import raise_unavailable, resolve_device
from ..._devices.device import CPU, META, device, parse_device
from ..._dtypes.constants import BFLOAT16
from ..._dtypes.cpp_names import class_text
from ..._dtypes.table import spec_of
from ..._numerics.conj_neg import CONJUGATE
from ..._runtime.c_types import PACKAGE
from ..._runtime.errors import check
from ..._runtime.grad_modes import grad_enabled
from ..._runtime.lazy_exports import PUBLIC, public_in
from ..._runtime.lazy_import import LazyModule
from ..._runtime.warnings import is_python_frame
from ..._storage.untyped_storage import storage_array
from ..._tensor.data_access import byte_strides
from ..._tensor.tensor import METHODS, Tensor, check_receiver, data_ptr, shallow_copy
from ..common.clone import clone
from ..common.copy import to_device
from ..creation.from_data import convert_tensor, from_numpy

dlpack: Any = LazyModule(f"{PACKAGE}._tensor.dlpack")  # imports ctypes

_parse_numpy = Parser("numpy(*, bool force=False)")


def _numpy(self: Any = MISSING, *args: Any, **keywords: Any) -> Any:
    """Tensor.numpy(*, force=False): a NumPy array over the same memory, now not resizable."""
    check_receiver("numpy", self)
    (force,) = _parse_numpy(args, keywords) if args or keywords else (False,)
    if self._geometry.is_sparse:
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")
    if force and self._geometry.device is not CPU:
        self = self.detach().cpu()
    if self._geometry.device is not CPU:
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the"
            " tensor to host memory first."
        )
    check(
        force or not (self.requires_grad and grad_enabled()),
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
    if not is_native(dtype):
        raise TypeError(f"Got unsupported ScalarType {spec_of(dtype).cpp_name}")
    storage._resizable = False
    np_dtype = numpy_storage_dtype(dtype)
    if not geometry.numel:
        return np.empty(geometry.shape, np_dtype)
    start, steps = self._offset * np_dtype.itemsize, byte_strides(geometry, np_dtype.itemsize)
    return np.ndarray(geometry.shape, np_dtype, storage_array(storage), start, steps)


_NO_NUMPY = (
    "Can't call numpy() on Tensor that has {} bit set. Use tensor.resolve_{}().numpy() instead."
)


def _array(self: Tensor, dtype: Any = None) -> Any:
    """Return the array for ``numpy.asarray``, over the memory of the tensor."""
    array = self.numpy()  # type: ignore[attr-defined]
    return array if dtype is None else array.astype(dtype, copy=False)


@is_python_frame
def _array_wrap(self: Tensor, array: Any) -> Tensor:
    """Return the result of a NumPy function as a tensor; bool becomes uint8, as in torch."""
    return from_numpy(array.astype("uint8") if array.dtype == bool else array)


def _cuda_interface(self: Tensor) -> dict[str, Any]:
    """Return the CUDA array interface; raise AttributeError if the tensor is not on CUDA."""
    geometry, dtype = self._geometry, self._dtype
    if geometry.device.type != "cuda":
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA"  # type: ignore[attr-defined]
            " data is required use tensor.cuda() to copy tensor to device memory."
        )
    check(
        not self.requires_grad,
        lambda: (
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't"
            " required, use var.detach() to get Variable that doesn't require grad."
        ),
    )
    if dtype is not BFLOAT16 and not is_native(dtype):
        raise KeyError(dtype)
    return {
        "typestr": "<V2" if dtype is BFLOAT16 else numpy_storage_dtype(dtype).str,
        "shape": tuple(geometry.shape),
        "strides": None if geometry.is_contiguous else byte_strides(geometry, dtype.itemsize),
        "data": (data_ptr(self), False),
        "version": 2,
    }


METHODS["__cuda_array_interface__"] = property(_cuda_interface)


# DLPack.


class DLDeviceType(IntEnum):
    """DLPack's device types."""

    kDLCPU = 1  # noqa: N815  # names of dlpack.h
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
    """Return a DLPack capsule of the tensor or of a copy; of DLPack 1 if ``max_version`` allows."""
    if self._geometry.is_sparse:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self._conj_neg & CONJUGATE:
        raise BufferError("Can't export tensors with the conjugate bit set")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    device = self._geometry.device
    if device.type == "cuda":
        if device.index != cuda_backend.current_ordinal():
            raise BufferError(
                "Can't export tensors on a different CUDA device index. Expected:"
                f" {device.index}. Current device: {cuda_backend.current_ordinal()}."
            )
        check(stream != 2, lambda: "per-thread default stream is not supported.", BufferError)
        check(stream != 0, lambda: "unsupported stream on CUDA: 0.", AssertionError)
    elif device.type == "cpu":
        check(stream in (None, -1), lambda: "stream should be None on cpu.", AssertionError)
    versioned = max_version is not None and not max_version[0] < 1
    return _capsule((self,), {"dl_device": dl_device, "copy": copy}, versioned)


@is_python_frame
def _dlpack_device(self: Tensor) -> tuple[DLDeviceType, int]:
    """Return DLPack's device type and the device index."""
    is_pinned = self.is_pinned()  # type: ignore[attr-defined]  # may raise, as in torch
    device = self._geometry.device
    if device.index is not None:
        return DLDeviceType.kDLCUDA, device.index
    check(device is CPU, lambda: f"Unknown device type {device.type} for Dlpack", ValueError)
    return DLDeviceType.kDLCUDAHost if is_pinned else DLDeviceType.kDLCPU, 0


_parse_to_dlpack = Parser(
    "_to_dlpack(Tensor data, *, IntArrayRef? dl_device=None, bool? copy=None)"
)


def _to_dlpack(*args: Any, **keywords: Any) -> Any:
    """to_dlpack(tensor): return an unversioned capsule of the tensor, as before DLPack 1."""
    return _capsule(args, keywords, versioned=False)


def _capsule(args: tuple[Any, ...], keywords: dict[str, Any], versioned: bool) -> Any:
    tensor, dl_device, copy = _parse_to_dlpack(args, keywords)
    if dl_device:
        check(len(dl_device) == 2, lambda: "dl_device must be either None or a tuple of ints")
        target = _export_device(tensor, dl_device[0], dl_device[1], copy)
        tensor = to_device(tensor, target, tensor._dtype, False, None)
    if tensor._geometry.device is META:
        raise BufferError(f"Cannot pack tensors on {tensor.device}")
    data_ptr(tensor)  # raises for sparse tensors
    return dlpack.pack(shallow_copy(clone(tensor)) if copy else tensor, versioned)


def _export_device(tensor: Tensor, number: int, index: int, copy: bool | None) -> device:
    """Return the export device of a tensor; raise if it needs a copy and ``copy`` is False."""
    number = (number + 2**31) % 2**32 - 2**31
    check(number in dlpack.DEVICE_TYPES, lambda: f"Unsupported device_type: {number}", BufferError)
    name = dlpack.DEVICE_TYPES[number]
    if name == tensor._geometry.device.type:
        return tensor._geometry.device
    check(name != "xpu", lambda: "Can't get ATen device for XPU without XPU data.")
    index = (index + 128) % 256 - 128
    text = name if index == -1 or name == "cpu" else f"{name}:{index}"
    if copy is False:
        raise ValueError(
            f"cannot move (i.e. copy=False) tensor from {tensor.device} to {text} without copying."
        )
    if name == "cuda" and cuda_backend.active_backend() is None:
        raise_unavailable("cuda", "empty_strided")
    return resolve_device(parse_device(text))


@public_in("utils.dlpack")
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: Any = None) -> Tensor:
    """Return a tensor over the memory of another library's array, or of a capsule.

    The array's ``__dlpack__`` gets the newest keyword arguments that it accepts.
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError(
                "device and copy kwargs not supported when ext_tensor is already a DLPack capsule."
            )
        return dlpack.unpack(ext_tensor)  # type: ignore[no-any-return]
    options: dict[str, Any] = {"max_version": (1, 0)}
    if copy is not None:
        options["copy"] = copy
    source = ext_tensor.__dlpack_device__()
    torch_device = None if device is None else _as_device(device)
    moves = False
    if torch_device is not None:
        target = _dlpack_device_of(torch_device)
        moves = source != target
        if moves and copy is False:
            raise ValueError(
                f"cannot move DLPack tensor from device {source} to {target} without copying."
                " Set copy=None or copy=True."
            )
        if not moves:
            options["dl_device"] = target
    if source[0] in (DLDeviceType.kDLCUDA, DLDeviceType.kDLROCM):
        cuda_backend.require_cuda()
        options["stream"] = 1  # the default stream
    capsule, accepts_copy = _request_capsule(ext_tensor, options)
    tensor: Tensor = dlpack.unpack(capsule)
    if moves:
        return convert_tensor(tensor, None, torch_device, False)
    return clone(tensor) if copy is True and not accepts_copy else tensor


def _request_capsule(source: Any, options: dict[str, Any]) -> tuple[Any, bool]:
    """Return a capsule and whether ``copy`` was accepted.

    A TypeError or None of ``__dlpack__`` leads to another call with fewer keyword arguments.
    """
    for removed in ("", "max_version", "copy"):
        options.pop(removed, None)
        with suppress(TypeError):
            capsule = source.__dlpack__(**options)
            if capsule is not None:
                return capsule, removed != "copy"
    options.pop("dl_device", None)
    return source.__dlpack__(**options), False


def _as_device(value: Any) -> device:
    result = parse_device(value) if isinstance(value, str) else value
    if type(result) is not device:
        raise AssertionError(f"from_dlpack: unsupported device type: {class_text(type(result))}")
    return result


def _dlpack_device_of(device: device) -> tuple[int, int]:
    """Return DLPack's device type and index of a device (torchDeviceToDLDevice)."""
    type_ = device.type
    check(type_ != "xpu", lambda: "Cannot get XPU global device index without ATen_xpu library.")
    if type_ not in dlpack.DEVICE_TYPES.values():
        raise BufferError(f"Cannot pack tensors on {device}")
    number = next(number for number, name in dlpack.DEVICE_TYPES.items() if name == type_)
    index = -1 if device.index is None else device.index
    return number, index % 256 if type_ in ("cuda", "privateuseone") else 0


for _name, _method in {
    "numpy": _numpy, "__array__": _array, "__array_wrap__": _array_wrap, "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
}.items():  # fmt: skip
    _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"
    METHODS[_name] = _method

PUBLIC["from_dlpack"] = from_dlpack
PUBLIC["to_dlpack"] = to_dlpack = _to_dlpack  # torch names it so
to_dlpack.__qualname__ = "to_dlpack"
