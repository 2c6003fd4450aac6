"""The command ``check``, in a separate process, as a subject may end or change its process."""

import json
import socket
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

from ..comparison.vector_widths import TorchProcess, shared_server
from ..controls.catalogue import runs
from ..controls.certificates import Basis, find
from ..core.errors import CouldNotRun
from ..core.own_process import answer_of, read_note
from ..engine.session import Session
from ..explain.answers import session_of
from ..libraries.build import build_of
from ..properties import all_properties
from ..recording.archive import is_recording
from ..report.safe_print import print_safely
from ..spec.code_digest import suite_digest
from .survey import survey
from .text import lines_of

SECONDS = 8.0
"""How long properties are looked at, beside the time of the imports."""

_IMPORT = "its import"


def check(subject: str, oracle: str, workers: int) -> int:
    """Print what is there of a subject, what blocks, and what to implement next; return 0.

    Raise `CouldNotRun` if a library cannot be loaded, or ends its process.
    """
    if is_recording(oracle):
        raise CouldNotRun("a first look needs torch itself, not a recording")
    # The suite lets a subject raise KeyboardInterrupt in a worker only.
    environment = {"PYTEST_XDIST_WORKER": "check"}
    answer = answer_of(
        __package__ or "conformance.check", subject, oracle, str(workers),
        crash=lambda asked: f"{subject!r} ends the process that looks at it, in {asked or _IMPORT}",
        environment=environment,
    )  # fmt: skip
    print_safely(answer["lines"])
    return 0


def _is_certified(oracle: str, session: Session) -> bool:
    """Return whether a run of quick needs no controls."""
    build = build_of(session.oracle.root)
    if build is None:
        return False
    return find(Basis(suite_digest(), oracle, build, "quick"), runs(all_properties())) is not None


def _start_server() -> None:
    """Start the server of other vector widths, which imports torch, while this process does so."""
    if hasattr(socket, "AF_UNIX") and find_spec("torch"):
        with suppress(OSError):
            TorchProcess({})


def look_into(path: str, place: str, subject: str, oracle: str, workers: str) -> None:
    """Write the lines or the error for `check` to ``path``, and what is asked to ``place``."""
    notes = Path(place)

    def notify(name: str) -> None:
        notes.write_text(name, encoding="utf-8")

    try:
        with shared_server():
            Thread(target=_start_server, daemon=True).start()
            session = session_of(oracle, subject)
            found = survey(session, SECONDS, notify)
            found.is_certified = _is_certified(oracle, session)
        answer: dict[str, Any] = {"lines": lines_of(found, int(workers))}
    except CouldNotRun as error:
        answer = {"why": str(error).partition("\n")[0]}
    except Exception as error:  # noqa: BLE001  # the answer says what the subject led to
        asked = read_note(notes) or _IMPORT
        text = f"{type(error).__name__}: {error}".partition("\n")[0]
        answer = {"why": f"{subject!r} cannot be looked at in {asked}: {text}"}
    Path(path).write_text(json.dumps(answer), encoding="utf-8")
