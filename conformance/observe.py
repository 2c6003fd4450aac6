"""Runs a case under one library and writes down everything that can be seen of it.

What is seen is plain data (an `Observation`), so that it can be compared,
stored and shown; no subject's own ``__eq__`` takes part in any comparison.
"""

import os
import struct
import warnings as warnings_module
from dataclasses import dataclass, field
from typing import Any

from .cases import Case
from .library import Library

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
    """What one step did: gave a value or raised, and warned or not."""

    value: Any = NOTHING
    error: BaseException | None = None
    warnings: list[warnings_module.WarningMessage] = field(default_factory=list)


def run_case(library: Library, case: Case) -> list[Outcome]:
    """Run the steps of a case; those after a failed assignment are not run."""
    scope = library.scope()
    outcomes = []
    try:
        for step in case.steps:
            outcomes.append(outcome := _run_step(library, step, scope))
            if outcome.error is not None and _assigns(step):
                break
    finally:
        library.reset()
    return outcomes


def _run_step(library: Library, step: str, scope: dict[str, Any]) -> Outcome:
    outcome = Outcome()
    with warnings_module.catch_warnings(record=True) as caught:
        warnings_module.simplefilter("always")
        try:
            outcome.value = library.run(step, scope)
        except KeyboardInterrupt as error:
            # In a worker it is the subject's: the user interrupts the process that started it.
            if "PYTEST_XDIST_WORKER" not in os.environ:
                raise
            outcome.error = error
        except BaseException as error:  # noqa: BLE001  # a subject may raise anything
            outcome.error = error
    outcome.warnings = list(caught)
    return outcome


def _assigns(step: str) -> bool:
    return " = " in step.partition("(")[0]


DEEPEST = 50
"""How deep a container may be: one that holds itself has no end."""


def canonical(value: Any, library: Library, depth: int = 0) -> Any:
    """Write a value as plain data that is equal only for equal values of equal type.

    Floats are written by their bits, so that NaN is itself, and no zero is another.
    """
    kind = type(value)
    if depth > DEEPEST:
        return {"deeper than": str(DEEPEST)}
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return {"int": str(value)}
    if kind is float:
        return {"float": _bits(value)}
    if kind is complex:
        return {"complex": [_bits(value.real), _bits(value.imag)]}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is tuple or kind is list:
        return {kind.__name__: [canonical(each, library, depth + 1) for each in value]}
    if kind is dict:
        items = [each for pair in value.items() for each in pair]
        written = [canonical(each, library, depth + 1) for each in items]
        return {"dict": [list(pair) for pair in zip(written[::2], written[1::2], strict=True)]}
    if (name := library.name_of(value)) is not None:
        return {"torch": name}
    if value is NotImplemented or value is ...:
        return {"builtin": repr(value)}
    return {"instance of": library.class_name(kind)}


def _bits(value: float) -> str:
    return f"{struct.pack('>d', value).hex()} ({value!r})"
