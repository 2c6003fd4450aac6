"""What one part of a property did, and where the subject gave something else."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..comparison import element_cases
from ..core.domain import Visits
from ..core.formatting import format_sides, short_hash


@dataclass(frozen=True)
class Divergence:
    """One facet of one case in which the subject gives something else than the oracle."""

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

    @property
    def id(self) -> str:
        """The identity, which does not depend on what was expected or observed."""
        what = self.missing or f"{self.facet}\n{self.case}"
        return short_hash(f"{self.property_id}\n{what}")

    @property
    def fingerprint(self) -> str:
        """A digest of what was expected and observed."""
        return short_hash(json.dumps([self.expected, self.observed]))

    def __str__(self) -> str:
        expected, observed = format_sides(vars(self), None)
        return f"{self.case}\n  {self.facet}\n    expected  {expected}\n    observed  {observed}"


@dataclass
class PartRecord:
    """What one part of a property did."""

    property_id: str
    part: int
    kind: str
    size: int | None = None
    declared: int | None = None
    facets: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    visits: Visits = field(default_factory=Visits)
    divergences: dict[str, Divergence] = field(default_factory=dict)
    normalised: Counter[str] = field(default_factory=Counter)
    tallies: dict[str, element_cases.ElementCounts] = field(default_factory=dict)
    operators: dict[str, element_cases.ElementCounts] = field(default_factory=dict)
    axes: dict[str, Sequence[str]] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    marks: dict[int, list[str]] = field(default_factory=dict)

    @property
    def comparisons(self) -> int:
        """How many facets were compared."""
        return self.facets.total()

    def note(self, divergence: Divergence) -> None:
        """Keep a divergence; the first with its identity is the one that is shown."""
        self.divergences.setdefault(divergence.id, divergence)

    def problems(self) -> str:
        """Say what is wrong, for the test that ran this; nothing if nothing is."""
        shown = [str(each) for each in list(self.divergences.values())[:3]]
        if len(self.divergences) > 3:
            shown.append(f"... and {len(self.divergences) - 3} more")
        if not self.comparisons:
            shown.append(f"{self.property_id} part {self.part} compared nothing")
        return "\n".join(shown)
