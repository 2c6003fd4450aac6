"""The command ``explain``, in a separate process, as a subject may end or change its process."""

import json
from pathlib import Path

from ..core.errors import CouldNotRun
from ..core.formatting import truncate
from ..core.own_process import answer_of, read_note
from .answers import answer_lines, ask_both, error_text, session_of


def explain(program: str, subject: str = "impl", oracle: str = "torch") -> int:
    """Print the results of a program in both libraries, with the rules for the oracle's.

    Returns 0 if both agree and 1 if they differ.  Raises `CouldNotRun` if a library cannot be
    loaded or the program is invalid.
    """
    package = __package__ or "conformance.explain"
    answer = answer_of(package, program, subject, oracle, crash=_crash_message)
    print("\n".join(answer["lines"]))
    return int(answer["status"])


def _crash_message(side: str) -> str:
    """Return the message for a process that ended without an answer."""
    if not side:
        return "explain ended without an answer, while it asked neither side"
    return f"{side!r} ends the process that asks it, or the program does there"


def answer_into(path: str, side: str, program: str, subject: str, oracle: str) -> None:
    """Write the lines or the error for `explain` to ``path``, the running library to ``side``."""
    notes = Path(side)

    def notify(spec: str) -> None:
        notes.write_text(spec, encoding="utf-8")

    try:
        session = session_of(oracle, subject, notify)
        answers = ask_both(session, program, notify)
        lines = answer_lines(answers, oracle, subject)
        answer = {"status": int(not answers.agree), "lines": lines}
    except CouldNotRun as error:
        answer = {"why": str(error).partition("\n")[0]}
    except BaseException as error:  # noqa: BLE001  # a library or a program may raise anything
        side_name = read_note(notes)
        context = f"while {side_name!r} was asked" if side_name else "while neither side was asked"
        text = f"{type(error).__name__}: {truncate(error_text(error), 0, 300)}".partition("\n")[0]
        answer = {"why": f"explain failed {context}: {text}"}
    Path(path).write_text(json.dumps(answer), encoding="utf-8")
