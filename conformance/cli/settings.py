"""The options of a run: one declaration for the command line, pytest and shards."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..core.formatting import short_hash
from ..core.profiles import PROFILES
from ..engine.expectations import PATH as EXPECTATIONS
from ..observation.levels import LEVELS, WORDS

Share = tuple[int, int]
"""The number of a shard, from 1, and the number of shards."""


_EXAMPLES = ", ".join(f"{profile.name} {profile.examples:,}" for profile in PROFILES.values())
_PROFILE = f"how many examples a sampled property draws: {_EXAMPLES} (quick)"


@dataclass(frozen=True)
class Settings:
    """The options of a run; those of the command line have the arguments of `argparse` beside.

    certificate: the file with the results of the controls, which then do not run; an empty name if
        they neither ran nor are certified
    """

    subject: str = field(
        default="impl", metadata={"help": "the library, as module[:attribute][@device] (impl)"}
    )
    oracle: str = field(default="torch", metadata={"help": "what is right (torch)"})
    profile: str = field(default="quick", metadata={"choices": [*PROFILES], "help": _PROFILE})
    only: str | None = field(
        default=None,
        metadata={
            "metavar": "AREA",
            "help": "areas and properties, separated by commas; their report has its own folder",
        },
    )
    seed: int = field(default=0, metadata={"type": int, "help": "where drawing starts (0)"})
    reports: str = field(
        default="reports/latest", metadata={"metavar": "DIR", "help": "the folder (reports/latest)"}
    )
    level: int = field(
        default=WORDS,
        metadata={
            "type": int,
            "choices": LEVELS,
            "help": "fail on divergences up to this level: 1 values, 2 layout, 3 words (3)",
        },
    )
    expectations: Sequence[str] = field(
        default=(),
        metadata={
            "action": "append",
            "default": None,
            "metavar": "FILE",
            "help": "a list of known divergences, as `accept` writes it; may come several times",
        },
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
    all_or_nothing: bool = True

    @property
    def folder(self) -> Path:
        """The folder of the report; the report of one area has a separate one."""
        folder = Path(self.reports)
        return folder / f"only-{_short(self.only)}" if self.only else folder

    @property
    def expectation_files(self) -> Sequence[Path]:
        """The suite's own list of known divergences, and those of the subject."""
        return (EXPECTATIONS, *map(Path, self.expectations or ()))


def _short(only: str) -> str:
    """Return a name of a folder for a selection."""
    return only if len(only) <= _MAX_NAME else f"{only[:_MAX_NAME]}-{short_hash(only)}"


_MAX_NAME = 60


OPTIONS: dict[str, dict[str, Any]] = {
    item.name: {"default": item.default, **item.metadata}
    for item in fields(Settings)
    if item.metadata
}
"""The arguments of `argparse` for each option of a run."""

ASKED = ("subject", "oracle", "profile", "seed", "only")
"""The settings that must be equal in all shards of a run."""
