"""Known divergences: what is expected, and the judging of a run by it.

An expectation is narrow: it names a property, a facet, the cases, how many
divergences there are and a fingerprint of them all.  What matches no
expectation is unexpected; an expectation that matches nothing is stale; one
whose divergences have become others is changed.  Each of these fails the run.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..observation.facets import FACETS
from .records import Divergence
from .registry import Property

ANY = "any"
"""The count of an expectation that does not tell how often cases are drawn in which it shows."""

PATH = Path(__file__).with_name("expectations.toml")


@dataclass(frozen=True)
class Expectation:
    """A divergence, or a family of them, that torch leaves open to be one.

    ``count`` is how many there are; or "any", for a property whose cases are
    drawn, and then the fingerprint is that of each one's answers.
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
        """Tell whether the condition holds: each of its patterns matches the run's fact."""
        return all(fnmatchcase(facts.get(key, ""), want) for key, want in self.condition.items())

    def covers(self, divergence: Divergence) -> bool:
        """Tell whether a divergence is of the family.  One that is missing never is."""
        return bool(
            divergence.missing is None
            and divergence.property_id == self.property
            and divergence.facet == self.facet
            and fnmatchcase(divergence.case, self.case)
        )

    def matches(self, covered: Sequence[Divergence]) -> bool:
        """Tell whether the divergences found are those that are expected."""
        if self.count == ANY:
            return all(each.fingerprint == self.fingerprint for each in covered)
        return len(covered) == self.count and fingerprint_of(covered) == self.fingerprint


def fingerprint_of(divergences: Iterable[Divergence]) -> str:
    """Return the fingerprint of several divergences together: of each case and its answers."""
    lines = sorted((each.case, each.fingerprint) for each in divergences)
    return sha256(json.dumps(lines).encode()).hexdigest()[:12]


def load_expectations(properties: Mapping[str, Property], path: Path = PATH) -> list[Expectation]:
    """Read the expectations; every field but the condition has to be there."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("expectation", [])
    expectations = [Expectation(**row) for row in rows]
    for each in expectations:
        if wrong := _what_is_wrong(each, properties):
            raise ValueError(f"expectation {each.id!r} {wrong}")
    return expectations


CONDITIONS = {
    "subject", "device", "oracle", "torch", "python", "implementation", "platform", "machine",
    "numpy", "cuda",
}  # fmt: skip
"""What a condition may ask about."""


def _what_is_wrong(expectation: Expectation, properties: Mapping[str, Property]) -> str:
    """Say what would make an expectation never apply, or apply without a reason."""
    if not (expectation.reason.strip() and expectation.link.strip()):
        return "gives no reason or no link"
    if expectation.property not in properties:
        return f"names no property: {expectation.property!r}"
    if expectation.facet not in {facet.name for facet in FACETS}:
        return f"names no facet: {expectation.facet!r}"
    drawn = properties[expectation.property].domain is None
    if expectation.count == ANY and not drawn:
        return "does not say how many there are in a finite domain"
    if unknown := sorted(set(expectation.condition) - CONDITIONS):
        return f"has conditions that nothing tells about: {', '.join(unknown)}"
    return ""


@dataclass(frozen=True)
class Problem:
    """Something for which a run fails."""

    kind: str
    property: str
    text: str
    facet: str | None = None


@dataclass(frozen=True)
class Judgement:
    """What became of each divergence, and what is wrong with the run."""

    status: Mapping[str, str]
    reasons: Mapping[str, Expectation]
    problems: Sequence[Problem]


@dataclass(frozen=True)
class JudgedProperty:
    """What judging has to know of a property that ran."""

    id: str
    complete: bool
    coverage: str
    divergences: list[Divergence]


def judge(
    records: Sequence[JudgedProperty],
    expectations: Iterable[Expectation] = (),
    facts: Mapping[str, str] | None = None,
) -> Judgement:
    """Hold what was found against what is expected."""
    found = [each for record in records for each in record.divergences]
    status = {each.id: "missing" if each.missing else "unexpected" for each in found}
    reasons: dict[str, Expectation] = {}
    problems = [
        Problem("incomplete", record.id, record.coverage)
        for record in records
        if not record.complete
    ]
    ran = {record.id for record in records}
    for expectation in expectations:
        if expectation.property not in ran or not expectation.applies(facts or {}):
            continue
        covered = [each for each in found if expectation.covers(each)]
        matches = expectation.matches(covered)
        for each in covered:
            status[each.id] = "expected" if matches else "changed"
            reasons[each.id] = expectation
        if not matches:
            problems.append(_no_longer(expectation, covered))
    problems += [
        Problem("divergence", each.property_id, f"{each.facet} of {each.case}", each.facet)
        for each in found
        if status[each.id] in ("unexpected", "missing")
    ]
    return Judgement(status, reasons, problems)


def _no_longer(expectation: Expectation, covered: Sequence[Divergence]) -> Problem:
    kind = "changed" if covered else "stale"
    now: Any = f"{len(covered)} divergences, fingerprint {fingerprint_of(covered)}"
    was = f"{expectation.count}, {expectation.fingerprint}"
    text = f"expectation {expectation.id!r}: {now if covered else 'nothing'} instead of {was}"
    return Problem(kind, expectation.property, text, expectation.facet)
