"""Known divergences, and the judgement of a run by them.

An expectation has a property, a facet, a pattern of cases, the number of divergences, and a
fingerprint of them. A divergence without an expectation is unexpected. An expectation without
divergences is stale, and one with other divergences is changed. Each of these fails the run.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ..core.formatting import short_hash
from ..observation.facets import FACETS
from .records import Divergence
from .registry import Property

ANY = "any"
"""The count of an expectation about drawn cases, whose number varies."""

PATH = Path(__file__).with_name("expectations.toml")


@dataclass(frozen=True)
class Expectation:
    """Divergences that torch leaves open.

    ``count`` is their number, or "any" for drawn cases and cells. The fingerprint is that of all of
    them, or of each for any number.
    """

    id: str
    property: str
    facet: str
    case: str
    count: int | str
    fingerprint: str
    reason: str
    link: str
    condition: Mapping[str, str] = field(default_factory=dict)

    def applies(self, facts: Mapping[str, str]) -> bool:
        """Return whether each pattern of the condition matches a fact of the run."""
        return all(fnmatchcase(facts.get(key, ""), want) for key, want in self.condition.items())

    def covers(self, divergence: Divergence) -> bool:
        """Return whether a divergence belongs to the expectation; a missing name never does."""
        place = divergence.missing, divergence.property_id, divergence.facet
        return place == (None, self.property, self.facet) and fnmatchcase(
            divergence.case, self.case
        )

    def matches(self, covered: Sequence[Divergence]) -> bool:
        """Return whether the covered divergences are the expected ones."""
        if self.count == ANY:
            return all(divergence.fingerprint == self.fingerprint for divergence in covered)
        return len(covered) == self.count and fingerprint_of(covered) == self.fingerprint


def fingerprint_of(divergences: Iterable[Divergence]) -> str:
    """Return the fingerprint of the cases and results of several divergences."""
    lines = sorted((divergence.case, divergence.fingerprint) for divergence in divergences)
    return short_hash(json.dumps(lines))


def load_expectations(properties: Mapping[str, Property], path: Path = PATH) -> list[Expectation]:
    """Return the expectations of a file; raise ValueError if one is malformed.

    A row may have several expectations ``each`` with the keys that they do not share.
    """
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("expectation", [])
    expectations = [Expectation(**(row | each)) for row in rows for each in row.pop("each", [{}])]
    for expectation in expectations:
        if defect := _defect(expectation, properties):
            raise ValueError(f"expectation {expectation.id!r} {defect}")
    return expectations


CONDITIONS = {
    "subject", "device", "oracle", "torch", "python", "implementation", "platform", "machine",
    "numpy", "cuda", "profile",
}  # fmt: skip
"""The facts that a condition may name."""


def _defect(expectation: Expectation, properties: Mapping[str, Property]) -> str:
    """Return why an expectation can never apply or lacks a reason, or an empty string."""
    if not (expectation.reason.strip() and expectation.link.strip()):
        return "gives no reason or no link"
    if expectation.property not in properties:
        return f"names no property: {expectation.property!r}"
    if expectation.facet not in {facet.name for facet in FACETS}:
        return f"names no facet: {expectation.facet!r}"
    prop = properties[expectation.property]
    if expectation.count == ANY and not prop.is_drawn:
        return "does not say how many there are in a finite domain"
    if unknown := sorted(set(expectation.condition) - CONDITIONS):
        return f"has conditions that nothing tells about: {', '.join(unknown)}"
    return ""


@dataclass(frozen=True)
class Problem:
    """A reason for which a run fails."""

    kind: str
    property: str
    text: str
    facet: str | None = None


@dataclass(frozen=True)
class Judgement:
    """The status and the expectation of divergences by their ids, and the problems."""

    status: Mapping[str, str]
    reasons: Mapping[str, Expectation]
    problems: Sequence[Problem]


@dataclass(frozen=True)
class JudgedProperty:
    """The result of a property as `judge` takes it."""

    id: str
    complete: bool
    coverage: str
    divergences: list[Divergence]
    blocked: bool = False


def judge(
    records: Sequence[JudgedProperty],
    expectations: Iterable[Expectation] = (),
    facts: Mapping[str, str] | None = None,
) -> Judgement:
    """Return the judgement of the results by the expectations that apply."""
    divergences = [each for record in records for each in record.divergences]
    status = {each.id: "missing" if each.missing else "unexpected" for each in divergences}
    reasons: dict[str, Expectation] = {}
    incomplete = (record for record in records if not record.complete)
    problems = [
        Problem("blocked" if record.blocked else "incomplete", record.id, record.coverage)
        for record in incomplete
    ]
    ids = {record.id for record in records}
    for expectation in expectations:
        if expectation.property not in ids or not expectation.applies(facts or {}):
            continue
        covered = [divergence for divergence in divergences if expectation.covers(divergence)]
        matches = expectation.matches(covered)
        status |= dict.fromkeys((each.id for each in covered), "expected" if matches else "changed")
        reasons |= {each.id: expectation for each in covered}
        if not matches:
            problems.append(_mismatch(expectation, covered))
    problems += [
        Problem("divergence", each.property_id, f"{each.facet} of {each.case}", each.facet)
        for each in divergences
        if status[each.id] in ("unexpected", "missing")
    ]
    return Judgement(status, reasons, problems)


def _mismatch(expectation: Expectation, covered: Sequence[Divergence]) -> Problem:
    found = f"{len(covered)} divergences, fingerprint {fingerprint_of(covered)}"
    text = f"expectation {expectation.id!r}: {found if covered else 'nothing'} instead of"
    text += f" {expectation.count}, {expectation.fingerprint}"
    kind = "changed" if covered else "stale"
    return Problem(kind, expectation.property, text, expectation.facet)
