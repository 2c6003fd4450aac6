"""Calls of functions in forked processes, with limits of time and memory."""

import ctypes
import json
import os
import resource
import select
import signal
import time
import warnings
from collections.abc import Callable
from traceback import format_exception
from typing import Any, NamedTuple

MEMORY_BYTES = 8 << 30
"""The memory that a child may allocate beyond that of its parent."""

PR_SET_PDEATHSIG = 1


class Ending(NamedTuple):
    """The end of a child: its result as JSON data, or why there is none.

    how: "" if there is a result, else "timeout", "died" or "raised"
    """

    result: Any
    how: str = ""
    detail: str = ""


def call_in_child(function: Callable[[], Any], cpu_s: float, wall_s: float) -> Ending:
    """Return the result of a function that runs in a forked process.

    The process ends after ``cpu_s`` seconds of its own computing, or ``wall_s`` seconds in all. It
    inherits all loaded modules and has no output.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of threads, none of which the child needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        _run(function, writer, cpu_s)
    os.close(writer)
    data = _read(reader, time.monotonic() + wall_s)
    os.close(reader)
    if data is None:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if data is None or status == -signal.SIGXCPU:
        return Ending(None, "timeout", f"no end after {cpu_s:.0f} s of computing")
    if status != 0 or not data:
        return Ending(None, "died", f"exit status {status}")
    answer = json.loads(data)
    if "error" in answer:
        return Ending(None, "raised", answer["error"])
    return Ending(answer["result"])


def die_with_parent() -> None:
    """End this process when the process that forked it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _run(function: Callable[[], Any], writer: int, cpu_s: float) -> None:
    """Run a function, write its result and end the process."""
    try:
        die_with_parent()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Hard limits stay: a child of this process has limits of its own.
        _limit(resource.RLIMIT_CPU, int(cpu_s) + 1)
        _limit(resource.RLIMIT_AS, _virtual_bytes() + MEMORY_BYTES)
        _write(writer, {"result": function()})
    except BaseException as error:  # noqa: BLE001  # nothing of the parent may run here
        _write(writer, {"error": "".join(format_exception(error))[-2000:]})
    finally:
        os._exit(0)


def _limit(kind: int, value: int) -> None:
    resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))


def _write(writer: int, answer: dict[str, Any]) -> None:
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(writer, data) :]


def _virtual_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _read(reader: int, deadline: float) -> bytes | None:
    """Return all bytes until the writer closes, or None after the deadline."""
    data = b""
    while (left := deadline - time.monotonic()) > 0:
        if select.select([reader], [], [], left)[0]:
            block = os.read(reader, 1 << 16)
            if not block:
                return data
            data += block
    return None
