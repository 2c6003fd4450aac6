"""Other cells than those that a subject cannot answer, in a run that asks few cells of each domain.

A library that lacks most dtypes, or a setting, would else answer none of a few cells.
"""

import re
from collections import Counter
from contextlib import suppress
from functools import lru_cache

from ..core.domain import Cell, digest_of
from .probe import Probe
from .records import PartRecord
from .registry import Property
from .session import Session

_TRIES = 4
"""How many other cells are asked at most for each unanswered one."""
_CHOICE = 2**15
"""From about how many cells of a domain the others are chosen."""
_STRIKES = 2
"""In how many unanswered cells, and no answered one, a label is given up."""

_WORD = re.compile(r"\w+")


class Labels:
    """The labels of a domain that a subject seems to lack, by what its cells have shown.

    unanswered: the number of cells that were blocked, or asked for what is missing
    """

    def __init__(self, session: Session) -> None:
        self._oracle, self._subject = session.oracle, session.subject
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
            is_name = label.isidentifier() and hasattr(self._oracle.root, label)
            self._is_missing[label] = False
            with suppress(SyntaxError):  # a label may be a part of a program
                name = self._subject.missing(f"torch.{label}" if is_name else label)
                self._is_missing[label] = name is not None
        return self._is_missing[label] or not self._absent.isdisjoint(_words(label))


@lru_cache(maxsize=4096)
def _words(label: str) -> frozenset[str]:
    return frozenset(_WORD.findall(label))


def ask_others(
    session: Session, prop: Property, part: int, record: PartRecord, labels: Labels
) -> None:
    """Ask as many other cells of a domain as were not answered."""
    assert prop.domain is not None
    wanted, tries = labels.unanswered, _TRIES * labels.unanswered
    domain = prop.domain(session.oracle.root)
    others = domain.one_in(max(1, domain.size // _CHOICE), session.seed).scattered()
    done = record.visits.seen.union(*record.visits.blocked.values())
    for cell in others.cells(part, prop.parts):
        if not wanted or not tries:
            return
        if labels.lack(cell) or digest_of([cell]) in done:
            continue
        ask = Probe(session, record)
        prop.body(ask, *cell)
        for divergence in ask.divergences:
            record.note(divergence)
        tries -= 1
        if labels.learn(cell, ask):
            wanted -= 1
            record.visits.instead += 1
