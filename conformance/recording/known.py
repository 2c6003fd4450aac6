"""Answers that are known from a recording, so that no program runs."""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from ..comparison import comparator
from ..comparison.element_cases import ElementCase
from ..comparison.other_kernels import in_statements
from ..core.case import Case
from ..core.errors import CouldNotRun
from ..libraries.library import Library
from ..observation.cross_device import without_left_out
from ..observation.cuda_modes import FAKE
from ..observation.element_bytes import are_all_written
from ..observation.runner import Observation, Outcome, StepResult, assigns
from .answers import SIMULATED, Answers, Key, key_of
from .archive import Archive
from .recorder import mode_of

_UNTIL_IT_IS_SET = "UserWarning: Sparse invariant checks are implicitly disabled."
"""The beginning of a warning that torch gives until a program of the process sets the checks."""


def compare_with_recording(
    expected: Observation, observed: Observation, case: str
) -> comparator.Comparison:
    """Return the comparison of an observation with a recorded one.

    The programs that ran before in the process are others than those of the recording. So a warning
    that depends on them is no difference.
    """
    result = comparator.compare(expected, observed, case)
    left, right = (_without_chance(side.get("warnings")) for side in (expected, observed))
    if left != right or all(row.facet != "warnings" for row in result.differences):
        return result
    rows = [row for row in result.differences if row.facet != "warnings"]
    return result._replace(differences=rows, normalized=[*result.normalized, "invariants-once"])


def _without_chance(warnings: Any) -> Any:
    if not isinstance(warnings, list):
        return warnings
    return [text for text in warnings if not text.startswith(_UNTIL_IT_IS_SET)]


class NotRecorded(Exception):
    """Raised for a program that a recording does not have."""


Row = TypeVar("Row")


def _answer(table: Mapping[Key, Row], key: Key) -> Row:
    """Return the answer to a program, or raise `NotRecorded`."""
    try:
        return table[key]
    except KeyError:
        raise NotRecorded(key) from None


@dataclass
class KeptElements:
    """A tensor of which a recording has the raw elements."""

    raw: np.ndarray
    itemsize: int

    def element_size(self) -> int:
        """Return the size of an element in bytes."""
        return self.itemsize


def _error(data: list[str] | None) -> BaseException | None:
    """Return an error of the builtin class that is named, or of another class of that name."""
    if data is None:
        return None
    name, message = data
    own: type[BaseException] = type(name, (Exception,), {})
    cls = getattr(builtins, name, own)
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        cls = own
    try:
        return cls(message)
    except TypeError:  # UnicodeDecodeError, for example, takes other arguments
        return own(message)


def library_of(archive: Archive) -> Library:
    """Return the library of a recording, whose namespace is empty."""
    library = Library(archive.header.oracle, SimpleNamespace(), archive.header.names)
    library.known = KnownAnswers(archive)
    return library


class KnownAnswers:
    """The answers of a recording; those of one part of a property at a time."""

    def __init__(self, archive: Archive) -> None:
        self.header = archive.header
        self._archive = archive
        self._answers = Answers()
        self._subject: Library | None = None

    def open_part(self, name: str, subject: Library | None = None) -> Answers:
        """Read the answers of a part, or raise `CouldNotRun` if it is not in the recording.

        What the subject lacks is left out of the observations, as it is of those of a library.
        """
        answers = self._archive.part(name)
        if answers is None:
            raise CouldNotRun(f"{self._archive.path} has no answers of {name}")
        self._answers, self._subject = answers, subject
        return answers

    def _compared(self, observation: Observation, mode: str) -> Observation:
        """Return an observation as that of a library is compared, which `observe_fake` is whole."""
        is_fake = mode == SIMULATED and self.header.environment["cuda"] == FAKE
        if self._subject is None or is_fake:
            return observation
        return without_left_out(observation, self._subject)

    def results(self, library: Library, case: Case, unobserved: int) -> list[StepResult]:
        """Return the results of a case, as `run_case` does; raise `NotRecorded` without them."""
        results: list[StepResult] = []
        mode = mode_of(library)
        for step, text in enumerate(case.steps):
            key = key_of(case.until(step).steps, mode)
            observation, error, place = _answer(self._answers.steps, key)
            if are_all_written():
                observation = self._answers.full.get(key, observation)
            seen = self._compared(observation, mode) if step >= unobserved else {}
            position = None if place is None else tuple(place)
            results.append(StepResult(seen, _error(error), position))
            if error is not None and assigns(text):
                break
        return results

    def fills(self, library: Library, case: Case) -> list[Observation]:
        """Return the observations over memory with other contents, if they differ."""
        mode = mode_of(library)
        others = self._answers.fills.get(key_of(case.steps, mode), [])
        return [self._compared(other, mode) for other in others]

    def kernels(self, case: Case) -> list[list[np.ndarray]]:
        """Return the differing results of other kernels, and of other vector widths."""
        names = self._answers.kernels.get(key_of(in_statements(case).steps), [[], []])
        return [[self._answers.arrays[name] for name in row] for row in names]

    def bulk(self, library: Library, bulk: ElementCase) -> tuple[Outcome, Observation]:
        """Return the outcome and the observation of a bulk case."""
        row = _answer(self._answers.bulk, key_of(bulk.case.steps, mode_of(library)))
        outcome = Outcome(error=_error(row["error"]), failed_in=row["failed_in"])
        if "arrays" in row:
            arrays = [self._answers.arrays[name] for name in row["arrays"]]
            tensors = [*map(KeptElements, arrays, row["itemsizes"])]
            outcome.value, outcome.is_tensor = tensors[0], True
            outcome.variables = dict(zip(bulk.operands, tensors[1:], strict=False))
        return outcome, row["observation"]

    def elements(self, bulk: ElementCase, steps: tuple[str, ...]) -> np.ndarray:
        """Return the raw elements that other steps give for the patterns of a bulk case."""
        name = _answer(self._answers.elements, key_of((*bulk.patterns, *steps)))
        return self._answers.arrays[name]
