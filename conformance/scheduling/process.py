"""A process that runs tests of a run one after another, as its input asks for them.

``python -m conformance.scheduling.process SETTINGS`` writes one line of JSON about itself, and
then one for each id of a test that it reads. What a subject prints goes elsewhere.
"""

import faulthandler
import gc
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from queue import Queue
from threading import Thread
from typing import Any, TextIO

from ..comparison.vector_widths import shared_server
from ..controls.catalogue import runs
from ..core.errors import CouldNotRun
from ..core.profiles import PROFILES
from ..engine.aggregate import known_facts, to_text
from ..engine.drawn_cases import keep_folder_clean
from ..engine.execution import run_part
from ..engine.session import Session
from ..explain.answers import session_of
from ..properties import all_properties
from ..spec import code_digest


def main() -> None:
    """Answer until the input ends."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    os.environ["PYTEST_XDIST_WORKER"] = "scheduled"  # as in a worker, a subject may interrupt it
    keep_folder_clean()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with shared_server():
        try:
            session = _session(asked)
            about = _about(asked, session)
        except CouldNotRun as error:
            _write(answers, {"could_not_run": str(error)})
            return
        _write(answers, about)
        limit_s = PROFILES[asked["profile"]].limit_s
        names: Queue[str] = Queue()
        Thread(target=_read, args=(names,), daemon=True).start()
        while name := names.get():
            faulthandler.dump_traceback_later(limit_s, exit=True)
            try:
                answer = _result(session, name)
            except CouldNotRun as error:
                answer = {"could_not_run": str(error)}
            finally:
                faulthandler.cancel_dump_traceback_later()
            _write(answers, answer)


def _read(names: "Queue[str]") -> None:
    """Queue the lines of the input; end the process with the input, also within a test."""
    for line in sys.stdin:
        names.put(line.rstrip("\n"))
    os._exit(0)


def _write(answers: TextIO, answer: Mapping[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _session(asked: Mapping[str, Any]) -> Session:
    loaded = session_of(asked["oracle"], asked["subject"])
    gc.collect()
    gc.freeze()
    return replace(loaded, profile=PROFILES[asked["profile"]], seed=asked["seed"])


def _about(asked: Mapping[str, Any], session: Session) -> dict[str, Any]:
    """Return the facts of the session, and the digests of the code."""
    code = {
        "suite": code_digest.suite_digest(),
        "subject": code_digest.library_digest(asked["subject"]),
    }
    return {"facts": known_facts(session), "code": code}


def _result(session: Session, name: str) -> dict[str, Any]:
    """Return the record of a part, or the result of a control."""
    if name.startswith("control "):
        return {"control": runs(all_properties())[name.removeprefix("control ")](session)}
    prop, _, part = name.removesuffix("]").rpartition("[")
    return {"part": to_text(run_part(session, all_properties()[prop], int(part)))}


if __name__ == "__main__":
    main()
