"""What the parts of a run did, put together to properties; and where it ran.

Nothing here knows pytest.  `model` makes the report of it.
"""

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata

from ..comparison.element_cases import ElementCounts
from ..core.domain import Coverage, Visits
from ..libraries.library import Library
from ..observation.cuda_modes import kind_of_devices
from .expectations import JudgedProperty
from .records import Divergence, PartRecord
from .registry import Property
from .session import Session


@dataclass
class PropertyRecord:
    """What all parts of a property did together."""

    claim: Property
    certificate: Coverage
    facets: Counter[str]
    seconds: float
    divergences: list[Divergence]
    normalised: Counter[str] = field(default_factory=Counter)
    tallies: Mapping[str, ElementCounts] = field(default_factory=dict)
    operators: Mapping[str, ElementCounts] = field(default_factory=dict)
    axes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Sequence[str] = ()
    marks: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def comparisons(self) -> int:
        """How many facets were compared."""
        return self.facets.total()

    @property
    def id(self) -> str:
        """The id of the property."""
        return self.claim.id

    @property
    def complete(self) -> bool:
        """Whether the domain is finished and something was compared."""
        return self.certificate.complete and self.comparisons > 0

    def for_judging(self) -> JudgedProperty:
        """Return what a judgement is about."""
        found = self.certificate
        coverage = f"{found.visited:,} of {found.size or 'any number of'} cells visited"
        return JudgedProperty(self.id, self.complete, coverage, self.divergences)


def merge(prop: Property, parts: Sequence[PartRecord]) -> PropertyRecord:
    """Put the parts of a property together.

    Each part must be there once, and all must have declared the same domain.
    """
    found = sorted(part.part for part in parts)
    if found != list(range(prop.parts)):
        raise ValueError(f"{prop.id}: parts {found} instead of {prop.parts} parts")
    declared = {(part.kind, part.size, part.declared) for part in parts}
    if len(declared) != 1:
        raise ValueError(f"{prop.id}: its parts declare different domains")
    kind, size, digest = declared.pop()
    parts = sorted(parts, key=lambda each: each.part)
    visits = Visits.union(part.visits for part in parts)
    by_id: dict[str, Divergence] = {}
    for part in parts:
        by_id = {**part.divergences, **by_id}
    return PropertyRecord(
        prop,
        Coverage(kind, size, digest, len(visits.seen), visits.rejected, visits.digest),
        sum((part.facets for part in parts), Counter()),
        sum(part.seconds for part in parts),
        list(by_id.values()),
        sum((part.normalised for part in parts), Counter()),
        added(part.tallies for part in parts),
        added(part.operators for part in parts),
        parts[0].axes,
        _in_order(size or 0, parts),
        {place: ids for part in parts for place, ids in part.marks.items()},
    )


def _in_order(size: int, parts: Sequence[PartRecord]) -> list[str]:
    """Return the answers of all cells, of which each part has every so-many-th."""
    answers = [""] * size
    for part in parts:
        for index, answer in enumerate(part.answers):
            answers[part.part + index * len(parts)] = answer
    return answers if any(answers) else []


def added(tallies: Iterable[Mapping[str, ElementCounts]]) -> dict[str, ElementCounts]:
    """Add up what was counted for each pair of dtypes, or each operator."""
    total: dict[str, ElementCounts] = {}
    for each in tallies:
        for pair, tally in each.items():
            total[pair] = total.get(pair, ElementCounts()) + tally
    return total


def to_text(part: PartRecord) -> str:
    """Write a part as text, to travel from a worker."""
    data = {
        **vars(part),
        "visits": {"seen": sorted(part.visits.seen), "rejected": part.visits.rejected},
        "divergences": {key: vars(each) for key, each in part.divergences.items()},
        "tallies": {pair: each.as_data() for pair, each in part.tallies.items()},
        "operators": {key: each.as_data() for key, each in part.operators.items()},
    }
    return json.dumps(data)


def from_text(text: str) -> PartRecord:
    """Read what `to_text` wrote."""
    data = json.loads(text)
    part = PartRecord(
        **{
            **data,
            "visits": Visits(set(data["visits"]["seen"]), data["visits"]["rejected"]),
            "divergences": {},
            "facets": Counter(data["facets"]),
            "marks": {int(place): ids for place, ids in data["marks"].items()},
            "normalised": Counter(data["normalised"]),
            "tallies": {
                pair: ElementCounts.of_data(each) for pair, each in data["tallies"].items()
            },
            "operators": {
                key: ElementCounts.of_data(each) for key, each in data["operators"].items()
            },
        }
    )
    for each in data["divergences"].values():
        part.note(Divergence(**each))
    return part


def environment(oracle: Library) -> dict[str, str]:
    """Say where the run took place, as far as the result may depend on it."""
    version = getattr(oracle.root, "__version__", None)
    return {
        **({oracle.spec.partition("@")[0]: str(version)} if version else {}),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": sys.platform,
        "machine": platform.machine(),
        "cores": str(os.cpu_count()),
        "cuda": kind_of_devices(oracle),
        **{name: metadata.version(name) for name in ("numpy", "hypothesis", "pytest")},
    }


def known_facts(session: Session) -> dict[str, dict[str, str]]:
    """Say where a session runs, and what the conditions of expectations may ask about."""
    where = environment(session.oracle)
    _, _, device = session.subject.spec.partition("@")
    specs = {"oracle": session.oracle.spec, "subject": session.subject.spec}
    asked = {**where, **specs, "device": device or "cpu"}
    return {"environment": where, "facts": asked}
