"""Other cells than those that a subject cannot answer, in a run that asks few cells of each domain.

A library that lacks most dtypes, or a setting, would else answer none of a few cells.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache

from ..core.domain import Cell, digest_of
from ..generators.oracle_namespace import dtype_names
from ..libraries.library import Library
from .probe import Probe
from .records import PartRecord
from .registry import Property
from .session import Session

_OTHERS = 64
"""How many cells of a domain may be asked instead of others; a recording has all of them."""
_CHOICE = 2**15
"""From about how many cells of a domain these are chosen."""
_STRIKES = 2
"""In how many unanswered cells, and no answered one, a label is given up."""

_WORD = re.compile(r"\w+")


class Labels:
    """The labels of a domain that a subject seems to lack, by what its cells have shown.

    unanswered: the number of cells that were blocked, or asked for what is missing
    """

    def __init__(self, subject: Library) -> None:
        self._subject = subject
        self._is_missing: dict[str, bool] = {}
        self._absent: set[str] = set()
        self._answered: set[tuple[int, str]] = set()
        self._strikes: Counter[tuple[int, str]] = Counter()
        self.unanswered = 0

    def learn(self, cell: Cell, ask: Probe) -> bool:
        """Note what came of a cell, and return whether it was answered."""
        lacking = [*ask.blockers, *(each.missing for each in ask.divergences if each.missing)]
        if not lacking:
            self._answered.update(enumerate(cell))
            return bool(ask.compared)
        self.unanswered += 1
        names = {name.rpartition(".")[2] for name in lacking}
        if any(names & _words(label) for label in cell):
            self._absent |= names
        else:
            self._strikes.update(enumerate(cell))
        return False

    def lack(self, cell: Cell) -> bool:
        """Return whether the subject seems to lack what a cell names."""
        return any(
            self._lacks(label)
            or (self._strikes[index, label] >= _STRIKES and (index, label) not in self._answered)
            for index, label in enumerate(cell)
        )

    def _lacks(self, label: str) -> bool:
        """Return whether a label has a public name that is not there, also without `torch.`."""
        if label not in self._is_missing:
            is_name = label in self._subject.names
            self._is_missing[label] = False
            with suppress(SyntaxError):  # a label may be a part of a program
                name = self._subject.missing(f"torch.{label}" if is_name else label)
                self._is_missing[label] = name is not None
        return self._is_missing[label] or not self._absent.isdisjoint(_words(label))


@lru_cache(maxsize=4096)
def _words(label: str) -> frozenset[str]:
    return frozenset(_WORD.findall(label))


def other_cells(session: Session, prop: Property, part: int, record: PartRecord) -> list[Cell]:
    """Return the cells of a part that may be asked instead, those without uncommon dtypes first."""
    assert prop.domain is not None
    root = session.oracle.root
    domain = prop.domain(root)
    others = domain.one_in(max(1, domain.size // _CHOICE), session.seed).scattered()
    sample = record.visits.seen.union(*record.visits.blocked.values())
    cells = [cell for cell in others.cells(part, prop.parts) if digest_of([cell]) not in sample]
    uncommon = {*dtype_names(root)} - _COMMON
    cells.sort(key=lambda cell: sum(len(uncommon & _words(label)) for label in cell))
    return cells[: -(-_OTHERS // prop.parts)]


_COMMON = {"bool", "uint8", "int32", "int64", "float32", "float64"}
"""The dtypes that most libraries have."""


def record_others(session: Session, prop: Property, part: int, record: PartRecord) -> None:
    """Keep in a recording what may be asked instead of other cells."""
    assert session.oracle.recorder is not None
    for cell in other_cells(session, prop, part, record):
        ask = Probe(session, PartRecord(prop.id, part, record.kind))
        prop.body(ask, *cell)
        session.oracle.recorder.add_other(cell, ask.requests)


def ask_others(
    session: Session,
    record: PartRecord,
    labels: Labels,
    cells: Iterable[Cell],
    ask_cell: Callable[[Probe, Cell], None],
) -> None:
    """Ask as many other cells as were not answered, without those that name what is lacking."""
    left = labels.unanswered
    for cell in cells:
        if not left:
            return
        if labels.lack(cell):
            continue
        ask = Probe(session, record)
        ask_cell(ask, cell)
        for divergence in ask.divergences:
            record.note(divergence)
        left -= 1
        record.visits.instead += labels.learn(cell, ask)
