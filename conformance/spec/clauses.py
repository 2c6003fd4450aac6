"""The specification, clause by clause, as ``clauses.toml`` holds it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

GRADES = ("must", "unspecified", "informative")
PATH = Path(__file__).with_name("clauses.toml")


@dataclass(frozen=True)
class Clause:
    """One sentence of the documents that states behaviour, in our words."""

    id: str
    grade: str
    text: str
    sources: tuple[tuple[str, str], ...]
    properties: tuple[str, ...]
    superseded_by: str | None = None
    note: str | None = None
    cases: str = ""

    def is_about(self, property_id: str, case: str) -> bool:
        """Tell whether a case of a property is about the clause: all are, if it does not say."""
        return property_id in self.properties and re.search(self.cases, case) is not None

    @property
    def area(self) -> str:
        """The part of torch that it is about."""
        return self.id.partition(".")[0]


def load_clauses(path: Path = PATH) -> list[Clause]:
    """Read the clauses, and check that they are well formed."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["clause"]
    clauses = [
        Clause(
            **{
                **row,
                "text": " ".join(row["text"].split()),
                "sources": tuple((each["document"], each["heading"]) for each in row["sources"]),
                "properties": tuple(row["properties"]),
            }
        )
        for row in rows
    ]
    _check(clauses)
    return clauses


def _check(clauses: Iterable[Clause]) -> None:
    by_id: dict[str, Clause] = {}
    for clause in clauses:
        if clause.id in by_id:
            raise ValueError(f"two clauses are called {clause.id!r}")
        if clause.grade not in GRADES:
            raise ValueError(f"{clause.id}: no such grade: {clause.grade!r}")
        if not clause.sources:
            raise ValueError(f"{clause.id}: it says of no document that it is from there")
        by_id[clause.id] = clause
    for clause in by_id.values():
        if clause.superseded_by is not None and clause.superseded_by not in by_id:
            raise ValueError(f"{clause.id}: no clause is called {clause.superseded_by!r}")


def state_of(
    clause: Clause, verdicts: Mapping[str, str], failing: Iterable[tuple[str, str]]
) -> str:
    """Tell how a clause stands, from what ran and from what diverged.

    ``verdicts`` are those of the properties; ``failing`` are the properties and
    cases of the divergences.  "holds" needs every property that speaks for the
    clause; one divergence, in a case that is about the clause, is enough for
    "diverges".
    """
    if clause.superseded_by is not None:
        return "superseded"
    if not clause.properties:
        return "unchecked" if clause.grade == "must" else clause.grade
    if any(clause.is_about(name, case) for name, case in failing):
        return "diverges"
    if any(verdicts.get(name, "not run") == "not run" for name in clause.properties):
        return "not run"
    return "holds"


def clauses_by_property(clauses: Iterable[Clause]) -> dict[str, list[str]]:
    """Return the ids of the clauses that each property speaks for."""
    speaks: dict[str, list[str]] = {}
    for clause in clauses:
        for name in clause.properties:
            speaks.setdefault(name, []).append(clause.id)
    return speaks
