"""Runs a case under one library and writes down everything that can be seen of it.

What is seen is plain data (an `Observation`), so that it can be compared,
stored and shown; no subject's own ``__eq__`` takes part in any comparison.
"""

import os
import struct
import warnings as warnings_module
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..core.case import Case
from ..libraries.library import Library
from .tensor_state import array_data, storage_data, tensor_data

Observation = dict[str, Any]
"""What each facet shows of one step, by the facet's name."""


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


PLAIN = (type(None), bool, int, float, complex, str, bytes)
"""The types whose values are written whole by `canonical`."""

NOTHING = _Nothing()
"""The value of a step that has none."""


@dataclass(slots=True)
class Outcome:
    """What one step did: gave a value or raised, and warned or not.

    ``variables`` are the tensors, storages and arrays that the program has
    given names to so far; ``before`` and ``state`` are what they were before
    the step and after it, as plain data.  ``failed_in`` is the step that a
    program ended with that was run through.
    """

    value: Any = NOTHING
    error: BaseException | None = None
    warnings: list[warnings_module.WarningMessage] = field(default_factory=list)
    is_tensor: bool = False
    failed_in: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tensors(self) -> dict[str, Any]:
        """The variables that are tensors."""
        return {name: each for name, each in self.variables.items() if _has_strides(each)}


class StepResult(NamedTuple):
    """What was seen of a step, if it was looked at, and what it raised."""

    observation: Observation
    error: BaseException | None


Look = Callable[[Outcome, Library], Observation]


def run_case(library: Library, case: Case, look: Look, unseen: int = 0) -> list[StepResult]:
    """Run the steps of a case, and look at each before the next; a failed assignment is the last.

    The first steps, as many as are ``unseen``, are run and not looked at.
    """
    scope = library.scope()
    seen: list[StepResult] = []
    state: Mapping[str, Any] = {}
    try:
        with warnings_module.catch_warnings(record=True) as caught:
            for number, step in enumerate(case.steps, 1):
                outcome = _try_step(library, step, scope, caught)
                observation: Observation = {}
                if number >= unseen:
                    _notice(outcome, library, scope, state)
                    state = outcome.state
                if number > unseen:
                    observation = look(outcome, library)
                seen.append(StepResult(observation, outcome.error))
                if outcome.error is not None and assigns(step):
                    break
    finally:
        library.reset()
    return seen


def went_alike(expected: Sequence[StepResult], observed: Sequence[StepResult]) -> bool:
    """Tell whether the same steps raised an error."""
    raised = ([each.error is not None for each in side] for side in (expected, observed))
    return next(raised) == next(raised)


def run_through(library: Library, case: Case, given: Mapping[str, Any]) -> Outcome:
    """Run the steps of a case, up to one that fails, and tell what the last one did.

    ``given`` are variables that are there from the start, and all variables
    are in the outcome.  The warnings are those of all steps.
    """
    scope = {**library.scope(), **given}
    warned: list[warnings_module.WarningMessage] = []
    outcome = Outcome()
    try:
        with warnings_module.catch_warnings(record=True) as caught:
            for step in case.steps:
                outcome = _try_step(library, step, scope, caught)
                warned += outcome.warnings
                if outcome.error is not None:
                    outcome.failed_in = step
                    break
    finally:
        library.reset()
    outcome.is_tensor = library.is_tensor(outcome.value)
    outcome.warnings, outcome.variables = warned, scope
    return outcome


_ALWAYS = ("always", None, Warning, None, 0)
"""The filter that lets every warning through each time."""


def _try_step(
    library: Library,
    step: str,
    scope: dict[str, Any],
    caught: list[warnings_module.WarningMessage],
) -> Outcome:
    """Run a step; ``caught`` is where its warnings arrive."""
    outcome = Outcome()
    if warnings_module.filters[0] != _ALWAYS:
        warnings_module.simplefilter("always")
    caught.clear()  # what looking at the step before warned of
    try:
        outcome.value = library.run(step, scope)
    except KeyboardInterrupt as error:
        # In a worker it is the subject's: the user interrupts the process that started it.
        if "PYTEST_XDIST_WORKER" not in os.environ:
            raise
        outcome.error = error
    except BaseException as error:  # noqa: BLE001  # a subject may raise anything
        outcome.error = error
    outcome.warnings = caught.copy()
    return outcome


def _notice(
    outcome: Outcome, library: Library, scope: Mapping[str, Any], before: Mapping[str, Any]
) -> None:
    """Note what there is after a step beside what it gave, and what was there before it."""
    outcome.is_tensor = library.is_tensor(outcome.value)
    has_elements = library.has_elements
    outcome.variables = {name: value for name, value in scope.items() if has_elements(value)}
    outcome.before, outcome.state = before, _state(outcome, library)


def _has_strides(value: Any) -> bool:
    return hasattr(value, "stride")


def _state(outcome: Outcome, library: Library) -> dict[str, Any]:
    """Write all variables as plain data, so that what a step did to any of them is seen."""
    peers: dict[str, Any] = {}
    state = {}
    for name, value in outcome.variables.items():
        try:
            state[name] = canonical(value, library, peers=peers)
        except Exception as error:  # noqa: BLE001  # a failed call may leave a tensor in pieces
            state[name] = {"in pieces": library.class_name(type(error))}
        if _has_strides(value):
            peers[name] = value
    return state


def assigns(step: str) -> bool:
    """Tell whether a step gives a name to a value."""
    return " = " in step.partition("(")[0]


DEEPEST = 50
"""How deep a container may be: one that holds itself has no end."""


def canonical(
    value: Any, library: Library, depth: int = 0, peers: Mapping[str, Any] = MappingProxyType({})
) -> Any:
    """Write a value as plain data that is equal only for equal values of equal type.

    Floats are written by their bits, so that NaN is itself, and no zero is
    another.  Of a tensor it says which of its peers share its memory.
    """
    cls = type(value)
    if depth > DEEPEST:
        return {"deeper than": str(DEEPEST)}
    if value is None or cls is bool or cls is str:
        return value
    if cls is int:
        return {"int": str(value)}
    if cls is float:
        return {"float": _bits(value)}
    if cls is complex:
        return {"complex": [_bits(value.real), _bits(value.imag)]}
    if cls is bytes:
        return {"bytes": value.hex()}
    if cls is tuple or cls is list:
        return {cls.__name__: [canonical(each, library, depth + 1, peers) for each in value]}
    if cls is dict:
        items = [each for pair in value.items() for each in pair]
        written = [canonical(each, library, depth + 1, peers) for each in items]
        return {"dict": [list(pair) for pair in zip(written[::2], written[1::2], strict=True)]}
    if (name := library.name_of(value)) is not None:
        return {"torch": name}
    if library.is_tensor(value):
        return tensor_data(value, library, peers)
    if library.is_storage(value):
        return storage_data(value, library)
    if cls is np.ndarray:
        return array_data(value)
    if library.is_a(value, "Size"):
        return {"Size": [canonical(each, library, depth + 1) for each in value]}
    if issubclass(cls, tuple):
        fields = [canonical(each, library, depth + 1, peers) for each in value]
        return {"named tuple": library.class_name(cls), "fields": fields}
    if library.is_a(value, "device"):
        return {"device": [value.type, value.index]}
    if isinstance(value, np.generic):
        return {f"numpy.{value.dtype}": value.tobytes()[::-1].hex()}
    if value is NotImplemented or value is ...:
        return {"builtin": repr(value)}
    return {"instance of": library.class_name(cls)}


def _bits(value: float) -> str:
    return f"{struct.pack('>d', value).hex()} ({value!r})"
