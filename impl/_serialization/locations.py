"""The locations of storages in files: tags of devices (torch/serialization.py)."""

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from .._accelerators.cuda import current_device
from .._devices.cuda_backend import active_backend
from .._devices.device import META, device
from .._dtypes.cpp_names import torch_path
from .._runtime.c_types import PACKAGE
from .._runtime.errors import check
from .._runtime.lazy_exports import public_in
from .._storage.storage_base import as_device_object, validate_cuda_device as check_cuda_ordinal
from .._storage.untyped_storage import new_storage
from .._tensor.type_names import typename

_REGISTRY: list[tuple[int, Callable[[Any], Any], Callable[[Any, str], Any]]] = []
"""The priorities, taggers and deserializers, in the order of their priorities."""


@public_in("serialization")
def register_package(
    priority: int, tagger: Callable[[Any], Any], deserializer: Callable[[Any, str], Any]
) -> None:
    """Register functions that return the tag of a storage, and a storage at a tagged location.

    Functions of a lower priority are called first, until one returns something.
    """
    _REGISTRY.append((priority, tagger, deserializer))
    _REGISTRY.sort()


@public_in("serialization")
def location_tag(storage: Any) -> Any:
    """Return the tag of a storage's device."""
    for _, tagger, _ in _REGISTRY:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError("don't know how to determine data location of " + typename(storage))


@public_in("serialization")
def default_restore_location(storage: Any, location: str) -> Any:
    """Return a storage with the same bytes at the location of a tag."""
    for _, _, deserializer in _REGISTRY:
        result = deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError(
        "don't know how to restore data location of "
        + typename(storage)
        + " (tagged with "
        + location
        + ")"
    )


def restore_location_of(map_location: Any) -> Callable[[Any, str], Any]:
    """Return the function that moves storages for the argument ``map_location``."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(
            storage, map_location.get(location, location)
        )
    if isinstance(map_location, str | bytes | device):
        target: Any = map_location if isinstance(map_location, str | bytes) else str(map_location)
        return lambda storage, location: default_restore_location(storage, target)

    def restore(storage: Any, location: str) -> Any:
        result = map_location(storage, location)
        return default_restore_location(storage, location) if result is None else result

    return restore


def is_meta_location(map_location: Any) -> bool:
    """Return whether all storages go to meta, so that no bytes are read."""
    if isinstance(map_location, str):
        return map_location == "meta"
    return isinstance(map_location, device) and map_location.type == "meta"


@public_in("serialization")
def validate_cuda_device(location: Any) -> int | None:
    """Return the index of a CUDA device; raise if it is not available."""
    ordinal = None
    if isinstance(location, int):
        ordinal = device("cuda", location).index
    elif isinstance(location, (str, device)):
        target = as_device_object(location)
        check(
            target.type == "cuda",
            lambda: f"Expected a cuda device, but got: {target}",
            ValueError,
        )
        ordinal = target.index
    if ordinal is None:
        ordinal = current_device() if active_backend() is not None else 0
    check_cuda_ordinal(ordinal)
    return ordinal


@public_in("serialization")
def validate_hpu_device(location: Any) -> int | None:
    """Raise: there is no module for HPUs."""
    return _unavailable_device("hpu", location).index


def _unavailable_device(backend: str, location: str) -> device:
    """Raise the error of torch for a backend that is not available."""
    if backend == "mtia":
        raise RuntimeError("Cannot execute getCurrentDevice() without MTIA backend.")
    if backend == "xpu":
        as_device_object(location)
        raise RuntimeError(
            "Attempting to deserialize object on a XPU device but torch.xpu.is_available() is"
            " False. If you are running on a CPU-only machine, please use torch.load with"
            " map_location=torch.device('cpu') to map your storages to the CPU."
        )
    raise RuntimeError(
        f"The {backend.upper()} device module is not registered. If you are running on a CPU-only"
        " machine, please use torch.load with map_location=torch.device('cpu') to map your"
        " storages to the CPU."
    )


def _tag_of(device_type: str, storage: Any) -> str | None:
    """Return the tag of a storage on a type of device, with the index if it has one."""
    if storage.device.type != device_type:
        return None
    index = storage.device.index
    return (
        device_type if index is None or device_type in _WITHOUT_INDEX else f"{device_type}:{index}"
    )


def _on_cpu(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def _on_mps(storage: Any, location: str) -> Any:
    return storage.mps() if location.startswith("mps") else None


def _on_meta(storage: Any, location: str) -> Any:
    return new_storage(storage.nbytes(), META) if location == "meta" else None


def _on_backend(backend: str, storage: Any, location: str) -> Any:
    if location != backend and not re.match(f"{backend}(:|[0-9]+)", location):
        return None
    if backend == "cuda":
        target = as_device_object(f"cuda:{validate_cuda_device(location)}")
    else:
        target = _unavailable_device(backend, location)
    return storage.to(device=target)


_WITHOUT_INDEX = ("cpu", "mps", "meta")

for _priority, _type, _deserializer in (
    (10, "cpu", _on_cpu),
    (20, "cuda", partial(_on_backend, "cuda")),
    (21, "mps", _on_mps),
    (22, "meta", _on_meta),
    (23, "privateuseone", partial(_on_backend, "privateuseone")),
    (24, "hpu", partial(_on_backend, "hpu")),
    (25, "xpu", partial(_on_backend, "xpu")),
    (26, "mtia", partial(_on_backend, "mtia")),
):
    register_package(_priority, partial(_tag_of, _type), _deserializer)


@public_in("serialization")
def normalize_storage_type(storage_type: Any) -> Any:
    """Return the public class of a storage class's name."""
    return getattr(import_module(PACKAGE), storage_type.__name__)


@public_in("serialization")
def storage_to_tensor_type(storage: Any) -> Any:
    """Return the tensor class of a storage's class."""
    cls = type(storage)
    name = cls.__name__.replace("Storage", "Tensor")
    owner = torch_path(cls).rpartition(".")[0]
    check(
        hasattr(import_module(cls.__module__), name),
        lambda: f"module '{owner}' has no attribute '{name}'",
        AttributeError,
    )
    return getattr(import_module(cls.__module__), name)
