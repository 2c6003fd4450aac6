"""Which devices have memory here, and torch's words about those that have none."""

from typing import Any

from .._runtime.device_modes import default_device, set_default
from .._runtime.errors import check
from .._runtime.warnings import shown_in_warnings
from . import cuda_backend
from .device import CPU, META, cuda_device, device

_Device: Any = device


def initialise(wanted: device | None) -> None:
    """Refuse a type of devices that torch initialises when it is first named, and this build cannot.

    From torch/csrc/utils/device_lazy_init.cpp.
    """
    if wanted is None or wanted is CPU or wanted.type not in INITIALISED:
        return
    kind = wanted.type
    if kind == "cuda":
        cuda_backend.require_cuda()
        return
    if kind == "xpu":
        raise AssertionError("Torch not compiled with XPU enabled")
    if kind == "mtia":
        raise AssertionError(_NO_MTIA)
    raise ModuleNotFoundError(f"No module named 'torch.{kind}'")


INITIALISED = frozenset({"cuda", "hpu", "mtia", "privateuseone", "xpu"})

_NO_MTIA = (
    "Torch not compiled with MTIA enabled. Ensure you have"
    " `import mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include"
    " `//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"
)


def check_device(wanted: device | None, operator: str = "empty.memory_format") -> None:
    """Refuse to allocate on a device that has no memory here; ``operator`` is what torch would call."""
    if place_on(wanted, operator) is META:
        raise NotImplementedError("impl cannot do this on meta yet")


def place_on(wanted: device | None, operator: str = "empty.memory_format") -> device:
    """Return the device where something is to be made, or refuse one that has no memory here."""
    if wanted is None or wanted is CPU or wanted.type == "cpu":
        return CPU
    if wanted.type == "meta":
        return META
    initialise(wanted)
    if wanted.type == "cuda":
        return _which_cuda(wanted)
    _check_backend(wanted.type, operator)
    return wanted


def _which_cuda(wanted: device) -> device:
    """Return the CUDA device that is meant, the current one if none is, or refuse one that is not there."""
    if wanted.index is None:
        return cuda_device(cuda_backend.current())
    cuda_backend.check_ordinal(wanted.index)
    return wanted


def _check_backend(kind: str, operator: str) -> None:
    check(
        kind not in _GRANDFATHERED,
        lambda: (
            '0 INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/c10/core/TensorOptions.h":663, please'
            f" report a bug to PyTorch. This is a grandfathered Caffe2 device type {kind}, it"
            " shouldn't ever convert to a DispatchKey.  File a bug describing what you were doing if"
            " you think this is in error."
        ),
    )
    raise NotImplementedError(
        f"Could not run 'aten::{operator}' with arguments from the"
        f" '{_KEYS.get(kind, kind.upper())}' backend. This could be because the operator doesn't"
        " exist for this backend, or was omitted during the selective/custom build process (if using"
        " custom build). If you are a Facebook employee using PyTorch on mobile, please visit"
        f" https://fburl.com/ptmfixes for possible resolutions. 'aten::{operator}' is only available"
        " for these backends: [CPU]."
    )


_GRANDFATHERED = ("mkldnn", "opengl", "opencl", "ideep")
_KEYS = {"lazy": "Lazy", "vulkan": "Vulkan", "privateuseone": "PrivateUse1"}


def check_guard(wanted: device) -> None:
    """Refuse a type of devices that this build of torch cannot ask anything (c10/core/impl/DeviceGuardImplInterface.h)."""
    check(
        wanted.type in ("cpu", "meta", "lazy")
        or (wanted.type == "cuda" and cuda_backend.cuda() is not None),
        lambda: f"PyTorch is not linked with support for {wanted.type} devices",
    )


def check_move(wanted: device | None, *, initialises: bool = True) -> device | None:
    """Return the device to move elements to, or refuse it; None if none is named.

    Torch asks a type of devices without a number for one (ensure_has_index in
    ATen/native/TensorConversions.cpp), and some types have no strides of their own.
    """
    if wanted is None:
        return None
    kind = wanted.type
    if kind in ("cpu", "meta"):
        return META if kind == "meta" else CPU
    if initialises:
        initialise(wanted)
    if kind == "cuda" and cuda_backend.cuda() is not None:
        return _which_cuda(wanted)
    if wanted.index is None:
        check_guard(wanted)
    _check_backend(
        kind, "empty.memory_format" if kind in ("ipu", "lazy", "xla") else "empty_strided"
    )
    return wanted


def check_pinning(device: device, *, is_strided: bool) -> None:
    """Refuse to make a tensor in pinned memory, which is the CPU's, for accelerators to read."""
    check(is_strided and device is CPU, lambda: "Only dense CPU tensors can be pinned")
    check(
        cuda_backend.cuda() is not None,
        lambda: (
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator"
            " is available on this system."
        ),
    )


def is_elsewhere(wanted: device | None, device: device | None, own: device) -> bool:
    """Tell whether a device that is wanted, and found to be ``device``, is another than a tensor's own.

    One without an ordinal is the current one, but ``cpu:0`` is another than ``cpu`` (#115405).
    """
    if wanted is None or wanted is own:
        return False
    return device is not own or wanted.index is not None


@shown_in_warnings
def set_default_device(device: Any) -> None:
    """set_default_device(device): let factories of this thread use a device if none is named.

    None stands for what they use after import.

    >>> import impl as torch
    >>> torch.set_default_device("cpu:0")
    >>> torch.get_default_device()
    device(type='cpu', index=0)
    >>> torch.set_default_device(None)
    """
    set_default(device if device is None else _Device(device))


def get_default_device() -> device:
    """get_default_device(): return the device that factories of this thread use if none is named."""
    found = default_device()
    if found is None:
        return CPU
    if found.index is None:
        return check_move(found) or CPU
    return found  # type: ignore[no-any-return]
