"""The processes that run programs with torch under other vector widths: JSON lines in and out.

Torch reads the setting of the vector width with its first kernel. So one process imports torch,
runs no kernel, and forks a process per setting, to which it passes the requests.
"""

import base64
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from ..core.case import Case
from ..libraries.build import capability_of
from ..libraries.oracle import import_torch, load_oracle
from .other_kernels import raw_result
from .vector_widths import VARIABLE

Pipes = tuple[TextIO, TextIO]
"""The requests to a process, and its answers."""


def serve(settings: Sequence[str], requests: TextIO, answers: TextIO) -> None:
    """Answer each request, of which the first item is the index of the setting, until they end.

    The first line of answers has the vector widths.
    """
    if len(settings) == 1:
        serve_one(settings[0], requests, answers)
        return
    import_torch()
    processes: list[Pipes] = []
    for setting in settings:
        processes.append(_forked(setting, processes))
    widths = [json.loads(line)[0] for line in map(_read, processes)]
    _write(answers, json.dumps(widths))
    for line in requests:
        process = processes[json.loads(line)[0]]
        try:
            _write(process[0], line)
        except OSError:  # it has ended
            _write(answers, "null")
        else:
            _write(answers, _read(process))


def serve_one(setting: str, requests: TextIO, answers: TextIO) -> None:
    """Answer each request under one setting of the vector width."""
    if setting:
        os.environ[VARIABLE] = setting
    oracle = load_oracle()
    _write(answers, json.dumps([capability_of(oracle.root)]))
    for line in requests:
        _, steps, raw_dtype, parts = json.loads(line)
        result = raw_result(oracle, Case(tuple(steps)), raw_dtype, parts)
        answer: Any = None
        if result is not None:
            answer = base64.b64encode(result.tobytes()).decode(), result.shape
        _write(answers, json.dumps(answer))


def _forked(setting: str, others: Sequence[Pipes]) -> Pipes:
    """Return the pipes of a new process with a setting, which ends when its requests end."""
    (requests, to_process), (from_process, answers) = os.pipe(), os.pipe()
    if not os.fork():
        # Requests end only if no other process can write them.
        for pipe in (pipe for pipes in others for pipe in pipes):
            os.close(pipe.fileno())
        os.close(to_process)
        os.close(from_process)
        try:
            serve_one(setting, os.fdopen(requests), os.fdopen(answers, "w"))
        finally:
            os._exit(0)
    os.close(requests)
    os.close(answers)
    return os.fdopen(to_process, "w"), os.fdopen(from_process)


def _read(process: Pipes) -> str:
    return process[1].readline() or "null"


def _write(file: TextIO, line: str) -> None:
    file.write(line.rstrip("\n") + "\n")
    file.flush()


if __name__ == "__main__":
    standard_output, sys.stdout = sys.stdout, sys.stderr  # a program may print
    serve(sys.argv[1:], sys.stdin, standard_output)
