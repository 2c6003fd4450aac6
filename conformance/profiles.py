"""Profiles: how much is drawn where a domain cannot be finished.

Finite domains are always visited whole.
"""

from typing import NamedTuple


class Profile(NamedTuple):
    """How many examples a sampled property draws, and how often it looks for one more divergence."""

    name: str
    examples: int
    attempts: int = 4


PROFILES = {
    each.name: each
    for each in (Profile("quick", 400), Profile("standard", 4_000), Profile("deep", 40_000))
}
