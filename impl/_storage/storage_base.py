"""The Python methods of storages, as in torch/storage.py."""

from collections.abc import Iterator
from typing import Any, NoReturn

from .._argparser.parser import Parser
from .._devices.cuda_backend import active_backend, is_pinned, pinned_bytes
from .._devices.device import check_accelerator, device
from .._dtypes.constants import BOOL
from .._dtypes.cpp_names import class_text, import_dotted, torch_path
from .._dtypes.table import dtype
from .._numerics.type_info import iinfo
from .._runtime.errors import check
from .._runtime.lazy_exports import lazy_members, public_in
from .._runtime.warnings import is_python_frame, warn

_make_device: Any = device  # its metaclass accepts the arguments

_parse_is_pinned = Parser("is_pinned(Device? device=None)")
_parse_pin = Parser("pin_memory(Device? device=None)")


@public_in("storage")
class _StorageBase:
    """The storage methods that are implemented by other storage methods.

    CPython's messages contain the name of this class, which is torch's.
    """

    __slots__ = ()

    is_sparse = False
    is_sparse_csr = False

    def size(self) -> int:
        """Return the number of bytes."""
        return self.nbytes()  # type: ignore[attr-defined, no-any-return]

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the class name, or a storage of the given class or class name.

        The new storage has one element per byte of this one.
        """
        return type_of(self, dtype, non_blocking)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        """Return a copy on a CUDA device."""
        return self.to(device=_device_of_type("cuda", device), non_blocking=non_blocking)

    def hpu(self, device: Any = None, non_blocking: bool = False) -> Any:
        """Return a copy on an HPU."""
        return self.to(device=_device_of_type("hpu", device), non_blocking=non_blocking)

    def to(self, *, device: Any, non_blocking: bool = False) -> Any:
        """Return the storage on a device; itself if it is on that device."""
        target = as_device_object(device)
        if self.device == target:  # type: ignore[attr-defined]
            return self
        if target.type != "cpu" and not (target.type == "cuda" and active_backend() is not None):
            _raise_no_device_module(target)
        return type(self)(self.nbytes(), device=target).copy_(self)  # type: ignore[attr-defined, call-arg]

    def cpu(self) -> Any:
        """Return the storage on the CPU; itself if it is on the CPU."""
        if self.device.type == "cpu":  # type: ignore[attr-defined]
            return self
        return type(self)(self.size()).copy_(self)  # type: ignore[attr-defined, call-arg]

    def mps(self) -> Any:
        """Return a copy on an MPS device."""
        return type(self)(self.size(), device="mps")  # type: ignore[call-arg]

    def get_device(self) -> Any:
        """Return the device index, or None."""
        return self.device.index  # type: ignore[attr-defined]

    def untyped(self) -> Any:
        """Return the storage itself."""
        return self

    def clone(self) -> Any:
        """Return a new storage with the same bytes."""
        return type(self)(self.nbytes(), device=self.device).copy_(self)  # type: ignore[attr-defined, call-arg]

    @is_python_frame
    def is_pinned(self, device: Any = None) -> bool:
        """Return whether the memory is pinned."""
        (device_arg,) = _parse_is_pinned((device,), {})
        if device_arg is not None:
            warn(PINNED_DEVICE.format("is_pinned", 31), DeprecationWarning)
        return is_pinned(self._array)  # type: ignore[attr-defined]

    @is_python_frame
    def pin_memory(self, device: Any = None) -> Any:
        """Return a copy in pinned memory; itself if it is pinned."""
        if self.device.type != "cpu":  # type: ignore[attr-defined]
            raise TypeError(f"cannot pin '{self.type()}' only CPU memory can be pinned")
        (device_arg,) = _parse_pin((device,), {})
        if device_arg is not None:
            for name, line in (("pin_memory", 46), ("is_pinned", 31)):
                warn(PINNED_DEVICE.format(name, line), DeprecationWarning)
        check_can_pin(device_arg)
        if is_pinned(self._array):  # type: ignore[attr-defined]
            return self
        pinned = type(self)()
        pinned._array, pinned._size = pinned_bytes(self.nbytes()), self.nbytes()  # type: ignore[attr-defined]
        return pinned.copy_(self)  # type: ignore[attr-defined]

    def byteswap(self, dtype: Any) -> None:
        """Reverse the bytes of each element in place; of complex elements, those of each part."""
        self._byteswap(element_size(dtype) // (2 if dtype.is_complex else 1))  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[int]:
        return (self[index] for index in range(self.size()))  # type: ignore[index]

    def __copy__(self) -> Any:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        # Torch keeps copied storages in a memo of their own.
        copies = memo.setdefault("torch", {})
        key = self._cdata  # type: ignore[attr-defined]
        if key not in copies:
            copies[key] = self.clone()
        return copies[key]

    def __reduce__(self) -> Any:
        return _load_untyped_from_bytes, (bytes(self.cpu().tolist()),)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.size()

    def __repr__(self) -> str:
        is_meta = self.device.type == "meta"  # type: ignore[attr-defined]
        lines = "..." if is_meta else " " + "\n ".join(map(str, self.tolist()))  # type: ignore[attr-defined]
        path = torch_path(type(self))
        return f"{lines}\n[{path}(device={self.device}) of size {len(self)}]"  # type: ignore[attr-defined, arg-type]


METHODS = lazy_members(_StorageBase)
"""The storage methods defined by other modules."""


@is_python_frame
def type_of(storage: Any, dtype: Any, non_blocking: bool) -> Any:
    """Return the result of ``storage.type()`` (_type in torch/_utils.py)."""
    if dtype is None:
        return torch_path(type(storage))
    cls = import_dotted(dtype) if isinstance(dtype, str) else dtype
    if cls is type(storage):
        return storage
    check(not cls.is_sparse, lambda: "Cannot cast dense tensor to sparse tensor")
    return cls(storage.size()).copy_(storage, non_blocking)


def element_size(value: Any) -> int:
    """Return the element size of a dtype in bytes (_element_size in torch/_utils.py).

    Raise for a dtype that has neither finfo nor iinfo.
    """
    check(type(value) is dtype, lambda: f"expected torch.dtype, but got {class_text(type(value))}")
    if value.is_floating_point or value.is_complex or value is BOOL:
        return value.itemsize  # type: ignore[no-any-return]
    return iinfo(value).bits // 8  # type: ignore[call-arg]  # its metaclass accepts it


@public_in("storage")
def _load_untyped_from_bytes(content: bytes) -> NoReturn:
    """Raise: torch cannot load its own pickles of UntypedStorage.

    The legacy loader needs the dtype of a typed storage.
    """
    raise AttributeError("type object 'torch.storage.UntypedStorage' has no attribute 'dtype'")


def as_device_object(value: Any) -> device:
    """Return a device for a device or an argument of torch.device()."""
    result: device = value if type(value) is device else _make_device(value)
    return result


def _device_of_type(device_type: str, index: Any) -> Any:
    return _make_device(device_type, index) if index else _make_device(device_type)


def _raise_no_device_module(target: device) -> NoReturn:
    """Raise the error of torch's module for a device type; most types have no module."""
    device_type = target.type
    if device_type == "cuda":
        if target.index is None:
            raise TypeError("'<' not supported between instances of 'NoneType' and 'int'")
        raise RuntimeError("PyTorch was compiled without CUDA support")
    if device_type == "xpu":
        raise NotImplementedError("PyTorch was compiled without XPU support")
    if device_type == "mps":
        raise AttributeError("module 'torch.mps' has no attribute 'device'")
    if device_type == "mtia":
        raise RuntimeError("Cannot execute getCurrentDevice() without MTIA backend.")
    raise AssertionError(f"{device_type.upper()} device module is not loaded")


