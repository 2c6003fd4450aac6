"""The record of one part of a property, and its divergences."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..comparison import element_cases
from ..core.domain import Visits
from ..core.formatting import format_sides, short_hash
from ..observation.levels import VALUES, level_of


@dataclass(frozen=True)
class Divergence:
    """One facet of one case in which the subject differs from the oracle.

    drawn: the divergence of which this is a simpler form; the identity is that of the drawn one
    """

    property_id: str
    facet: str
    case: str
    expected: Any
    observed: Any
    missing: str | None = None
    reproduction: str = ""
    messages: Sequence[str | None] = (None, None)
    third_party_results: Mapping[str, str] | None = None
    outlier: str = ""
    steps: tuple[str, ...] = ()
    drawn: "Divergence | None" = None

    @property
    def origin(self) -> "Divergence":
        """The divergence that was found: the drawn one, or else this one."""
        return self.drawn or self

    @property
    def id(self) -> str:
        """The identity, which does not depend on the results."""
        subject = self.missing or f"{self.facet}\n{self.origin.case}"
        return short_hash(f"{self.property_id}\n{subject}")

    @property
    def level(self) -> int:
        """The level of the fact; a missing name is one of level 1."""
        return VALUES if self.missing else level_of(self.facet, self.expected, self.observed)

    @property
    def difference(self) -> str:
        """A digest of the expected and the observed result in the simplest form."""
        return short_hash(json.dumps([self.expected, self.observed]))

    @property
    def fingerprint(self) -> str:
        """A digest of the expected and the observed result as they were found."""
        return self.origin.difference

    def __str__(self) -> str:
        expected, observed = format_sides(vars(self), None)
        return f"{self.case}\n  {self.facet}\n    expected  {expected}\n    observed  {observed}"


@dataclass
class PartRecord:
    """The record of one part of a property.

    elements: the number of elements in the compared facets, except those of bulk cases
    unwritten: the number of differing elements that nothing wrote
    wrong: the number of differences by level and facet, such as ``"2 stride"``
    not_asked: the number of facts that were not asked, as the subject lacks them, by their names
    answers: the oracle's answers in the cells of a grid
    marks: the ids of the divergences in cells of a grid, by their indices in the whole domain
    blockers: the calls that block cells of a grid, by their indices in the whole domain
    died: whether nothing is known of this part: its process died or hung, or the run was
        interrupted
    """

    property_id: str
    part: int
    kind: str
    size: int | None = None
    declared: int | None = None
    facets: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    visits: Visits = field(default_factory=Visits)
    divergences: dict[str, Divergence] = field(default_factory=dict)
    normalized: Counter[str] = field(default_factory=Counter)
    elements: int = 0
    unwritten: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    not_asked: Counter[str] = field(default_factory=Counter)
    tallies: dict[str, element_cases.ElementCounts] = field(default_factory=dict)
    operators: dict[str, element_cases.ElementCounts] = field(default_factory=dict)
    axes: dict[str, Sequence[str]] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    marks: dict[int, list[str]] = field(default_factory=dict)
    blockers: dict[int, list[str]] = field(default_factory=dict)
    one_in: int = 1
    died: bool = False

    @property
    def comparisons(self) -> int:
        """The number of compared facets."""
        return self.facets.total()

    def note(self, divergence: Divergence) -> None:
        """Record a divergence unless one with the same identity is recorded."""
        self.divergences.setdefault(divergence.id, divergence)

    def problems(self) -> str:
        """Return the failure message for the test of this part, empty if it passed."""
        lines = [str(divergence) for divergence in list(self.divergences.values())[:3]]
        if len(self.divergences) > 3:
            lines.append(f"... and {len(self.divergences) - 3} more")
        if not self.comparisons:
            lines.append(f"{self.property_id} part {self.part} compared nothing")
        return "\n".join(lines)
