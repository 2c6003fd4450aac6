"""The programs in docs/programs, which say ``import torch``: run with impl, they print as torch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted((ROOT / "docs" / "programs").glob("*.py"))


def output(path: Path, *arguments: str) -> str:
    """Return the output of a program of torch, run with impl."""
    command = [sys.executable, "-W", "error", "-m", "impl", str(path), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_print_what_torch_prints(path: Path) -> None:
    assert output(path) == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_programs_get_their_arguments() -> None:
    (sampling,) = [path for path in PROGRAMS if path.stem == "sampling"]
    assert "distinct: 6 of 6 torch.int64" in output(sampling, "--steps", "1")


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 3
    assert all("import torch" in path.read_text(encoding="utf-8") for path in PROGRAMS)