def check_can_pin(target: device | None) -> None:
    """Raise if the accelerator for which memory is pinned is unavailable."""
    if target is None:
        check_accelerator()
        return
    device_type = target.type
    check(
        device_type == "cuda" and active_backend() is not None,
        lambda: NO_ACCELERATOR.get(
            device_type, f"{device_type.upper()} device type not an accelerator."
        ),
    )


def validate_cuda_device(ordinal: int) -> None:
    """Raise if a pickled storage is on an unavailable device (torch/serialization.py)."""
    backend = active_backend()
    if backend is None:
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is"
            " False. If you are running on a CPU-only machine, please use torch.load with"
            " map_location=torch.device('cpu') to map your storages to the CPU."
        )
    count = len(backend.memory_stats)
    if ordinal >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {ordinal} but"
            f" torch.cuda.device_count() is {count}. Please use torch.load with map_location to"
            " map your storages to an existing device."
        )


PINNED_DEVICE = (
    "The argument 'device' of Tensor.{}() is deprecated. Please do not pass this argument."
    " (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/Memory.cpp:{}.)"
)

NO_ACCELERATOR = {
    "cuda": (
        "Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into two"
        " shared libraries: a CPU library and a CUDA library; this error has occurred because you"
        " are trying to use some CUDA functionality, but the CUDA library has not been loaded by"
        " the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't"
        " directly use any symbols from the CUDA library! One common culprit is a lack of"
        " -Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic"
        " library dependencies if you don't depend on any of their symbols.  You can check if this"
        " has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so"
        " library."
    ),
    "xla": (
        "Cannot initialize XLA without torch_xla library. This error has occurred because you are"
        " trying to use some XLA functionality, but the XLA library has not been loaded by the"
        " dynamic linker. You must load xla libraries by `import torch_xla`"
    ),
    "hip": "Cannot initialize HIP without ATen_hip library.",
    "xpu": "Cannot initialize XPU without ATen_xpu library.",
    "mps": "Cannot execute init() without MPS backend.",
    "hpu": "Cannot initialize HPU without HPU backend",
    "mtia": "Cannot execute getPinnedMemoryAllocator() without MTIA backend.",
    "privateuseone": (
        "Please register PrivateUse1HooksInterface by `RegisterPrivateUse1HooksInterface` first."
    ),
}
"""Torch's messages for accelerators without a library."""
