"""Execution of a property: on all cells of its domain, or on draws of Hypothesis."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, StopTest, UnsatisfiedAssumption

from ..core.domain import Cell, Domain
from ..core.formatting import format_facet, short_hash, truncate
from ..observation.runner import StepResult
from ..recording.archive import part_name
from ..recording.recorder import Recorder
from .aggregate import from_text, to_text
from .idle_steps import shorten_reproductions
from .local_constants import without_local_constants
from .probe import Probe
from .records import Divergence, PartRecord
from .registry import Property
from .session import Session


def _answer_at(results: Sequence[StepResult], step: int) -> str:
    """Return one line with the value of a step, or with the error of an earlier one."""
    for result in results[: step + 1]:
        if result.error is not None and result.observation:
            facets = result.observation
            return truncate(format_facet("raises", facets["raises"], facets.get("message")))
    facets = results[step].observation if step < len(results) else {}
    return truncate(format_facet("value", facets["value"])) if "value" in facets else ""


class Diverged(AssertionError):
    """Raised inside a drawn example, so that Hypothesis shrinks it."""


class _FoundEnough(BaseException):
    """Raised inside a drawn example, to end the search; Hypothesis does not catch it."""


def run_part(session: Session, prop: Property, part: int) -> PartRecord:
    """Return the record of one part of a property.

    Raise `CouldNotRun` if the subject has changed the oracle or the suite.
    """
    if session.records_into is None:
        return _run_part(session, prop, part)
    recorder = session.oracle.recorder = Recorder()
    try:
        record = _run_part(session, prop, part)
    finally:
        session.oracle.recorder = None
    name, recorded = part_name(prop.id, part), _as_recorded(prop, record)
    recorder.write(session.oracle, session.records_into, name, *recorded)
    return record


def _as_recorded(prop: Property, record: PartRecord) -> tuple[str | None, dict[str, Any]]:
    """Return a record that is not about the subject as text, or else what is known of its cells."""
    if not prop.about_subject:
        return to_text(record), {}
    facts = {name: getattr(record, name) for name in _FACTS}
    return None, {**facts, "rejected": record.visits.rejected}


_FACTS = ("kind", "size", "declared", "one_in", "axes")
"""What a recording has of the domain of a part."""


def _run_part(session: Session, prop: Property, part: int) -> PartRecord:
    session.agreed_prefixes.clear()
    if session.subject.device_type and prop.names_devices:
        return _run_part(session.on_cpu(), prop, part)
    if prop.cuda and session.without_cuda is None:
        return _run_part(session.on_cuda(), prop, part)
    started = time.perf_counter()
    # Domains call functions of the oracle, which may share its namespace with the subject.
    session.oracle.activate()
    session.oracle.seed()
    session.subject.seed()
    record = PartRecord(prop.id, part, "finite" if prop.domain else "sampled")
    try:
        run = _run_known if session.oracle.known else _run_cells if prop.domain else _run_draws
        run(session, prop, part, record)
        if session.stops_at is None:
            shorten_reproductions(session, record)
    finally:
        session.check_watched()
    record.seconds = time.perf_counter() - started
    return record


def _run_known(session: Session, prop: Property, part: int, record: PartRecord) -> None:
    """Ask what was recorded, without the domain and the body of the property."""
    name = part_name(prop.id, part)
    answers = session.oracle.known.open_part(name, session.subject)
    if session.subject.known is not None:
        session.subject.known.open_part(name)
    if answers.verbatim is not None:
        vars(record).update(vars(from_text(answers.verbatim)))
        return
    for fact in _FACTS:
        setattr(record, fact, answers.facts[fact])
    record.visits.rejected = answers.facts["rejected"]
    found = _Found(session, record)
    for index, (cell, requests) in enumerate(answers.items):
        ask = Probe(session, record)
        ask.repeat(requests)
        if prop.domain is None:
            _count_visit(record, ask, ask.asked)
            found.add(ask)
        else:
            _end_cell(prop, part, record, ask, index, cell)
    for divergence in found.divergences:
        record.note(divergence)


def run_property(session: Session, prop: Property) -> list[PartRecord]:
    """Return the records of all parts of a property."""
    records: list[PartRecord] = []
    for part in range(prop.parts):
        if any(map(session.has_found, records)):
            last = records[-1]
            records.append(PartRecord(prop.id, part, last.kind, last.size, last.declared))
        else:
            records.append(run_part(session, prop, part))
    return records


def _run_cells(session: Session, prop: Property, part: int, record: PartRecord) -> None:
    profile = session.profile
    one_in = 1 if profile.asks_all else prop.one_in
    domain, record.size, record.declared, record.one_in = _declared(
        prop, session.oracle.root, one_in, profile.cells, session.seed
    )
    has_axes = _has_grid(prop, record) or prop.lists_cells
    record.axes = dict(domain.axes) if has_axes else {}
    for index, cell in enumerate(domain.cells(part, prop.parts)):
        ask = Probe(session, record)
        prop.body(ask, *cell)
        _end_cell(prop, part, record, ask, index, cell)
        if session.oracle.recorder is not None:
            session.oracle.recorder.add_item(cell, ask.requests)
        if ask.divergences and session.has_found(record):
            return


def _has_grid(prop: Property, record: PartRecord) -> bool:
    return prop.grid_step is not None and record.one_in == 1


def _end_cell(
    prop: Property, part: int, record: PartRecord, ask: Probe, index: int, cell: Cell
) -> None:
    """Count a cell as visited, and record its answer in the oracle and its divergences."""
    _count_visit(record, ask, cell)
    if _has_grid(prop, record) and prop.grid_step is not None:
        step = range(ask.first_length)[prop.grid_step] if ask.first else 0
        record.answers.append(_answer_at(ask.first, step))
        if ask.divergences:
            ids = dict.fromkeys(divergence.id for divergence in ask.divergences)
            record.marks[index * prop.parts + part] = [*ids]
        if ask.blockers:
            record.blockers[index * prop.parts + part] = sorted({*ask.blockers})
    for divergence in ask.divergences:
        record.note(divergence)


@lru_cache(maxsize=4)
def _declared(
    prop: Property, root: Any, one_in: int, cells: int | None, seed: int
) -> tuple[Domain, int, int, int]:
    """Return the domain of a property, its size, its digest, and one in how many cells it has.

    All parts of the property have the same.
    """
    assert prop.domain is not None
    domain = prop.domain(root)
    if cells is not None and prop.about_subject and not prop.lists_cells:
        one_in = max(one_in, domain.size // cells)
    if one_in > 1:
        domain = domain.one_in(one_in, seed)
    return domain, domain.size, domain.digest(), one_in


def _count_visit(record: PartRecord, ask: Probe, item: object) -> None:
    """Count a cell or a drawn case as visited, or as blocked if any of its programs was."""
    if ask.blockers:
        record.visits.block(item, ask.blockers)
    elif ask.compared:
        record.visits.add(item)


def _run_draws(session: Session, prop: Property, part: int, record: PartRecord) -> None:
    """Draw all examples, and search for simple ones of the divergences.

    What is counted does not depend on the search.
    """
    found = _draw_all(session, prop, f"{part}.0", record)
    if not found:
        return
    simple: list[Divergence] = []
    if session.profile.shrinks:
        simple = _simple_divergences(session, prop, part, record)
    for divergence in simple or found:
        record.note(divergence)


def _draw_all(
    session: Session, prop: Property, stream: str, record: PartRecord
) -> list[Divergence]:
    """Run all examples, and return the first divergences, or all those of a planted fault."""
    found = _Found(session, record)

    def example(ask: Probe) -> None:
        found.add(ask)
        if session.oracle.recorder is not None:
            session.oracle.recorder.add_item((), ask.requests)
        if (ask.divergences or ask.blockers) and session.has_found(record):
            raise _FoundEnough

    with suppress(_FoundEnough):
        _given(session, prop, stream, record, example, (Phase.generate,))
    return found.divergences


class _Found:
    """The first divergences of drawn cases, or all those of a planted fault."""

    def __init__(self, session: Session, record: PartRecord) -> None:
        self._session, self._record = session, record
        self._found: dict[str, Divergence] = {}

    @property
    def divergences(self) -> list[Divergence]:
        """The divergences, each with another difference."""
        return [*self._found.values()]

    def add(self, ask: Probe) -> None:
        """Add the divergences of a drawn case."""
        is_planted = self._session.stops_at is not None
        for divergence in ask.divergences:
            if is_planted or len(self._found) < self._session.profile.attempts:
                self._found.setdefault(_difference_key(divergence), divergence)
            if is_planted:
                self._record.note(divergence)


def _simple_divergences(
    session: Session, prop: Property, part: int, counted: PartRecord
) -> list[Divergence]:
    """Return divergences of shrunk cases, at most as many as the profile has attempts.

    All are in facets that were compared in the cases of ``counted``.
    """
    record = PartRecord(prop.id, part, "sampled")
    known: dict[str, Divergence] = {}
    clock = _Clock(session.profile.shrink_s)

    def is_new(divergence: Divergence) -> bool:
        return divergence.facet in counted.facets and _difference_key(divergence) not in known

    for attempt in range(session.profile.attempts):
        divergences = _shrink(session, prop, f"{part}.{attempt}", record, is_new, clock)
        if not divergences:
            break
        known |= {_difference_key(divergence): divergence for divergence in divergences}
    return [*known.values()]


def _shrink(
    session: Session,
    prop: Property,
    stream: str,
    record: PartRecord,
    is_new: Callable[[Divergence], bool],
    clock: "_Clock",
) -> list[Divergence]:
    """Return the divergences of the simplest failing case that was found."""
    last: list[Divergence] = []
    simplest: list[Divergence] = []

    def example(ask: Probe) -> None:
        last[:] = filter(is_new, ask.divergences)
        if last:
            if not simplest or len(last[0].case) < len(simplest[0].case):
                simplest[:] = last
            clock.start()
            raise Diverged(str(last[0]))
        clock.check()

    phases = (Phase.generate, Phase.shrink) if clock.left_s > 0 else (Phase.generate,)
    try:
        _given(session, prop, stream, record, example, phases)
    except Diverged:
        return last
    except (Flaky, _FoundEnough):  # of Flaky, the subject's result was not reproducible
        return simplest
    finally:
        clock.stop()
    return []


def _given(
    session: Session,
    prop: Property,
    stream: str,
    record: PartRecord,
    judge: Callable[[Probe], None],
    phases: Sequence[Phase],
) -> None:
    """Draw the examples of a stream, run them, and call ``judge`` with each one's probe."""
    assert prop.strategies is not None
    strategies = prop.strategies

    @seed(int(short_hash(f"{session.seed}.{prop.id}.{stream}"), 16))
    @settings(
        max_examples=max(1, session.profile.examples // (prop.parts * prop.calls)),
        deadline=None,
        database=None,
        phases=phases,
        report_multiple_bugs=False,
        print_blob=False,
        # Rejections are counted, and the time of strategies is a matter of the bench.
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )
    @given(st.data())
    def example(data: st.DataObject) -> None:
        try:
            drawn = {name: data.draw(strategy) for name, strategy in strategies.items()}
        except (StopTest, UnsatisfiedAssumption):
            record.visits.rejected += 1
            raise
        ask = Probe(session, record)
        prop.body(ask, **drawn)
        _count_visit(record, ask, ask.asked)
        judge(ask)

    with without_local_constants():
        example()


class _Clock:
    """The time that shrinking may take, over all attempts of a part."""

    def __init__(self, seconds: float) -> None:
        self.left_s = seconds
        self._started: float | None = None

    def start(self) -> None:
        """Begin to shrink a failing case, or raise `_FoundEnough` if the time is over."""
        if self._started is None:
            self._started = time.perf_counter()
        self.check()

    def check(self) -> None:
        """Raise `_FoundEnough` if a case is being shrunk and the time is over."""
        if self._started is not None and 0 < self.left_s < time.perf_counter() - self._started:
            raise _FoundEnough

    def stop(self) -> None:
        """Count the time of the case that was shrunk."""
        if self._started is not None and self.left_s > 0:
            self.left_s = max(0, self.left_s - (time.perf_counter() - self._started))
        self._started = None


def _difference_key(divergence: Divergence) -> str:
    """Return a key that is equal for divergences of a property with the same difference."""
    return divergence.missing or f"{divergence.facet} {divergence.fingerprint}"
