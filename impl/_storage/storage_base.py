"""What torch writes in Python of its storages, beyond what their C class does (torch/storage.py)."""

from collections.abc import Iterator
from typing import Any, NoReturn

from .._argparser.parser import Parser
from .._devices.cuda_backend import cuda, is_pinned, pinned_bytes
from .._devices.device import check_accelerator, device
from .._dtypes.constants import BOOL
from .._dtypes.cpp_names import class_text, import_dotted, torch_path
from .._dtypes.table import dtype
from .._numerics.type_info import iinfo
from .._runtime.errors import check
from .._runtime.lazy_exports import lazy_members, public_in
from .._runtime.warnings import shown_in_warnings, warn

_make_device: Any = device  # its metaclass takes the arguments

_parse_is_pinned = Parser("is_pinned(Device? device=None)")
_parse_pin = Parser("pin_memory(Device? device=None)")


class _StorageBase:
    """The methods of storages that need nothing but one another.

    CPython's messages call them by this class's name, and torch's is the same.
    """

    __slots__ = ()

    is_sparse = False
    is_sparse_csr = False

    def size(self) -> int:
        """Return the number of bytes."""
        return self.nbytes()  # type: ignore[attr-defined, no-any-return]

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the class; or, for a class or its name, a storage of that class.

        The new storage has as many elements as this one has bytes.
        """
        return type_of(self, dtype, non_blocking)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        """Return a copy on a CUDA device."""
        return self.to(device=_of_type("cuda", device), non_blocking=non_blocking)

    def hpu(self, device: Any = None, non_blocking: bool = False) -> Any:
        """Return a copy on an HPU."""
        return self.to(device=_of_type("hpu", device), non_blocking=non_blocking)

    def to(self, *, device: Any, non_blocking: bool = False) -> Any:
        """Return the storage on a device: itself if it is there."""
        wanted = as_device_object(device)
        if self.device == wanted:  # type: ignore[attr-defined]
            return self
        if wanted.type != "cpu" and not (wanted.type == "cuda" and cuda() is not None):
            _no_module(wanted)
        return type(self)(self.nbytes(), device=wanted).copy_(self)  # type: ignore[attr-defined, call-arg]

    def cpu(self) -> Any:
        """Return the storage on the CPU: itself if it is there."""
        if self.device.type == "cpu":  # type: ignore[attr-defined]
            return self
        return type(self)(self.size()).copy_(self)  # type: ignore[attr-defined, call-arg]

    def mps(self) -> Any:
        """Return a copy on an MPS device."""
        return type(self)(self.size(), device="mps")  # type: ignore[call-arg]

    def get_device(self) -> Any:
        """Return the ordinal of the device, if it has one."""
        return self.device.index  # type: ignore[attr-defined]

    def untyped(self) -> Any:
        """Return the storage itself."""
        return self

    def clone(self) -> Any:
        """Return a storage of its own with the same bytes."""
        return type(self)(self.nbytes(), device=self.device).copy_(self)  # type: ignore[attr-defined, call-arg]

    def tolist(self) -> list[int]:
        """Return the bytes as a list of integers."""
        return [*self]

    @shown_in_warnings
    def is_pinned(self, device: Any = None) -> bool:
        """Tell whether the memory is pinned."""
        (wanted,) = _parse_is_pinned((device,), {})
        if wanted is not None:
            warn(PINNED_DEVICE.format("is_pinned", 31), DeprecationWarning)
        return is_pinned(self._array)  # type: ignore[attr-defined]

    @shown_in_warnings
    def pin_memory(self, device: Any = None) -> Any:
        """Return a copy in pinned memory, of which an accelerator reads faster; itself if it is pinned."""
        (wanted,) = _parse_pin((device,), {})
        if wanted is not None:
            for name, line in (("pin_memory", 46), ("is_pinned", 31)):
                warn(PINNED_DEVICE.format(name, line), DeprecationWarning)
        if self.device.type != "cpu":  # type: ignore[attr-defined]
            raise TypeError(f"cannot pin '{self.type()}' only CPU memory can be pinned")
        check_pins(wanted)
        if is_pinned(self._array):  # type: ignore[attr-defined]
            return self
        pinned = type(self)()
        pinned._array, pinned._size = pinned_bytes(self.nbytes()), self.nbytes()  # type: ignore[attr-defined]
        return pinned.copy_(self)  # type: ignore[attr-defined]

    def byteswap(self, dtype: Any) -> None:
        """Reverse the bytes of each element of ``dtype``, in place; of complex ones, those of each part."""
        self._byteswap(element_size(dtype) // (2 if dtype.is_complex else 1))  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[int]:
        return (self[index] for index in range(self.size()))  # type: ignore[index]

    def __copy__(self) -> Any:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        # Storages are kept apart from what copy.deepcopy itself notes.
        known = memo.setdefault("torch", {})
        key = self._cdata  # type: ignore[attr-defined]
        if key not in known:
            known[key] = self.clone()
        return known[key]

    def __reduce__(self) -> Any:
        return _load_untyped_from_bytes, (bytes(self.cpu().tolist()),)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.size()

    def __repr__(self) -> str:
        is_meta = self.device.type == "meta"  # type: ignore[attr-defined]
        lines = "..." if is_meta else " " + "\n ".join(map(str, self.tolist()))
        path = torch_path(type(self))
        return f"{lines}\n[{path}(device={self.device}) of size {self.size()}]"  # type: ignore[attr-defined]


METHODS = lazy_members(_StorageBase)
"""The methods of storages that other modules make."""


@shown_in_warnings
def type_of(storage: Any, dtype: Any, non_blocking: bool) -> Any:
    """Do what ``storage.type()`` does (_type in torch/_utils.py)."""
    if dtype is None:
        return torch_path(type(storage))
    wanted = import_dotted(dtype) if isinstance(dtype, str) else dtype
    if wanted is type(storage):
        return storage
    check(not wanted.is_sparse, lambda: "Cannot cast dense tensor to sparse tensor")
    return wanted(storage.size()).copy_(storage, non_blocking)


def element_size(value: Any) -> int:
    """Return how many bytes an element of a dtype takes (_element_size in torch/_utils.py).

    The dtypes of which there is neither finfo nor iinfo have none.
    """
    check(type(value) is dtype, lambda: f"expected torch.dtype, but got {class_text(type(value))}")
    if value.is_floating_point or value.is_complex or value is BOOL:
        return value.itemsize  # type: ignore[no-any-return]
    return iinfo(value).bits // 8  # type: ignore[call-arg]  # its metaclass takes it


@public_in("storage")
def _load_untyped_from_bytes(content: bytes) -> NoReturn:
    """Refuse to load: torch pickles an UntypedStorage, and cannot read what it wrote.

    Its reader of the old format wants the dtype that only typed storages have.
    """
    raise AttributeError("type object 'torch.storage.UntypedStorage' has no attribute 'dtype'")


def as_device_object(value: Any) -> device:
    """Return a device for what storages take as one: a device, or what torch.device() takes."""
    found: device = value if type(value) is device else _make_device(value)
    return found


def _of_type(kind: str, index: Any) -> device:
    found: device = _make_device(kind, index) if index else _make_device(kind)
    return found


def _no_module(wanted: device) -> NoReturn:
    """Refuse to copy to a device, as torch's module for its type does; most types have none."""
    kind = wanted.type
    if kind == "cuda":
        if wanted.index is None:
            raise TypeError("'<' not supported between instances of 'NoneType' and 'int'")
        raise RuntimeError("PyTorch was compiled without CUDA support")
    if kind == "xpu":
        raise NotImplementedError("PyTorch was compiled without XPU support")
    if kind == "mps":
        raise AttributeError("module 'torch.mps' has no attribute 'device'")
    if kind == "mtia":
        raise RuntimeError("Cannot execute getCurrentDevice() without MTIA backend.")
    raise AssertionError(f"{kind.upper()} device module is not loaded")


def check_pins(wanted: device | None) -> None:
    """Refuse to pin memory for a kind of accelerator that is not there."""
    if wanted is None:
        check_accelerator()
        return
    kind = wanted.type
    check(
        kind == "cuda" and cuda() is not None,
        lambda: NO_ACCELERATOR.get(kind, f"{kind.upper()} device type not an accelerator."),
    )


def check_loads(ordinal: int) -> None:
    """Refuse to load what was on a device that is not there (torch/serialization.py)."""
    found = cuda()
    check(
        found is not None,
        lambda: (
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False."
            " If you are running on a CPU-only machine, please use torch.load with"
            " map_location=torch.device('cpu') to map your storages to the CPU."
        ),
    )
    count = len(found.meters) if found is not None else 0
    check(
        ordinal < count,
        lambda: (
            f"Attempting to deserialize object on CUDA device {ordinal} but torch.cuda.device_count() is"
            f" {count}. Please use torch.load with map_location to map your storages to an existing"
            " device."
        ),
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
"""What torch says where a library for a kind of accelerator is not there."""
