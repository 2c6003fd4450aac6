"""The server that runs programs with torch under another vector width.

It forks a process for each connection, so torch is loaded once. Requests and answers are lines of
JSON.
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
from ..libraries.library import Library
from ..libraries.oracle import load_oracle
from .other_kernels import raw_result


def listen(path: str) -> None:
    """Answer connections to a socket until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that no ended process stays
    oracle = load_oracle()
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
                    with connection.makefile("rw") as stream:
                        serve(oracle, stream)
                    os._exit(0)


def serve(oracle: Library, stream: TextIO) -> None:
    """Answer each request of a connection."""

    def answer(value: Any) -> None:
        stream.write(json.dumps(value) + "\n")
        stream.flush()

    answer(capability_of(oracle.root))
    for line in stream:
        request = json.loads(line)
        case = Case(tuple(request["steps"]))
        result = raw_result(oracle, case, request["raw_dtype"], request["parts"])
        if result is None:
            answer(None)
        else:
            content = base64.b64encode(result.tobytes()).decode()
            answer({"content": content, "shape": result.shape})


if __name__ == "__main__":
    listen(sys.argv[1])
