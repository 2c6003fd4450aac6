"""Recording: keeping what an oracle answers, and what a comparison would ask it again.

A comparison asks again only if two answers differ, and a recording does not know which will. So
everything that it could ask is asked here: each program over memory with other contents, and each
result of a tensor by the other kernels of the oracle.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..comparison.element_cases import ElementCase, elements_of, results_of
from ..comparison.other_kernels import in_statements, results_of_all
from ..comparison.rounded_sums import is_sum, sums_in_double
from ..comparison.tolerances import (
    compared_results,
    computed_format,
    load_tolerances,
    tolerances_for,
)
from ..comparison.unwritten import last_observation, may_depend_on_elements, over_other_memory
from ..core.case import Case
from ..core.domain import Cell
from ..core.float_formats import FORMATS, Format, is_nan
from ..libraries.library import Library
from ..libraries.uninitialized import can_fill
from ..observation.cuda_modes import LibraryInContext
from ..observation.element_bytes import all_elements_written, has_digest
from ..observation.runner import Observation, Observer, Outcome, StepResult, position_of
from .answers import SIMULATED, Answers, Key, Request, key_of


def mode_of(library: Library) -> str:
    """Return the mode in which a library runs programs."""
    return SIMULATED if isinstance(library, LibraryInContext) else ""


def error_of(error: BaseException | None, library: Library) -> list[str] | None:
    """Return an error as plain data."""
    return None if error is None else [library.class_name(type(error)), str(error)]


class _Result(NamedTuple):
    """A result that other kernels may give otherwise; see `results_of_all`."""

    case: Case
    fmt: Format
    own: Any
    is_strided: bool


def _may_be_strided(case: Case, fmt: Format, own: Any) -> bool:
    """Return whether a comparison may ask for a result with operands of other strides.

    It does if the operator is not exactly rounded, or for the signs of NaNs and zeros.
    """
    if not fmt.is_float:
        return False
    is_zero = (own & (fmt.magnitudes - 1)) == 0
    has_rows = bool(tolerances_for(in_statements(case).steps[-1], load_tolerances()))
    return has_rows or bool((is_zero | is_nan(own, fmt)).any())


class Recorder:
    """Keeps the answers of one part of a property."""

    def __init__(self) -> None:
        self.answers = Answers()
        self._results: dict[Key, _Result] = {}
        self._complete: set[Key] = set()
        self._is_asking_again = False

    def keep(
        self,
        library: Library,
        case: Case,
        observer: Observer,
        results: Sequence[StepResult],
        unobserved: int,
    ) -> None:
        """Keep the results of a program, and all that could be asked again of its steps."""
        for step in range(unobserved, len(results)):
            program, result = case.until(step), results[step]
            key = key_of(program.steps, mode_of(library))
            if key not in self.answers.steps:
                place = position_of(result.raised_at)
                error = error_of(result.error, library)
                self.answers.steps[key] = [result.observation, error, place]
            # A program that was asked again may be one that a property asks later.
            if not self._is_asking_again and result.error is None and key not in self._complete:
                self._complete.add(key)
                with self._asking_again():
                    self._ask_again(library, program, observer, result.observation, key)

    def add_item(self, cell: Cell, requests: list[Request]) -> None:
        """Keep what a property asked in a cell or, without one, in a drawn case."""
        self.answers.items.append((cell, requests))

    def add_other(self, cell: Cell, requests: list[Request]) -> None:
        """Keep what a property asks in a cell that may be asked instead of another one."""
        self.answers.others.append((cell, requests))

    def write(
        self,
        library: Library,
        folder: Path,
        name: str,
        verbatim: str | None,
        facts: Mapping[str, Any],
    ) -> None:
        """Write the answers of the part into a folder.

        verbatim: the record of a part that is not about the subject, whose answers are left out
        facts: what is known of its cells
        """
        if verbatim is None:
            with self._asking_again():
                self._keep_kernels(library)
        answers = self.answers if verbatim is None else Answers(verbatim=verbatim)
        answers.facts = dict(facts)
        for suffix, content in answers.as_files().items():
            (folder / (name + suffix)).write_bytes(content)

    @contextmanager
    def _asking_again(self) -> Iterator[None]:
        self._is_asking_again = True
        try:
            yield
        finally:
            self._is_asking_again = False

    def _ask_again(
        self, library: Library, case: Case, observer: Observer, observation: Observation, key: str
    ) -> None:
        if mode_of(library):
            return  # simulated devices have no elements
        if may_depend_on_elements(observation):
            # Without fills that reach all memory, nothing is known of unwritten elements.
            fills = can_fill(library)
            with all_elements_written():
                if has_digest(observation):
                    observation = last_observation(library, case, observer)
                    self.answers.full[key] = observation
                others = over_other_memory(library, case, observer) if fills else []
            if any(other != observation for other in others):
                self.answers.fills[key] = others
        for part, fmt, own in compared_results(case, observation):
            self._remember(part, fmt, own, is_strided=_may_be_strided(part, fmt, own))
            computed_format(library, part, fmt)
            if is_sum(part, fmt):
                sums_in_double(library, part)

    def _remember(self, case: Case, fmt: Format, own: Any, *, is_strided: bool) -> None:
        """Remember a result, to ask for it by other kernels at the end of the part."""
        key = key_of(in_statements(case).steps)
        if key not in self._results:
            self._results[key] = _Result(case, fmt, own, is_strided)

    def _keep_kernels(self, library: Library) -> None:
        """Keep the results of other kernels that differ from the oracle's own, each once."""
        asked = [(each.case, each.fmt, each.is_strided) for each in self._results.values()]
        answers = results_of_all(library, asked)
        for (key, result), kernels in zip(self._results.items(), answers, strict=True):
            names: list[list[str]] = []
            for arrays in kernels:
                distinct = {
                    array.tobytes(): array for array in arrays if array.size == result.own.size
                }
                distinct.pop(result.own.tobytes(), None)
                names.append([self.answers.add_array(array) for array in distinct.values()])
            if any(names):
                self.answers.kernels[key] = names

    def keep_bulk(
        self, library: Library, bulk: ElementCase, outcome: Outcome, observation: Observation
    ) -> None:
        """Keep the result of a bulk case, with all elements, and what could be asked again."""
        key = key_of(bulk.case.steps, mode_of(library))
        if key in self.answers.bulk:
            return
        row: dict[str, Any] = {
            "observation": observation,
            "error": error_of(outcome.error, library),
            "failed_in": outcome.failed_in,
        }
        self.answers.bulk[key] = row
        if not outcome.is_tensor or outcome.error is not None:
            return
        results = results_of(bulk, outcome, library, observation["dtype"])
        tensors = outcome.value, *map(outcome.variables.__getitem__, bulk.operands)
        row["itemsizes"] = [int(tensor.element_size()) for tensor in tensors]
        row["arrays"] = [*map(self.answers.add_array, (results.result, *results.operands))]
        with self._asking_again():
            self._ask_bulk_again(library, bulk, results.target, results.result)

    def _ask_bulk_again(self, library: Library, bulk: ElementCase, fmt: Format, own: Any) -> None:
        self._remember(bulk.case, fmt, own, is_strided=fmt.is_float and not bulk.sizes)
        if bulk.otherwise:
            case = Case((*bulk.patterns, *bulk.otherwise))
            self._remember(case, fmt, own, is_strided=False)
            self._keep_elements(library, bulk, bulk.otherwise, fmt)
        if bulk.sizes:
            steps = (*bulk.steps[:-1], *bulk.sizes)
            self._keep_elements(library, bulk, steps, FORMATS["float64"])

    def _keep_elements(
        self, library: Library, bulk: ElementCase, steps: tuple[str, ...], fmt: Format
    ) -> None:
        key = key_of((*bulk.patterns, *steps))
        if key not in self.answers.elements:
            array = elements_of(bulk, library, steps, fmt)
            self.answers.elements[key] = self.answers.add_array(array)
