"""What is looked at where the subject's tensors are elsewhere than on the CPU, where the oracle's are.

Shapes, strides, dtypes, aliasing, history and errors of ``subject@meta`` and ``subject@cuda`` have to be those of
the same program on the CPU, and the elements, too, where there are any.  What only the CPU can do is not asked
further of a subject that says so in torch's words.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from ..core.case import Case
from ..libraries.library import Library
from .facets import read
from .runner import Look, Observation, Outcome, StepResult, run_case

_NOT_HERE = {
    "meta": re.compile(
        r"Cannot copy out of meta tensor; no data!|Tensor\.item\(\) cannot be called on meta tensors"
        r"|The register_meta function for torch\.nonzero\(\)|can't convert meta device type tensor to numpy"
        r"|aten::equal: attempted to run this operator with Meta tensors|Cannot pack tensors on meta"
        r"|Not available for 'meta' device type|Unknown device type meta for Dlpack"
        r"|invalid type: 'torch\.meta\.\w+'|_share_fd_: only available on CPU"
        r"|expected TensorOptions\(.*\(got TensorOptions\(.*device=meta"
    ),
    "cuda": re.compile(r"can't convert cuda:\d+ device type tensor to numpy"),
}
"""What torch says where a device cannot do something that the CPU can, by the type of the device."""

_REFUSED_THERE = re.compile(
    rf"{_NOT_HERE['meta'].pattern}|tensors used as indices must be long, int, byte or bool tensors"
    r"|is a view and its base or another view of its base has been modified inplace"
    r"|A view was created in no_grad mode and"
)
"""What torch's functions for meta say where they cannot do it."""

_ONLY_THERE = re.compile(
    r"ZeroDivisionError|\[enforce fail at alloc_cpu\.cpp|value cannot be converted to type \w+ without overflow"
    r"|index (?:-?\d+ )?is out of bounds for dimension (?:\d+ )?with size \d+|Expected p_in >= 0 && p_in <= 1"
    r"|normal expects all elements of std >= 0\.0"
    r"|shape mismatch: value tensor of shape \[.*\] cannot be broadcast to indexing result of shape"
    r"|shape mismatch: indexing tensors could not be broadcast together with shapes"
    r"|pin_memory=True requires a CUDA or other accelerator backend"
)
"""What the CPU refuses because of an element, or as its memory is real; meta has neither."""

_PRINTED = "device='meta'"
"""What is in the text of a tensor that has no elements to print."""

_LEFT_OUT = {"meta": ("elements", "device", "repr", "address"), "cuda": ("device", "repr")}
"""What differs between devices, and so is not compared; an address only where it is that of memory."""


def look_from(library: Library) -> Look:
    """Return how to look at what a library does, and at the same on the CPU."""
    if library.device_type is None:
        return read
    left_out = _LEFT_OUT[library.device_type]

    def look(outcome: Outcome, side: Library) -> Observation:
        states = (_without(each, left_out) for each in (outcome.before, outcome.state))
        before, state = states
        return without_what_differs(
            read(replace(outcome, before=before, state=state), side), library
        )

    return look


def without_what_differs(seen: Observation, library: Library) -> Observation:
    """Leave out of what was seen what differs between a library's device and the CPU."""
    if library.device_type is None:
        return seen
    return _without(seen, _LEFT_OUT[library.device_type])  # type: ignore[no-any-return]


def _without(value: Any, left_out: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {
            key: _without(held, left_out)
            for key, held in value.items()
            if key not in left_out or (key == "address" and "bytes" not in value)
        }
    if isinstance(value, str):
        return _TYPE.sub(r"torch.\1\2", value)
    return [_without(each, left_out) for each in value] if isinstance(value, list) else value


_TYPE = re.compile(r"\btorch\.(quantized\.)?(?:cuda|meta)\.(\w+Tensor)\b")
"""The name of a tensor's type, in which its device stands."""


_SAID_FIRST = re.compile(r"can't convert [\w:]+ device type tensor to numpy")
"""What torch says of a device before it looks for anything else that is amiss."""


def is_device_limitation(
    subject: Library,
    expected: StepResult,
    observed: StepResult,
    ask_there: Callable[[Library], Observation | None],
    oracle: Library,
) -> bool:
    """Tell whether a difference is none of the subject's, as its device cannot do what the CPU can.

    On meta the oracle is asked the same: it has to answer there as the subject does.  ``ask_there`` puts the
    question to a library, and returns nothing if that does not come so far.
    """
    if subject.device_type == "cuda":
        pattern = _NOT_HERE["cuda"] if expected.error is None else _SAID_FIRST
        return observed.error is not None and pattern.search(str(observed.error)) is not None
    if subject.device_type != "meta":
        return False
    of_elements = expected.error is not None and _ONLY_THERE.search(str(expected.error))
    not_here = observed.error is not None and _NOT_HERE["meta"].search(str(observed.error))
    printed = _PRINTED in str(observed.observation.get("value"))
    if not (of_elements or not_here or printed):
        return False
    there = ask_there(on_meta(oracle))
    if there is None:
        return False
    if of_elements:
        return there.get("message") != str(expected.error)
    if not_here and _REFUSED_THERE.search(there.get("message", "")):
        return True
    return all(
        there.get(facet) == observed.observation.get(facet)
        for facet in ("raises", "message", "value")
    )


def ask_step(case: Case, subject: Library) -> Callable[[Library], Observation | None]:
    """Return how to ask for the last step of a program, as a subject is asked."""
    look = look_from(subject)

    def ask(library: Library) -> Observation | None:
        seen = run_case(library, case, look)
        return seen[-1].observation if len(seen) == len(case.steps) else None

    return ask


@cache
def on_meta(library: Library) -> Library:
    """Return a library whose default device is meta, in the same namespace."""
    return Library(f"{library.spec.partition('@')[0]}@meta", library.root, library.names)


@cache
def without_device(library: Library) -> Library:
    """Return a library that has no default device, in the same namespace."""
    if "@" not in library.spec:
        return library
    return Library(library.spec.partition("@")[0], library.root, library.names)
