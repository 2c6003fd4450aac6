"""Profiles: how much is drawn where a domain cannot be finished.

Finite domains are always visited whole.
"""

from typing import NamedTuple


class Profile(NamedTuple):
    """How many examples a sampled property draws, and how often it looks for one more divergence.

    One part of a property that takes longer than the limit counts as hanging.
    ``patterns`` is how many patterns of bits are converted from each dtype that has too many to
    try them all.  ``shrinks`` says whether a failing case is made small, for people to read.
    """

    name: str
    examples: int
    attempts: int = 4
    limit_s: float = 300.0
    shrinks: bool = True
    patterns: int = 2**13

    @property
    def operator_patterns(self) -> int:
        """How many patterns go through each operator: fewer, as there are so many operators."""
        return self.patterns // 4


CONTROLS = Profile("controls", 400, attempts=1, shrinks=False, patterns=2**11)
"""What torch is held against itself with."""
FAULTS = CONTROLS._replace(name="faults", examples=4000)
"""What a planted fault is looked for with: one divergence is enough, and ends it."""

PROFILES = {
    each.name: each
    for each in (
        Profile("quick", 400),
        Profile("standard", 5_000, patterns=2**17),
        Profile("deep", 50_000, limit_s=3600.0, patterns=2**21),
    )
}
