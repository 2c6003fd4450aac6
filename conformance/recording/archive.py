"""A recording as a file: a zip archive with a header, and the answers of each part."""

import json
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..core.errors import CouldNotRun
from ..spec.code_digest import suite_digest
from .answers import SUFFIXES, Answers

SCHEMA = "torch-attributes-conformance-recording/2"
PREFIX = "recorded:"
"""The beginning of the spec of an oracle or a subject that is a recording."""

_HEADER = "recording.json"


@dataclass(frozen=True)
class Header:
    """What a recording is of.

    suite: the digest of the suite's code
    oracle, environment: the spec of the library that answered, and its environment
    names: the public names of its singletons
    profile, seed, only: what was asked; ``only`` is None for everything
    certificate: the results of the controls, if they are certified for this suite and oracle
    made: the time
    """

    suite: str
    oracle: str
    environment: Mapping[str, str]
    names: Sequence[str]
    profile: str
    seed: int
    only: str | None
    certificate: Mapping[str, Any] | None
    made: str

    def check_asked(self, path: str, profile: str, seed: int, only: str | None = None) -> None:
        """Raise `CouldNotRun` if the recording is of something else than a run asks."""
        if self.suite != suite_digest():
            raise CouldNotRun(f"{path} was made by another version of the suite; record it again")
        if (profile, seed) != (self.profile, self.seed):
            raise CouldNotRun(
                f"{path} is a recording of --profile {self.profile} --seed {self.seed}"
            )
        if self.only and only:
            recorded = {*self.only.split(",")}
            for name in only.split(","):
                if recorded.isdisjoint((name, name.partition(".")[0])):
                    raise CouldNotRun(f"{path} is a recording of {self.only}, not of {name}")

    def summary(self) -> dict[str, Any]:
        """Return the recording as a report names it."""
        names = "oracle", "environment", "profile", "seed", "made", "suite"
        return {name: getattr(self, name) for name in names}


class Archive:
    """A recording that is read from a file, part by part."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            data = json.loads(self._files(_HEADER)[_HEADER])
            if data.pop("schema") != SCHEMA:
                raise CouldNotRun(f"{path} has another schema")
            self.header = Header(**data)
        except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
            raise CouldNotRun(f"{path} is no recording: {type(error).__name__}") from None

    def _files(self, *names: str) -> dict[str, bytes]:
        """Return the contents of those of the files that are there."""
        with zipfile.ZipFile(self.path) as archive:
            return {name: archive.read(name) for name in names if name in archive.NameToInfo}

    def part(self, name: str) -> Answers | None:
        """Return the answers of a part by its name, or None if it was not recorded."""
        files = self._files(*(name + suffix for suffix in SUFFIXES))
        contents = {file.removeprefix(name): content for file, content in files.items()}
        return Answers.from_files(contents) if contents else None


def part_name(property_id: str, part: int) -> str:
    """Return the name of a part in a recording."""
    return f"{property_id}.{part}"


def is_recording(spec: str) -> bool:
    """Return whether a spec is ``recorded:FILE``."""
    return spec.startswith(PREFIX)


def archive_of(spec: str) -> Archive | None:
    """Return the recording of a spec ``recorded:FILE``, or None for another spec."""
    return Archive(spec.removeprefix(PREFIX)) if is_recording(spec) else None


def write(path: Path, header: Header, parts: Iterable[Path], names: Collection[str]) -> None:
    """Write a recording of the files of all parts; a file at the path is replaced at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.writing")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        text = json.dumps({"schema": SCHEMA, **asdict(header)}, indent=1)
        archive.writestr(_HEADER, text, zipfile.ZIP_DEFLATED)
        for file in sorted(parts):
            if file.name.rpartition(".")[0] in names:
                archive.writestr(file.name, file.read_bytes(), zipfile.ZIP_LZMA)
    temporary.replace(path)
