"""The server that runs programs with torch under other vector widths.

Torch and MKL read their settings with their first kernel. So one process imports torch, runs no
kernel, and forks a process for each connection, which sets environment variables. Messages are
lines of JSON.
"""

import base64
import json
import os
import select
import signal
import socket
import sys
from typing import Any, TextIO

from ..core.case import Case
from ..libraries.build import capability_of
from ..libraries.oracle import import_torch, load_oracle
from .other_kernels import raw_result


def listen(path: str) -> None:
    """Answer connections to a socket until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that no ended process stays
    import_torch()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print("listening", flush=True)
        sys.stdout = sys.stderr  # a program may print
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    listener.close()
                    try:
                        # One stream for both would lose the requests that it has read ahead.
                        with connection.makefile("r") as read, connection.makefile("w") as write:
                            serve(read, write)
                    finally:
                        os._exit(0)


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer each request of a connection, of which the first is the setting."""

    def answer(value: Any) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    os.environ.update(json.loads(requests.readline()))
    oracle = load_oracle()
    answer(capability_of(oracle.root))
    for line in requests:
        steps, raw_dtype, parts = json.loads(line)
        result = raw_result(oracle, Case(tuple(steps)), raw_dtype, parts)
        content = None
        if result is not None:
            content = base64.b64encode(result.tobytes()).decode(), result.shape
        answer(content)


if __name__ == "__main__":
    listen(sys.argv[1])
