"""A session: the two libraries of a run in one process, and the settings of the comparison."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..comparison import comparator
from ..comparison.tolerances import Tolerance, load_tolerances
from ..comparison.undefined_elements import UNDEFINED, Undefined
from ..comparison.unwritten import Masked, without_unwritten
from ..core.case import Case
from ..core.errors import CouldNotRun
from ..core.profiles import Profile
from ..libraries.library import Library
from ..libraries.watched import Watched
from ..observation.cross_device import without_device
from ..observation.cuda_modes import (
    SIMULATED,
    FakeTensorLibrary,
    cuda_device_count,
    observe_fake,
    with_cuda,
)
from ..observation.facets import observe
from ..observation.runner import Observation, Observer
from .records import PartRecord

Compare = Callable[[dict[str, Any], dict[str, Any], str], comparator.Comparison]

States = tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]
"""The oracle's and the subject's variables after a step, as plain data, if they were read."""

NO_STATES: States = (None, None)

Mask = Callable[[Library, Case, Observation, Observation, Observer], Masked]


@dataclass
class Session:
    """The two libraries of a run and the settings of the comparison.

    watched: what the subject must not change, as it was before it was loaded
    stops_at: whether the record of a part ends its property, to find a fault without the rest
    observer: the function that observes outcomes
    lacking: why the facts that the subject lacks, without declaring them, are not asked
    records_into: the folder for the oracle's answers, if they are recorded
    without_cuda: the session for programs without CUDA devices, if both sides simulate them
    agreed_prefixes: the leading steps of programs of this part on which both sides agree, with the
        oracle's and the subject's state after them
    """

    oracle: Library
    subject: Library
    profile: Profile
    seed: int = 0
    compare: Compare = comparator.compare
    mask: Mask = without_unwritten
    undefined: Sequence[Undefined] = UNDEFINED
    tolerances: Sequence[Tolerance] = field(default_factory=load_tolerances)
    watched: Watched | None = None
    stops_at: Callable[[PartRecord], bool] | None = None
    observer: Observer = observe
    lacking: Mapping[str, str] = field(default_factory=dict)
    records_into: Path | None = None
    without_cuda: "Session | None" = None
    agreed_prefixes: dict[tuple[str, ...], States] = field(default_factory=dict, init=False)

    def on_cpu(self) -> "Session":
        """Return a session without a default device, for programs that name devices themselves."""
        oracle, subject = map(without_device, (self.oracle, self.subject))
        return replace(self, oracle=oracle, subject=subject, observer=observe)

    def on_cuda(self) -> "Session":
        """Return a session whose sides have CUDA devices, real or simulated."""
        count = min(cuda_device_count(self.oracle), SIMULATED) or SIMULATED
        oracle = with_cuda(self.oracle, count)
        subject = oracle if self.subject is self.oracle else with_cuda(self.subject, count)
        is_fake = any(isinstance(side, FakeTensorLibrary) for side in (oracle, subject))
        observer = observe_fake if is_fake else self.observer
        return replace(self, oracle=oracle, subject=subject, observer=observer, without_cuda=self)

    def check_watched(self) -> None:
        """Raise `CouldNotRun` if the subject has changed the oracle or the suite."""
        name = self.watched and self.watched.changed()
        if name is not None:
            raise CouldNotRun(f"{self.subject.spec!r} has put something else for {name}")

    def has_found(self, record: PartRecord) -> bool:
        """Return whether a part has found what ends the property."""
        return self.stops_at is not None and self.stops_at(record)
