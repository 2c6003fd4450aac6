"""Known divergences, and the judgement of a run by them.

An expectation has a property, a facet, a pattern of cases, the number of divergences, and a
fingerprint of them. A divergence without an expectation is unexpected. An expectation without
divergences is stale, and one with other divergences is changed. Each of these fails the run.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ..core.errors import CouldNotRun
from ..core.formatting import short_hash, truncate
from ..observation.facets import FACETS
from ..observation.levels import VALUES, WORDS, level_of_facet
from .records import Divergence
from .registry import Property

DOMAIN = "domain"
"""The facet of an expectation about a domain that is incomplete, as cells are blocked."""

ANY = "any"
"""The count of an expectation about drawn cases, whose number varies."""

PATH = Path(__file__).with_name("expectations.toml")


@dataclass(frozen=True)
class Expectation:
    """Divergences that torch leaves open, or that the author of a subject knows.

    count: their number, or "any" for drawn cases and cells, and for a missing name
    fingerprint: that of all of them, or of each for any number
    missing: the name that the subject lacks, if it is about that
    sample: the sample of the domain in which they were found, if a profile asks less than quick
    is_own: whether it is from a list of the subject's author, and so says nothing about torch
    """

    id: str
    property: str
    facet: str
    case: str
    count: int | str
    fingerprint: str
    reason: str
    link: str = ""
    missing: str = ""
    sample: str = ""
    condition: Mapping[str, str] = field(default_factory=dict)
    is_own: bool = False

    def applies(self, facts: Mapping[str, str]) -> bool:
        """Return whether each pattern of the condition matches a fact of the run."""
        return all(fnmatchcase(facts.get(key, ""), want) for key, want in self.condition.items())

    def covers(self, divergence: Divergence) -> bool:
        """Return whether a divergence belongs to the expectation."""
        if self.missing or divergence.missing:
            return (divergence.missing, divergence.property_id) == (self.missing, self.property)
        place = divergence.property_id, divergence.facet
        return place == (self.property, self.facet) and fnmatchcase(
            divergence.origin.case, self.case
        )

    def matches(self, covered: Sequence[Divergence], *, is_part: bool = False) -> bool:
        """Return whether the covered divergences are the expected ones.

        Of a part of a domain they may be fewer, and then the fingerprint of all is unknown.
        """
        if is_part and self.count != ANY and len(covered) < int(self.count):
            return True
        if self.missing:
            return bool(covered)
        if self.count == ANY:
            return all(divergence.fingerprint == self.fingerprint for divergence in covered)
        return len(covered) == self.count and fingerprint_of(covered) == self.fingerprint


def fingerprint_of(divergences: Iterable[Divergence]) -> str:
    """Return the fingerprint of the cases and results of several divergences."""
    return fingerprint_of_pairs((each.origin.case, each.fingerprint) for each in divergences)


def fingerprint_of_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the fingerprint of pairs of a case and the fingerprint of its divergence."""
    return short_hash(json.dumps(sorted(pairs)))


def load_expectations(properties: Mapping[str, Property], path: Path = PATH) -> list[Expectation]:
    """Return the expectations of a file; raise ValueError if one is malformed.

    A row may have several expectations ``each`` with the keys that they do not share.
    """
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("expectation", [])
    rows = [row | each for row in rows for each in row.pop("each", [{}])]
    expectations = [Expectation(**row, is_own=path != PATH) for row in rows]
    for expectation in expectations:
        if path == PATH and not expectation.link.strip():
            raise ValueError(f"expectation {expectation.id!r} gives no link")
        if defect := _defect(expectation, properties):
            raise ValueError(f"expectation {expectation.id!r} {defect}")
    return expectations


def load_all(properties: Mapping[str, Property], paths: Iterable[Path]) -> list[Expectation]:
    """Return the expectations of several files; raise `CouldNotRun` for a file with a defect."""
    expectations = []
    for path in paths:
        try:
            expectations += load_expectations(properties, path)
        except OSError as error:
            raise CouldNotRun(f"{path}: {error.strerror}") from error
        except (ValueError, TypeError) as error:
            raise CouldNotRun(f"{path}: {error}") from error
    return expectations


CONDITIONS = {
    "subject", "device", "oracle", "torch", "python", "implementation", "platform", "machine",
    "numpy", "cuda", "profile",
}  # fmt: skip
"""The facts that a condition may name."""


def _defect(expectation: Expectation, properties: Mapping[str, Property]) -> str:
    """Return why an expectation can never apply or lacks a reason, or an empty string."""
    if not expectation.reason.strip():
        return "gives no reason"
    if expectation.property not in properties:
        return f"names no property: {expectation.property!r}"
    if expectation.facet not in {DOMAIN, *(facet.name for facet in FACETS)}:
        return f"names no facet: {expectation.facet!r}"
    prop = properties[expectation.property]
    is_any = prop.is_drawn or expectation.missing or expectation.facet == DOMAIN
    if expectation.count == ANY and not is_any:
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
    level: int = VALUES


