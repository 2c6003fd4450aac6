"""Profiles: the number of draws for domains that are not finite.

Finite domains are visited in full, but a quick run asks one in some cells of those with many
similar ones, which change with the seed. How many, each property says: so many that a quick run
takes minutes.
"""

from typing import NamedTuple


class Profile(NamedTuple):
    """The effort of a run.

    examples: the number of examples of a sampled property
    attempts: how often a sampled property searches for another divergence
    limit_s: the seconds after which a part of a property counts as hanging
    shrink_s: the seconds that a part of a property may spend on shrinking failing cases
    patterns: the number of bit patterns for each dtype with more than 2**16
    call_step: one of how many calls of an operator's overload is asked
    pair_step: one of how many dtypes is paired with each dtype
    asks_all: whether every cell of every domain is asked, also of those with ``one_in``
    cells: the number of cells of each finite domain that are asked, chosen by the seed, if not all;
        a domain whose cells a report lists is asked whole
    certified_as: the profile whose controls hold for this one, if not its own
    """

    name: str
    examples: int
    attempts: int = 4
    limit_s: float = 300.0
    shrink_s: float = 3.0
    patterns: int = 2**13
    call_step: int = 18
    pair_step: int = 4
    asks_all: bool = True
    cells: int | None = None
    certified_as: str = ""

    @property
    def controls_of(self) -> str:
        """The profile whose controls hold for this one."""
        return self.certified_as or self.name

    @property
    def shrinks(self) -> bool:
        """Whether failing cases are shrunk."""
        return self.shrink_s > 0

    @property
    def operator_patterns(self) -> int:
        """The number of bit patterns for each operator."""
        return self.patterns // 4

    @property
    def against_itself(self) -> "Profile":
        """The profile for comparing torch with itself, in a run of this profile."""
        patterns = self.patterns // 4
        return self._replace(attempts=1, shrink_s=0, patterns=patterns, asks_all=True)

    @property
    def scattered_cells(self) -> int:
        """The number of cells of a domain in which torch is compared with itself."""
        return 500 * self.examples // 400


FAULTS = Profile("faults", 4000, attempts=8, shrink_s=0, patterns=2**11)
"""The profile for a planted fault, which ends when it is caught."""

PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "smoke", 8, asks_all=False, cells=8, call_step=72, shrink_s=1.0, certified_as="quick"
        ),
        Profile("quick", 400, asks_all=False),
        Profile("standard", 5_000, patterns=2**17, call_step=1, pair_step=1, shrink_s=30),
        Profile(
            "deep", 50_000, limit_s=3600.0, patterns=2**21, call_step=1, pair_step=1, shrink_s=300
        ),
    )
}
