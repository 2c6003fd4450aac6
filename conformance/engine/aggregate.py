"""The results of properties, merged from their parts, and the environment of a run.

Nothing here depends on pytest. `report_model` makes the report of it.
"""

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from typing import Any

from ..comparison.element_cases import ElementCounts
from ..core.domain import Coverage, Visits
from ..core.formatting import blocked_text, refused_text
from ..libraries.build import build_of
from ..libraries.library import Library
from ..observation.cuda_modes import describe_devices
from .expectations import JudgedProperty, sample_of
from .records import Divergence, PartRecord
from .registry import Property
from .session import Session


@dataclass
class PropertyRecord:
    """The merged result of all parts of a property."""

    prop: Property
    coverage: Coverage
    facets: Counter[str]
    seconds: float
    divergences: list[Divergence]
    normalized: Counter[str] = field(default_factory=Counter)
    elements: int = 0
    unwritten: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    not_asked: Counter[str] = field(default_factory=Counter)
    tallies: Mapping[str, ElementCounts] = field(default_factory=dict)
    operators: Mapping[str, ElementCounts] = field(default_factory=dict)
    axes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Sequence[str] = ()
    marks: Mapping[int, Sequence[str]] = field(default_factory=dict)
    blockers: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def comparisons(self) -> int:
        """The number of compared facets."""
        return self.facets.total()

    @property
    def id(self) -> str:
        """The id of the property."""
        return self.prop.id

    @property
    def complete(self) -> bool:
        """Whether the domain was visited in full and at least one facet was compared."""
        return self.coverage.complete and self.comparisons > 0

    def for_judging(self, seed: int = 0) -> JudgedProperty:
        """Return the result of a run with a seed as `expectations.judge` takes it."""
        coverage = self.coverage
        text = f"{coverage.visited:,} of {coverage.size or 'any number of'} cells visited"
        text += blocked_text(coverage.blocked, coverage.blocked_by)
        text += refused_text(coverage.refused, coverage.refused_by)
        if coverage.died:
            text += f"; nothing is known of {coverage.died} of {self.prop.parts} parts"
        blocked = bool(coverage.blocked)
        sample = sample_of(coverage.one_in, seed)
        died = bool(coverage.died)
        return JudgedProperty(self.id, self.complete, text, self.divergences, blocked, sample, died)


def merge(prop: Property, parts: Sequence[PartRecord]) -> PropertyRecord:
    """Return the merged result of a property's parts.

    Raise ValueError if a part is missing or doubled, or if the parts declare different domains.
    """
    numbers = sorted(part.part for part in parts)
    if numbers != list(range(prop.parts)):
        raise ValueError(f"{prop.id}: parts {numbers} instead of {prop.parts} parts")
    parts = sorted(parts, key=lambda part: part.part)
    alive = [part for part in parts if not part.died]
    declared = {(part.kind, part.size, part.declared) for part in alive}
    if len(declared) > 1:
        raise ValueError(f"{prop.id}: its parts declare different domains")
    kind, size, digest = declared.pop() if declared else _unknown_domain(prop)
    visits = Visits.union(part.visits for part in parts)
    by_id: dict[str, Divergence] = {}
    for part in parts:
        by_id = {**part.divergences, **by_id}
    return PropertyRecord(
        prop,
        replace(
            visits.coverage(kind, size, digest, max(part.one_in for part in parts)),
            died=len(parts) - len(alive),
        ),
        sum((part.facets for part in parts), Counter()),
        sum(part.seconds for part in parts),
        list(by_id.values()),
        sum((part.normalized for part in parts), Counter()),
        sum(part.elements for part in parts),
        sum(part.unwritten for part in parts),
        sum((part.wrong for part in parts), Counter()),
        sum((part.not_asked for part in parts), Counter()),
        merge_counts(part.tallies for part in parts),
        merge_counts(part.operators for part in parts),
        alive[0].axes if alive else {},
        _in_order(size or 0, parts),
        {index: ids for part in parts for index, ids in part.marks.items()},
        {index: names for part in parts for index, names in part.blockers.items()},
    )


def _unknown_domain(prop: Property) -> tuple[str, int | None, int | None]:
    """Return the kind, size and digest of a domain that no part has declared."""
    return ("sampled", None, None) if prop.domain is None else ("finite", 0, -1)


