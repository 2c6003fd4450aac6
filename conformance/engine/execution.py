"""Putting a property to the test: all cells of its domain, or what Hypothesis draws."""

import time
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, StopTest, UnsatisfiedAssumption

from ..core.formatting import format_facet, short_hash, truncate
from ..observation.runner import StepResult
from .probe import Probe
from .records import Divergence, PartRecord
from .registry import Property
from .session import Session


def _answer_at(seen: Sequence[StepResult], step: int) -> str:
    """Write what a program gave in a step, or how a step before it failed, in a line."""
    for each in seen[: step + 1]:
        if each.error is not None and each.observation:
            failed = each.observation
            return truncate(format_facet("raises", failed["raises"], failed.get("message")))
    found = seen[step].observation if step < len(seen) else {}
    return truncate(format_facet("value", found["value"])) if "value" in found else ""


class Diverged(AssertionError):
    """Raised inside a drawn example, so that Hypothesis looks for a smaller one."""


def run_part(session: Session, prop: Property, part: int) -> PartRecord:
    """Put one part of a property to the test.

    Raises `CouldNotRun` if the oracle is no longer what it was before the
    subject was loaded.
    """
    session.agreed_prefixes.clear()
    if session.subject.device_type and prop.stays_at_home:
        return run_part(session.on_cpu(), prop, part)
    if prop.cuda and session.without_cuda is None:
        return run_part(session.on_cuda(), prop, part)
    started = time.perf_counter()
    record = PartRecord(prop.id, part, "finite" if prop.domain else "sampled")
    if prop.domain:
        _run_cells(session, prop, part, record)
    else:
        _run_draws(session, prop, part, record)
    record.seconds = time.perf_counter() - started
    session.check_oracle()
    return record


def run_property(session: Session, prop: Property) -> list[PartRecord]:
    """Put all parts of a property to the test."""
    records: list[PartRecord] = []
    for part in range(prop.parts):
        if any(map(session.has_found, records)):
            last = records[-1]
            records.append(PartRecord(prop.id, part, last.kind, last.size, last.declared))
        else:
            records.append(run_part(session, prop, part))
    return records


def _run_cells(session: Session, prop: Property, part: int, record: PartRecord) -> None:
    assert prop.domain is not None
    domain = prop.domain(session.oracle.root)
    record.size, record.declared = domain.size, domain.digest()
    record.axes = dict(domain.axes) if prop.grid_step is not None else {}
    for index, cell in enumerate(domain.cells(part, prop.parts)):
        ask = Probe(session, record)
        prop.body(ask, *cell)
        if ask.compared:
            record.visits.add(cell)
        if prop.grid_step is not None:
            record.answers.append(_answer_at(ask.first, prop.grid_step))
            if ask.divergences:
                marked = dict.fromkeys(each.id for each in ask.divergences)
                record.marks[index * prop.parts + part] = [*marked]
        for divergence in ask.divergences:
            record.note(divergence)
        if ask.divergences and session.has_found(record):
            return


def _run_draws(session: Session, prop: Property, part: int, record: PartRecord) -> None:
    """Draw examples; look for more than one divergence, each made as small as it gets."""
    assert prop.strategies is not None
    known: set[str] = set()
    examples = max(1, session.profile.examples // (prop.parts * prop.calls))
    for attempt in range(session.profile.attempts):
        found = _draw(session, prop, f"{part}.{attempt}", examples, record, known)
        if not found:
            return
        for divergence in found:
            record.note(divergence)
            known.add(_kind_of(divergence))


def _draw(
    session: Session,
    prop: Property,
    stream: str,
    examples: int,
    record: PartRecord,
    known: set[str],
) -> list[Divergence]:
    assert prop.strategies is not None
    strategies = prop.strategies
    last: list[Divergence] = []
    first: list[Divergence] = []

    @seed(int(short_hash(f"{session.seed}.{prop.id}.{stream}"), 16))
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink) if session.profile.shrinks else (Phase.generate,),
        report_multiple_bugs=False,
        print_blob=False,
        # A slow strategy is for the bench to tell; too many rejections are counted.
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )
    @given(st.data())
    def example(data: st.DataObject) -> None:
        try:
            drawn = {name: data.draw(each) for name, each in strategies.items()}
        except (StopTest, UnsatisfiedAssumption):
            record.visits.rejected += 1
            raise
        ask = Probe(session, record)
        prop.body(ask, **drawn)
        if ask.compared:
            record.visits.add(ask.asked)
        last[:] = [each for each in ask.divergences if _kind_of(each) not in known]
        if last:
            first[:] = first or last
            raise Diverged(str(last[0]))

    try:
        example()
    except Diverged:
        return last
    except Flaky:
        # The subject gave another answer the second time.
        return first
    return []


def _kind_of(divergence: Divergence) -> str:
    """Tell divergences of one property apart by what differs, not by the case."""
    return divergence.missing or f"{divergence.facet} {divergence.fingerprint}"
