"""The command ``python -m bench``, which times both libraries in one process.

``python -m bench operators`` times a call of each overload of torch's public operators.
``python -m bench chosen`` times rows that have ceilings. Without a name, both run.

Exit status: 1 if a chosen row or a group exceeds its ceiling, or if an operator is refused; else 0.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tabulate import tabulate

from conformance.generators.schemas.overloads import overloads

from . import operators, summary
from .chosen import GROUPS, IMPORT_CEILING, ROWS, Row
from .timing import SIDES, medians, timer

COMMITTED = Path("reports/bench/operators.json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("operators", "chosen"))
    parser.add_argument("--rounds", type=int, default=25, help="rounds of timing of a chosen row")
    parser.add_argument(
        "--full", action="store_true", help="time operators in each dtype and memory order"
    )
    parser.add_argument("--name", default="", help="time the overloads with this in their name")
    parser.add_argument("--reports", type=Path, default=Path("reports/latest"))
    parser.add_argument("--readme", type=Path, help="a document to write the figures into")
    options = parser.parse_args(arguments)
    options.reports.mkdir(parents=True, exist_ok=True)
    status = 0
    if options.what != "operators":
        status |= time_chosen(options)
    if options.what != "chosen":
        status |= time_operators(options)
    return status


def time_chosen(options: argparse.Namespace) -> int:
    """Time the chosen rows, print the table and write it as JSON; return the exit status."""
    imports = time_imports()
    rows = [time_row(row, options.rounds) for row in ROWS]
    groups = [summarise(group, ceiling, rows) for group, ceiling in GROUPS.items()]
    results = [imports, *rows, *groups]
    print(table(results))
    path = options.reports / "bench.json"
    _write(path, json.dumps(results, indent=1) + "\n")
    slow = [result["what"] for result in results if not result["kept"]]
    print(f"\nover their ceiling: {', '.join(slow)}" if slow else "\nall under their ceilings")
    print(f"wrote {path}")
    return 1 if slow else 0


def time_operators(options: argparse.Namespace) -> int:
    """Time the operators, print the figures and write the reports; return the exit status."""
    libraries = {side: import_module(side) for side in SIDES}
    torch = libraries["torch"]
    budget = 0.01 if options.full else 0.004
    results = []
    for row in operators.rows(torch, is_full=options.full, name=options.name):
        results.append(operators.time_row(row, libraries, budget))
        if not len(results) % 500:
            print(f"{len(results):,} calls", file=sys.stderr, flush=True)
    timed = {result["overload"] for result in results}
    not_timed = [
        each.id
        for each in overloads(torch).values()
        if options.name in each.id and operators.is_main(each) and each.id not in timed
    ]
    facts = f"torch {torch.__version__}, {torch.get_num_threads()} threads, {platform.machine()}"
    print(tabulate(summary.figures(results), "keys"))
    print(f"\n{summary.rows_table(summary.worst(results))}")
    before = json.loads(COMMITTED.read_text("utf-8"))["rows"] if COMMITTED.exists() else []
    for result, ratio in _still_grown(results, before, libraries, budget):
        print(f"slower than in {COMMITTED}: {summary.key_of(result)}, {ratio} then")
    failed = summary.refused(results)
    for result in failed:
        print(f"refused: {summary.key_of(result)}: {result['error']}")
    data = {"facts": facts, "rows": results}
    lines = json.dumps(data, ensure_ascii=False).replace('{"overload"', '\n{"overload"')
    _write(options.reports / "operators.json", lines + "\n")
    _write(options.reports / "operators.md", summary.markdown(results, not_timed, facts))
    _write(options.reports / "operators.html", summary.page(results, facts))
    if options.readme is not None:
        block = summary.readme_block(results, facts)
        _write(options.readme, summary.with_block(options.readme.read_text("utf-8"), block))
    print(f"wrote {options.reports / 'operators.json'}, operators.md and operators.html")
    return 1 if failed else 0


def _still_grown(
    results: list[dict[str, Any]], before: Any, libraries: Any, budget: float
) -> list[tuple[dict[str, Any], float]]:
    """Return the rows that are slower than in a report, when timed twice more as well."""
    grown = summary.grown(results, before)
    for _ in range(2):
        again = []
        for result, ratio in grown:
            row = operators.row_of(result)
            timed = operators.time_row(row, libraries, budget)
            if timed.get("ratio", math.inf) < result["ratio"]:
                result.update(timed)
            again.append((result, ratio))
        grown = summary.grown([result for result, _ in again], before)
    return grown


def _write(path: Path, text: str) -> None:
    """Write a file in whole: a process that dies leaves the old one."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


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
    of_sides = {side: statistics.median(seconds[side]) for side in SIDES}
    return result("import", "import", of_sides, IMPORT_CEILING)


def _bytecode_environment() -> dict[str, str]:
    """Return an environment with a bytecode cache, as users have."""
    others = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**others, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "bench-compiled")}


def time_row(row: Row, rounds: int) -> dict[str, Any]:
    """Return the result of a statement: the medians of alternate rounds on both sides."""
    timers = {}
    for side in SIDES:
        scope = {"torch": import_module(side)}
        exec(row.setup, scope)
        timers[side] = timer(row.statement, scope)
    return result(row.group, row.statement, medians(timers, rounds), row.ceiling)


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
