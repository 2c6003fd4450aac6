"""The command ``record``: the oracle's answers in a file, which judge subjects without torch."""

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from ..comparison.vector_widths import shared_server
from ..controls.catalogue import runs
from ..controls.certificates import Basis, Certificate, find
from ..core.errors import CouldNotRun
from ..core.profiles import Profile
from ..core.selection import includes
from ..engine.aggregate import environment
from ..engine.execution import run_part
from ..engine.session import Session
from ..libraries.oracle import load_oracle
from ..properties import all_properties
from ..recording.archive import Header, part_name, write
from ..report.progress import Progress
from ..report.safe_print import print_safely
from ..report.text import plural
from ..spec.code_digest import suite_digest

_SESSION: list[Session] = []
"""The session of a process that records."""


def record(
    file: Path,
    oracle: str,
    build: Mapping[str, str] | None,
    profile: Profile,
    seed: int,
    only: str | None,
    workers: int,
) -> int:
    """Record the oracle's answers to what a run with these options asks; return 0.

    Raise `CouldNotRun` if the file cannot be written, or if the oracle ends a process.
    """
    properties = all_properties()
    chosen = [prop for name, prop in properties.items() if includes(only, name)]
    parts = [(prop.id, part) for prop in chosen for part in range(prop.parts)]
    started, suite = time.perf_counter(), suite_digest()
    certificate = None
    if build is not None and only is None:
        basis = Basis(suite, oracle, build, profile.controls_of)
        certificate = find(basis, runs(properties))
    with tempfile.TemporaryDirectory(prefix="recording-") as folder, shared_server():
        options = oracle, profile, seed, folder
        comparisons, (facts, names) = _record_parts(parts, options, workers, started)
        header = Header(
            suite, oracle, facts, names, profile.name, seed, only,
            asdict(certificate) if isinstance(certificate, Certificate) else None,
            datetime.now(UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
        try:
            write(file, header, Path(folder).iterdir(), {part_name(*part) for part in parts})
        except OSError as error:
            raise CouldNotRun(f"cannot write {file}: {error.strerror}") from error
    size = file.stat().st_size / 1e6
    controls = "with" if certificate else "without"
    print_safely(
        [
            f"{plural(len(chosen), 'property')}, {comparisons:,} facts,"
            f" {controls} certified controls, in {time.perf_counter() - started:.0f} s",
            f"wrote {file} ({size:.1f} MB)",
            f"next: python -m conformance run --oracle recorded:{file} --subject YOURS"
            f" --profile {profile.name} --seed {seed}",
        ]
    )
    return 0


Options = tuple[str, Profile, int, str]
"""The oracle, the profile, the seed, and the folder for the answers."""

About = tuple[dict[str, str], list[str]]
"""The environment of the oracle, and the names of its singletons."""


def _record_parts(
    parts: list[tuple[str, int]], options: Options, workers: int, started: float
) -> tuple[int, About]:
    """Record all parts in processes; return the number of facts and what the oracle is."""
    progress, comparisons = Progress(sys.stderr), 0
    progress.total = len(parts)
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(max(1, workers), context, _begin, options) as pool:
            about = pool.submit(_about)
            for done in as_completed([pool.submit(_record_part, *part) for part in parts]):
                comparisons += done.result()
                progress.step(comparisons, time.perf_counter() - started)
            progress.done()
            return comparisons, about.result()
    except BrokenProcessPool as error:
        raise CouldNotRun("the oracle ends the process that records it") from error


def _begin(oracle_spec: str, profile: Profile, seed: int, folder: str) -> None:
    oracle = load_oracle(oracle_spec)
    all_properties()
    _SESSION[:] = [Session(oracle, oracle, profile, seed, records_into=Path(folder))]


def _about() -> About:
    [session] = _SESSION
    return environment(session.oracle), [*session.oracle.names]


def _record_part(name: str, part: int) -> int:
    [session] = _SESSION
    return run_part(session, all_properties()[name], part).comparisons
