"""Torch under the other vector widths of the processor, each in a process of its own.

Torch reads the environment variable ATEN_CPU_CAPABILITY once (compute_cpu_capability in
aten/src/ATen/native/DispatchStub.cpp). Widths above that of the processor would crash, so only
lower ones are set. Functions such as ``acos`` are those of the Intel Math Kernel Library, which has
its own code for each kind of processor and reads MKL_CBWR once; COMPATIBLE is its code for
processors of other makers. All processes of a run share one server, see `vector_width_server`.
"""

import atexit
import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core.case import Case
from ..libraries.build import capability_of, has_mkl
from ..libraries.library import Library

Setting = Mapping[str, str]
"""Environment variables that decide which code torch runs."""

Request = tuple[Case, str, int]
"""A program, the dtype of the raw parts of its result's elements, and their number."""

WIDTH, MKL = "ATEN_CPU_CAPABILITY", "MKL_CBWR"
VARIABLES = (WIDTH, MKL)
_LOWER = {"AVX512": ("avx2", "default"), "AVX2": ("default",)}
"""The settings below each vector width."""

_MKL_CODES = ("AVX2", "COMPATIBLE")
"""The settings of MKL that every processor has whose torch has vector widths."""

_FOLDER = "CONFORMANCE_VECTOR_WIDTHS"
"""The environment variable with the folder of the server's socket."""


@contextmanager
def shared_server() -> Iterator[None]:
    """Let this process and those that it starts share a server inside the context."""
    before = os.environ.get(_FOLDER)
    with tempfile.TemporaryDirectory(prefix="widths-", ignore_cleanup_errors=True) as folder:
        os.environ[_FOLDER] = folder
        try:
            yield
        finally:
            os.environ.pop(_FOLDER)
            if before is not None:
                os.environ[_FOLDER] = before


class TorchProcess:
    """A process that runs programs with torch under a setting."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._connect()

    def _connect(self) -> None:
        connection = _connection()
        self._owner = os.getpid()
        self._answers, self._requests = connection.makefile("r"), connection.makefile("w")
        self.capability = str(self._answer(dict(self._setting)))

    def raw_result(self, case: Case, raw_dtype: str, parts: int) -> Any:
        """Return the raw parts of the result of a case, or None."""
        answer = None
        with suppress(OSError):
            if self._owner != os.getpid():  # a forked process needs a connection of its own
                self._connect()
            answer = self._answer((case.steps, raw_dtype, parts))
        return _array(answer, raw_dtype)

    def send(self, requests: Sequence[Request]) -> None:
        """Send several requests, whose results `receive` returns."""
        with suppress(OSError):
            if self._owner != os.getpid():
                self._connect()
            lines = [f"{json.dumps((case.steps, *fmt))}\n" for case, *fmt in requests]
            self._requests.write("".join(lines))
            self._requests.flush()

    def receive(self, requests: Sequence[Request]) -> list[Any]:
        """Return the results of the requests that were sent, as `raw_result` does."""
        lines: list[str] = []
        with suppress(OSError):
            lines = [self._answers.readline() for _ in requests]
        if not all(lines):  # a program has ended the process
            self._owner = 0
            return [self.raw_result(*request) for request in requests]
        return [
            _array(json.loads(line), raw_dtype)
            for line, (_, raw_dtype, _) in zip(lines, requests, strict=True)
        ]

    def _answer(self, request: Any) -> Any:
        """Return the answer to a request, or None if the program ended the process."""
        self._requests.write(json.dumps(request) + "\n")
        self._requests.flush()
        line = self._answers.readline()
        if not line:
            self._owner = 0
        return json.loads(line) if line else None


def _array(answer: Any, raw_dtype: str) -> Any:
    """Return the array of an answer, or None."""
    if answer is None:
        return None
    content, shape = answer
    return np.frombuffer(base64.b64decode(content), raw_dtype).reshape(shape)


_SERVERS: list[subprocess.Popen[bytes]] = []
"""The servers that this process has started. They end with it, as then their input ends."""


def _connection() -> socket.socket:
    """Return a connection to the server, which is started if there is none."""
    import fcntl  # only where there are Unix sockets

    folder = Path(os.environ.get(_FOLDER) or _own_folder())
    path = folder / "server"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(OSError):
            return _connect(path)
        path.unlink(missing_ok=True)
        _SERVERS.append(_start(path))
        return _connect(path)


def _connect(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        raise
    return connection


def _start(path: Path) -> subprocess.Popen[bytes]:
    """Start a server and wait until it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.vector_width_server", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name not in VARIABLES},
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    return process


@cache
def _own_folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix="widths-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    return folder.name


def processes_of(library: Library) -> tuple[TorchProcess, ...]:
    """Return the processes for all settings except that of the library.

    There are none without Unix sockets.
    """
    capability = capability_of(library.root) if hasattr(socket, "AF_UNIX") else None
    return () if capability is None else _processes(capability, has_mkl(library.root))


@cache
def _processes(capability: str, mkl: bool) -> tuple[TorchProcess, ...]:
    """Return the processes for all settings except a capability, and for MKL's code if it is used.

    With a variable in the environment, the oracle is not what it is by default, which is asked too.
    """
    native, processes = capability, []
    if os.environ.get(WIDTH) or os.environ.get(MKL):
        processes.append(TorchProcess({}))
        native = processes[0].capability
    processes += [TorchProcess({WIDTH: width}) for width in _LOWER.get(native, ())]
    others = [each for each in processes if each.capability != capability or os.environ.get(MKL)]
    if mkl and native in _LOWER:
        others += [TorchProcess({MKL: code}) for code in _MKL_CODES]
    return tuple(others)