@dataclass(frozen=True)
class Judgement:
    """The status and the expectation of divergences by their ids, and the problems.

    domains: the expectations about incomplete domains, by the property
    """

    status: Mapping[str, str]
    reasons: Mapping[str, Expectation]
    problems: Sequence[Problem]
    domains: Mapping[str, Expectation] = field(default_factory=dict)

    def is_accepted(self, divergence: Divergence) -> bool:
        """Return whether the author expects a divergence that torch does not leave open."""
        expectation = self.reasons.get(divergence.id)
        return self.status[divergence.id] == "expected" and bool(expectation and expectation.is_own)


@dataclass(frozen=True)
class JudgedProperty:
    """The result of a property as `judge` takes it.

    sample: which cells of the domain are asked, if not all are
    died: whether nothing is known of some parts
    """

    id: str
    complete: bool
    coverage: str
    divergences: list[Divergence]
    blocked: bool = False
    sample: str = ""
    died: bool = False


def sample_of(one_in: int, seed: int) -> str:
    """Return which cells of a domain are asked, or an empty text for all."""
    return f"one in {one_in}, seed {seed}" if one_in > 1 else ""


def judge(
    records: Sequence[JudgedProperty],
    expectations: Iterable[Expectation] = (),
    facts: Mapping[str, str] | None = None,
    level: int = WORDS,
) -> Judgement:
    """Return the judgement of the results by the expectations that apply.

    Problems above a level are no problems.
    """
    divergences = [each for record in records for each in record.divergences]
    status = {each.id: "missing" if each.missing else "unexpected" for each in divergences}
    reasons: dict[str, Expectation] = {}
    by_id = {record.id: record for record in records}
    applying = [
        each for each in expectations if each.property in by_id and each.applies(facts or {})
    ]
    domains = {each.property: each for each in applying if each.facet == DOMAIN}
    problems, candidates = [*_incomplete(records, domains)], _Candidates(divergences)
    for expectation in applying:
        if expectation.facet == DOMAIN:
            continue
        record = by_id[expectation.property]
        covered = candidates.covered_by(expectation)
        is_part = record.died or record.sample not in ("", expectation.sample)
        matches = expectation.matches(covered, is_part=is_part)
        status |= dict.fromkeys((each.id for each in covered), "expected" if matches else "changed")
        reasons |= {each.id: expectation for each in covered}
        if not matches:
            problems.append(_mismatch(expectation, covered))
    problems += [
        Problem(
            "divergence", each.property_id, f"{each.facet} of {each.case}", each.facet, each.level
        )
        for each in divergences
        if status[each.id] in ("unexpected", "missing")
    ]
    problems = [each for each in problems if each.level <= level]
    return Judgement(status, reasons, problems, domains)


class _Candidates:
    """Divergences by property and by case, so that a long list of expectations is judged fast."""

    def __init__(self, divergences: Iterable[Divergence]) -> None:
        self._of_property: dict[str, list[Divergence]] = {}
        self._of_case: dict[tuple[str, str], list[Divergence]] = {}
        for each in divergences:
            self._of_property.setdefault(each.property_id, []).append(each)
            self._of_case.setdefault((each.property_id, each.origin.case), []).append(each)

    def covered_by(self, expectation: Expectation) -> list[Divergence]:
        """Return the divergences that an expectation covers."""
        text = None if expectation.missing else _text_of(expectation.case)
        found = (
            self._of_property.get(expectation.property, [])
            if text is None
            else self._of_case.get((expectation.property, text), [])
        )
        return [each for each in found if expectation.covers(each)]


def _text_of(pattern: str) -> str | None:
    """Return the one text that a pattern matches, or None if it has wildcards.

    >>> _text_of("x[[]0] [*] 2"), _text_of("x*")
    ('x[0] * 2', None)
    """
    if re.search(r"[*?[]", _ESCAPED.sub("", pattern)):
        return None
    return _ESCAPED.sub(r"\1", pattern)


_ESCAPED = re.compile(r"\[([*?[])\]")


def _incomplete(
    records: Sequence[JudgedProperty], domains: Mapping[str, Expectation]
) -> Iterator[Problem]:
    """Yield the problems of domains: incomplete ones, and complete ones that are not expected."""
    for record in records:
        expectation = domains.get(record.id)
        if not record.complete and expectation is None:
            kind = "blocked" if record.blocked else "incomplete"
            yield Problem(kind, record.id, record.coverage)
        elif record.complete and expectation is not None:
            text = f"expectation {expectation.id!r}: the domain is complete"
            yield Problem("stale", record.id, text, None)


def _mismatch(expectation: Expectation, covered: Sequence[Divergence]) -> Problem:
    found = f"{len(covered)} divergences, fingerprint {fingerprint_of(covered)}"
    text = f"expectation {expectation.id!r}: {found if covered else 'nothing'} instead of"
    text += f" {expectation.count}, {expectation.fingerprint}"
    if not covered and not expectation.missing:
        last = _ESCAPED.sub(r"\1", expectation.case).rpartition("\n")[2]
        text += f"; no longer there: {expectation.facet} of {truncate(last)}"
    kind = "changed" if covered else "stale"
    level = min((each.level for each in covered), default=level_of_facet(expectation.facet))
    return Problem(kind, expectation.property, text, expectation.facet, level)
