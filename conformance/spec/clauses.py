"""The specification as clauses, read from ``clauses.toml``."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

GRADES = ("must", "unspecified", "informative")
PATH = Path(__file__).with_name("clauses.toml")


class Document(NamedTuple):
    """A document of the specification: its short name, file, title and public address."""

    name: str
    file: str
    title: str
    address: str


@dataclass(frozen=True)
class Clause:
    """One sentence of the documents that states behavior, paraphrased."""

    id: str
    grade: str
    text: str
    heading: str
    documents: tuple[str, ...]
    properties: tuple[str, ...]
    superseded_by: str | None = None
    unobservable: str | None = None
    note: str | None = None
    cases: str = ""

    def is_about(self, property_id: str, case: str) -> bool:
        """Return whether a case of a property is about the clause; without a pattern all are."""
        return property_id in self.properties and re.search(self.cases, case) is not None

    @property
    def area(self) -> str:
        """The part of torch that the clause is about."""
        return self.id.partition(".")[0]


def load_documents(path: Path = PATH) -> list[Document]:
    """Return the documents of a file, newest first."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("document", [])
    return [Document(**row) for row in rows]


def load_clauses(path: Path = PATH) -> list[Clause]:
    """Return the clauses of a file; raise ValueError if one is malformed."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["clause"]
    for row in rows:
        row["text"] = " ".join(row["text"].split())
        row["documents"] = tuple(row["documents"].split())
        row["properties"] = tuple(row["properties"])
    clauses = [Clause(**row) for row in rows]
    _check(clauses, {document.name for document in load_documents(path)})
    return clauses


def _check(clauses: Iterable[Clause], documents: Set[str]) -> None:
    by_id: dict[str, Clause] = {}
    for clause in clauses:
        if clause.id in by_id:
            raise ValueError(f"two clauses are called {clause.id!r}")
        if clause.grade not in GRADES:
            raise ValueError(f"{clause.id}: no such grade: {clause.grade!r}")
        if not clause.documents or not documents >= {*clause.documents}:
            raise ValueError(f"{clause.id}: no known document states it")
        if clause.unobservable and clause.properties:
            raise ValueError(f"{clause.id}: has properties and is not observable")
        by_id[clause.id] = clause
    for clause in by_id.values():
        if clause.superseded_by is not None and clause.superseded_by not in by_id:
            raise ValueError(f"{clause.id}: no clause is called {clause.superseded_by!r}")


def state_of(
    clause: Clause, verdicts: Mapping[str, str], failing: Iterable[tuple[str, str]]
) -> str:
    """Return the state of a clause, from the verdicts and the divergences of a run.

    ``verdicts`` are those of the properties. ``failing`` has the property and the case of each
    divergence. "holds" requires that every property of the clause ran. One divergence in a case
    about the clause makes it "diverges".
    """
    if clause.superseded_by is not None:
        return "superseded"
    if not clause.properties:
        must = "unobservable" if clause.unobservable else "unchecked"
        return must if clause.grade == "must" else clause.grade
    if any(clause.is_about(name, case) for name, case in failing):
        return "diverges"
    if any(verdicts.get(name, "not run") == "not run" for name in clause.properties):
        return "not run"
    return "holds"


def clauses_by_property(clauses: Iterable[Clause]) -> dict[str, list[str]]:
    """Return the ids of the clauses of each property."""
    ids: dict[str, list[str]] = {}
    for clause in clauses:
        for name in clause.properties:
            ids.setdefault(name, []).append(clause.id)
    return ids
