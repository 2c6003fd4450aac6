"""Comparison of a subject on meta, CUDA or another device with the oracle on the CPU.

Shapes, strides, dtypes, aliasing, autograd metadata and errors of ``subject@meta``,
``subject@cuda`` and on any other device have to equal those on the CPU, and so do the elements, if
there are any. An operation that only the CPU supports is not compared if the subject raises torch's
error for it.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from ..core.case import Case
from ..libraries.library import Library
from .facets import hidden, observe
from .runner import Observation, Observer, Outcome, StepResult, run_case

_NOT_ON_META = re.compile(
    r"Cannot copy out of meta tensor; no data!"
    r"|Tensor\.item\(\) cannot be called on meta tensors"
    r"|The register_meta function for torch\.nonzero\(\)"
    r"|can't convert meta device type tensor to numpy"
    r"|aten::equal: attempted to run this operator with Meta tensors"
    r"|Cannot pack tensors on meta"
    r"|Not available for 'meta' device type|Unknown device type meta for Dlpack"
    r"|invalid type: 'torch\.meta\.\w+'|_share_fd_: only available on CPU"
    r"|expected TensorOptions\(.*\(got TensorOptions\(.*device=meta"
)
"""Torch's errors for operations that meta does not support but the CPU does."""

_NO_ARRAY = "can't convert {} device type tensor to numpy"
_NO_CAPSULE = "Unknown device type {} for Dlpack"
"""Torch's errors for interchange that it supports on the CPU, or on the CPU and CUDA."""

_REFUSED_THERE = re.compile(
    rf"{_NOT_ON_META.pattern}|tensors used as indices must be long, int, byte or bool tensors"
    r"|is a view and its base or another view of its base has been modified inplace"
    r"|A view was created in no_grad mode and"
)
"""Errors of torch's meta functions."""

_ONLY_THERE = re.compile(
    r"ZeroDivisionError|\[enforce fail at alloc_cpu\.cpp"
    r"|value cannot be converted to type \w+ without overflow"
    r"|index (?:-?\d+ )?is out of bounds for dimension (?:\d+ )?with size \d+"
    r"|Expected p_in >= 0 && p_in <= 1"
    r"|normal expects all elements of std >= 0\.0"
    r"|shape mismatch: value tensor of shape \[.*\] cannot be broadcast to indexing result of shape"
    r"|shape mismatch: indexing tensors could not be broadcast together with shapes"
    r"|pin_memory=True requires a CUDA or other accelerator backend"
)
"""Errors that the CPU raises because of an element or of real memory, and meta does not."""

_PRINTED = "device='meta'"
"""A part of the ``repr`` of a meta tensor."""

_ON_META, _ON_OTHERS = (*hidden("meta"), "address"), hidden("cuda")
"""The parts of an observation that depend on the device; an address only if it is one of memory."""


class _Rule(NamedTuple):
    """What is left out of observations on both sides.

    parts: the names of facets and of parts of them
    texts: what is written in texts for the names of the subject's device and of its tensors
    """

    parts: tuple[str, ...] = ()
    texts: tuple[tuple[re.Pattern[str], str], ...] = ()


_BREAK_BEFORE_PART = re.compile(r",\n +(?=(?:size|nnz|dtype|layout|requires_grad|grad_fn)=)")
"""A line break of the ``repr`` of a tensor that is not between its elements."""

_PARTS = {"aliasing": "relations"}
"""The parts of other facets that are not called as their fact."""


@cache
def _rule_of(
    device_type: str | None, not_asked: frozenset[str], classes: tuple[type, ...]
) -> _Rule:
    """Return what is left out for a device, for lacking facts and for classes of tensors."""
    parts = [*sorted(not_asked), *(part for fact, part in _PARTS.items() if fact in not_asked)]
    parts += [] if device_type is None else _ON_META if device_type == "meta" else _ON_OTHERS
    names = {cls.__name__: "Tensor" for cls in classes}
    printed = []
    if device_type not in (None, "meta"):
        names[_name_of(device_type)] = "cpu"
        # Whether a line is broken before another part depends on the length of the device.
        printed = [
            (re.compile(rf",\s+device='{_name_of(device_type)}'"), ""),
            (_BREAK_BEFORE_PART, ", "),
        ]
    words = [(re.compile(rf"(?<![\w.]){name}(?!\w)"), text) for name, text in names.items()]
    return _Rule(tuple(parts), (*printed, *words))


