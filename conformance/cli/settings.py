"""The options of a run: one declaration for the command line, pytest and shards."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..core.profiles import PROFILES
from ..engine.expectations import PATH as EXPECTATIONS

Share = tuple[int, int]
"""The number of a shard, from 1, and the number of shards."""


_EXAMPLES = ", ".join(f"{profile.name} {profile.examples:,}" for profile in PROFILES.values())
_PROFILE = f"how many examples a sampled property draws: {_EXAMPLES} (quick)"


@dataclass(frozen=True)
class Settings:
    """The options of a run; those of the command line have the arguments of `argparse` beside.

    certificate: the file with the results of the controls, which then do not run
    """

    subject: str = field(
        default="impl", metadata={"help": "the library, as module[:attribute][@device] (impl)"}
    )
    oracle: str = field(default="torch", metadata={"help": "what is right (torch)"})
    profile: str = field(default="quick", metadata={"choices": [*PROFILES], "help": _PROFILE})
    only: str | None = field(
        default=None,
        metadata={"metavar": "AREA", "help": "one area; its report has its own folder"},
    )
    seed: int = field(default=0, metadata={"type": int, "help": "where drawing starts (0)"})
    reports: str = field(
        default="reports/latest", metadata={"metavar": "DIR", "help": "the folder (reports/latest)"}
    )
    shard: Share | None = field(
        default=None,
        metadata={"metavar": "I/N", "help": "one part of several; merge makes them one run"},
    )
    controls: bool = field(
        default=False,
        metadata={"action": "store_true", "help": "run the controls although they are certified"},
    )
    certificate: str | None = None
    expectations: Path = EXPECTATIONS
    all_or_nothing: bool = True

    @property
    def folder(self) -> Path:
        """The folder of the report; the report of one area has a separate one."""
        folder = Path(self.reports)
        return folder / f"only-{self.only}" if self.only else folder


OPTIONS: dict[str, dict[str, Any]] = {
    item.name: {"default": item.default, **item.metadata}
    for item in fields(Settings)
    if item.metadata
}
"""The arguments of `argparse` for each option of a run."""

ASKED = ("subject", "oracle", "profile", "seed", "only")
"""The settings that must be equal in all shards of a run."""
