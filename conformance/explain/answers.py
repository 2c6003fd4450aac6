"""The results of a program in both libraries, with the rules that explain the oracle's."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

import numpy as np

from ..comparison import comparator
from ..core.case import Case
from ..core.domain import Domain
from ..core.errors import CouldNotRun
from ..core.formatting import WIDTH, format_facet, format_sides, truncate
from ..core.profiles import PROFILES
from ..engine.execution import run_part
from ..engine.probe import Probe
from ..engine.records import PartRecord
from ..engine.registry import Property
from ..engine.rule_checks import REFUSED
from ..engine.session import Compare, Session
from ..libraries.library import Library, attribute_or_none
from ..libraries.loading import load
from ..libraries.oracle import load_oracle
from ..libraries.watched import Watched
from ..observation.cross_device import observer_for
from ..observation.cuda_modes import describe_devices
from ..observation.lacking_facts import lacking_facts, name_equal_dtypes
from ..observation.runner import Observation, StepResult, run_case
from ..properties import all_properties
from ..recording.archive import archive_of
from ..recording.known import compare_with_recording, library_of
from ..rules import ALL_RULES
from ..spec.clauses import load_clauses
from .program import program_steps
from .reasons import Explanation, Reasoner


@dataclass
class Answers:
    """The results of a program on both sides.

    steps, expected, observed: the statements, and their results in the oracle and the subject.
    explanations, record: the rules for the oracle's results, and the divergences.
    cuda: the implementation of the oracle's CUDA devices, if the program uses any.
    """

    steps: Sequence[str]
    expected: Sequence[StepResult] = ()
    observed: Sequence[StepResult] = ()
    explanations: list[Explanation] = field(default_factory=list)
    record: PartRecord | None = None
    cuda: str = ""

    @property
    def agree(self) -> bool:
        """Whether both sides agree in every facet."""
        return self.record is not None and not self.record.divergences


def _no_notify(side: str) -> None:
    pass


def session_of(
    oracle_spec: str, subject_spec: str, notify: Callable[[str], None] = _no_notify
) -> Session:
    """Return a session with both libraries; raise `CouldNotRun` if one cannot be loaded.

    ``notify`` is called with the spec of a library before its code runs, and with "" afterwards.
    """
    notify(oracle_spec)
    recording = archive_of(oracle_spec)
    oracle = load_oracle(oracle_spec) if recording is None else library_of(recording)
    all_properties()  # The tables of the suite must not change any more.
    watched = Watched(oracle.root)
    notify(subject_spec)
    answers = archive_of(subject_spec)
    subject = load(subject_spec, oracle.names) if answers is None else library_of(answers)
    if subject.default_device and recording is not None:
        raise CouldNotRun(f"{subject_spec!r}: a recording judges no subject on a device")
    if subject.default_device and not oracle.default_device:
        # Both sides need a default device: it shows in warnings and in arguments of functions.
        oracle = load_oracle(f"{oracle_spec}@cpu")
    lacking: dict[str, str] = {}
    if answers is None:
        name_equal_dtypes(subject)
        lacking = lacking_facts(subject)
    subject.not_asked = subject.not_asked.union(lacking)
    notify("")
    observer = observer_for(subject)
    profile = PROFILES["quick"]
    session = Session(oracle, subject, profile, watched=watched, observer=observer, lacking=lacking)
    is_known = recording is not None or answers is not None
    return replace(session, compare=compare_with_recording) if is_known else session


def ask_both(session: Session, text: str, notify: Callable[[str], None] = _no_notify) -> Answers:
    """Return the results of a program on both sides, with explanations of the oracle's.

    Raises `CouldNotRun` for an invalid program.  ``notify`` is as in `session_of`.
    """
    session = replace(session, compare=_without_addresses(session.compare))
    steps = program_steps(
        text, lambda name: attribute_or_none(session.oracle.root, name) is not None
    )
    answers = Answers(steps)

    def body(ask: Probe, cell: str) -> None:
        sides = ask.session.oracle, ask.session.subject
        with _same_seed(sides[0], notify), _same_seed(sides[1], notify):
            ask(*steps)
            answers.expected, answers.observed = (
                run_case(library, Case(tuple(steps)), ask.session.observer) for library in sides
            )
            answers.explanations = _explain_steps(sides[0], steps, answers.expected)
        notify("")

    names_devices = any(word in text for word in ("device", "cuda", "meta"))
    prop = Property(
        "devices.program" if names_devices else "promotion.program",
        "what a program gives", body, 1, domain=lambda torch: Domain(program=["it"]),
        about_subject=True, cuda="cuda" in text,
    )  # fmt: skip
    try:
        answers.record = run_part(session, prop, 0)
    except NameError as error:
        raise CouldNotRun(str(error)) from None
    if "cuda" in text:
        answers.cuda = describe_devices(session.oracle)
    return answers


@contextmanager
def _same_seed(library: Library, notify: Callable[[str], None]) -> Iterator[None]:
    """Set the same random seeds before every program of a library.

    ``notify`` is called with the spec of the library whenever a program begins.
    """
    scope = library.scope

    def seeded_scope() -> dict[str, Any]:
        notify(library.spec)
        random.seed(0)
        np.random.seed(0)
        with suppress(Exception, SystemExit):
            library.root.manual_seed(0)
        return scope()

    library.scope = seeded_scope  # type: ignore[method-assign]
    try:
        yield
    finally:
        del library.scope


def _without_addresses(compare: Compare) -> Compare:
    """Return a comparator that ignores the repr of values whose repr shows an address."""

    def compared(
        expected: Observation, observed: Observation, case: str = ""
    ) -> comparator.Comparison:
        if any(" at 0x" in str(observation.get("repr")) for observation in (expected, observed)):
            expected, observed = (
                {name: value for name, value in observation.items() if name != "repr"}
                for observation in (expected, observed)
            )
        return compare(expected, observed, case)

    return compared


def _explain_steps(
    oracle: Library, steps: Sequence[str], results: Sequence[StepResult]
) -> list[Explanation]:
    """Return the explanations of every step that ran, each after the steps that did not fail."""
    explanations: list[Explanation] = []
    before: list[str] = []
    for index, (step, result) in enumerate(zip(steps, results, strict=False), 1):
        explanations += Reasoner(oracle, before).explain(step, is_last=index == len(steps))
        if result.error is None:
            before.append(step)
    return explanations


def answer_lines(answers: Answers, oracle: str, subject: str) -> list[str]:
    """Return the answers as lines of text."""
    width = max(len(oracle), len(subject))
    lines = [*answers.steps, ""]
    for index in _shown_steps(answers):
        several = len(answers.steps) > 1
        lines += [f"{answers.steps[index]}:"] if several else []
        sides = answers.expected, answers.observed
        first, second = (
            _outcome(side[index]) if index < len(side) else [_NOT_REACHED] for side in sides
        )
        same = ["the same"] if first == second else second
        for name, outcome in ((oracle, first), (subject, same)):
            lines.append(f"{name:<{width}}  {outcome[0]}")
            lines += [f"{'':<{width}}  {line}" for line in outcome[1:]]
    lines += [f"CUDA devices of {oracle}: {answers.cuda}"] if answers.cuda else []
    reasons = _reasons(answers.explanations, oracle)
    return [*lines, "", *_agreement(answers, oracle, subject), "", *reasons]


_NOT_REACHED = "the program ended before"


def _shown_steps(answers: Answers) -> list[int]:
    """Return the indices of the steps to show: those that failed on either side, and the last."""
    sides = answers.expected, answers.observed
    failed = {index for side in sides for index, step in enumerate(side) if step.error is not None}
    return sorted(failed | {max(map(len, sides)) - 1})


MAX_LINES = 12
"""The largest number of lines of a printed tensor."""

_MAX_VALUE_LENGTH = 300
"""The largest length of a value as plain data; a longer one is shown by its repr."""


def _outcome(result: StepResult) -> list[str]:
    """Return the lines for a step: its error, tensor or other value, and its warnings."""
    observation = result.observation
    warned = [f"warning  {truncate(text)}" for text in observation.get("warnings", [])]
    if result.error is not None:
        return [f"{observation['raises']}: {truncate(error_text(result.error), 0, 300)}", *warned]
    if "dtype" not in observation:
        text = format_facet("value", observation.get("value"))
        return [*(_printed(observation) if len(text) > _MAX_VALUE_LENGTH else [text]), *warned]
    summary = f"{observation['dtype']}, shape {_tuple(observation.get('shape'))}"
    summary += f", stride {_tuple(observation['stride'])}" if "stride" in observation else ""
    summary += f", on {observation['device']}" if "device" in observation else ""
    grad = observation.get("autograd")
    summary += ", requires grad" if isinstance(grad, dict) and grad["requires_grad"] else ""
    return [summary, *_printed(observation), *warned]


def _printed(observation: Observation) -> list[str]:
    """Return the first lines of the repr of a value."""
    printed = str(observation.get("repr", "")).splitlines()
    return printed if len(printed) <= MAX_LINES else [*printed[:MAX_LINES], "..."]


def error_text(error: BaseException) -> str:
    """Return the text of an error, or a note if its ``__str__`` raises."""
    try:
        return str(error)
    except BaseException as raised:  # noqa: BLE001  # a subject's own __str__
        return f"its text raises {type(raised).__name__}"


def _tuple(sizes: Any) -> str:
    return str(tuple(sizes)) if isinstance(sizes, list) else str(sizes)


def _agreement(answers: Answers, oracle: str, subject: str) -> list[str]:
    """Return the lines for the facets that differ, or else for the facets that agree."""
    record = answers.record
    assert record is not None
    divergences = [*record.divergences.values()]
    lines = []
    for divergence in divergences:
        left, right = format_sides(vars(divergence), None)
        lines += [f"differs in {divergence.facet}", f"  {oracle}: {left}", f"  {subject}: {right}"]
    if not divergences:
        lines = [f"{subject} agrees with {oracle} in {', '.join(record.facets)}"]
    if record.normalized:
        lines.append(
            f"counted as alike, since torch leaves it open: {', '.join(record.normalized)}"
        )
    return lines


def _reasons(explanations: Sequence[Explanation], oracle: str) -> list[str]:
    """Return the lines for the rules in their order, and for their conclusions."""
    if not explanations:
        return ["explain has no rule for this program; the answers above are all that it can show."]
    lines: list[str] = []
    number = 0
    for explanation in explanations:
        lines.append(f"why {explanation.expression}")
        for reason in explanation.reasons:
            number += 1
            sources = ", ".join(reason.clauses) or ALL_RULES[reason.rule].link
            lines += [f"{number:>3}. {reason.text}", f"     {reason.rule} [{sources}]"]
        lines.append(f"  => {_conclusion(explanation, oracle)}")
    cited = {name for each in explanations for reason in each.reasons for name in reason.clauses}
    if cited:
        lines += ["", "where"]
        lines += [
            line
            for clause in load_clauses()
            if clause.id in cited
            for line in wrap(f"[{clause.id}] {clause.text}", WIDTH, subsequent_indent="     ",
                             initial_indent="  ")
        ]  # fmt: skip
    return lines


def _conclusion(explanation: Explanation, oracle: str) -> str:
    """Return the conclusion of the rules, and the oracle's result if it differs from that."""
    predicted, actual = explanation.predicted, explanation.actual
    error = f": {explanation.error}" if explanation.error else ""
    if explanation.holds:
        return f"{predicted}{error}"
    if actual == REFUSED:
        refusal = f"{oracle} refuses all the same, and no rule here says why{error}"
        return f"{predicted} by these rules; {refusal}"
    return f"the rules say {predicted}, but {oracle} gives {actual}, and no rule here says why"
