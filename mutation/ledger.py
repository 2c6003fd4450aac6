"""The ledger of survivors: why a mutant is equivalent, or which property is to kill it.

Verdicts: "equivalent" (no program tells it from impl), "unobservable" (none on a machine without a
GPU), "hole" (a program tells them apart; ``property`` is the one that closes the hole, or empty).
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

VERDICTS = ("equivalent", "unobservable", "hole")


@dataclass(frozen=True)
class Entry:
    """The judgement of one mutant."""

    id: str
    diff: str
    verdict: str
    reason: str
    property: str = ""

    def defect(self) -> str:
        """Return what is wrong with the entry, or an empty string."""
        if self.verdict not in VERDICTS:
            return f"has the verdict {self.verdict!r}, none of {', '.join(VERDICTS)}"
        if not self.reason.strip():
            return "gives no reason"
        if self.property and self.verdict != "hole":
            return "names a property although it is no hole"
        return ""


def read_ledger(path: Path) -> dict[str, Entry]:
    """Return the entries by the ids of their mutants; raise ValueError if one is malformed."""
    if not path.exists():
        return {}
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("survivor", [])
    entries: dict[str, Entry] = {}
    for row in rows:
        try:
            entry = Entry(**row)
        except TypeError as error:
            raise ValueError(
                f"ledger: {row.get('id', 'an entry without an id')}: {error}"
            ) from None
        if defect := entry.defect():
            raise ValueError(f"ledger: {entry.id} {defect}")
        if entry.id in entries:
            raise ValueError(f"ledger: {entry.id} has two entries")
        entries[entry.id] = entry
    return entries


def stale(ledger: Iterable[Entry], existing: Iterable[str]) -> list[str]:
    """Return the ids of entries whose mutant no longer exists, as its statement has changed."""
    known = {*existing}
    return [entry.id for entry in ledger if entry.id not in known]
