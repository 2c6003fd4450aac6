"""Execution of a property: on all cells of its domain, on draws, or as it was recorded."""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..core.domain import Cell, Domain
from ..core.formatting import format_facet, truncate
from ..core.profiles import Profile
from ..observation.runner import StepResult
from ..recording.archive import part_name
from ..recording.recorder import Recorder
from .aggregate import from_text, to_text
from .drawn_cases import FoundDivergences, run_draws
from .idle_steps import shorten_reproductions
from .other_cells import Labels, ask_others, other_cells, record_others
from .probe import Probe
from .records import PartRecord
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
        run = _run_known if session.oracle.known else _run_cells if prop.domain else run_draws
        run(session, prop, part, record)
        if session.stops_at is None and not prop.starts_processes:
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
    found, labels = FoundDivergences(session, record), Labels(session.subject)
    for index, (cell, requests) in enumerate(answers.items):
        ask = Probe(session, record)
        ask.repeat(requests)
        if prop.domain is None:
            ask.count_visit(ask.asked)
            found.add(ask)
        else:
            _end_cell(prop, part, record, ask, index, cell)
            labels.learn(tuple(cell), ask)
    requests_of = {tuple(cell): requests for cell, requests in answers.others}
    ask_others(
        session, record, labels, requests_of, lambda ask, cell: ask.repeat(requests_of[cell])
    )
    for _, divergence in found.numbered:
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
    domain, record.size, record.declared, record.one_in = _declared(
        prop, session.oracle.root, profile, session.seed
    )
    has_axes = _has_grid(prop, record) or prop.lists_cells
    record.axes = dict(domain.axes) if has_axes else {}
    asks_others = prop.most_cells(profile) is not None
    labels = Labels(session.subject) if asks_others else None
    for index, cell in enumerate(domain.cells(part, prop.parts)):
        ask = Probe(session, record)
        prop.body(ask, *cell)
        _end_cell(prop, part, record, ask, index, cell)
        if labels is not None:
            labels.learn(cell, ask)
        if session.oracle.recorder is not None:
            session.oracle.recorder.add_item(cell, ask.requests)
        if ask.divergences and session.has_found(record):
            return
    if asks_others and session.oracle.recorder is not None:
        record_others(session, prop, part, record)
    elif labels is not None and labels.unanswered:
        others = other_cells(session, prop, part, record)
        ask_others(session, record, labels, others, lambda ask, cell: prop.body(ask, *cell))


def _has_grid(prop: Property, record: PartRecord) -> bool:
    return prop.grid_step is not None and record.one_in == 1


def _end_cell(
    prop: Property, part: int, record: PartRecord, ask: Probe, index: int, cell: Cell
) -> None:
    """Count a cell as visited, and record its answer in the oracle and its divergences."""
    ask.count_visit(cell)
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
    prop: Property, root: Any, profile: Profile, seed: int
) -> tuple[Domain, int, int, int]:
    """Return the domain of a property, its size, its digest, and one in how many cells it has.

    All parts of the property have the same.
    """
    assert prop.domain is not None
    domain, one_in = prop.domain(root), prop.one_in_of(profile)
    if (most := prop.most_cells(profile)) is not None:
        one_in = max(one_in, domain.size // most)
    if one_in > 1:
        domain = prop.sample(domain, one_in, seed)
    return domain, domain.size, domain.digest(), one_in
