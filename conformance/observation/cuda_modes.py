"""CUDA devices for both sides of a property, or their simulation.

Without a GPU the oracle is torch in its FakeTensorMode. It implements the rules for devices,
shapes, strides and dtypes, but has no elements. The subject uses
``subject.testing.simulated_cuda``.
"""

import logging
import re
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from typing import Any

from ..libraries.library import Library, attribute_or_none
from .facets import observe
from .runner import Observation, Outcome, canonical

SIMULATED = 2
"""The number of simulated devices."""

FAKE, NONE = "FakeTensorMode", "none"
"""The descriptions of torch's simulated devices, and of no devices of the library's own."""


class LibraryInContext:
    """A library whose programs run inside a context manager."""

    def __init__(self, library: Library, context: AbstractContextManager[Any]) -> None:
        self._library, self._context = library, context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def run(self, source: str, scope: dict[str, Any]) -> Any:
        """Run one step inside the context."""
        with self._context:
            return self._library.run(source, scope)


class FakeTensorLibrary(LibraryInContext):
    """Torch in its FakeTensorMode, with the class names of eager tensors and errors."""

    def class_name(self, cls: type) -> str:
        """Return the public name of a class, or of the eager base of a fake class."""
        if cls.__module__.endswith("._subclasses.fake_tensor"):
            cls = cls.__bases__[0]
        return self._library.class_name(cls)


def with_cuda(library: Library, count: int) -> Any:
    """Return a library with ``count`` CUDA devices: itself, or with simulated ones if possible."""
    if library.known is not None:
        kinds = {FAKE: FakeTensorLibrary, NONE: LibraryInContext}
        kind = kinds.get(library.known.header.environment["cuda"])
        return library if kind is None else kind(library, nullcontext())
    if cuda_device_count(library) >= count:
        return library
    simulate = attribute_or_none(attribute_or_none(library.root, "testing"), "simulated_cuda")
    if callable(simulate):
        return LibraryInContext(library, simulate(SIMULATED))
    mode_class = _fake_mode(attribute_or_none(library.root, "__name__"))
    if mode_class is None:
        return library
    mode = mode_class()
    # All modes share the cache, which is wrong for some calls: of `a.eq_(b)` where b does not
    # broadcast to a, for the shape.
    mode.cache_enabled = False
    return FakeTensorLibrary(library, mode)


def cuda_device_count(library: Library) -> int:
    """Return the number of CUDA devices of a library."""
    cuda = attribute_or_none(library.root, "cuda")
    try:
        return int(cuda.device_count()) if cuda.is_available() else 0
    except Exception:  # noqa: BLE001  # a subject may have anything there
        return 0


def describe_devices(library: Library) -> str:
    """Return a description of the CUDA devices of a library."""
    count = cuda_device_count(library)
    if count:
        return f"{count} x {library.root.cuda.get_device_name(0)}"
    return FAKE if _fake_mode(attribute_or_none(library.root, "__name__")) else NONE


@cache
def _fake_mode(name: str | None) -> Any:
    """Return torch's FakeTensorMode class, or None for another library."""
    if name != "torch":
        return None
    module = import_module(f"{name}._subclasses.fake_tensor")
    # It logs each error with a traceback.
    logging.getLogger(module.__name__).setLevel(logging.CRITICAL + 1)
    return module.FakeTensorMode


def observe_fake(outcome: Outcome, library: Library) -> Observation:
    """Return the observation of an outcome of FakeTensorMode."""
    observation = observe(outcome, library, "fake")
    if "message" in observation:
        observation["message"] = devices_in(observation["message"])
    if "value" in observation and not outcome.is_tensor:
        observation["value"] = _value(outcome.value, library)
    return observation


def _value(value: Any, library: Library) -> Any:
    """Return a value as plain data, with the compared facets of its tensors."""
    if library.is_tensor(value):
        return observe_fake(Outcome(value, is_tensor=True), library)
    if isinstance(value, tuple | list) and any(map(library.is_tensor, value)):
        return {library.class_name(type(value)): [_value(item, library) for item in value]}
    return canonical(value, library)


_DEVICE = re.compile(r"(?<![\w.])(?:cpu|meta|cuda:\d+)(?!\w)")


def devices_in(message: str) -> str:
    """Return the devices of an error about tensors on several devices, without its wording.

    FakeTensorMode has a sentence of its own for that error, and other texts for all others.

    >>> devices_in("found at least two devices, cuda:0 and cpu!")
    'tensors on cpu and cuda:0'
    >>> devices_in("The size of tensor a (3) must match the size of tensor b (2)")
    'of something else than devices'
    """
    devices = sorted(set(_DEVICE.findall(message)))
    if len(devices) < 2:
        return "of something else than devices"
    return f"tensors on {' and '.join(devices)}"
