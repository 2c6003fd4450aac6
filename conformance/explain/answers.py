"""Asks both libraries what a program gives, and writes it down with the rules that led there."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..comparison import comparator
from ..core.case import Case
from ..core.domain import Domain
from ..core.errors import CouldNotRun
from ..core.formatting import format_facet, format_sides, truncate
from ..core.profiles import PROFILES
from ..engine.execution import run_part
from ..engine.probe import Probe
from ..engine.records import PartRecord
from ..engine.registry import Property
from ..engine.rule_checks import REFUSED
from ..engine.session import Compare, Session
from ..libraries.library import Library, held, holdings
from ..libraries.loading import load
from ..libraries.oracle import load_oracle
from ..observation.cross_device import look_from
from ..observation.cuda_modes import kind_of_devices
from ..observation.runner import Observation, StepResult, run_case
from ..rules import ALL_RULES
from .program import steps_of
from .reasons import Explanation, Reasoner


@dataclass
class Answers:
    """What both sides gave: each step, what differs, and why the oracle's answer is what it is."""

    steps: Sequence[str]
    expected: Sequence[StepResult] = ()
    observed: Sequence[StepResult] = ()
    explanations: list[Explanation] = field(default_factory=list)
    record: PartRecord | None = None
    cuda: str = ""

    @property
    def agree(self) -> bool:
        """Whether nothing differs."""
        return self.record is not None and not self.record.divergences


def _unnoted(side: str) -> None:
    pass


def session_of(
    oracle_spec: str, subject_spec: str, asking: Callable[[str], None] = _unnoted
) -> Session:
    """Load both libraries, as for a run; raise `CouldNotRun` if one cannot be loaded.

    ``asking`` is told before which side is asked, and "" behind it.
    """
    asking(oracle_spec)
    names_device = "@" in subject_spec and "@" not in oracle_spec
    oracle = load_oracle(f"{oracle_spec}@cpu" if names_device else oracle_spec)
    untouched = holdings(oracle.root)
    asking(subject_spec)
    subject = load(subject_spec, oracle.names)
    asking("")
    return Session(
        oracle, subject, PROFILES["quick"], oracle_snapshot=untouched, look=look_from(subject)
    )


def ask_both(session: Session, text: str, asking: Callable[[str], None] = _unnoted) -> Answers:
    """Run a program on both sides as a property of the suite does, and explain what the oracle gives.

    Raises `CouldNotRun` for a program that cannot be one.  ``asking`` is as in `session_of`.
    """
    session = replace(session, compare=_without_addresses(session.compare))
    steps = steps_of(text, lambda name: held(session.oracle.root, name) is not None)
    answers = Answers(steps)

    def body(ask: Probe, cell: str) -> None:
        sides = ask.session.oracle, ask.session.subject
        with _begun_alike(sides[0], asking), _begun_alike(sides[1], asking):
            ask(*steps)
            answers.expected, answers.observed = (
                run_case(each, Case(tuple(steps)), ask.session.look) for each in sides
            )
            answers.explanations = _explained(sides[0], steps, answers.expected)
        asking("")

    names_devices = any(word in text for word in ("device", "cuda", "meta"))
    prop = Property(
        "devices.program" if names_devices else "promotion.program", "what a program gives", body, 1,
        domain=lambda torch: Domain(program=["it"]), about_subject=True, cuda="cuda" in text,
    )  # fmt: skip
    try:
        answers.record = run_part(session, prop, 0)
    except NameError as error:
        raise CouldNotRun(str(error)) from None
    if "cuda" in text:
        answers.cuda = kind_of_devices(session.oracle)
    return answers


@contextmanager
def _begun_alike(library: Library, asking: Callable[[str], None]) -> Iterator[None]:
    """Let every program of a library begin with the same seed, so that each run of it gives the same.

    ``asking`` is told whenever one begins.
    """
    scope = library.scope

    def begun() -> dict[str, Any]:
        asking(library.spec)
        random.seed(0)
        np.random.seed(0)
        with suppress(Exception, SystemExit):
            library.root.manual_seed(0)
        return scope()

    library.scope = begun  # type: ignore[method-assign]
    try:
        yield
    finally:
        del library.scope


def _without_addresses(compare: Compare) -> Compare:
    """Compare without what values print that print where in memory they are."""

    def compared(
        expected: Observation, observed: Observation, case: str = ""
    ) -> comparator.Comparison:
        if any(" at 0x" in str(each.get("repr")) for each in (expected, observed)):
            expected, observed = (
                {name: what for name, what in each.items() if name != "repr"}
                for each in (expected, observed)
            )
        return compare(expected, observed, case)

    return compared


def _explained(
    oracle: Library, steps: Sequence[str], seen: Sequence[StepResult]
) -> list[Explanation]:
    """Explain every step that ran, after those before it that did not fail."""
    found: list[Explanation] = []
    before: list[str] = []
    for step, each in zip(steps, seen, strict=False):
        found += Reasoner(oracle, before).explain(step)
        if each.error is None:
            before.append(step)
    return found


