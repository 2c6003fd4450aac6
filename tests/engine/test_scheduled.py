"""Runs on the workers of a Dask scheduler: the same report, whatever ends."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from .commands import LIMITS, ROOT, call, report_of, run, start

distributed = pytest.importorskip("distributed")

TIMES = ("started", "duration_s", "environment", "baseline")


@contextmanager
def cluster(folder, workers, *options):
    """Start a scheduler and workers; yield the address and the processes of the workers."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__DASHBOARD__LINK": ""}
    environment.pop("PYTEST_XDIST_WORKER", None)
    found = folder / "scheduler.json"
    parts = [["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
              "--scheduler-file", str(found)]]  # fmt: skip
    parts += [
        ["worker", "--scheduler-file", str(found), "--nthreads", "1", "--no-dashboard", *options]
    ] * workers
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + part[0], *part[1:]],
            cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for part in parts
    ]  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not found.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        address = json.loads(found.read_text())["address"]
        with distributed.Client(address, timeout=30) as client:
            client.wait_for_workers(workers, timeout=60)
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def scheduled(folder, address, *arguments):
    options = ("--oracle", "impl", "--only", "limits", "--scheduler", address)
    return call(folder, "run", *options, *arguments)


def comparable(report):
    """Return a report without times."""
    texts = {name: value for name, value in report.items() if name not in TIMES}
    for row in (*texts["properties"], *texts["controls"]):
        row.pop("seconds", None)
    return texts


def test_three_workers_give_the_report_of_one_process(folder):
    status, _, _ = run(folder, "--subject", "wrong")
    alone = report_of(folder, LIMITS)
    with cluster(folder, 3) as (address, _):
        found, out, err = scheduled(folder, address, "--subject", "wrong")
    assert found == status, out + err
    there = report_of(folder, LIMITS)
    assert comparable(there) == comparable(alone)
    assert there["environment"].keys() == alone["environment"].keys()


def test_a_test_that_ends_its_process_is_tried_once_more(folder):
    status, _, _ = run(folder, "--subject", "fleeing_once")
    alone = report_of(folder, LIMITS)
    assert not (folder / "fled").exists()
    with cluster(folder, 1) as (address, _):
        found, out, err = scheduled(folder, address, "--subject", "fleeing_once")
    assert (folder / "fled").exists()
    assert found == status, out + err
    assert comparable(report_of(folder, LIMITS)) == comparable(alone)


def test_a_test_that_always_ends_its_process_is_reported(folder):
    with cluster(folder, 2) as (address, _):
        status, out, err = scheduled(folder, address, "--subject", "deadly")
    assert status == 1, out + err
    dead = [row["id"] for row in report_of(folder, LIMITS)["properties"] if row.get("died")]
    assert "nothing is known of" in out
    assert "limits.finfo" not in dead


def test_a_worker_that_is_killed_costs_nothing(folder):
    with cluster(folder, 2) as (address, workers):
        process = start(
            folder, "run", "--oracle", "impl", "--only", "limits,promotion", "--scheduler", address
        )
        time.sleep(8)
        workers[0].send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=180)
    assert process.returncode == 0, out + err


def test_an_interrupt_leaves_what_was_found(folder):
    with cluster(folder, 1) as (address, _):
        process = start(
            folder,
            *("run", "--oracle", "impl", "--only", "limits", "--subject", "slow"),
            *("--scheduler", address),
        )
        while not (folder / "asked").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "not complete: interrupted" in out
    assert "Traceback" not in out + err


def test_workers_with_other_code_are_refused(folder):
    with cluster(folder, 1) as (address, _):
        (folder / "impl.py").write_text("")
        status, _, err = scheduled(folder, address, "--subject", "absent")
    assert status == 2
    assert "absent" in err


def test_no_scheduler_and_two_ways_to_split(folder):
    status, _, err = scheduled(folder, "tcp://127.0.0.1:9")
    assert (status, err.count("\n")) == (2, 1)
    assert "no scheduler at tcp://127.0.0.1:9" in err
    status, _, err = scheduled(folder, "tcp://127.0.0.1:9", "--shard", "1/2")
    assert status == 2
    assert "--shard and --scheduler both split a run" in err
