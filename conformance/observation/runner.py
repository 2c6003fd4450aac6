"""Running a case with one library, and its observation as plain data.

No comparison uses a subject's own ``__eq__``.
"""

import os
import struct
import warnings as warnings_module
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ..core.case import Case
from ..core.errors import NoProgram
from ..libraries.library import CASE, Library
from .tensor_state import NO_PEERS, Peers, array_data, storage_data, tensor_data

Observation = dict[str, Any]
"""The facets of one step by their names."""


PLAIN = (type(None), bool, int, float, complex, str, bytes)
"""The types whose values `canonical` writes in full."""

NOTHING = object()
"""The value of a step that is not an expression."""


@dataclass(slots=True)
class Outcome:
    """The outcome of one step: a value or an error, and its warnings.

    failed_in: the failing step of a program
    variables: the tensors, storages and arrays with a name
    before: the variables before the step, as plain data
    observed: the facets that are read already
    library: the library whose variables ``state`` reads
    """

    value: Any = NOTHING
    error: BaseException | None = None
    warnings: list[warnings_module.WarningMessage] = field(default_factory=list)
    is_tensor: bool = False
    failed_in: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    observed: Observation = field(default_factory=dict)
    library: Library | None = None
    _state: Mapping[str, Any] | None = None
    _peers: Peers | None = None

    @property
    def state(self) -> Mapping[str, Any]:
        """The variables after the step, as plain data; they are read once, when first asked for."""
        if self._state is None:
            self._state = {} if self.library is None else self._read_state(self.library)
        return self._state

    @property
    def data(self) -> Mapping[str, Any]:
        """The value as it is in ``state``, if it is a tensor with a name; else empty."""
        if not self.is_tensor:
            return {}
        names = [name for name, value in self.variables.items() if value is self.value]
        return self.state.get(names[-1], {}) if names else {}

    def _read_state(self, library: Library) -> dict[str, Any]:
        """Return all variables as plain data, so that any modification is visible."""
        peers, state = Peers(), {}
        for name, value in self.variables.items():
            try:
                state[name] = canonical(value, library, peers=peers)
            except Exception as error:  # noqa: BLE001  # a failed call may leave an invalid tensor
                state[name] = {"in pieces": library.class_name(type(error))}
            if hasattr(value, "stride"):
                peers.add(name, value)
        self._peers = peers
        return state

    def with_states(self, change: Callable[[Any], Any]) -> "Outcome":
        """Return the outcome with a change to what is known of the variables."""
        state = change(self.state)
        return replace(self, before=change(self.before), _state=state)

    @property
    def peers(self) -> Peers:
        """The variables that are tensors."""
        if self._peers is None:
            variables = self.variables.items()
            tensors = {name: value for name, value in variables if hasattr(value, "stride")}
            self._peers = Peers(tensors)
        return self._peers


Position = tuple[int, int, int, int]
"""The first and last line of an expression, then its first and last column, as in a code object."""

RaisedAt = tuple[CodeType, int] | Position
"""The code of a step and the index of the instruction that raised an error, or its position."""


class StepResult(NamedTuple):
    """The observation of a step, empty if it was not observed, and its error.

    The error has no traceback, whose frames would refer to this result.

    raised_at: where the error was raised
    state: the variables after the step, if they were read
    """

    observation: Observation
    error: BaseException | None
    raised_at: RaisedAt | None = None
    state: Mapping[str, Any] | None = None


Observer = Callable[[Outcome, Library], Observation]


def run_case(
    library: Library,
    case: Case,
    observer: Observer,
    unobserved: int = 0,
    before: Mapping[str, Any] | None = None,
) -> list[StepResult]:
    """Return the results of the steps of a case, each observed before the next runs.

    A failed assignment is the last step. The first ``unobserved`` steps are run but not observed;
    ``before`` is the state after them, if that is known from another program. Nothing runs if the
    answers of the library are known from a recording.
    """
    if library.known is not None:
        recorded: list[StepResult] = library.known.results(library, case, unobserved)
        return recorded
    results = _run_case(library, case, observer, unobserved, before)
    if library.recorder is not None:
        library.recorder.keep(library, case, observer, results, unobserved)
    return results


def _run_case(
    library: Library,
    case: Case,
    observer: Observer,
    unobserved: int,
    before: Mapping[str, Any] | None,
) -> list[StepResult]:
    scope = library.scope()
    given = len(scope)
    results: list[StepResult] = []
    state: Mapping[str, Any] = before or {}
    try:
        with warnings_module.catch_warnings(record=True) as caught:
            for number, step in enumerate(case.steps, 1):
                outcome = _try_step(library, step, scope, caught)
                observation: Observation = {}
                if number > unobserved or (number == unobserved and before is None):
                    outcome.is_tensor = library.is_tensor(outcome.value)
                    outcome.variables, outcome.library = library.variables_in(scope), library
                    outcome.before = state
                if number > unobserved:
                    observation = observer(outcome, library)
                if outcome.library is not None and number < len(case.steps):
                    state = outcome.state
                place = raised_at(outcome.error)
                results.append(StepResult(observation, outcome.error, place, outcome._state))
                if outcome.error is not None and assigns(step):
                    break
    finally:
        # What the program leaves suspended ends now, not when garbage is collected. The frames of
        # its errors refer to all that they called, and its functions to the scope.
        for result in results:
            _drop_frames(result.error)
        for name in reversed(list(scope)[given:]):
            del scope[name]
        library.reset()
    return results