def lines_of(answers: Answers, oracle: str, subject: str) -> list[str]:
    """Write the answers for people."""
    width = max(len(oracle), len(subject))
    lines = [*answers.steps, ""]
    for place in _shown_steps(answers):
        several = len(answers.steps) > 1
        lines += [f"{answers.steps[place]}:"] if several else []
        sides = answers.expected, answers.observed
        first, second = (
            _outcome(each[place]) if place < len(each) else [_NOT_REACHED] for each in sides
        )
        same = ["the same"] if first == second else second
        for name, what in ((oracle, first), (subject, same)):
            lines.append(f"{name:<{width}}  {what[0]}")
            lines += [f"{'':<{width}}  {line}" for line in what[1:]]
    lines += [f"CUDA devices of {oracle}: {answers.cuda}"] if answers.cuda else []
    why = _reasons(answers.explanations, oracle)
    return [*lines, "", *_agreement(answers, oracle, subject), "", *why]


_NOT_REACHED = "the program ended before"


def _shown_steps(answers: Answers) -> list[int]:
    """Return the steps whose outcome is shown: those that failed on either side, and the last."""
    sides = answers.expected, answers.observed
    failed = {index for side in sides for index, each in enumerate(side) if each.error is not None}
    return sorted(failed | {max(map(len, sides)) - 1})


MOST_LINES = 12
"""How many lines of a printed tensor are shown."""

_LONG = 300
"""How long a value may be that is written as plain data, and not as it prints itself."""


def _outcome(seen: StepResult) -> list[str]:
    """Write what a step gave: an error, or a tensor, or another value; and what it warned of."""
    look = seen.observation
    warned = [f"warning  {truncate(text)}" for text in look.get("warnings", [])]
    if seen.error is not None:
        return [f"{look['raises']}: {truncate(said_by(seen.error), 0, 300)}", *warned]
    if "dtype" not in look:
        text = format_facet("value", look.get("value"))
        return [*(_printed(look) if len(text) > _LONG else [text]), *warned]
    shape, stride = (_tuple(look.get(name)) for name in ("shape", "stride"))
    what = f"{look['dtype']}, shape {shape}, stride {stride}"
    what += f", on {look['device']}" if "device" in look else ""
    grad = look.get("autograd")
    what += ", requires grad" if isinstance(grad, dict) and grad["requires_grad"] else ""
    return [what, *_printed(look), *warned]


def _printed(look: Observation) -> list[str]:
    """Write a value as it prints itself; of many lines the first ones."""
    printed = str(look.get("repr", "")).splitlines()
    return printed if len(printed) <= MOST_LINES else [*printed[:MOST_LINES], "..."]


def said_by(error: BaseException) -> str:
    """Return the text of an error, which may be unable to give one."""
    try:
        return str(error)
    except BaseException as other:  # noqa: BLE001  # a subject's own __str__
        return f"its text raises {type(other).__name__}"


def _tuple(sizes: Any) -> str:
    return str(tuple(sizes)) if isinstance(sizes, list) else str(sizes)


def _agreement(answers: Answers, oracle: str, subject: str) -> list[str]:
    """Say in which facets both sides agree, and show those in which they do not."""
    record = answers.record
    assert record is not None
    divergences = [*record.divergences.values()]
    lines = []
    for each in divergences:
        left, right = format_sides(vars(each), None)
        lines += [f"differs in {each.facet}", f"  {oracle}: {left}", f"  {subject}: {right}"]
    if not divergences:
        lines = [f"{subject} agrees with {oracle} in {', '.join(record.facets)}"]
    if record.normalised:
        lines.append(
            f"counted as alike, since torch leaves it open: {', '.join(record.normalised)}"
        )
    return lines


def _reasons(explanations: Sequence[Explanation], oracle: str) -> list[str]:
    """Write the rules in their order, and what they come to."""
    if not explanations:
        return ["No rule here speaks for this program: what is above is all that there is to say."]
    lines: list[str] = []
    number = 0
    for each in explanations:
        lines.append(f"why {each.expression}")
        for reason in each.reasons:
            number += 1
            by = ", ".join(reason.clauses) or ALL_RULES[reason.rule].link
            lines += [f"{number:>3}. {reason.text}", f"     {reason.rule} [{by}]"]
        lines.append(f"  => {_closing(each, oracle)}")
    return lines


def _closing(explanation: Explanation, oracle: str) -> str:
    """Say what the rules come to, and that the oracle gives something else, if it does."""
    said, given = explanation.said, explanation.given
    words = f": {explanation.words}" if explanation.words else ""
    if explanation.holds:
        return f"{said}{words}"
    if given == REFUSED:
        return f"{said} by these rules; {oracle} refuses all the same, and no rule here says why{words}"
    return f"the rules say {said}, but {oracle} gives {given}, and no rule here says why"
