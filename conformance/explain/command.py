"""The command ``explain``: it asks in a process of its own, as a subject may end or change that."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from ..core.errors import CouldNotRun
from ..core.formatting import truncate
from .answers import ask_both, lines_of, said_by, session_of


def explain(program: str, subject: str = "impl", oracle: str = "torch") -> int:
    """Print what both libraries give for a program, and which rules led there.

    Returns 0 if both agree and 1 if they differ; raises `CouldNotRun` if a library cannot be loaded, or the
    program cannot be one.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, side = Path(folder) / "answer.json", Path(folder) / "side"
        package = __package__ or "conformance.explain"
        subprocess.run(
            [sys.executable, "-m", package, str(path), str(side), program, subject, oracle],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if not path.exists():
            raise CouldNotRun(_ended(_side_in(side)))
        answer = json.loads(path.read_text(encoding="utf-8"))
    if "why" in answer:
        raise CouldNotRun(answer["why"])
    print("\n".join(answer["lines"]))
    return int(answer["status"])


def _side_in(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _ended(side: str) -> str:
    """Say what was running when the process ended without an answer."""
    if not side:
        return "explain ended without an answer, while it asked neither side"
    return f"{side!r} ends the process that asks it, or the program does there"


def answer_into(path: str, side: str, program: str, subject: str, oracle: str) -> None:
    """Write to a file what `explain` is to print, or why there is nothing; to another, which side is asked."""
    notes = Path(side)

    def asking(spec: str) -> None:
        notes.write_text(spec, encoding="utf-8")

    try:
        session = session_of(oracle, subject, asking)
        answers = ask_both(session, program, asking)
        lines = lines_of(answers, oracle, subject)
        answer = {"status": int(not answers.agree), "lines": lines}
    except CouldNotRun as error:
        answer = {"why": str(error).partition("\n")[0]}
    except BaseException as error:  # noqa: BLE001  # whatever a library or a program may bring about
        asked = _side_in(notes)
        where = f"while {asked!r} was asked" if asked else "while neither side was asked"
        what = f"{type(error).__name__}: {truncate(said_by(error), 0, 300)}".partition("\n")[0]
        answer = {"why": f"explain failed {where}: {what}"}
    Path(path).write_text(json.dumps(answer), encoding="utf-8")
