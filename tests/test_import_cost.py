"""The modules that ``import impl`` loads, and its duration."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMPILED = Path(tempfile.gettempdir()) / "impl-compiled"


def output(statements: str) -> str:
    """Return the output of a program in a new interpreter."""
    command = [sys.executable, "-c", statements]
    # The bytecode is cached, as for users.
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment["PYTHONPYCACHEPREFIX"] = str(COMPILED)
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True, env=environment
    ).stdout


HEAVY = {"torch", "numpy", "typing", "re", "contextlib", "dataclasses", "ast", "inspect"}
LIGHT = [
    "impl",
    "impl._dtypes",
    "impl._dtypes.table",
    "impl._runtime",
    *(f"impl._runtime.{name}" for name in ("c_types", "errors", "export_table", "lazy_exports")),
]
MOST_MODULES = 25


def loaded_by(imported: str) -> list[str]:
    """Return the modules that an import loads, without those of the interpreter."""
    show = "print(*sorted(set(sys.modules) - before))"
    return output(f"import sys; before = set(sys.modules); import {imported}; {show}").split()


def test_importing_impl_loads_little() -> None:
    loaded = loaded_by("impl")
    assert [module for module in loaded if module.partition(".")[0] == "impl"] == LIGHT
    assert not HEAVY & {*loaded}
    assert len(loaded) <= MOST_MODULES


@pytest.mark.parametrize(
    ("imported", "heavy"),
    [
        ("numpy, impl", "numpy"),
        ("typing, impl", "typing"),
        ("impl._ops.common.registration", "impl._ops.common.registration"),
    ],
)
def test_what_an_import_loads_is_seen(imported: str, heavy: str) -> None:
    assert heavy in loaded_by(imported)
    assert len(loaded_by(imported)) > MOST_MODULES or heavy == "typing"


@pytest.mark.parametrize(("before", "fast"), [("", True), ("sum(range(4_000_000)); ", False)])
def test_importing_impl_is_fast(before: str, fast: bool) -> None:
    # Processor time, so that other processes do not count.
    timed = f"import time; t = time.process_time(); {before}import impl; "
    least = min(float(output(timed + "print(time.process_time() - t)")) for _ in range(5))
    assert (least < 0.03) is fast
