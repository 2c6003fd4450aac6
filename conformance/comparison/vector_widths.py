"""Torch under the other vector widths of the processor, each in a process of its own.

Torch reads the environment variable ATEN_CPU_CAPABILITY once (compute_cpu_capability in
aten/src/ATen/native/DispatchStub.cpp). Widths above that of the processor would crash, so only
lower ones are set. All processes of a run share one server for each width.
"""

import atexit
import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core.case import Case
from ..libraries.build import capability_of
from ..libraries.library import Library

_VARIABLE = "ATEN_CPU_CAPABILITY"
_LOWER = {"AVX512": ("avx2", "default"), "AVX2": ("default",)}
"""The settings below each vector width."""

_FOLDER = "CONFORMANCE_VECTOR_WIDTHS"
"""The environment variable with the folder of the servers' sockets."""


@contextmanager
def shared_servers() -> Iterator[None]:
    """Let this process and those that it starts share servers inside the context."""
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
    """A connection to a server that runs programs with torch under a setting of the width."""

    def __init__(self, setting: str) -> None:
        self._setting = setting
        self._connect()

    def _connect(self) -> None:
        self._owner, self._stream = os.getpid(), _connection(self._setting).makefile("rw")
        self.capability = str(self._read())

    def raw_result(self, case: Case, raw_dtype: str, parts: int) -> Any:
        """Return the raw parts of the result of a case, or None."""
        request = {"steps": case.steps, "raw_dtype": raw_dtype, "parts": parts}
        answer = None
        with suppress(OSError):
            if self._owner != os.getpid():  # a forked process needs a connection of its own
                self._connect()
            self._stream.write(json.dumps(request) + "\n")
            self._stream.flush()
            answer = self._read()
        if answer is None:
            return None
        content = base64.b64decode(answer["content"])
        return np.frombuffer(content, raw_dtype).reshape(answer["shape"])

    def _read(self) -> Any:
        """Return the next answer; without one the program ended the process."""
        line = self._stream.readline()
        if not line:
            self._owner = 0
        return json.loads(line) if line else None


_SERVERS: list[subprocess.Popen[bytes]] = []
"""The servers that this process has started. They end with it, as then their input ends."""


def _connection(setting: str) -> socket.socket:
    """Return a connection to the server of a setting, which is started if there is none."""
    import fcntl  # only where there are Unix sockets

    folder = Path(os.environ.get(_FOLDER) or _own_folder())
    path = folder / (setting or "native")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(OSError):
            return _connect(path)
        path.unlink(missing_ok=True)
        _SERVERS.append(_start(setting, path))
        return _connect(path)


def _connect(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        raise
    return connection


def _start(setting: str, path: Path) -> subprocess.Popen[bytes]:
    """Start a server and wait until it listens."""
    environment = {name: value for name, value in os.environ.items() if name != _VARIABLE}
    if setting:
        environment[_VARIABLE] = setting
    process = subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.vector_width_server", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
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
    """Return the processes for all vector widths except that of the library.

    There are none without Unix sockets.
    """
    capability = capability_of(library.root) if hasattr(socket, "AF_UNIX") else None
    return () if capability is None else _processes(capability)


@cache
def _processes(capability: str) -> tuple[TorchProcess, ...]:
    """Return the processes for the vector widths of the processor except one."""
    native, processes = capability, []
    if os.environ.get(_VARIABLE):
        processes.append(TorchProcess(""))
        native = processes[0].capability
    processes += [TorchProcess(setting) for setting in _LOWER.get(native, ())]
    return tuple(process for process in processes if process.capability != capability)