def _name_of(device_type: str) -> str:
    """Return the pattern of the names of a type of devices."""
    return rf"{device_type}(?::\d+)?"


def _rule_for(library: Library) -> _Rule | None:
    """Return what is left out for a library, or None if that is nothing."""
    classes = library.adapter.tensor_classes()
    rule = _rule_of(library.device_type, library.not_asked, classes)
    return None if rule == _Rule() else rule


def observer_for(library: Library) -> Observer:
    """Return the function that observes outcomes of a library and of the CPU alike."""
    if (rule := _rule_for(library)) is None:
        return observe

    def observe_alike(outcome: Outcome, side: Library) -> Observation:
        observation = observe(outcome.with_states(lambda states: _without(states, rule)), side)
        return _without(observation, rule)  # type: ignore[no-any-return]

    return observe_alike


def without_left_out(observation: Observation, library: Library) -> Observation:
    """Return an observation without the parts that a library's device or the library lacks."""
    rule = _rule_for(library)
    return observation if rule is None else _without(observation, rule)


def _without(value: Any, rule: _Rule) -> Any:
    if isinstance(value, dict):
        return {
            # Elements are digits, and there may be millions.
            key: item if key == "elements" and type(item) is list else _without(item, rule)
            for key, item in value.items()
            if key not in rule.parts or (key == "address" and "bytes" not in value)
        }
    if isinstance(value, str):
        value = _TYPE.sub(r"torch.\1\2", value)
        for pattern, text in rule.texts:
            value = pattern.sub(text, value)
        return value
    return [_without(item, rule) for item in value] if isinstance(value, list) else value


_TYPE = re.compile(r"\btorch\.(quantized\.)?(?!sparse\b|quantized\b)[a-z]+\.(\w+Tensor)\b")
"""The name of a tensor type with a device."""


_CHECKED_FIRST = re.compile(_NO_ARRAY.format(r"[\w:]+"))
"""An error about the device that torch raises before any other check."""


def is_device_limitation(
    subject: Library,
    expected: StepResult,
    observed: StepResult,
    run_there: Callable[[Library], Observation | None],
    oracle: Library,
) -> bool:
    """Return whether a difference is due to the subject's device, which lacks a feature of the CPU.

    On meta the oracle has to give the same result as the subject. ``run_there`` runs the program
    with a library and returns its last observation, or None if the program ends before.
    """
    if subject.device_type is None:
        return False
    if subject.device_type != "meta":
        pattern = _lacks(subject.device_type) if expected.error is None else _CHECKED_FIRST
        return observed.error is not None and pattern.search(str(observed.error)) is not None
    is_element_error = expected.error is not None and _ONLY_THERE.search(str(expected.error))
    is_meta_error = observed.error is not None and _NOT_ON_META.search(str(observed.error))
    prints_meta = _PRINTED in str(observed.observation.get("value"))
    if not (is_element_error or is_meta_error or prints_meta):
        return False
    if (meta_observation := run_there(on_meta(oracle))) is None:
        return False
    if is_element_error:
        return meta_observation.get("message") != str(expected.error)
    if is_meta_error and _REFUSED_THERE.search(meta_observation.get("message", "")):
        return True
    return all(
        meta_observation.get(facet) == observed.observation.get(facet)
        for facet in ("raises", "message", "value")
    )


@cache
def _lacks(device_type: str) -> re.Pattern[str]:
    """Return the pattern of torch's errors for what a type of devices does not support."""
    name = _name_of(device_type)
    texts = [_NO_ARRAY.format(name)]
    if device_type != "cuda":
        texts.append(_NO_CAPSULE.format(name))
    return re.compile("|".join(texts))


def step_runner(case: Case, subject: Library) -> Callable[[Library], Observation | None]:
    """Return the function that observes the last step of a program as that of the subject."""
    observer = observer_for(subject)

    def run(library: Library) -> Observation | None:
        results = run_case(library, case, observer)
        return results[-1].observation if len(results) == len(case.steps) else None

    return run


@cache
def on_meta(library: Library) -> Library:
    """Return a library in the same namespace with meta as its default device."""
    return Library(f"{library.spec.partition('@')[0]}@meta", library.root, library.names)


@cache
def without_device(library: Library) -> Library:
    """Return a library in the same namespace without a default device."""
    spec, at, _ = library.spec.partition("@")
    if not (at or library.adapter.device):
        return library
    new = Library(spec, library.root, library.names, replace(library.adapter, device=""))
    new.not_asked = library.not_asked
    return new
