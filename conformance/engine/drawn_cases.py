"""Drawn cases: Hypothesis draws them, and simplifies those that diverge.

A divergence is the drawn one, whatever the search for its simplest form finds: its id and its
fingerprint depend neither on the time for the search nor on an oracle that can still be asked.
"""

import itertools
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as st
from hypothesis.errors import Flaky, StopTest, UnsatisfiedAssumption

from ..core.formatting import short_hash
from .local_constants import without_local_constants
from .probe import Probe
from .records import Divergence, PartRecord
from .registry import Property
from .session import Session
from .setups import blocker_in


class Diverged(AssertionError):
    """Raised inside a drawn example, so that Hypothesis shrinks it."""


class _FoundEnough(BaseException):
    """Raised inside a drawn example, to end the search; Hypothesis does not catch it."""


def keep_folder_clean() -> None:
    """Keep the files of Hypothesis out of the user's folder, also those of later processes."""
    folder = Path(tempfile.gettempdir()) / "torch-attributes-hypothesis"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(folder))


def run_draws(session: Session, prop: Property, part: int, record: PartRecord) -> None:
    """Draw all examples, and note the first divergences, each in the simplest form that was found.

    What is counted does not depend on the search for simple forms.
    """
    found = FoundDivergences(session, record)

    def judge(ask: Probe) -> None:
        found.add(ask)
        if session.oracle.recorder is not None:
            session.oracle.recorder.add_item((), ask.requests)
        if (ask.divergences or ask.blockers) and session.has_found(record):
            raise _FoundEnough

    draws = _Draws(session, prop, part)
    with suppress(_FoundEnough):
        draws.run(record, judge)
    clock, known = _Clock(session.profile.shrink_s), set[str]()
    for number, divergence in found.numbered:
        simple = _simplest(draws, number, divergence, known, clock)
        known.add(_difference_key(simple))
        record.note(simple)


class FoundDivergences:
    """The first divergences of drawn cases, or all those of a planted fault."""

    def __init__(self, session: Session, record: PartRecord) -> None:
        self._session, self._record = session, record
        self._found: dict[str, tuple[int, Divergence]] = {}
        self._numbers = itertools.count()

    @property
    def numbered(self) -> list[tuple[int, Divergence]]:
        """The divergences, each with another difference, and the numbers of their examples."""
        return [*self._found.values()]

    def add(self, ask: Probe) -> None:
        """Add the divergences of the next drawn case."""
        number = next(self._numbers)
        is_planted = self._session.stops_at is not None
        for divergence in ask.divergences:
            if is_planted or len(self._found) < self._session.profile.attempts:
                self._found.setdefault(_difference_key(divergence), (number, divergence))
            if is_planted:
                self._record.note(divergence)


class _Draws(NamedTuple):
    """The examples of a part of a property, which are the same each time they are drawn."""

    session: Session
    prop: Property
    part: int

    def run(
        self,
        record: PartRecord,
        judge: Callable[[Probe], None],
        phases: Sequence[Phase] = (Phase.generate,),
        first: int = 0,
    ) -> None:
        """Ask all examples from a number on, and call ``judge`` with the probe of each."""
        session, prop = self.session, self.prop
        assert prop.strategies is not None
        strategies, numbers = prop.strategies, itertools.count()

        @seed(int(short_hash(f"{session.seed}.{prop.id}.{self.part}.0"), 16))
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
            if next(numbers) >= first:
                ask = Probe(session, record)
                prop.body(ask, **drawn)
                ask.count_visit(ask.asked)
                judge(ask)

        with without_local_constants():
            example()


def _simplest(
    draws: _Draws, number: int, drawn: Divergence, known: set[str], clock: "_Clock"
) -> Divergence:
    """Return the simplest form of a drawn divergence that is found before the time is over.

    It is of the same call, facet and level, and none of the ``known`` differences.
    """
    if clock.left_s <= 0:
        return drawn
    kind = _kind_of(drawn)
    forms: list[Divergence] = []

    def is_form(other: Divergence) -> bool:
        if other.id == drawn.id:
            return True
        is_alike = bool(forms) and _kind_of(other) == kind
        return is_alike and _difference_key(other) not in known

    def judge(ask: Probe) -> None:
        alike = [*filter(is_form, ask.divergences)]
        if not forms:
            clock.start()
            if not alike:  # the subject's result was not reproducible
                raise _FoundEnough
        forms.extend(alike[:1])
        clock.check()
        if alike:
            raise Diverged(str(alike[0]))

    uncounted = PartRecord(draws.prop.id, draws.part, "sampled")
    simplest = drawn
    try:
        draws.run(uncounted, judge, (Phase.generate, Phase.shrink), number)
    except Diverged:
        simplest = forms[-1]
    except (Flaky, _FoundEnough):
        simplest = min(forms, key=lambda form: len(form.case), default=drawn)
    finally:
        clock.stop()
    return drawn if simplest.id == drawn.id else replace(simplest, drawn=drawn)


class _Clock:
    """The time that the search for simple forms may take, over all divergences of a part."""

    def __init__(self, seconds: float) -> None:
        self.left_s = seconds
        self._started: float | None = None

    def start(self) -> None:
        """Begin to simplify a case."""
        self._started = time.perf_counter()

    def check(self) -> None:
        """Raise `_FoundEnough` if the time is over."""
        if self._started is not None and self.left_s < time.perf_counter() - self._started:
            raise _FoundEnough

    def stop(self) -> None:
        """Count the time of the case that was simplified."""
        if self._started is not None:
            self.left_s -= time.perf_counter() - self._started
        self._started = None


def _kind_of(divergence: Divergence) -> tuple[str, int, str | None, str]:
    """Return what is equal for a divergence and its simplest form."""
    call = blocker_in(divergence.steps[-1], None) if divergence.steps else ""
    return divergence.facet, divergence.level, divergence.missing, call


def _difference_key(divergence: Divergence) -> str:
    """Return a key that is equal for divergences of a property with the same difference."""
    return divergence.missing or f"{divergence.facet} {divergence.difference}"
