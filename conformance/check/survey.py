"""A survey of a subject: a few cells of each property, until the time is over."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import Any
from zlib import crc32

from ..adapter import FACTS
from ..core.differences import differences
from ..core.profiles import PROFILES, Profile
from ..engine.aggregate import PropertyRecord, merge
from ..engine.execution import run_property
from ..engine.records import Divergence
from ..engine.registry import Property
from ..engine.session import Session
from ..libraries.library import Library
from ..observation.levels import WORDS, level_of_facet
from ..observation.tensor_state import AUTOGRAD_READERS
from ..properties import all_properties
from ..report.causes import call_name
from ..spec import public_surface

DECLARED = "the adapter says so"
"""Why a fact is not asked that an adapter declares."""

CELLS = 3
"""The number of cells or draws of each property."""


@dataclass
class Survey:
    """What was found.

    looked_at, properties: the number of properties that were asked, and of all
    cells: the number of cells and draws that were asked
    seconds: how long they took
    start: the seconds of processor time until a process can ask
    duration: the seconds of all properties by profile, in one process
    facts: why facts of tensors are not asked, an empty text for those that are
    asked, wrong: the number of facts by level
    stranger: the class of what tensor() returns, if it is no class of tensors
    is_certified: whether the suite has caught all planted faults with this torch
    names: the public names in scope
    present: the number of those that are there
    missing: the names that were asked for and are not there
    opens: the number of cells that each name or call keeps from being asked, estimated
    properties_of: the properties of which that is so
    differing: how often each call differs in its values and layout, and how; by its last part
    examples: the last step of the first program in which each of those calls differed
    """

    subject: str
    oracle: str
    properties: int
    looked_at: int = 0
    cells: int = 0
    seconds: float = 0.0
    start: float = 0.0
    duration: dict[str, float] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    asked: Counter[int] = field(default_factory=Counter)
    wrong: Counter[int] = field(default_factory=Counter)
    stranger: str = ""
    is_certified: bool = False
    names: list[str] = field(default_factory=list)
    present: int = 0
    missing: set[str] = field(default_factory=set)
    opens: Counter[str] = field(default_factory=Counter)
    properties_of: dict[str, set[str]] = field(default_factory=dict)
    differing: dict[str, Counter[str]] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def counts(self, level: int) -> dict[str, int]:
        """Return the counts of a level as a report has them."""
        return {"asked": self.asked[level], "wrong": min(self.asked[level], self.wrong[level])}


def survey(session: Session, seconds: float, notify: Callable[[str], None]) -> Survey:
    """Return what is found of a session's subject within about so many seconds.

    ``notify`` is called with the id of each property before it is asked.
    """
    properties = [prop for prop in all_properties().values() if prop.about_subject]
    version = str(getattr(session.oracle.root, "__version__", ""))
    found = Survey(session.subject.spec, f"{session.oracle.spec} {version}", len(properties))
    found.start = time.process_time()
    found.facts = {
        fact.name: session.lacking.get(fact.name)
        or (DECLARED if fact.name in session.subject.not_asked else "")
        for fact in FACTS
    }
    found.stranger = _stranger(session.subject)
    if found.facts["autograd"]:
        for name in AUTOGRAD_READERS:
            del found.facts[name]  # a part of what is not asked
    notify("its public names")
    found.names = public_surface.in_scope(session.oracle.root)
    found.present = sum(_has(session, name) for name in found.names)
    # A fixed order in which the areas are mixed.
    properties.sort(key=lambda prop: crc32(prop.id.encode()))
    ends = time.perf_counter() + seconds
    for prop in properties:
        if time.perf_counter() > ends:
            break
        notify(prop.id)
        _look_at(session, prop, found)
    for profile, total in found.duration.items():
        found.duration[profile] = total * found.properties / found.looked_at
    return found


def _stranger(subject: Library) -> str:
    """Return the class of what tensor() returns if it is no class of tensors, or an empty text."""
    try:
        value = subject.run("torch.tensor([1, 2])", subject.scope())
    except Exception:  # noqa: BLE001  # a subject may raise anything
        return ""
    cls = type(value)
    return "" if subject.is_tensor(value) else f"{cls.__module__}.{cls.__qualname__}"


def _has(session: Session, name: str) -> bool:
    """Return whether the subject has a public name."""
    subject = session.subject
    try:
        return bool(subject.run(public_surface.question(name), subject.scope()))
    except Exception:  # noqa: BLE001  # a module's __getattr__ may raise anything
        return False


def _look_at(session: Session, prop: Property, found: Survey) -> None:
    """Ask a few cells of a property, and add what is found."""
    session.oracle.activate()
    size = None if prop.domain is None else prop.domain(session.oracle.root).size
    asked = replace(session, profile=_PROFILE._replace(examples=CELLS * prop.calls))
    times: list[float] = []
    sample = _sample(prop, times)
    began = time.perf_counter()
    record = merge(sample, run_property(asked, sample))
    elapsed = time.perf_counter() - began
    cells = max(1, record.coverage.visited + record.coverage.blocked)
    found.looked_at += 1
    found.cells += cells
    found.seconds += elapsed
    for facet, number in record.facets.items():
        found.asked[level_of_facet(facet)] += number
    for key, number in record.wrong.items():
        found.wrong[int(key.partition(" ")[0])] += number
    # The domain is built once, and the first cell also prepares what the others use.
    rest = times[1:]
    each = mean(rest or times or [0.0])
    once = max(0.0, elapsed - sum(rest))
    for profile in PROFILES.values():
        found.duration[profile.name] = found.duration.get(profile.name, 0.0) + (
            once + each * _cells_in(profile, prop, size) * _steps_in(profile, prop)
        )
    _add_blockers(record, prop, (size or 1) / (prop.one_in * cells), found)
    for divergence in record.divergences:
        call, how = call_name(divergence.case), _how(divergence)
        if divergence.level < WORDS and not divergence.missing:
            found.differing.setdefault(call, Counter())[how] += 1
            found.examples.setdefault(call, divergence.case.rpartition("\n")[2])


def _sample(prop: Property, times: list[float]) -> Property:
    """Return a property with a few cells in one part, which adds the seconds of each to a list."""

    def body(*args: Any, **keywords: Any) -> None:
        began = time.perf_counter()
        prop.body(*args, **keywords)
        times.append(time.perf_counter() - began)

    domain = prop.domain
    if domain is None:
        return replace(prop, parts=1, body=body)
    return replace(prop, domain=lambda torch: domain(torch).thinned(CELLS), parts=1, body=body)


_PROFILE = Profile("check", CELLS, attempts=1, shrink_s=0.0, call_step=PROFILES["quick"].call_step)


def _cells_in(profile: Profile, prop: Property, size: int | None) -> float:
    """Return the number of cells or draws of a property in a profile."""
    if size is None:
        return max(1, profile.examples // prop.calls)
    return min(size / prop.one_in_of(profile), prop.most_cells(profile) or size)


def _steps_in(profile: Profile, prop: Property) -> float:
    """Return how many times as many programs a cell has in a profile."""
    return _PROFILE.call_step / profile.call_step if prop.asks_part else 1.0


def _add_blockers(record: PropertyRecord, prop: Property, weight: float, found: Survey) -> None:
    counts: Counter[str] = Counter(record.coverage.blocked_by)
    missing = [name for each in record.divergences if _is_name(name := each.missing or "")]
    counts.update(missing)
    found.missing.update(missing)
    for name, number in counts.items():
        found.opens[name] += max(1, round(number * weight))
        found.properties_of.setdefault(name, set()).add(prop.id)


def _is_name(missing: str) -> bool:
    """Return whether what is missing is a name, not a program that is not implemented."""
    return bool(missing) and "\n" not in missing and " " not in missing


def _how(divergence: Divergence) -> str:
    """Return how a call differs, in a line."""
    if divergence.facet != "raises":
        path, *_ = next(differences(divergence.expected, divergence.observed), ((),))
        part = [f": {each}" for each in path if isinstance(each, str)][-1:]
        return f"another {divergence.facet}{''.join(part)}"
    if divergence.observed is None:
        return f"no {divergence.expected}"
    return f"{divergence.observed}: {divergence.messages[1] or ''}".partition("\n")[0]
