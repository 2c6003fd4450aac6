"""What only a machine with an NVIDIA GPU can show: ``python -m conformance.on_a_gpu``.

It needs torch with CUDA, CuPy and what the suite runs on, neither nox nor a network, and takes any version of
torch that has the suite's names.  It holds the subject's CUDA tensors against real ones (area cuda), gives
memory back that it took, and times large arrays on both sides.  The exit status is 0 if all of it
holds, 1 if not, and 2 if it could not run.
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
from ..observation.cuda_modes import devices_of, kind_of_devices
from ..report.files import replace_file

MOST = 2.0
"""How many times as long as torch a row may take."""

ROWS = (
    "x + y", "x * y", "x - 2.5", "x.add_(y)", "x < y", "h + h", "h * 2", "x.to(torch.float64)", "x.to(torch.bfloat16)", "h.to(torch.float32)",
    "x.to(torch.float8_e4m3fn)", "q.to(torch.float32)", "x.to(torch.int32)", "i.to(torch.float32)", "i + i", "x.clone()", "x.sqrt()", "torch.maximum(x, y)",
)  # fmt: skip
"""What is timed of large arrays."""


class Row(NamedTuple):
    """A statement, and how many seconds it takes on both sides."""

    statement: str
    torch: float
    subject: float

    @property
    def ratio(self) -> float:
        """How many times as long the subject takes."""
        return self.subject / self.torch


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and write a report; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        oracle = load_oracle()
        subject = load(options.subject, oracle.names)
        for side in (oracle, subject):
            if not devices_of(side):
                raise CouldNotRun(f"{side.spec} finds no GPU")
        folder = Path(options.reports)
        folder.mkdir(parents=True, exist_ok=True)
        report: dict[str, Any] = {
            "torch": str(oracle.root.__version__),
            "devices": [kind_of_devices(each) for each in (oracle, subject)],
            "suite": run_suite(options.subject, folder, options.workers),
            "memory": held_after(subject.root, options.gib),
            "rows": timed(oracle, subject, options.elements),
        }
    except CouldNotRun as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    text = written(report)
    data = {**report, "rows": [each._asdict() for each in report["rows"]]}
    replace_file(folder / "gpu.json", json.dumps(data, indent=1) + "\n")
    replace_file(folder / "gpu.md", text)
    print(text)
    return 0 if holds(report) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.on_a_gpu", description=(__doc__ or "").partition("\n\n")[0]
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
    """Run the area cuda of the suite, and return its exit status and its last words."""
    command = [
        sys.executable,
        "-m",
        "conformance",
        "run",
        "--profile",
        "standard",
        "--only",
        "cuda",
    ]
    done = subprocess.run(
        [*command, "--subject", subject, "--reports", str(folder), "-n", str(workers)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stdout + done.stderr).strip().splitlines()
    if done.returncode == 2:
        raise CouldNotRun(said[-1] if said else "the suite could not run")
    verdicts = [line for line in said if "conform" in line]
    return {"status": done.returncode, "verdict": verdicts[0] if verdicts else ""}


def held_after(torch: Any, gib: int) -> dict[str, int]:
    """Take memory of a GPU, convert it, give it back, and tell how much was in use before, at most, and after."""
    before = torch.cuda.memory_allocated()
    x = torch.ones(gib * 2**28, dtype=torch.float32, device="cuda")
    y = x.to(torch.bfloat16)
    last = float(y[-1])
    most = torch.cuda.memory_allocated()
    del x, y
    after = torch.cuda.memory_allocated()
    return {"before": before, "most": most, "after": after, "last": int(last)}


def timed(oracle: Library, subject: Library, elements: int) -> list[Row]:
    """Time each row on both sides, which take turns."""
    sides = [_names(each.root, elements) for each in (oracle, subject)]
    rows = []
    for statement in ROWS:
        runs = [_runner(statement, names) for names in sides]
        seconds = [[run() for run in runs] for _ in range(7)]
        # The first compiles and warms up.
        rows.append(Row(statement, *(min(each) for each in zip(*seconds[1:], strict=True))))
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


def holds(report: dict[str, Any]) -> bool:
    """Tell whether all that was looked at is as it should be."""
    memory, rows = report["memory"], report["rows"]
    return (
        report["suite"]["status"] == 0
        and memory["before"] == memory["after"]
        and memory["most"] > memory["before"]
        and memory["last"] == 1
        and all(each.ratio <= MOST for each in rows)
    )


def written(report: dict[str, Any]) -> str:
    """Write what was found as Markdown."""
    memory, rows = report["memory"], report["rows"]
    mean = geometric_mean([each.ratio for each in rows])
    table = [f"| `{row.statement}` | {row.torch * 1e3:.3f} | {row.subject * 1e3:.3f} | {row.ratio:.2f} |" for row in rows]  # fmt: skip
    return "\n".join(
        [
            f"# On a GPU: {'holds' if holds(report) else 'does not hold'}",
            "",
            f"torch {report['torch']} on {report['devices'][0]}; the subject on {report['devices'][1]}.",
            "",
            f"Area cuda: {report['suite']['verdict']}",
            "",
            f"Memory in use: {memory['before']:,} bytes before, {memory['most']:,} at most,"
            f" {memory['after']:,} after it was given back.",
            "",
            f"Large arrays: {mean:.2f} times torch's time, as a geometric mean; no row may take more than {MOST}.",
            "",
            "| | torch, ms | subject, ms | ratio |",
            "|---|---|---|---|",
            *table,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
