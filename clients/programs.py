"""Runs of the programs in ``docs/programs``, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

from .report import SIDES, Outcome, Result

ROOT = Path(__file__).parents[1]
COMMAND = {"torch": (), "impl": ("-m", "impl")}
"""Python's arguments before the path of a program, by side."""


def run_programs(folder: Path) -> Outcome:
    """Return whether each program prints the text beside it, on both sides."""
    paths = sorted(folder.glob("*.py"))
    results = {side: {path.stem: run_program(path, side) for path in paths} for side in SIDES}
    return Outcome(folder.as_posix(), "", results)


def run_program(path: Path, side: str) -> Result:
    """Return whether a program prints the text beside it."""
    done = subprocess.run(
        [sys.executable, *COMMAND[side], str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return Result("failed", (done.stderr.strip().splitlines() or ["no message"])[-1])
    printed = done.stdout.splitlines()
    expected = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    if printed == expected:
        return Result("passed")
    number = next(
        (n for n, pair in enumerate(zip(printed, expected, strict=False)) if pair[0] != pair[1]),
        min(len(printed), len(expected)),
    )
    return Result("failed", f"prints another line {number + 1}")
