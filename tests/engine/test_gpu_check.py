"""The GPU check, run on simulated CUDA devices, without its timings."""

import subprocess
import sys

import impl
from conformance.cli import gpu_check
from conformance.libraries.library import Library
from impl.testing import simulated_cuda

RIGHT = Library("impl", impl)


MEMORY = {"before": 0, "most": 1, "after": 0, "last": 1}


def report(**changes):
    return {
        "torch": "0",
        "devices": ["a", "b"],
        "suite": {"status": 0, "verdict": "impl conforms"},
        "memory": MEMORY,
        "rows": [gpu_check.Row("x", 1.0, 1.5)],
        **changes,
    }


def test_memory_is_given_back():
    with simulated_cuda(1, memory=2**31):
        rows = gpu_check.measure_memory(impl, 1)
    assert rows == {"before": 0, "most": 2**30 + 2**29, "after": 0, "last": 1}


def test_each_row_is_timed_on_both_sides():
    with simulated_cuda(1):
        rows = gpu_check.measure_times(RIGHT, RIGHT, 1000)
    assert [row.statement for row in rows] == [*gpu_check.ROWS]
    assert all(row.torch > 0 and row.subject > 0 for row in rows)


def test_what_holds_and_what_does_not():
    assert gpu_check.has_passed(report())
    assert "# On a GPU: holds" in gpu_check.as_markdown(report())
    for wrong in (
        {"suite": {"status": 1, "verdict": ""}},
        {"memory": {**MEMORY, "after": 512}},
        {"memory": {**MEMORY, "last": 0}},
        {"memory": {**MEMORY, "most": 0}},
        {"rows": [gpu_check.Row("x", 1.0, 0.5), gpu_check.Row("y", 1.0, 2.5)]},
    ):
        assert not gpu_check.has_passed(report(**wrong))
        assert "# On a GPU: does not hold" in gpu_check.as_markdown(report(**wrong))


def test_where_there_is_no_gpu_it_says_so_in_one_line(tmp_path):
    program = (
        "import sys\nfrom conformance.cli import gpu_check as on_a_gpu\n"
        "on_a_gpu.load_oracle = lambda: on_a_gpu.load('impl')\n"
        f"sys.exit(on_a_gpu.main(['--reports', {str(tmp_path / 'reports')!r}]))"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.strip() == "conformance: impl finds no GPU"
    assert not (tmp_path / "reports").exists()
