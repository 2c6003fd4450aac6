"""Elements that nothing wrote, found by running the oracle over memory with other contents.

An answer that differs between the fills of uninitialized memory is undefined: an element, or a
number or a text that depends on one. Every other answer is defined, also in the same tensor.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.case import Case
from ..libraries.library import Library
from ..libraries.uninitialized import can_fill, filled, other_fills
from ..observation.runner import Observation, Observer, Outcome, run_case
from ..observation.tensor_state import write_elements
from .comparator import Comparison

UNWRITTEN = "unwritten"
"""The placeholder for an undefined answer."""

SHOWN_IN = frozenset({"elements", "value", "state", "repr"})
"""The facets that contain elements."""

_DEPENDENT = SHOWN_IN | {"raises", "message"}

_DIGEST = re.compile(r"(\d+) elements, [0-9a-f]{16}")
_NUMBERS = frozenset({"int", "float", "complex"})


def may_depend_on_elements(observation: Observation) -> bool:
    """Return whether an observation has a facet that contains elements, or an error."""
    return observation.get("raises") is not None or not SHOWN_IN.isdisjoint(observation)


def may_excuse(comparison: Comparison) -> bool:
    """Return whether a comparison differs in a facet that contains elements or follows from them.

    Unwritten elements decide, too, whether a call raises, and what its message says.
    """
    return any(row.facet in _DEPENDENT for row in comparison.differences)


class Masked(NamedTuple):
    """Two answers with placeholders for what is undefined.

    forgiven: the number of undefined elements in which they differed
    """

    expected: Any
    observed: Any
    forgiven: int = 0


def without_unwritten(
    oracle: Library, case: Case, expected: Observation, observed: Observation, observer: Observer
) -> Masked:
    """Return two observations of the last step of a case without the undefined answers.

    The repr is compared in full: the oracle prints its result with the subject's elements in place
    of the undefined ones.
    """
    is_error = any(expected.get(name) != observed.get(name) for name in ("raises", "message"))
    if is_error and oracle.known is None and not can_fill(oracle):
        return Masked(expected, observed)  # not all memory is known to be filled
    others = over_other_memory(oracle, case, observer)
    if all(other == expected for other in others):
        return Masked(expected, observed)
    if is_error and oracle.known is None and last_observation(oracle, case, observer) != expected:
        return Masked(expected, observed)  # the outcome changes with something else
    masked = mask(_without_repr(expected), [*map(_without_repr, others)], _without_repr(observed))
    if masked.expected == UNWRITTEN:
        return Masked({}, {}, masked.forgiven)
    if "repr" not in expected or "repr" not in observed:
        return masked
    printed = expected["repr"]
    if any(other.get("repr") != printed for other in others):
        printed = _printed(oracle, case, masked.expected, observed, observer)
    return Masked(
        {**masked.expected, "repr": printed},
        {**masked.observed, "repr": observed["repr"] if printed != UNWRITTEN else UNWRITTEN},
        masked.forgiven,
    )


def over_other_memory(oracle: Library, case: Case, observer: Observer) -> list[Observation]:
    """Return the observations of the last step of a case over memory with other contents."""
    if oracle.known is not None:
        recorded: list[Observation] = oracle.known.fills(oracle, case)
        return recorded
    others = []
    for fill in other_fills(oracle):
        with filled(oracle, fill):
            others.append(last_observation(oracle, case, observer))
    return others


def _without_repr(observation: Observation) -> Observation:
    return {name: facet for name, facet in observation.items() if name != "repr"}


def last_observation(oracle: Library, case: Case, observer: Observer) -> Observation:
    """Return the observation of the last step of a case, empty if a step before it ends it."""
    results = run_case(oracle, case, observer, len(case.steps) - 1)
    return results[-1].observation if len(results) == len(case.steps) else {}


def _printed(
    oracle: Library, case: Case, defined: Observation, observed: Observation, observer: Observer
) -> str:
    """Return the oracle's repr of its result with the subject's undefined elements."""
    elements, marked = observed.get("elements"), defined.get("elements")
    if not isinstance(elements, list) or not isinstance(marked, list) or oracle.known is not None:
        return UNWRITTEN  # a text, or a sparse tensor; a recording cannot print
    raw = {index: elements[index] for index, text in enumerate(marked) if text == UNWRITTEN}

    def observe_written(outcome: Outcome, library: Library) -> Observation:
        write_elements(outcome.value, raw)
        return observer(outcome, library)

    return str(last_observation(oracle, case, observe_written).get("repr"))


def mask(expected: Any, others: Sequence[Any], observed: Any) -> Masked:
    """Return the oracle's and the subject's answer with placeholders for undefined parts.

    ``others`` are the oracle's answers over memory with other contents.
    """
    if all(other == expected for other in others):
        return Masked(expected, observed)
    if not all(_has_form_of(expected, other) for other in others):
        return Masked(UNWRITTEN, UNWRITTEN, _leaves(expected))
    if not _has_form_of(expected, observed):
        return Masked(expected, observed)
    if isinstance(expected, dict):
        expected, observed, *others = map(_with_listed_bytes, (expected, observed, *others))
        rows = {
            key: mask(value, [other[key] for other in others], observed[key])
            for key, value in expected.items()
        }
        return Masked(
            {key: row.expected for key, row in rows.items()},
            {key: row.observed for key, row in rows.items()},
            sum(row.forgiven for row in rows.values()),
        )
    if isinstance(expected, list):
        columns = [*map(list, zip(*others, strict=True))]
        items = [mask(*row) for row in zip(expected, columns, observed, strict=True)]
        return Masked(
            [item.expected for item in items],
            [item.observed for item in items],
            sum(item.forgiven for item in items),
        )
    return Masked(UNWRITTEN, UNWRITTEN, _leaves(expected) if expected != observed else 0)


def _has_form_of(left: Any, right: Any) -> bool:
    """Return whether two answers have the same structure, apart from their parts."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right)
    return not isinstance(left, list) or len(left) == len(right)


