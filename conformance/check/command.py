"""The command ``check``, in a separate process, as a subject may end or change its process."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..comparison.vector_widths import shared_server
from ..core.errors import CouldNotRun
from ..explain.answers import session_of
from ..report.safe_print import print_safely
from .survey import survey
from .text import lines_of

SECONDS = 8.0
"""How long properties are looked at, beside the time of the imports."""


def check(subject: str, oracle: str, workers: int) -> int:
    """Print what is there of a subject, what blocks, and what to implement next; return 0.

    Raise `CouldNotRun` if a library cannot be loaded, or ends its process.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, place = Path(folder) / "lines.json", Path(folder) / "place"
        package = __package__ or "conformance.check"
        environment = {**os.environ, "PYTEST_XDIST_WORKER": "check"}
        subprocess.run(
            [sys.executable, "-m", package, str(path), str(place), subject, oracle, str(workers)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
        if not path.exists():
            where = place.read_text(encoding="utf-8") if place.exists() else "its import"
            raise CouldNotRun(f"{subject!r} ends the process that looks at it, in {where}")
        answer = json.loads(path.read_text(encoding="utf-8"))
    if "why" in answer:
        raise CouldNotRun(answer["why"])
    print_safely(answer["lines"])
    return 0


def look_into(path: str, place: str, subject: str, oracle: str, workers: str) -> None:
    """Write the lines or the error for `check` to ``path``, and what is asked to ``place``."""
    notes = Path(place)

    def notify(name: str) -> None:
        notes.write_text(name, encoding="utf-8")

    try:
        with shared_server():
            session = session_of(oracle, subject)
            found = survey(session, SECONDS, notify)
        answer: dict[str, Any] = {"lines": lines_of(found, int(workers))}
    except CouldNotRun as error:
        answer = {"why": str(error).partition("\n")[0]}
    except Exception as error:  # noqa: BLE001  # a library may have anything anywhere
        asked = notes.read_text(encoding="utf-8") if notes.exists() else "its import"
        text = f"{type(error).__name__}: {error}".partition("\n")[0]
        answer = {"why": f"{subject!r} cannot be looked at in {asked}: {text}"}
    Path(path).write_text(json.dumps(answer), encoding="utf-8")
