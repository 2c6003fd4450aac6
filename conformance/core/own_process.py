"""An answer from a process of its own, which a library may end or change."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .errors import CouldNotRun

Crash = Callable[[str], str]
"""A function that returns the message for a process that ended, from the last note that it left."""


def answer_of(
    package: str,
    *arguments: str,
    crash: Crash,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the answer of ``python -m package ANSWER NOTE *arguments``.

    The process writes its answer as JSON into the first file, and into the second one what it is
    about to ask. Raise `CouldNotRun` if it leaves no answer, or one with the reason ``why``.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, note = Path(folder) / "answer.json", Path(folder) / "note"
        subprocess.run(
            [sys.executable, "-m", package, str(path), str(note), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            check=False,
        )
        if not path.exists():
            raise CouldNotRun(crash(read_note(note)))
        answer: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if "why" in answer:
        raise CouldNotRun(answer["why"])
    return answer


def read_note(path: Path) -> str:
    """Return what a process was about to ask, or an empty string."""
    return path.read_text(encoding="utf-8") if path.exists() else ""