def _leaves(answer: Any) -> int:
    """Return the number of parts of an answer; a digest stands for its elements."""
    if isinstance(answer, dict):
        return sum(map(_leaves, answer.values()))
    if isinstance(answer, list):
        return sum(map(_leaves, answer))
    match = _DIGEST.fullmatch(answer) if isinstance(answer, str) else None
    return int(match[1]) if match else 1


def _with_listed_bytes(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a storage or an array with its elements as a list."""
    digits, text = _digits(data), data.get("elements")
    if not digits or not isinstance(text, str):
        return data
    listed = [text[start : start + digits] for start in range(0, len(text), digits)]
    return {**data, "elements": listed}


def _digits(data: dict[str, Any]) -> int:
    """Return the number of hex digits of an element of a storage or an array, or 0."""
    if "resizable" in data:
        return 2
    if "writeable" not in data:
        return 0
    try:
        return 2 * int(np.dtype(data["array"]).itemsize)
    except TypeError:  # a structured dtype
        return 2


def compared_elements(observation: Observation) -> int:
    """Return the number of elements in the facets of an observation."""
    count = _element_count(observation.get("elements"))
    if isinstance(state := observation.get("state"), dict):
        for data in state.values():
            if isinstance(data, dict):
                count += _element_count(data.get("elements"), data)
    value = observation.get("value")
    return count + (_number_count(value) if isinstance(value, dict) else 0)


def _element_count(elements: Any, data: dict[str, Any] | None = None) -> int:
    if isinstance(elements, list):
        return len(elements)
    if isinstance(elements, dict):
        return sum(_element_count(part.get("elements")) for part in elements.values())
    if not isinstance(elements, str):
        return 0
    if match := _DIGEST.fullmatch(elements):
        return int(match[1])
    digits = _digits(data or {})
    return len(elements) // digits if digits else 0


def _number_count(value: Any) -> int:
    """Return the number of numbers, and of elements of tensors, in a value."""
    if isinstance(value, list):
        integers = sum("int" in item for item in value if type(item) is dict)
        if integers == len(value):
            return integers
        return sum(map(_number_count, value))
    if not isinstance(value, dict):
        return 0
    if "elements" in value:
        return _element_count(value["elements"], value)
    if len(value) == 1 and not _NUMBERS.isdisjoint(value):
        return 1
    return sum(map(_number_count, value.values()))