def raised_at(error: BaseException | None) -> RaisedAt | None:
    """Return where in a step an error was raised, or None if its traceback does not tell."""
    entry = None if error is None else error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename == CASE:
            return code, entry.tb_lasti
        entry = entry.tb_next
    return None


def position_of(raised: RaisedAt | None) -> Position | None:
    """Return the position in a step at which an error was raised, if it is known."""
    if raised is None or len(raised) == 4:
        return raised
    code, instruction = raised
    line, end_line, column, end_column = [*code.co_positions()][instruction // 2]
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line, end_line, column, end_column


def _drop_frames(error: BaseException | None) -> None:
    """Drop the frames, and their variables, of an error and of the errors that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def raised_alike(expected: Sequence[StepResult], observed: Sequence[StepResult]) -> bool:
    """Return whether the same steps raised an error."""
    first, second = ([result.error is None for result in side] for side in (expected, observed))
    return first == second


def run_through(
    library: Library, case: Case, variables: Mapping[str, Any], *, past_errors: bool = False
) -> Outcome:
    """Return the outcome of the last step of a case, or of the first step that fails.

    With ``past_errors`` only a failed assignment is the last step, as in `run_case`. ``variables``
    are defined from the start. The outcome has all variables, and the warnings of all steps.
    """
    scope = {**library.scope(), **variables}
    warnings: list[warnings_module.WarningMessage] = []
    outcome = Outcome()
    try:
        with warnings_module.catch_warnings(record=True) as caught:
            for step in case.steps:
                outcome = _try_step(library, step, scope, caught)
                warnings += outcome.warnings
                if outcome.error is not None and (assigns(step) or not past_errors):
                    outcome.failed_in = step
                    break
    finally:
        library.reset()
    outcome.is_tensor = library.is_tensor(outcome.value)
    outcome.warnings, outcome.variables = warnings, scope
    return outcome


_ALWAYS = ("always", None, Warning, None, 0)
"""The filter that shows every warning each time."""


def _try_step(
    library: Library,
    step: str,
    scope: dict[str, Any],
    caught: list[warnings_module.WarningMessage],
) -> Outcome:
    outcome = Outcome()
    if warnings_module.filters[0] != _ALWAYS:
        warnings_module.simplefilter("always")
    caught.clear()  # warnings from observing the step before
    try:
        outcome.value = library.run(step, scope)
    except NoProgram:
        raise
    except KeyboardInterrupt as error:
        # In a worker the subject raised it: Ctrl-C reaches the process that started the worker.
        if "PYTEST_XDIST_WORKER" not in os.environ:
            raise
        outcome.error = error
    except BaseException as error:  # noqa: BLE001  # a subject may raise anything
        outcome.error = error
    outcome.warnings = caught.copy()
    return outcome


def assigns(step: str) -> bool:
    """Return whether a step assigns a value to a name."""
    return " = " in step.partition("(")[0]


MAX_DEPTH = 50
"""The maximum depth of a container, which may contain itself."""


def canonical(value: Any, library: Library, depth: int = 0, peers: Peers = NO_PEERS) -> Any:
    """Return a value as plain data that is equal only for equal values of equal type.

    Floats are written by their bits, so that NaN equals itself and the zeros differ. The data of a
    tensor lists the ``peers`` that share its storage.
    """
    cls = type(value)
    if depth > MAX_DEPTH:
        return {"deeper than": str(MAX_DEPTH)}
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
        return {
            cls.__name__: [
                {"int": str(item)} if type(item) is int and depth < MAX_DEPTH
                else canonical(item, library, depth + 1, peers)
                for item in value
            ]
        }  # fmt: skip
    if cls is dict:
        items = [item for pair in value.items() for item in pair]
        canonicals = [canonical(item, library, depth + 1, peers) for item in items]
        return {
            "dict": [list(pair) for pair in zip(canonicals[::2], canonicals[1::2], strict=True)]
        }
    if (name := library.name_of(value)) is not None:
        return {"torch": name}
    if library.is_tensor(value):
        return tensor_data(value, library, peers)
    if library.is_a(value, "UntypedStorage"):
        return storage_data(value, library)
    if library.is_a(value, "TypedStorage"):
        untyped = canonical(value.untyped(), library, depth + 1)
        return {library.class_name(cls): library.name_of(value.dtype), "untyped": untyped}
    if cls is np.ndarray:
        return array_data(value, lambda item: canonical(item, library, depth + 1, peers))
    if library.is_a(value, "Size"):
        return {"Size": [canonical(item, library, depth + 1) for item in value]}
    if issubclass(cls, tuple):
        fields = [canonical(item, library, depth + 1, peers) for item in value]
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
