"""The command ``python -m bench``, which times both libraries in one process.

Exit status: 0 if every row and every group is within its ceiling, else 1.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from timeit import Timer
from typing import Any

from tabulate import tabulate

from .rows import GROUPS, IMPORT_CEILING, ROWS, Row

SIDES = ("torch", "impl")


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all rows, print the table and write it as JSON; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, help="rounds of timing per side")
    parser.add_argument("--json", type=Path, default=Path("reports/latest/bench.json"))
    options = parser.parse_args(arguments)

    imports = time_imports()
    rows = [time_row(row, options.rounds) for row in ROWS]
    groups = [summarise(group, ceiling, rows) for group, ceiling in GROUPS.items()]
    results = [imports, *rows, *groups]
    print(table(results))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    slow = [result["what"] for result in results if not result["kept"]]
    print(f"\nover their ceiling: {', '.join(slow)}" if slow else "\nall under their ceilings")
    print(f"wrote {options.json}")
    return 1 if slow else 0


def time_imports(rounds: int = 5) -> dict[str, Any]:
    """Return the result of the imports, timed alternately in new processes."""
    script = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
    seconds: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(rounds):
        for side in SIDES:
            process = subprocess.run(
                [sys.executable, "-c", script.format(side)],
                check=True,
                capture_output=True,
                text=True,
                env=_bytecode_environment(),
            )
            seconds[side].append(float(process.stdout))
    medians = {side: statistics.median(seconds[side]) for side in SIDES}
    return result("import", "import", medians, IMPORT_CEILING)


def _bytecode_environment() -> dict[str, str]:
    """Return an environment with a bytecode cache, as users have."""
    others = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**others, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "bench-compiled")}


def time_row(row: Row, rounds: int) -> dict[str, Any]:
    """Return the result of a statement: the medians of alternate rounds on both sides."""
    timers = {side: _timer(row, side) for side in SIDES}
    numbers = {side: timer.autorange()[0] // 20 or 1 for side, timer in timers.items()}
    seconds: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(rounds):
        for side in SIDES:
            if numbers[side] <= _WARM_UP_CALLS:
                _warm_up(timers[side])
            seconds[side].append(timers[side].timeit(numbers[side]) / numbers[side])
    medians = {side: statistics.median(seconds[side]) for side in SIDES}
    return result(row.group, row.statement, medians, row.ceiling)


_WARM_UP_CALLS = 200
"""The most calls per round of a statement that is slow enough for helper threads."""


def _warm_up(timer: Timer) -> None:
    """Run a statement for 20 ms without timing it.

    The other side's helper threads use the cores for some milliseconds after its last call,
    and the caches contain its data.
    """
    end = time.perf_counter() + 0.02
    while time.perf_counter() < end:
        timer.timeit(1)


def _timer(row: Row, side: str) -> Timer:
    scope = {"torch": import_module(side)}
    exec(row.setup, scope)
    # Names of the setup are local variables of the timed function, as in fast code.
    names = [name for name in scope if name not in ("torch", "__builtins__")]
    setup = "; ".join([f"{name} = scope[{name!r}]" for name in names] or ["pass"])
    return Timer(row.statement, setup, globals={"scope": scope, **scope})


def result(group: str, what: str, seconds: dict[str, float], ceiling: float) -> dict[str, Any]:
    """Return the result of one row as plain data."""
    ratio = seconds["impl"] / seconds["torch"]
    return {
        "group": group,
        "what": what,
        **{f"{side}_ns": round(seconds[side] * 1e9, 1) for side in SIDES},
        "ratio": round(ratio, 3),
        "ceiling": ceiling,
        "kept": ratio <= ceiling,
    }


def summarise(group: str, ceiling: float, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the result of a group: the geometric mean of its ratios."""
    ratios = [row["ratio"] for row in rows if row["group"] == group]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    what = f"geometric mean of {len(ratios)} rows"
    return {
        "group": group,
        "what": what,
        "torch_ns": None,
        "impl_ns": None,
        "ratio": round(mean, 3),
        "ceiling": ceiling,
        "kept": mean <= ceiling,
    }


def table(results: Sequence[dict[str, Any]]) -> str:
    """Return the results as a text table."""
    rows = [
        [
            row["group"],
            row["what"] if len(row["what"]) <= 44 else row["what"][:41] + "...",
            row["torch_ns"],
            row["impl_ns"],
            row["ratio"],
            row["ceiling"],
            "" if row["kept"] else "OVER",
        ]
        for row in results
    ]
    headers = ["group", "what", "torch ns", "impl ns", "ratio", "ceiling", ""]
    return tabulate(rows, headers, floatfmt=("", "", ".0f", ".0f", ".3f", "g", ""))


if __name__ == "__main__":
    sys.exit(main())
