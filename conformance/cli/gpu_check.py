"""The checks that need an NVIDIA GPU: ``python -m conformance.cli.gpu_check``.

They need torch with CUDA, CuPy and the suite's own requirements, but neither nox nor a network.
Any version of torch with the suite's names works.  Three checks run: the area cuda against real
CUDA tensors, the release of device memory, and the time of large arrays on both sides.  The exit
status is 0 if all checks pass, 1 if not, and 2 if they could not run.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple

from ..core.errors import CouldNotRun
from ..libraries.library import Library
from ..libraries.loading import load
from ..libraries.oracle import load_oracle
from ..observation.cuda_modes import cuda_device_count, describe_devices
from ..report.files import replace_file

MAX_RATIO = 2.0
"""The largest accepted ratio of the subject's time to torch's."""

ROWS = (
    "x + y", "x * y", "x - 2.5", "x.add_(y)", "x < y", "h + h", "h * 2", "x.to(torch.float64)",
    "x.to(torch.bfloat16)", "h.to(torch.float32)", "x.to(torch.float8_e4m3fn)",
    "q.to(torch.float32)", "x.to(torch.int32)", "i.to(torch.float32)", "i + i", "x.clone()",
    "x.sqrt()", "torch.maximum(x, y)",
)  # fmt: skip
"""The statements that are timed on large arrays."""


class Row(NamedTuple):
    """A statement and its time in seconds on both sides."""

    statement: str
    torch: float
    subject: float

    @property
    def ratio(self) -> float:
        """The subject's time divided by torch's."""
        return self.subject / self.torch


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all checks and write a report; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        oracle = load_oracle()
        subject = load(options.subject, oracle.names)
        for side in (oracle, subject):
            if not cuda_device_count(side):
                raise CouldNotRun(f"{side.spec} finds no GPU")
        folder = Path(options.reports)
        folder.mkdir(parents=True, exist_ok=True)
        report: dict[str, Any] = {
            "torch": str(oracle.root.__version__),
            "devices": [describe_devices(library) for library in (oracle, subject)],
            "suite": run_suite(options.subject, folder, options.workers),
            "memory": measure_memory(subject.root, options.gib),
            "rows": measure_times(oracle, subject, options.elements),
        }
    except CouldNotRun as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    text = as_markdown(report)
    data = {**report, "rows": [row._asdict() for row in report["rows"]]}
    replace_file(folder / "gpu.json", json.dumps(data, indent=1) + "\n")
    replace_file(folder / "gpu.md", text)
    print(text)
    return 0 if has_passed(report) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.cli.gpu_check", description=(__doc__ or "").partition("\n\n")[0]
    )
    parser.add_argument("--subject", default="impl", help="the library (impl)")
    parser.add_argument("--reports", default="reports/gpu", metavar="DIR", help="the folder")
    parser.add_argument("--gib", type=int, default=16, help="how much memory is taken (16)")
    parser.add_argument(
        "--elements", type=int, default=2**26, help="how large the arrays are that are timed"
    )
    parser.add_argument("-n", dest="workers", type=int, default=0, help="processes to run in (0)")
    return parser


def run_suite(subject: str, folder: Path, workers: int) -> dict[str, Any]:
    """Run the area cuda of the suite; return its exit status and its verdict line."""
    options = ("run", "--profile", "standard", "--only", "cuda", "--subject", subject)
    command = [sys.executable, "-m", "conformance", *options]
    command += ["--reports", str(folder), "-n", str(workers)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    output = (process.stdout + process.stderr).strip().splitlines()
    if process.returncode == 2:
        raise CouldNotRun(output[-1] if output else "the suite could not run")
    verdicts = [line for line in output if "conform" in line]
    return {"status": process.returncode, "verdict": verdicts[0] if verdicts else ""}


def measure_memory(torch: Any, gib: int) -> dict[str, int]:
    """Return the allocated bytes before, during and after a conversion of ``gib`` GiB."""
    before = torch.cuda.memory_allocated()
    x = torch.ones(gib * 2**28, dtype=torch.float32, device="cuda")
    y = x.to(torch.bfloat16)
    last = float(y[-1])
    most = torch.cuda.memory_allocated()
    del x, y
    after = torch.cuda.memory_allocated()
    return {"before": before, "most": most, "after": after, "last": int(last)}


def measure_times(oracle: Library, subject: Library, elements: int) -> list[Row]:
    """Return the best time of each statement on both sides, measured in turns."""
    sides = [_names(library.root, elements) for library in (oracle, subject)]
    rows = []
    for statement in ROWS:
        runs = [_runner(statement, names) for names in sides]
        seconds = [[run() for run in runs] for _ in range(7)]
        # The first run compiles and warms up.
        rows.append(Row(statement, *(min(times) for times in zip(*seconds[1:], strict=True))))
    return rows


def _names(torch: Any, elements: int) -> dict[str, Any]:
    names: dict[str, Any] = {"torch": torch}
    exec(
        f"x = torch.ones({elements}, device='cuda'); y = x * 0.5; h = x.to(torch.bfloat16);"
        " q = x.to(torch.float8_e4m3fn); i = x.to(torch.int32)",
        names,
    )
    return names


def _runner(statement: str, names: dict[str, Any]) -> Callable[[], float]:
    code = compile(statement, "<row>", "eval")

    def run() -> float:
        names["torch"].cuda.synchronize()
        started = time.perf_counter()
        eval(code, names)
        names["torch"].cuda.synchronize()
        return time.perf_counter() - started

    return run


def has_passed(report: dict[str, Any]) -> bool:
    """Return whether all checks passed."""
    memory, rows = report["memory"], report["rows"]
    return (
        report["suite"]["status"] == 0
        and memory["before"] == memory["after"]
        and memory["most"] > memory["before"]
        and memory["last"] == 1
        and all(row.ratio <= MAX_RATIO for row in rows)
    )


def as_markdown(report: dict[str, Any]) -> str:
    """Return the report as Markdown."""
    memory, rows = report["memory"], report["rows"]
    mean = geometric_mean([row.ratio for row in rows])
    table = [
        f"| `{row.statement}` | {row.torch * 1e3:.3f} | {row.subject * 1e3:.3f} | {row.ratio:.2f} |"
        for row in rows
    ]
    parts = [
        f"# On a GPU: {'holds' if has_passed(report) else 'does not hold'}",
        f"torch {report['torch']} on {report['devices'][0]};"
        f" the subject on {report['devices'][1]}.",
        f"Area cuda: {report['suite']['verdict']}",
        f"Memory in use: {memory['before']:,} bytes before, {memory['most']:,} at most,"
        f" {memory['after']:,} after it was given back.",
        f"Large arrays: {mean:.2f} times torch's time, as a geometric mean;"
        f" no row may take more than {MAX_RATIO}.",
        "\n".join(["| | torch, ms | subject, ms | ratio |", "|---|---|---|---|", *table]),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
