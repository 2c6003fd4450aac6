"""Checks of devices for available memory, and torch's errors for unavailable ones."""

from typing import Any, NoReturn

from .._runtime.device_modes import default_device, set_default_mode
from .._runtime.errors import check
from .._runtime.warnings import is_python_frame
from . import cuda_backend
from .device import CPU, META, cuda_device, device

_Device: Any = device


def initialize_device(requested: device | None) -> None:
    """Raise torch's error if a device type needs lazy initialization and is not in this build.

    From torch/csrc/utils/device_lazy_init.cpp.
    """
    if requested is None or requested is CPU or requested.type not in _LAZY_TYPES:
        return
    if requested.type == "cuda":
        cuda_backend.require_cuda()
        return
    check(
        requested.type not in _NOT_COMPILED, lambda: _NOT_COMPILED[requested.type], AssertionError
    )
    raise ModuleNotFoundError(f"No module named 'torch.{requested.type}'")


_LAZY_TYPES = frozenset({"cuda", "hpu", "mtia", "privateuseone", "xpu"})
_NOT_COMPILED = {
    "xpu": "Torch not compiled with XPU enabled",
    "mtia": (
        "Torch not compiled with MTIA enabled. Ensure you have"
        " `import mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include"
        " `//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"
    ),
}


def check_device(requested: device | None) -> None:
    """Raise if a device has no memory here."""
    if resolve_device(requested) is META:
        raise NotImplementedError("impl cannot do this on meta yet")


def _cuda_with_index(requested: device) -> device:
    """Return a CUDA device with an index, by default the current one; raise if it is absent."""
    if requested.index is None:
        return cuda_device(cuda_backend.current_ordinal())
    cuda_backend.check_ordinal(requested.index)
    return requested


def raise_unavailable(device_type: str, operator: str) -> NoReturn:
    """Raise torch's error for an operator on a device type of which this build has no kernels."""
    check(
        device_type not in _GRANDFATHERED,
        lambda: (
            '0 INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/c10/core/TensorOptions.h":663,'
            " please report a bug to PyTorch. This is a grandfathered Caffe2 device type"
            f" {device_type}, it shouldn't ever convert to a DispatchKey.  File a bug describing"
            " what you were doing if you think this is in error."
        ),
    )
    raise NotImplementedError(
        f"Could not run 'aten::{operator}' with arguments from the"
        f" '{_KEYS.get(device_type, device_type.upper())}' backend. This could be because the"
        " operator doesn't exist for this backend, or was omitted during the selective/custom build"
        " process (if using custom build). If you are a Facebook employee using PyTorch on mobile,"
        " please visit https://fburl.com/ptmfixes for possible resolutions."
        f" 'aten::{operator}' is only available for these backends: [CPU]."
    )


_GRANDFATHERED = ("mkldnn", "opengl", "opencl", "ideep")
_KEYS = {"lazy": "Lazy", "vulkan": "Vulkan", "privateuseone": "PrivateUse1"}


def resolve_device(requested: device | None, operator: str = "empty.memory_format") -> device:
    """Return the device for a new tensor; raise if it has no memory here.

    ``operator`` is the ATen operator that torch calls.
    """
    if requested is None or requested is CPU or requested.type == "cpu":
        return CPU
    if requested.type == "meta":
        return META
    initialize_device(requested)
    if requested.type == "cuda":
        return _cuda_with_index(requested)
    raise_unavailable(requested.type, operator)


def check_guard(requested: device) -> None:
    """Raise if this build has no device guard (c10/core/impl/DeviceGuardImplInterface.h)."""
    check(
        requested.type in ("cpu", "meta", "lazy")
        or (requested.type == "cuda" and cuda_backend.active_backend() is not None),
        lambda: f"PyTorch is not linked with support for {requested.type} devices",
    )


def resolve_target_device(requested: device | None, *, initialises: bool = True) -> device | None:
    """Return the target device of a move, or None for None; raise if it has no memory here.

    Torch adds an index to a device without one (ensure_has_index in
    ATen/native/TensorConversions.cpp), and some device types have no strides.
    """
    if requested is None:
        return None
    device_type = requested.type
    if device_type in ("cpu", "meta"):
        return META if device_type == "meta" else CPU
    if initialises:
        initialize_device(requested)
    if device_type == "cuda" and cuda_backend.active_backend() is not None:
        return _cuda_with_index(requested)
    if requested.index is None:
        check_guard(requested)
    unstrided = device_type in ("ipu", "lazy", "xla")
    raise_unavailable(device_type, "empty.memory_format" if unstrided else "empty_strided")


def check_pinning(device: device, *, is_strided: bool) -> None:
    """Raise if a tensor cannot be created in pinned memory."""
    check(is_strided and device is CPU, lambda: "Only dense CPU tensors can be pinned")
    check(
        cuda_backend.active_backend() is not None,
        lambda: (
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory"
            " allocator is available on this system."
        ),
    )


def is_other_device(requested: device | None, resolved: device | None, current: device) -> bool:
    """Return whether a requested device, resolved before, differs from a tensor's device.

    A device without an index is the current one, but ``cpu:0`` differs from ``cpu`` (#115405).
    """
    if requested is None or requested is current:
        return False
    return resolved is not current or requested.index is not None


@is_python_frame
def set_default_device(device: Any) -> None:
    """set_default_device(device): set the device of this thread's factories without ``device``.

    None restores the state after import.

    >>> import impl as torch
    >>> torch.set_default_device("cpu:0")
    >>> torch.get_default_device()
    device(type='cpu', index=0)
    >>> torch.set_default_device(None)
    """
    set_default_mode(device if device is None else _Device(device))


def get_default_device() -> device:
    """get_default_device(): return the device of this thread's factories without ``device``."""
    default = default_device()
    if default is None:
        return CPU
    if default.index is None:
        return resolve_target_device(default) or CPU
    return default  # type: ignore[no-any-return]
