"""Certificates: the results of all controls, for one suite, build of torch and profile.

The controls are about the suite and the oracle, not about the subject.  So their results hold for
every run with the same suite, oracle and profile, and a run need not repeat them.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..core.domain import Cell
from ..core.errors import CouldNotRun

FOLDER = Path("reports/certificates")
SCHEMA = "torch-attributes-conformance-certificate/1"


@dataclass(frozen=True)
class Basis:
    """What the results of the controls depend on.

    suite: the digest of the suite's code
    oracle: the spec of the oracle
    build: the oracle's build, from `libraries.build.build_of`
    profile: the profile, which sets the effort of torch against itself
    """

    suite: str
    oracle: str
    build: Mapping[str, str]
    profile: str

    @property
    def path(self) -> Path:
        """The file of the certificate, which the next suite's certificate replaces."""
        names = self.oracle, self.build["version"], self.build["cpu_capability"], self.profile
        return FOLDER / f"{'-'.join(names).replace(' ', '').lower()}.json"


@dataclass(frozen=True)
class Certificate:
    """The results of all controls, each caught, as they are in a report.

    seed, environment, made: the seed, the environment and the time of the run
    """

    basis: Basis
    seed: int
    environment: Mapping[str, str]
    made: str
    controls: Sequence[Mapping[str, Any]]

    def holds(self, basis: Basis, controls: Collection[str]) -> bool:
        """Return whether these controls were all caught on this basis."""
        return (
            self.basis == basis
            and {row["id"] for row in self.controls} == set(controls)
            and all(row["caught"] for row in self.controls)
        )

    def summary(self) -> dict[str, Any]:
        """Return the certificate as a report names it, without the results."""
        return {
            "file": self.basis.path.as_posix(),
            **asdict(self.basis),
            "seed": self.seed,
            "environment": dict(self.environment),
            "made": self.made,
        }

    def as_text(self) -> str:
        """Return the text of the file."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, indent=1) + "\n"


def certificate_of(data: Mapping[str, Any]) -> Certificate:
    """Return the certificate that `dataclasses.asdict` has made plain data."""
    return Certificate(**{**data, "basis": Basis(**data["basis"])})


def read(path: Path) -> Certificate:
    """Return the certificate in a file, or raise `CouldNotRun`."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.pop("schema") != SCHEMA:
            raise CouldNotRun(f"{path} has another schema")
        certificate = certificate_of(data)
        certificate.holds(certificate.basis, ())
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise CouldNotRun(f"{path} is no certificate: {type(error).__name__}") from None
    return certificate


@cache
def cells_that_caught() -> Mapping[str, Cell]:
    """Return the cell that last caught each fault, by the id of the control, in any suite.

    A fault is looked for there first, which saves time and changes no result.
    """
    rows: list[Mapping[str, Any]] = []
    for path in sorted(FOLDER.glob("*.json")):
        with suppress(CouldNotRun):
            rows += read(path).controls
    return {row["id"]: tuple(row["cell"]) for row in rows if row.get("cell")}


def asks_on_meta(subject: str) -> bool:
    """Return whether the controls also ask torch on meta, as they do for a subject on meta."""
    return subject.partition("@")[2].startswith("meta")


def find(basis: Basis, controls: Collection[str]) -> Certificate | None:
    """Return the certificate in the folder that holds on this basis, or None."""
    try:
        found = read(basis.path)
    except CouldNotRun:
        return None
    return found if found.holds(basis, controls) else None
