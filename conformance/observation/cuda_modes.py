"""CUDA devices for both sides of a property: real ones, or what stands for them where there are none.

Without a GPU the oracle is torch in its FakeTensorMode, which knows the rules between devices, shapes, strides and
dtypes, and has no elements; and a subject simulates devices, if it can (``subject.testing.simulated_cuda``).
"""

import logging
import re
from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module
from typing import Any

from ..libraries.library import Library, held
from .facets import FACETS, look_at
from .runner import Observation, Outcome, canonical

SIMULATED = 2
"""How many devices stand in where there are none: the most that programs name."""


class Within:
    """A library whose programs run inside a context; all else is the library's own."""

    def __init__(self, library: Library, context: AbstractContextManager[Any]) -> None:
        self._library, self._context = library, context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def run(self, source: str, scope: dict[str, Any]) -> Any:
        """Run one step, in the context."""
        with self._context:
            return self._library.run(source, scope)


class Fake(Within):
    """Torch in its FakeTensorMode, whose tensors and errors are called as the eager ones."""

    def class_name(self, cls: type) -> str:
        """Return the public name of a class, or of the eager one that a fake one is made of."""
        if cls.__module__.endswith("._subclasses.fake_tensor"):
            cls = cls.__bases__[0]
        return self._library.class_name(cls)


def with_cuda(library: Library, count: int) -> Any:
    """Return a library with CUDA devices: itself if it has so many, or what it has that stands for them."""
    if devices_of(library) >= count:
        return library
    simulate = held(held(library.root, "testing"), "simulated_cuda")
    if callable(simulate):
        return Within(library, simulate(SIMULATED))
    made = _fake_mode(held(library.root, "__name__"))
    if made is None:
        return library
    mode = made()
    # Its memory of answers is one for all modes, and what it gives from there may be another answer: of `a.eq_(b)`, where
    # b does not fit into a, the shape.
    mode.cache_enabled = False
    return Fake(library, mode)


def devices_of(library: Library) -> int:
    """Return how many CUDA devices a library has."""
    cuda = held(library.root, "cuda")
    try:
        return int(cuda.device_count()) if cuda.is_available() else 0
    except Exception:  # noqa: BLE001  # a subject may have anything there
        return 0


def kind_of_devices(library: Library) -> str:
    """Say what stands for CUDA devices in a library."""
    count = devices_of(library)
    if count:
        return f"{count} x {library.root.cuda.get_device_name(0)}"
    return "FakeTensorMode" if _fake_mode(held(library.root, "__name__")) else "none"


@cache
def _fake_mode(name: str | None) -> Any:
    """Return torch's class of modes in which tensors only seem to be on devices; None elsewhere."""
    if name != "torch":
        return None
    module = import_module(f"{name}._subclasses.fake_tensor")
    # It logs each refusal, with a trace.
    logging.getLogger(module.__name__).setLevel(logging.CRITICAL + 1)
    return module.FakeTensorMode


_COMPARED = (
    "raises", "message", "value", "dtype", "shape", "stride", "offset", "device", "layout", "conj_neg",
)  # fmt: skip
"""The facets that FakeTensorMode has: neither elements nor memory, nor history, and warnings of its own."""


def read_of_fake(outcome: Outcome, library: Library) -> Observation:
    """Look at what there is to see of tensors that only seem to be on devices."""
    seen = {
        facet.name: look_at(facet, outcome, library)
        for facet in FACETS
        if facet.name in _COMPARED and facet.applies(outcome)
    }
    if "message" in seen:
        seen["message"] = devices_in(seen["message"])
    if "value" in seen and not outcome.is_tensor:
        seen["value"] = _value(outcome.value, library)
    return seen


def _value(value: Any, library: Library) -> Any:
    """Write a value as plain data, with the tensors in it as far as they are compared."""
    if library.is_tensor(value):
        return read_of_fake(Outcome(value, is_tensor=True), library)
    if isinstance(value, tuple | list) and any(map(library.is_tensor, value)):
        return {library.class_name(type(value)): [_value(each, library) for each in value]}
    return canonical(value, library)


_DEVICE = re.compile(r"(?<![\w.])(?:cpu|meta|cuda:\d+)(?!\w)")


def devices_in(message: str) -> str:
    """Write between which devices a message says that something is amiss, if it does.

    FakeTensorMode has its own sentence for it, in the order of its own, and its own words for all else.

    >>> devices_in("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")
    'tensors on cpu and cuda:0'
    >>> devices_in("The size of tensor a (3) must match the size of tensor b (2)")
    'of something else than devices'
    """
    named = sorted(set(_DEVICE.findall(message)))
    return (
        f"tensors on {' and '.join(named)}" if len(named) > 1 else "of something else than devices"
    )
