"""Reproductions without the steps that a divergence does not need."""

from dataclasses import replace
from time import perf_counter

from .probe import Probe
from .records import Divergence, PartRecord
from .session import Session

_MAX_SHORTENED = 16
"""The maximum number of differences of a part whose reproductions are shortened."""


def shorten_reproductions(session: Session, record: PartRecord) -> None:
    """Leave out the idle steps in the reproductions of a part's divergences.

    A step is idle if the program diverges alike without it. The case of a divergence, and with it
    the id, stays as it is. Of the divergences with equal sides, the first is shortened. The search
    ends after the profile's time for simple cases.
    """
    if session.oracle.known or session.subject.known or session.oracle.recorder is not None:
        return  # programs that a recording does not have
    first: dict[tuple[str, str], Divergence] = {}
    for divergence in record.divergences.values():
        if not divergence.missing and len(divergence.steps) > 1:
            first.setdefault((divergence.facet, divergence.difference), divergence)
    ends = perf_counter() + session.profile.shrink_s
    for divergence in [*first.values()][:_MAX_SHORTENED]:
        record.divergences[divergence.id] = _without_idle_steps(session, divergence, ends)


def _without_idle_steps(session: Session, divergence: Divergence, ends: float) -> Divergence:
    steps, script = divergence.steps, divergence.reproduction
    if perf_counter() >= ends:
        return divergence
    if _repeated(session, divergence, steps) is None:
        return divergence  # other programs of the part have a share in it
    for index in reversed(range(len(steps) - 1)):
        if perf_counter() >= ends:
            break
        fewer = (*steps[:index], *steps[index + 1 :])
        shorter = _repeated(session, divergence, fewer)
        if shorter is not None:
            steps, script = fewer, shorter.reproduction
    return replace(divergence, reproduction=script)


def _repeated(
    session: Session, divergence: Divergence, steps: tuple[str, ...]
) -> Divergence | None:
    """Return the same difference after the last of the steps, or None if there is none."""
    ask = Probe(session, PartRecord(divergence.property_id, 0, "sampled"))
    try:
        ask(*steps)
    except NameError:  # without an assignment
        return None
    same = (divergence.facet, divergence.difference, steps)
    return next(
        (
            other
            for other in ask.divergences
            if (other.facet, other.difference, other.steps) == same
        ),
        None,
    )
