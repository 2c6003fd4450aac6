"""Interrupts of a run: what it writes, and what it leaves as it was."""

import signal
import subprocess
import sys
import time

import pytest

from .commands import LIMITS, ROOT, report_of, run, start

SEEN = """
import signal
from conformance.cli.interrupts import handle_interrupts, stop_repeating
handle_interrupts()
try:
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print(signal.getitimer(signal.ITIMER_REAL)[0] > 0)
stop_repeating()
print(signal.getitimer(signal.ITIMER_REAL)[0] > 0)
signal.raise_signal(signal.SIGTERM)
"""


AT_ONCE = """
import signal
from conformance.cli.interrupts import handle_interrupts, was_interrupted
handle_interrupts()
print(was_interrupted())
try:
    signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    signal.raise_signal(signal.SIGTERM)
    print(was_interrupted(), flush=True)
    signal.pause()
"""


def test_a_second_signal_at_once_does_not_meet_what_handles_the_first():
    ran = subprocess.run([sys.executable, "-c", AT_ONCE], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "True"]
    assert ran.stderr.rstrip().endswith("KeyboardInterrupt")  # the timer's


def test_an_interrupt_that_was_seen_is_not_raised_again():
    out = subprocess.check_output([sys.executable, "-c", SEEN], cwd=ROOT, text=True)
    assert out.split() == ["True", "False"]


def test_an_interrupt_while_the_workers_end_is_told_in_one_line(folder):
    process = start(
        folder,
        *("run", "--oracle", "impl", "-n", "1", "--only", "limits", "--subject", "lingering"),
    )
    while not (folder / "ending").exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "Traceback" not in out + err
    assert (out + err).splitlines()[-1] == "conformance: not complete: interrupted at its end"
    assert (folder / LIMITS / "incomplete").exists()


@pytest.mark.parametrize(
    ("number", "ignored"),
    [
        (signal.SIGINT, ()),
        (signal.SIGTERM, ()),
        (signal.SIGTERM, (signal.SIGINT,)),
        (signal.SIGKILL, ()),
    ],
)
@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_run_that_is_killed_leaves_the_last_report_whole(number, ignored, workers, folder):
    assert run(folder, "--subject", "impl")[0] == 0
    before = (folder / LIMITS / "report.json").read_bytes()
    process = start(
        folder,
        *("run", "--oracle", "impl", "-n", workers, "--only", "limits", "--subject", "slow"),
        ignored=ignored,
    )
    while not (folder / "asked").exists():
        assert process.poll() is None
        time.sleep(0.05)
    for again_after in (0, 0.05, 0.5):  # as `timeout` does, which also tells the process group
        time.sleep(again_after)
        process.send_signal(number)
    out, _ = process.communicate(timeout=120)
    if number is not signal.SIGKILL:
        assert process.returncode == 2
        assert "not complete: interrupted" in out
        found = report_of(folder, LIMITS / "interrupted")
        assert found["verdict"] == "fails"
        assert 0 < found["interrupted"]["parts"] < found["interrupted"]["of"]
        assert f"interrupted after {found['interrupted']['parts']} of" in out
        assert found["interrupted"]["not_begun"] == []
    assert (folder / LIMITS / "report.json").read_bytes() == before
    assert (folder / LIMITS / "incomplete").exists()
    assert run(folder, "--subject", "impl")[0] == 0
    assert not (folder / LIMITS / "interrupted").exists()