def _in_order(size: int, parts: Sequence[PartRecord]) -> list[str]:
    """Return the answers of all cells, which the parts have in turn."""
    answers = [""] * size
    for part in parts:
        for index, answer in enumerate(part.answers):
            answers[part.part + index * len(parts)] = answer
    return answers if any(answers) else []


def merge_counts(tallies: Iterable[Mapping[str, ElementCounts]]) -> dict[str, ElementCounts]:
    """Return the total counts of each pair of dtypes, or of each operator."""
    total: dict[str, ElementCounts] = {}
    for counts in tallies:
        for pair, count in counts.items():
            total[pair] = total.get(pair, ElementCounts()) + count
    return total


def to_text(part: PartRecord) -> str:
    """Return a part as JSON, to send it from a worker."""
    data = {
        **vars(part),
        "visits": {
            "seen": sorted(part.visits.seen),
            "rejected": part.visits.rejected,
            "blocked": {name: sorted(items) for name, items in part.visits.blocked.items()},
            "refused": {name: sorted(items) for name, items in part.visits.refused.items()},
            "instead": part.visits.instead,
        },
        "divergences": {key: asdict(item) for key, item in part.divergences.items()},
        "tallies": {pair: item.as_data() for pair, item in part.tallies.items()},
        "operators": {key: item.as_data() for key, item in part.operators.items()},
    }
    return json.dumps(data)


def from_text(text: str) -> PartRecord:
    """Return the part of a text of `to_text`."""
    data = json.loads(text)
    visits = data["visits"]
    for kind in ("blocked", "refused"):
        visits[kind] = {name: set(items) for name, items in visits[kind].items()}
    data["visits"] = Visits(**{**visits, "seen": set(visits["seen"])})
    data["divergences"] = {key: _divergence_of(row) for key, row in data["divergences"].items()}
    for name in ("marks", "blockers"):
        data[name] = {int(index): row for index, row in data[name].items()}
    for name in ("facets", "normalized", "wrong", "not_asked"):
        data[name] = Counter(data[name])
    for name in ("tallies", "operators"):
        data[name] = {key: ElementCounts.from_data(row) for key, row in data[name].items()}
    return PartRecord(**data)


def _divergence_of(row: Mapping[str, Any]) -> Divergence:
    drawn = _divergence_of(row["drawn"]) if row["drawn"] else None
    return Divergence(**{**row, "steps": tuple(row["steps"]), "drawn": drawn})


def environment(oracle: Library) -> dict[str, str]:
    """Return the parts of the environment on which the result may depend.

    What is the oracle's own is that of the recording, if its answers are known from one.
    """
    if oracle.known is not None:
        own = {oracle.spec.partition("@")[0], "commit", "cpu_capability", "cuda"}
        recorded = oracle.known.header.environment
        return {
            **{name: value for name, value in recorded.items() if name in own},
            **_environment_of_process(),
        }
    version = getattr(oracle.root, "__version__", None)
    build = build_of(oracle.root) or {}
    return {
        **({oracle.spec.partition("@")[0]: str(version)} if version else {}),
        **_environment_of_process(),
        **{name: build[name] for name in ("commit", "cpu_capability") if name in build},
        "cuda": describe_devices(oracle),
    }


def _environment_of_process() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": sys.platform,
        "machine": platform.machine(),
        "cores": str(os.cpu_count()),
        **{name: metadata.version(name) for name in ("numpy", "hypothesis", "pytest")},
    }


def build_in(environment: Mapping[str, str], oracle: str) -> dict[str, str] | None:
    """Return the oracle's build (see `build_of`) from the environment of a run, or None."""
    if "commit" not in environment:
        return None
    build = {name: environment[name] for name in ("commit", "cpu_capability")}
    return {"version": environment[oracle.partition("@")[0]], **build}


def known_facts(session: Session) -> dict[str, dict[str, str]]:
    """Return the environment of a session, and the facts for the conditions of expectations."""
    machine = environment(session.oracle)
    oracle, subject = session.oracle.spec, session.subject.spec
    device = session.subject.default_device or "cpu"
    facts = {**machine, "oracle": oracle, "subject": subject, "device": device}
    facts["profile"] = session.profile.name
    return {"environment": machine, "facts": facts, "lacking": dict(session.lacking)}
