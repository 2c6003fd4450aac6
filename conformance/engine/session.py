"""One run of the suite in one process: two libraries and how they are asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..comparison import comparator, tolerances
from ..comparison.undefined_elements import UNDEFINED, Undefined
from ..core.errors import CouldNotRun
from ..core.profiles import Profile
from ..libraries.library import Library, holdings
from ..observation.cross_device import without_device
from ..observation.cuda_modes import SIMULATED, Fake, devices_of, read_of_fake, with_cuda
from ..observation.facets import read
from ..observation.runner import Look
from .records import PartRecord

Compare = Callable[[dict[str, Any], dict[str, Any], str], comparator.Comparison]


@dataclass
class Session:
    """The two libraries of a run and how it asks.

    ``stop_at_facet`` names a facet: the first divergence in it ends a property, whose
    domain is incomplete then.  Faults are looked for so.  ``agreed_prefixes`` are the
    programs with which others of the same part begin and in which nothing differs.  ``look`` is how
    outcomes are looked at.  If the sides have what stands for CUDA devices, programs that name none are
    asked ``without_cuda``.
    """

    oracle: Library
    subject: Library
    profile: Profile
    seed: int = 0
    compare: Compare = comparator.compare
    undefined: Sequence[Undefined] = UNDEFINED
    inexact: Sequence[tolerances.Inexact] = field(default_factory=tolerances.inexact)
    oracle_snapshot: Mapping[str, int] = field(default_factory=dict)
    stop_at_facet: str | None = None
    look: Look = read
    without_cuda: "Session | None" = None
    agreed_prefixes: set[tuple[str, ...]] = field(default_factory=set, init=False)

    def on_cpu(self) -> "Session":
        """Return a session without a default device: programs that name devices themselves are asked so."""
        oracle, subject = map(without_device, (self.oracle, self.subject))
        return replace(self, oracle=oracle, subject=subject, look=read)

    def on_cuda(self) -> "Session":
        """Return a session whose two sides have CUDA devices: as many as the oracle has, or what stands for them."""
        count = min(devices_of(self.oracle), SIMULATED) or SIMULATED
        oracle = with_cuda(self.oracle, count)
        subject = oracle if self.subject is self.oracle else with_cuda(self.subject, count)
        fakes = any(isinstance(each, Fake) for each in (oracle, subject))
        look = read_of_fake if fakes else self.look
        return replace(self, oracle=oracle, subject=subject, look=look, without_cuda=self)

    def check_oracle(self) -> None:
        """Raise `CouldNotRun` if the oracle is not what it was before the subject was loaded."""
        if not self.oracle_snapshot:
            return
        now = holdings(self.oracle.root)
        if changed := [
            name for name, what in self.oracle_snapshot.items() if now.get(name) != what
        ]:
            raise CouldNotRun(f"{self.subject.spec!r} has put something else for {changed[0]}")

    def has_found(self, record: PartRecord) -> bool:
        """Return whether a part has a divergence in the facet that the session stops at."""
        return self.stop_at_facet is not None and any(
            each.facet == self.stop_at_facet for each in record.divergences.values()
        )
