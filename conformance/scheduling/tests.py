"""The tests of a run on workers: each thread of a worker has them run by a process beside it.

So a test that ends its process, or hangs, costs neither the worker nor what others run on it. The
main thread of that process runs the tests, as that of pytest does.
"""

import json
import os
import subprocess
import sys
from importlib import import_module
from threading import Lock
from typing import Any

from .client import Order


class ProcessEnded(Exception):  # an event, told as such
    """The process of a test ended, or was ended as it took too long."""


class ProcessOfTests:
    """A process that runs tests, see `process`."""

    def __init__(self, settings: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.process", settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            encoding="utf-8",
        )
        self.settings = settings
        self.about = self._answer("its import")

    def run(self, name: str) -> dict[str, Any]:
        """Return the result of a test; raise `ProcessEnded` if there is none."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
        except OSError:  # it has ended; the answer tells
            pass
        return self._answer(name)

    def _answer(self, asked: str) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.end()
            raise ProcessEnded(f"a process ended or hung in {asked}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def _environment() -> dict[str, str]:
    """Return the environment without what Dask sets for its workers, such as one thread each."""
    by_dask = import_module("dask").config.get("distributed.nanny.pre-spawn-environ", {})
    return {
        name: value
        for name, value in os.environ.items()
        if name not in by_dask or str(by_dask[name]) != value
    }


_idle: list[ProcessOfTests] = []
"""The processes of this worker that wait for a test."""

_lock = Lock()


def about(settings: str) -> dict[str, Any]:
    """Return the facts and the code of a process for a run, or why there is none."""
    end_processes()
    try:
        process = ProcessOfTests(settings)
    except ProcessEnded as error:
        return {"could_not_run": str(error)}
    with _lock:
        _idle.append(process)
    return process.about


def run_test(order: Order) -> dict[str, Any]:
    """Return the result of a test: a record of a part, that of a control, or why there is none."""
    settings = order["settings"]
    with _lock:
        process = _idle.pop() if _idle and _idle[-1].settings == settings else None
    process = process or ProcessOfTests(settings)
    if "could_not_run" in process.about:
        return process.about
    result = process.run(order["test"])
    with _lock:
        _idle.append(process)
    return result


def end_processes() -> None:
    """End the processes of this worker that wait."""
    with _lock:
        while _idle:
            _idle.pop().end()
